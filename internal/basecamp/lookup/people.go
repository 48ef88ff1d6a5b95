package lookup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// personFinder finds the people whom callers name.
type personFinder struct {
	projectFinder
	profiles    cache[int64, basecamp.Person]   // the caller's own, with key 0
	peopleLists cache[int64, []basecamp.Person] // by project, 0 for the account
	everyone    cache[int, []basecamp.Person]   // of the account, with key 0; a write does not end it
}

// Me returns the caller's profile. The profile may come from the cache.
func (rs *personFinder) Me(ctx context.Context) (basecamp.Person, error) {
	if profile, _, ok := rs.profiles.get(ctx, 0); ok {
		return profile, nil
	}
	return rs.ReadMe(ctx)
}

// KnowsMe reports whether the caller's profile is in the cache.
func (rs *personFinder) KnowsMe(ctx context.Context) bool {
	_, _, known := rs.profiles.get(ctx, 0)
	return known
}

// ReadMe reads the caller's profile, whether it is cached or not.
func (rs *personFinder) ReadMe(ctx context.Context) (basecamp.Person, error) {
	profile, err := basecamp.Me.Get(ctx, rs.BC)
	if err == nil {
		rs.profiles.put(ctx, 0, profile)
	}
	return profile, err
}

// People returns the people on a project or, for 0, in the account. They come from the cache if
// they were read within maxAge.
func (rs *personFinder) People(ctx context.Context, project int64, maxAge time.Duration) ([]basecamp.Person, error) {
	if people, age, ok := rs.peopleLists.get(ctx, project); ok && age <= maxAge {
		return people, nil
	}
	people, err := listing.Everything(ctx, rs.PeopleOf(project))
	if err != nil {
		return nil, err
	}
	rs.peopleLists.put(ctx, project, people)
	if project == 0 {
		rs.everyone.put(ctx, 0, people)
	}
	rs.hasClients.put(ctx, project, slices.ContainsFunc(people, IsClient))
	return people, nil
}

// KnownPeople returns the people on a project if they are in the cache.
func (rs *personFinder) KnownPeople(ctx context.Context, project int64) (people []basecamp.Person, known bool) {
	people, _, known = rs.peopleLists.get(ctx, project)
	return people, known
}

// PeopleOn returns the people on a project, who may come from the cache.
func (rs *personFinder) PeopleOn(ctx context.Context, project int64) ([]basecamp.Person, error) {
	return rs.People(ctx, project, memo.Life)
}

// PeopleOf returns a source of the people on a project or, for 0, in the account.
func (rs *personFinder) PeopleOf(project int64) listing.Source[basecamp.Person] {
	if project == 0 {
		return basecamp.People.Source(rs.BC)
	}
	return basecamp.PeopleIn.Source(rs.BC, project)
}

// Person resolves a reference to a person: "me" for the caller, an id, a name or a URL. If
// project is not 0, it considers only people on the project, so that a first name need not be
// unique in the account.
func (rs *personFinder) Person(ctx context.Context, argument string, who toolargs.Ref, project int64) (basecamp.Person, error) {
	who, err := PersonNoun.Bare(argument, who)
	if err != nil {
		return basecamp.Person{}, err
	}
	if word := AssigneeWord(who); word != "" {
		return basecamp.Person{}, fault.Invalid(argument, "must be a person (an id, a name or me), got %q; leave it out if you mean no one in particular", word)
	}
	if strings.EqualFold(who.Name, "me") {
		me, err := rs.Me(ctx)
		if err != nil || project == 0 {
			return me, err
		}
		who = toolargs.Ref{ID: me.ID}
	}
	if who.URL != "" {
		link, err := rs.Link(ctx, argument, who.URL)
		if err != nil {
			return basecamp.Person{}, err
		}
		if link.Type != "people" {
			return basecamp.Person{}, fault.Invalid(argument, "must be the URL of a person, not of %s", WhatIs(link.Type))
		}
		who = toolargs.Ref{ID: link.ID}
	}
	if project != 0 && isOneWord(who) {
		listing.ReadAhead(ctx, rs.namesakes)
	}
	found, err := rs.personIn(ctx, argument, who, project, memo.Life)
	if fault.Is(err, fault.NotFound) { // the person may be new
		found, err = rs.personIn(ctx, argument, who, project, justRead)
	}
	if fault.Is(err, fault.NotFound) && project != 0 {
		err = rs.notOnProject(ctx, argument, who, project, fault.From(err))
	}
	if who.Name == "" {
		return found, err
	}
	return found, elsewhere(ctx, argument, who.Name, true, err, func(ctx context.Context) error {
		_, err := rs.personIn(ctx, argument, who, 0, memo.Life)
		return err
	})
}

// personIn finds a person on a project, in a list read within maxAge. A name of several words
// that only partly matches a person on the project does not find that person if it is the whole
// name of another person in the account.
func (rs *personFinder) personIn(ctx context.Context, argument string, who toolargs.Ref, project int64, maxAge time.Duration) (basecamp.Person, error) {
	people, err := rs.People(ctx, project, maxAge)
	if err != nil {
		return basecamp.Person{}, err
	}
	among := PersonAmong(argument, people, project)
	among.look = looking(ctx)
	found, err := among.ByRef(who)
	if err != nil || project == 0 {
		return found, err
	}
	if strings.Contains(strings.TrimSpace(who.Name), " ") && naming.Fold(found.Name) != naming.Fold(who.Name) {
		everyone, err := rs.People(ctx, 0, memo.Life)
		if err != nil {
			return basecamp.Person{}, err
		}
		if len(naming.Exactly(everyone, who.Name, among.Label)) > 0 {
			return basecamp.Person{}, among.Unknown(who.Name)
		}
	}
	return found, rs.TakenFor(ctx, argument, who.Name, found)
}

