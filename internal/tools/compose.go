package tools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

// mentionsInput is part of every tool that writes rich text.
type mentionsInput struct {
	Mentions mcptool.Refs `json:"mentions,omitzero" jsonschema:"People to mention" limits:"maxitems=20"`
}

// prose is a text to be written: where, under which argument it came, and what field it replaces.
type prose struct {
	project  int64
	argument string
	markdown string
	mentions mcptool.Refs
	old      basecamp.HTML
}

// compose turns Markdown into Basecamp's HTML. Everybody it mentions must be on the project, or nothing is written. A blank
// text that mentions nobody is none, whatever it replaces; one of which nothing would be seen is refused.
func (ws *workspace) compose(ctx context.Context, p prose) (string, error) {
	if plainly(p.markdown) == "" && len(p.mentions) == 0 {
		return "", nil
	}
	html, err := ws.html(ctx, p)
	if err == nil && plainly(ws.markdown(basecamp.HTML(html))) == "" {
		err = fault.Invalid(p.argument, "must not be blank: nothing of it would be seen")
	}
	return html, err
}

func (ws *workspace) html(ctx context.Context, p prose) (string, error) {
	w := richtext.Writing{Old: string(p.old)}
	mentioned, err := ws.persons(ctx, "mentions", p.mentions, p.project)
	if err != nil {
		return "", err
	}
	w.Mention = mentionables(mentioned)
	inline, called := richtext.Mentions(p.markdown), richtext.Called(p.markdown, string(p.old))
	if len(inline)+len(called) == 0 {
		return w.HTML(p.markdown), nil
	}
	people, err := ws.people(ctx, p.project, remembered)
	if err != nil {
		return "", err
	}
	for _, id := range inline {
		i := slices.IndexFunc(people, func(someone basecamp.Person) bool { return someone.ID == id })
		if i < 0 {
			return "", fault.Invalid(p.argument, "mentions person %d, who is not on the project; list_people shows who is", id)
		}
		w.Inline = append(w.Inline, mentionables(people[i:i+1])...)
	}
	w.Called = map[string]richtext.Person{}
	for _, name := range called {
		found := calledBy(people, name)
		if len(found) > 1 {
			return "", personAmong(p.argument, people, p.project).ambiguous(found, "[@%s] may be %d people; write @[Name](person:ID) for one of them", shorten(name), len(found))
		}
		if len(found) == 1 {
			w.Called[name] = mentionables(found)[0]
		}
	}
	return w.HTML(p.markdown), nil
}

// calledBy are the people that a mention shows by this name, which is a first name or a whole one. Of nobody it is just text.
func calledBy(people []basecamp.Person, name string) []basecamp.Person {
	return matching(people, func(p basecamp.Person) bool {
		full := fold(p.Name)
		first, _, _ := strings.Cut(full, " ")
		return fold(name) == full || fold(name) == first
	})
}

func mentionables(people []basecamp.Person) []richtext.Person {
	all := make([]richtext.Person, len(people))
	for i, p := range people {
		all[i] = richtext.Person{ID: p.ID, Name: p.Name, SGID: p.AttachableSGID}
	}
	return all
}
