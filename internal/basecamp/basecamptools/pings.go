package basecamptools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

// pingLink is the word in the path of a ping's URL.
const pingLink = "circles"

// pingHead is a ping as its lines show it. People are the others in it.
type pingHead struct {
	lookup.Head
	People []lookup.Ref `json:"people"`
	URL    string       `json:"url"`
}

func viewPing(p basecamp.Ping, me int64) *pingHead {
	return &pingHead{lookup.Head{ID: p.ID, Type: lookup.PingKind}, lookup.ViewNames(p.Others(me)), p.AppURL}
}

// pingShown is a ping with its lines, the newest first.
type pingShown struct {
	pingHead
	Title string `json:"title,omitempty"` // if its people gave it one
	chatLines
}

// showPingAt reads a ping, from its newest line back.
func (rs *resolver) showPingAt(ctx context.Context, link basecamp.Link, in commentsInput) (pageShown, int64, error) {
	me, err := rs.Me(ctx)
	if err != nil {
		return pageShown{}, 0, err
	}
	ping, err := rs.BC.Ping(ctx, link.ID)
	if err != nil {
		return pageShown{}, 0, err
	}
	recent, err := rs.chatWindow(ctx, ping.Chat(), listCampfireLinesInput{Limit: defaultLines, Cursor: in.cursor})
	if err != nil {
		return pageShown{}, 0, err
	}
	v := pingShown{pingHead: *viewPing(ping, me.ID), Title: plaintext.Clean(pingTitle(ping))}
	v.chatLines, err = recent.read(ctx, rs)
	slices.Reverse(v.Items)
	return pageShown{Item: v, ReplyTo: &replyRef{v.Head, v.URL, "post_chat_line"}}, 0, err
}

// pingNamed finds a ping by its id, by its title, or by the names of the others in it, separated by
// commas.
func (rs *resolver) pingNamed(ctx context.Context, argument, text string) (basecamp.Ping, error) {
	if id := lookup.URLs.ParseRef(text).ID; id > 0 {
		return basecamp.Ping{ID: id}, nil
	}
	me, err := rs.Me(ctx)
	if err != nil {
		return basecamp.Ping{}, err
	}
	pings, err := rs.BC.Pings(ctx)
	if err != nil {
		return basecamp.Ping{}, err
	}
	if titled := lookup.Exactly(pings, text, pingTitle); len(titled) == 1 {
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

// pingTitle returns the title that people gave a ping, or "".
func pingTitle(p basecamp.Ping) string {
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
