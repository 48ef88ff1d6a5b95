package tools

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

// editInput is how a rich text that exists is changed: replaced, added to, or in one place.
type editInput struct {
	Body    string                 `json:"body,omitzero" jsonschema:"Markdown in place of the whole text; its files stay" limits:"minlen=1 maxlen=500000"`
	Append  string                 `json:"append,omitzero" jsonschema:"Markdown to add at the end" limits:"minlen=1 maxlen=500000"`
	Find    string                 `json:"find,omitzero" jsonschema:"Words of one paragraph, there once, to be replaced" limits:"minlen=1 maxlen=10000"`
	Replace mcptool.Change[string] `json:"replace,omitzero" jsonschema:"Markdown in its place, or empty" limits:"maxlen=500000"`
	mentionsInput
}

// asked reports whether any change of the text is asked for.
func (e editInput) asked() bool {
	return e.Body != "" || e.Append != "" || e.Find != "" || e.Replace.Given
}

// check says what is wrong with the arguments of an edit, which can be told before anything is read.
func (e editInput) check() error {
	if err := notBlankIfGiven("body", e.Body); err != nil {
		return err
	}
	if err := notBlankIfGiven("append", e.Append); err != nil {
		return err
	}
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
		return nowhereToMention("body, append, or find with replace")
	}
	return nil
}

// edited is a field after the change asked for. What is not touched stays byte for byte, mentions and files with it.
func (ws *workspace) edited(ctx context.Context, project int64, old basecamp.HTML, e editInput) (string, error) {
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
		return "", fault.Invalid("find", "is not in the text; quote words of one paragraph, list item or table cell, with no mention, file or caption among them")
	}
	return "", fault.Invalid("find", "is in the text %d times; quote more of it, so that it is there once", places)
}

// doubted is the failure of a write that carries an edit. When it may have happened, a repeat would add or replace once more;
// only a body put in place of everything comes to the same.
func (e editInput) doubted(err error) error {
	f := fault.From(err)
	if e.Body != "" || !e.asked() || !f.MayHaveHappened {
		return err
	}
	shown := *f
	shown.Message = "Basecamp may have made this change, although no clear answer came; read it before trying again"
	shown.Retryable = false
	return &shown
}

// aroundChange is the part of a long text that an edit has changed, with some of what is around it.
func aroundChange(old, now string, characters int) (shown string, truncated bool) {
	was, is := []rune(old), []rune(now)
	if len(is) <= characters {
		return now, false
	}
	begin := 0
	for begin < len(was) && begin < len(is) && was[begin] == is[begin] {
		begin++
	}
	after := 0 // characters that have stayed behind the change
	for after < min(len(was), len(is))-begin && was[len(was)-1-after] == is[len(is)-1-after] {
		after++
	}
	before := max(characters-(len(is)-after-begin), characters/5) / 2
	from := min(max(0, begin-before), len(is)-characters)
	if blank := slices.IndexFunc(is[from:], unicode.IsSpace); from > 0 && blank >= 0 && blank < characters/10 {
		from += blank + 1 // no word is cut in two
	}
	shown, _ = plaintext.Excerpt(string(is[from:]), characters)
	return shown, true
}

// showEdit has an item that was added to, or changed in one place, show that place.
func (ws *workspace) showEdit(e editInput, old, now basecamp.HTML, content *string, truncated *bool, files []basecamp.Attachment) {
	if e.Append != "" || e.Find != "" {
		*content, *truncated = aroundChange(ws.markdown(old, files...), ws.markdown(now, files...), maxWritten)
	}
}

// plainly is a plain text as Basecamp is given it: without blanks around it and without what nobody sees.
func plainly(text string) string { return strings.TrimSpace(plaintext.Clean(text)) }

// notBlank refuses a text of blanks alone, of which Basecamp would make an empty post.
func notBlank(argument, text string) error {
	if plainly(text) == "" {
		return fault.Invalid(argument, "must not be blank")
	}
	return nil
}

// notBlankIfGiven is notBlank for what an update may leave out.
func notBlankIfGiven(argument, text string) error {
	if text == "" {
		return nil
	}
	return notBlank(argument, text)
}

// notPutAway refuses to put anything into what is archived or trashed, where nobody would see it.
func notPutAway(argument string, into basecamp.Recording) error {
	if into.Status != archived && into.Status != trashed {
		return nil
	}
	return fault.Invalid(argument, "%q is %s; restore it first (set_item_status), or name another", shorten(plaintext.Clean(into.Title)), into.Status)
}

// nothingToChange refuses an update that names nothing of what it could change.
func nothingToChange(could string) error {
	return fault.Invalid("arguments", "name nothing to change: give %s", could)
}

// nowhereToMention refuses mentions without a text.
func nowhereToMention(texts string) error {
	return fault.Invalid("mentions", "need a text to stand in: give %s", texts)
}
