package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"unicode"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

// editInput holds a change to an existing rich text: replace all of it, append, or replace
// passages.
type editInput struct {
	Body   string    `json:"body,omitzero" jsonschema:"New Markdown; files stay" limits:"minlen=1 maxlen=500000"`
	Append string    `json:"append,omitzero" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	Edits  []passage `json:"edits,omitzero" jsonschema:"Passages"`
	lookup.MentionsInput
}

// maxEdits is the largest number of passages that a call replaces.
const maxEdits = 50

// passage is a place of a text, and what replaces it.
type passage struct {
	Find    string `json:"find" limits:"minlen=1 maxlen=10000"`
	Replace string `json:"replace" limits:"maxlen=500000"`
	All     bool   `json:"all,omitzero"`
}

// asked reports whether the call changes the text.
func (e editInput) asked() bool {
	return e.Body != "" || e.Append != "" || len(e.Edits) > 0
}

// check returns an error if the arguments of an edit do not go together. It needs no request.
func (e editInput) check() error {
	if err := notBlankIfGiven("body", e.Body); err != nil {
		return err
	}
	if err := notBlankIfGiven("append", e.Append); err != nil {
		return err
	}
	ways := 0
	for _, given := range []bool{e.Body != "", e.Append != "", len(e.Edits) > 0} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return fault.Invalid("body", "give only one of body, append and edits")
	case len(e.Edits) > maxEdits:
		return fault.Invalid("edits", "must have at most %d entries, got %d", maxEdits, len(e.Edits))
	case ways == 0 && len(e.Mentions) > 0:
		return nowhereToMention("body, append or edits")
	}
	return nil
}

// edited returns a field after the change. Unchanged parts, with their mentions and files, stay
// byte for byte.
func (rs *resolver) edited(ctx context.Context, project int64, old basecamp.HTML, e editInput) (lookup.Composed, error) {
	switch {
	case e.Body != "":
		return rs.Compose(ctx, lookup.Prose{Project: project, Argument: "body", Markdown: e.Body, Mentions: e.Mentions, Old: old})
	case e.Append != "":
		text, err := rs.Compose(ctx, lookup.Prose{Project: project, Argument: "append", Markdown: e.Append, Mentions: e.Mentions, Old: ""})
		text.HTML = richtext.Append(string(old), text.HTML)
		return text.Without(old), err
	case len(e.Edits) > 0:
		return rs.replaced(ctx, project, old, e)
	}
	return lookup.Composed{HTML: string(old)}, nil
}

// replaced returns a field after all edits, each of which sees what those before it have made.
func (rs *resolver) replaced(ctx context.Context, project int64, old basecamp.HTML, e editInput) (all lookup.Composed, err error) {
	all.HTML = string(old)
	for i, p := range e.Edits {
		argument := fmt.Sprintf("edits[%d].", i)
		prose := lookup.Prose{Project: project, Argument: argument + "replace", Markdown: p.Replace}
		if i == 0 {
			prose.Mentions = e.Mentions
		}
		text, err := rs.Compose(ctx, prose)
		if err != nil {
			return all, err
		}
		edited, places, near := richtext.Replace(all.HTML, p.Find, text.HTML, p.All)
		if places == 0 || places > 1 && !p.All {
			return all, misplaced(argument+"find", places, near)
		}
		text.HTML = edited
		all = all.And(text)
	}
	return all.Without(old), nil
}

// misplaced returns the error of an edit whose words do not occur once.
func misplaced(argument string, places int, near []string) error {
	if places == 0 {
		return fault.Invalid(argument, "these words are not in the text; quote words of one paragraph, list item or table cell, without a mention, file or caption")
	}
	return fault.Invalid(argument, "these words occur %d times in the text: %s; quote more, so that they occur once, or set all", places, plaintext.QuoteAll(near))
}

// doubted returns the error of a write that carries an edit. If the outcome is unknown, it forbids
// a retry of append or replace, because a retry could apply the edit twice. A new body can be sent
// again.
func (e editInput) doubted(err error) error {
	f := fault.From(err)
	if e.Body != "" || !e.asked() || !f.MayHaveHappened {
		return err
	}
	shown := *f
	shown.Message = "Basecamp may have made this change, but did not confirm it; read the item before you retry"
	shown.Retryable = false
	return &shown
}

// aroundChange returns the part of a long text that an edit has changed, with some text around it.
func aroundChange(old, now string, characters int) (shown string, truncated bool) {
	was, is := []rune(old), []rune(now)
	if len(is) <= characters {
		return now, false
	}
	begin := 0
	for begin < len(was) && begin < len(is) && was[begin] == is[begin] {
		begin++
	}
	after := 0 // unchanged characters after the change
	for after < min(len(was), len(is))-begin && was[len(was)-1-after] == is[len(is)-1-after] {
		after++
	}
	before := max(characters-(len(is)-after-begin), characters/5) / 2
	from := min(max(0, begin-before), len(is)-characters)
	if blank := slices.IndexFunc(is[from:], unicode.IsSpace); from > 0 && blank >= 0 && blank < characters/10 {
		from += blank + 1 // begin with a whole word
	}
	shown, _ = plaintext.Excerpt(string(is[from:]), characters)
	return shown, true
}

// showEdit sets content to the text around the change, after an append or a replacement.
func (rs *resolver) showEdit(e editInput, old, now basecamp.HTML, content *string, truncated *bool, files []basecamp.Attachment) {
	if e.Append != "" || len(e.Edits) > 0 {
		*content, *truncated = aroundChange(rs.Markdown(old, files...), rs.Markdown(now, files...), maxWritten)
	}
}

// notBlank returns an error for a text that has only blanks: Basecamp would create an empty post.
func notBlank(argument, text string) error {
	if lookup.Plainly(text) == "" {
		return fault.Invalid(argument, "must not be blank")
	}
	return nil
}

// notBlankIfGiven checks the text as notBlank does, unless it is "": an update may omit it.
func notBlankIfGiven(argument, text string) error {
	if text == "" {
		return nil
	}
	return notBlank(argument, text)
}

// nothingToChange returns the error for an update without changes.
func nothingToChange(could string) error {
	return fault.Invalid("arguments", "nothing to change; give %s", could)
}

// nowhereToMention returns the error for mentions without a text.
func nowhereToMention(texts string) error {
	return fault.Invalid("mentions", "mentions need a text; give %s", texts)
}
