package tools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
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
// text that mentions nobody is none, whatever it replaces.
func (ws *workspace) compose(ctx context.Context, p prose) (string, error) {
	if strings.TrimSpace(p.markdown) == "" && len(p.mentions) == 0 {
		return "", nil
	}
	w := richtext.Writing{Old: string(p.old)}
	mentioned, err := ws.persons(ctx, "mentions", p.mentions, p.project)
	if err != nil {
		return "", err
	}
	w.Mention = mentionables(mentioned)
	inline := richtext.Mentions(p.markdown)
	if len(inline) == 0 {
		return w.HTML(p.markdown), nil
	}
	people, err := ws.people(ctx, p.project)
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
	return w.HTML(p.markdown), nil
}

func mentionables(people []basecamp.Person) []richtext.Person {
	all := make([]richtext.Person, len(people))
	for i, p := range people {
		all[i] = richtext.Person{ID: p.ID, Name: p.Name, SGID: p.AttachableSGID}
	}
	return all
}

// editInput is how a rich text that exists is changed: replaced, added to, or in one place.
type editInput struct {
	Body    string                 `json:"body,omitzero" jsonschema:"Markdown in place of the whole text; its files stay" limits:"minlen=1 maxlen=500000"`
	Append  string                 `json:"append,omitzero" jsonschema:"Markdown to add at the end" limits:"minlen=1 maxlen=500000"`
	Find    string                 `json:"find,omitzero" jsonschema:"Text that is there once, to be replaced" limits:"minlen=1 maxlen=10000"`
	Replace mcptool.Change[string] `json:"replace,omitzero" jsonschema:"Markdown in its place, or empty" limits:"maxlen=500000"`
	mentionsInput
}

// asked reports whether any change of the text is asked for.
func (e editInput) asked() bool {
	return e.Body != "" || e.Append != "" || e.Find != "" || e.Replace.Given
}

// check says what is wrong with the combination of arguments.
func (e editInput) check() error {
	ways := 0
	for _, given := range []bool{e.Body != "", e.Append != "", e.Find != "" || e.Replace.Given} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return fault.Invalid("body", "cannot be combined: give one of body, append, or find with replace")
	case (e.Find != "") != e.Replace.Given:
		return fault.Invalid("find", "and replace belong together")
	case ways == 0 && len(e.Mentions) > 0:
		return fault.Invalid("mentions", "need a text to stand in: give body, append, or find with replace")
	}
	return nil
}

// edited is a field after the change asked for. What is not touched stays byte for byte, mentions and files with it.
func (ws *workspace) edited(ctx context.Context, project int64, old basecamp.HTML, e editInput) (string, error) {
	if err := e.check(); err != nil {
		return "", err
	}
	switch {
	case e.Body != "":
		return ws.compose(ctx, prose{project, "body", e.Body, e.Mentions, old})
	case e.Append != "":
		addition, err := ws.compose(ctx, prose{project, "append", e.Append, e.Mentions, ""})
		return richtext.Append(string(old), addition), err
	case e.Find != "":
		return ws.replaced(ctx, project, old, e)
	}
	return string(old), nil
}

func (ws *workspace) replaced(ctx context.Context, project int64, old basecamp.HTML, e editInput) (string, error) {
	replacement, err := ws.compose(ctx, prose{project, "replace", e.Replace.To, e.Mentions, ""})
	if err != nil {
		return "", err
	}
	html, places := richtext.Replace(string(old), e.Find, replacement)
	switch places {
	case 1:
		return html, nil
	case 0:
		return "", fault.Invalid("find", "is not in the text; quote it as it reads, within one paragraph")
	}
	return "", fault.Invalid("find", "is in the text %d times; quote more of it, so that it is there once", places)
}
