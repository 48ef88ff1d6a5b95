package texts

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// PingLink is the word in the path of a ping's URL.
const PingLink = "circles"

// PingHead is a ping as its lines show it. People are the others in it.
type PingHead struct {
	lookup.Head
	People []lookup.Ref `json:"people"`
	URL    string       `json:"url"`
}

// ViewPing returns a ping as answers show it.
func ViewPing(p basecamp.Ping, me int64) *PingHead {
	return &PingHead{lookup.Head{ID: p.ID, Type: lookup.PingKind}, lookup.ViewNames(p.Others(me)), p.AppURL}
}

// PingShown is a ping with its lines, the newest first.
type PingShown struct {
	PingHead
	Title string `json:"title,omitempty"` // if its people gave it one
	ChatLines
}

// PingNamed finds a ping by its id, by its title, or by the names of the others in it, separated by
// commas.
func (rs *Resolver) PingNamed(ctx context.Context, argument, text string) (basecamp.Ping, error) {
	if id := lookup.URLs.ParseRef(text).ID; id > 0 {
		return basecamp.Ping{ID: id}, nil
	}
	me, err := rs.Me(ctx)
	if err != nil {
		return basecamp.Ping{}, err
	}
	pings, err := basecamp.Pings.All(ctx, rs.BC)
	if err != nil {
		return basecamp.Ping{}, err
	}
	if titled := naming.Exactly(pings, text, PingTitle); len(titled) == 1 {
		return titled[0], nil
	}
	var met, people []basecamp.Person
	for _, p := range pings {
		met = append(met, slices.DeleteFunc(p.Others(me.ID), func(o basecamp.Person) bool { return lookup.IsAmong(met, o.ID) })...)
	}
	for name := range strings.SplitSeq(text, ",") {
		person, err := lookup.PersonAmong(argument, met, 0).ByRef(lookup.URLs.ParseRef(strings.TrimSpace(name)))
		if fault.Is(err, fault.NotFound) {
			return basecamp.Ping{}, noPing(argument, text, nil, me.ID)
		}
		if err == nil {
			err = rs.TakenFor(ctx, argument, strings.TrimSpace(name), person)
		}
		if err != nil {
			return basecamp.Ping{}, err
		}
		people = append(people, person)
	}
	with := lookup.Matching(pings, func(p basecamp.Ping) bool {
		return !slices.ContainsFunc(people, func(o basecamp.Person) bool { return !lookup.IsAmong(p.People, o.ID) })
	})
	i := slices.IndexFunc(with, func(p basecamp.Ping) bool { return len(p.Others(me.ID)) == len(people) })
	if i < 0 {
		return basecamp.Ping{}, noPing(argument, text, with, me.ID)
	}
	return with[i], nil
}

// PingTitle returns the title that people gave a ping, or "".
func PingTitle(p basecamp.Ping) string {
	if !p.Named {
		return ""
	}
	return p.Title
}

// noPing returns the error for people with whom the user has no ping. Groups are the pings with
// them and with others.
func noPing(argument, text string, groups []basecamp.Ping, me int64) error {
	f := fault.New(fault.NotFound, "%s: there is no ping with exactly %s that has a line; post_chat_line starts one if to is a list of people", argument, plaintext.Quote(text))
	for _, p := range groups[:min(len(groups), 3)] {
		names := strings.Join(lookup.PeopleNames(p.Others(me)), ", ")
		f.Nearest = append(f.Nearest, fault.Candidate{ID: p.ID, Type: lookup.PingKind, Name: lookup.ShortName(names)})
	}
	f.Resource = &fault.Resource{Type: lookup.PingKind, ID: lookup.Shorten(text)}
	return f
}