// isOneWord reports whether a person is named by one word, which is probably a first name.
func isOneWord(who toolargs.Ref) bool {
	return who.Name != "" && !strings.Contains(strings.TrimSpace(who.Name), " ") && !strings.EqualFold(who.Name, "me")
}

// ReadPeople reads the people on a project beside what a call reads first, if it names any. Later
// lookups find them in the cache.
func (rs *personFinder) ReadPeople(ctx context.Context, project int64, named []toolargs.Ref) error {
	if len(named) == 0 {
		return nil
	}
	if slices.ContainsFunc(named, isOneWord) {
		await := listing.ReadAhead(ctx, rs.namesakes)
		defer func() { _, _ = await() }() // what needs them reads them again
	}
	_, err := rs.People(ctx, project, memo.Life)
	return err
}

// namesakes returns the people in the account, who may have the same first name. They may come from
// the cache also after a write: no name is resolved by them.
func (rs *personFinder) namesakes(ctx context.Context) ([]basecamp.Person, error) {
	if people, _, ok := rs.everyone.get(ctx, 0); ok {
		return people, nil
	}
	return rs.People(ctx, 0, memo.Life)
}

// TakenFor says in the answer for whom a part of a name was taken, if it can mean others in the
// account too.
func (rs *personFinder) TakenFor(ctx context.Context, argument, name string, taken basecamp.Person) error {
	if name == "" || naming.Fold(name) == naming.Fold(taken.Name) {
		return nil
	}
	everyone, err := rs.namesakes(ctx)
	if _, ok := listing.Dispensable(err); err != nil && !ok {
		return err
	}
	others := PersonAmong(argument, everyone, 0).named(name)
	others = Matching(others, func(p basecamp.Person) bool { return p.ID != taken.ID })
	if len(others) > 0 {
		names := plaintext.QuoteAll(PeopleNames(others[:min(len(others), maxCandidates)]))
		mcptool.Understood(ctx, fmt.Sprintf("%s: %s -> %s; the name also fits %s", argument, plaintext.Quote(name), plaintext.Quote(taken.Name), names))
	}
	return nil
}

// Persons resolves several people. An error names every reference that failed, with its index.
func (rs *personFinder) Persons(ctx context.Context, argument string, who []toolargs.Ref, project int64) ([]basecamp.Person, error) {
	people, problems := make([]basecamp.Person, len(who)), make([]error, len(who))
	for i, ref := range who {
		people[i], problems[i] = rs.Person(ctx, fmt.Sprintf("%s[%d]", argument, i), ref, project)
		if problems[i] != nil && !fault.OfArguments(problems[i]) {
			return nil, problems[i]
		}
	}
	return people, fault.All(problems...)
}

// PersonAmong returns the choice between people of a project; 0 is the account.
func PersonAmong(argument string, people []basecamp.Person, project int64) Choice[basecamp.Person] {
	noun := PersonNoun
	if project == 0 {
		noun = anyoneNoun
	}
	return Choice[basecamp.Person]{
		Argument: argument, Noun: noun, Items: people,
		Name:  func(p basecamp.Person) string { return p.Name },
		ID:    func(p basecamp.Person) int64 { return p.ID },
		Where: func(p basecamp.Person) string { return p.Title },
		words: true,
	}
}

// notOnProject returns the error for a person who is not on a project: INVALID_INPUT if the person
// is in the account, otherwise NOT_FOUND. Its nearest are people on the project.
func (rs *personFinder) notOnProject(ctx context.Context, argument string, who toolargs.Ref, project int64, unknown *fault.Error) error {
	everyone, err := rs.People(ctx, 0, memo.Life)
	if _, ok := listing.Dispensable(err); err != nil && !ok {
		return err
	}
	f := fault.New(fault.NotFound, "%s: no person on the project is called %s%s", argument, plaintext.Quote(who.String()), namesBehind("; nearest: ", unknown.Nearest))
	if p, err := PersonAmong(argument, everyone, 0).ByRef(who); err == nil {
		on, err := rs.ProjectByID(ctx, project)
		if _, ok := listing.Dispensable(err); err != nil && !ok {
			return err
		}
		next := "; name a person who is, or add them with change_project first"
		if strings.HasPrefix(argument, "remove_") {
			next = "; name a person who is"
		}
		f = fault.Invalid(argument, "%s is not on the project %s%s",
			plaintext.Quote(p.Name), plaintext.Quote(cmp.Or(on.Name, strconv.FormatInt(project, 10))), next)
	}
	f.Nearest, f.Resource = unknown.Nearest, unknown.Resource
	return f
}

// IsAmong reports whether one of the people has an id.
func IsAmong(people []basecamp.Person, id int64) bool {
	return slices.ContainsFunc(people, func(p basecamp.Person) bool { return p.ID == id })
}

// PersonIDs returns the ids of people.
func PersonIDs(people []basecamp.Person) []int64 {
	return Mapped(people, func(p basecamp.Person) int64 { return p.ID })
}

// The words that callers use in place of a person: without assignees, and with some.
const (
	NoAssignee  = "none"
	AnyAssignee = "any"
)

// AssigneeWord returns the word that a caller uses in place of a person, or "".
func AssigneeWord(ref toolargs.Ref) string {
	word := strings.ToLower(strings.TrimSpace(ref.Name))
	if word != NoAssignee && word != AnyAssignee {
		return ""
	}
	return word
}
