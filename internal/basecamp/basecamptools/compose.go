package basecamptools

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

// prose is a Markdown text to write.
type prose struct {
	project  int64         // the project whose people it may mention
	argument string        // the argument that holds it, for errors
	markdown string        // the text
	mentions mcptool.Refs  // people that it must mention
	old      basecamp.HTML // the text that it replaces
}

// noHTML returns an error if a Markdown text contains HTML tags outside code.
func noHTML(argument, markdown string) error {
	tag := richtext.HTMLTag(markdown)
	if tag == "" {
		return nil
	}
	return fault.Invalid(argument, "must be Markdown, but contains the HTML tag %s; write Markdown instead, or put HTML that readers should see into backticks", shorten(tag))
}

// compose turns Markdown into Basecamp's HTML. It returns an error if the text contains HTML, if a
// mentioned person is not on the project, or if the result would show nothing. A blank text
// without mentions becomes "".
func (rs *resolver) compose(ctx context.Context, p prose) (string, error) {
	if err := noHTML(p.argument, p.markdown); err != nil {
		return "", err
	}
	if plainly(p.markdown) == "" && len(p.mentions) == 0 {
		return "", nil
	}
	html, err := rs.html(ctx, p)
	if err == nil && plainly(rs.markdown(basecamp.HTML(html))) == "" {
		err = fault.Invalid(p.argument, "must not be blank; Basecamp would show an empty text")
	}
	return html, err
}

// html turns Markdown into HTML, with the mentions in arguments and in the text.
func (rs *resolver) html(ctx context.Context, p prose) (string, error) {
	w := richtext.Writing{Old: string(p.old)}
	mentioned, err := rs.persons(ctx, "mentions", p.mentions, p.project)
	if err != nil {
		return "", err
	}
	w.Mention = mentionables(mentioned)
	inline, called := richtext.Mentions(p.markdown), richtext.Called(p.markdown, string(p.old))
	if len(inline)+len(called) == 0 {
		return w.HTML(p.markdown), nil
	}
	people, err := rs.people(ctx, p.project, remembered)
	if err != nil {
		return "", err
	}
	for _, id := range inline {
		i := slices.IndexFunc(people, func(someone basecamp.Person) bool { return someone.ID == id })
		if i < 0 {
			return "", fault.Invalid(p.argument, "the text mentions person %d, who is not on the project; list_people shows its people", id)
		}
		w.Inline = append(w.Inline, mentionables(people[i:i+1])...)
	}
	w.Called = map[string]richtext.Person{}
	for _, name := range called {
		found := calledBy(people, name)
		if len(found) > 1 {
			return "", personAmong(p.argument, people, p.project).ambiguous(found, "[@%s] matches %d people; write @[Name](person:ID) to choose one", shorten(name), len(found))
		}
		if len(found) == 1 {
			w.Called[name] = mentionables(found)[0]
		}
	}
	return w.HTML(p.markdown), nil
}

// calledBy returns the people whose first name or whole name is name.
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
