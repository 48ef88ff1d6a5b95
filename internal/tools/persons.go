package tools

import (
	"context"
	"fmt"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

// me is the caller's profile, from memory when it was read within the last minutes.
func (ws *workspace) me(ctx context.Context) (basecamp.Person, error) {
	key, err := own(ctx, ws, int64(0))
	if err != nil {
		return basecamp.Person{}, err
	}
	if profile, _, ok := ws.profiles.get(key); ok {
		return profile, nil
	}
	profile, err := ws.bc.Profile(ctx)
	if err != nil {
		return basecamp.Person{}, err
	}
	ws.profiles.put(key, profile)
	return profile, nil
}

// people are those of a project, or of the whole account for 0, from memory when they were read within the last minutes.
func (ws *workspace) people(ctx context.Context, project int64) ([]basecamp.Person, error) {
	key, err := own(ctx, ws, project)
	if err != nil {
		return nil, err
	}
	if people, _, ok := ws.crews.get(key); ok {
		return people, nil
	}
	people, err := everything(ctx, func(ctx context.Context, page int) (basecamp.Page[basecamp.Person], error) {
		if project == 0 {
			return ws.bc.People(ctx, page)
		}
		return ws.bc.ProjectPeople(ctx, project, page)
	})
	if err != nil {
		return nil, err
	}
	ws.crews.put(key, people)
	return people, nil
}

// person resolves somebody: the caller ("me"), an id, a name or the URL of a person. In a project (0 is the whole account)
// only those on it are considered, so that a first name shared with somebody elsewhere is no question.
func (ws *workspace) person(ctx context.Context, argument string, who mcptool.Ref, project int64) (basecamp.Person, error) {
	if strings.EqualFold(who.Name, "me") {
		me, err := ws.me(ctx)
		if err != nil || project == 0 {
			return me, err
		}
		who = mcptool.Ref{ID: me.ID}
	}
	if who.URL != "" {
		link, err := ws.link(ctx, argument, who.URL)
		if err != nil {
			return basecamp.Person{}, err
		}
		if link.Type != "people" {
			return basecamp.Person{}, fault.Invalid(argument, "is not the URL of a person but of %s", whatIs(link.Type))
		}
		who = mcptool.Ref{ID: link.ID}
	}
	people, err := ws.people(ctx, project)
	if err != nil {
		return basecamp.Person{}, err
	}
	found, err := personAmong(argument, people, project).byRef(who)
	if fault.Is(err, fault.NotFound) && project != 0 {
		return basecamp.Person{}, ws.notOnProject(ctx, argument, who, fault.From(err))
	}
	return found, err
}

// persons resolves several; each is said to be wrong on its own.
func (ws *workspace) persons(ctx context.Context, argument string, who []mcptool.Ref, project int64) ([]basecamp.Person, error) {
	people := make([]basecamp.Person, 0, len(who))
	for i, ref := range who {
		p, err := ws.person(ctx, fmt.Sprintf("%s[%d]", argument, i), ref, project)
		if err != nil {
			return nil, err
		}
		people = append(people, p)
	}
	return people, nil
}

func personAmong(argument string, people []basecamp.Person, project int64) choice[basecamp.Person] {
	noun := personNoun
	if project == 0 {
		noun = anyoneNoun
	}
	return choice[basecamp.Person]{
		argument: argument, noun: noun, items: people,
		name:  func(p basecamp.Person) string { return p.Name },
		id:    func(p basecamp.Person) int64 { return p.ID },
		where: func(p basecamp.Person) string { return p.Title },
	}
}

// notOnProject says of somebody who is not on a project whether they are known at all; the candidates are those on it.
func (ws *workspace) notOnProject(ctx context.Context, argument string, who mcptool.Ref, unknown *fault.Error) error {
	everybody, err := ws.people(ctx, 0)
	if err != nil {
		return err
	}
	f := fault.Invalid(argument, "nobody on the project is called %q%s", shorten(who.String()), nearestNames(unknown.Candidates))
	if p, err := personAmong(argument, everybody, 0).byRef(who); err == nil {
		f = fault.Invalid(argument, "%s is not on the project; have them added in Basecamp first, or name somebody who is on it", richtext.Clean(p.Name))
	}
	f.Candidates, f.Resource = unknown.Candidates, unknown.Resource
	return f
}

func personIDs(people []basecamp.Person) []int64 {
	ids := make([]int64, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	return ids
}
