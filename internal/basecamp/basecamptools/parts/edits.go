package parts

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// EditInput holds a change to an existing text: replace all of it, or replace passages and append.
type EditInput struct {
	Edits  []Passage `json:"edits,omitzero" jsonschema:"In order"`
	Body   string    `json:"body,omitzero" jsonschema:"Markdown; files stay" limits:"minlen=1 maxlen=500000"`
	Append string    `json:"append,omitzero" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	Drop   bool      `json:"drop,omitzero" jsonschema:"Accept named losses"`
	lookup.MentionsInput

	Said bool `json:"-"` // whether the text is said to others, as [lookup.Prose] has it
}

// maxEdits is the largest number of passages that a call replaces.
const maxEdits = 50

// Passage is a place of a text, and what replaces it.
type Passage struct {
	Find    string `json:"find" jsonschema:"Exact words" limits:"word minlen=1 maxlen=10000"`
	Replace string `json:"replace" jsonschema:"Markdown" limits:"word maxlen=500000"`
	All     bool   `json:"all,omitzero" jsonschema:"Each place"`
}

// Asked reports whether an edit changes the text.
func (e EditInput) Asked() bool {
	return e.Body != "" || e.Append != "" || len(e.Edits) > 0
}

// Check returns an error if the arguments of an edit do not go together. It needs no request.
func (e EditInput) Check() error {
	if err := cmp.Or(NotBlankIfGiven("body", e.Body), NotBlankIfGiven("append", e.Append)); err != nil {
		return err
	}
	switch {
	case e.Body != "" && (e.Append != "" || len(e.Edits) > 0):
		return fault.Invalid("body", "replaces the whole text; give body alone, or edits, append or both")
	case len(e.Edits) > maxEdits:
		return fault.Invalid("edits", "must have at most %d entries, got %d", maxEdits, len(e.Edits))
	case !e.Asked() && len(e.Mentions) > 0:
		return NowhereToMention("body, append or edits")
	case !e.Asked() && e.Drop:
		return fault.Invalid("drop", "is for a body or edits; give one of them")
	}
	return nil
}

// Edited returns a field after the change. Unchanged parts, with their mentions and files, stay
// byte for byte. It returns an error if the change would lose what Markdown cannot write, unless
// the call accepts that.
func (rs *Base) Edited(ctx context.Context, project int64, old basecamp.HTML, e EditInput) (text lookup.Composed, err error) {
	if e.Body != "" {
		text, err = rs.Compose(ctx, lookup.Prose{Project: project, Argument: "body", Markdown: e.Body, Mentions: e.Mentions, Old: old, Said: e.Said})
		if err == nil {
			err = e.losing("body", old, text.HTML)
		}
		return text, err
	}
	text.HTML = string(old)
	mentions := e.Mentions
	if e.Append != "" {
		mentions = nil // they go to the end
	}
	if len(e.Edits) > 0 {
		text, err = e.replaced(old, func(argument, old, markdown string) (lookup.Composed, error) {
			prose := lookup.Prose{Project: project, Argument: argument, Markdown: markdown, Mentions: mentions, Old: basecamp.HTML(old), Said: true}
			mentions = nil
			return rs.Compose(ctx, prose)
		})
		if err == nil && len(mentions) > 0 {
			err = fault.Invalid("mentions", "an edit of code mentions no one; edit other words, or append the mentions")
		}
	}
	if e.Append != "" {
		more, wrong := rs.Compose(ctx, lookup.Prose{Project: project, Argument: "append", Markdown: e.Append, Mentions: e.Mentions, Said: e.Said})
		more.HTML = richtext.Append(text.HTML, more.HTML)
		text, err = text.And(more).Without(old), fault.All(err, wrong)
	}
	return text, err
}

// replaced returns a field after all edits, each of which sees what those before it have made.
// Compose turns the new Markdown of a block into HTML.
func (e EditInput) replaced(old basecamp.HTML, compose func(argument, old, markdown string) (lookup.Composed, error)) (all lookup.Composed, err error) {
	editing := richtext.Edit(string(old))
	steps := []string{string(old)}
	for i, p := range e.Edits {
		argument := fmt.Sprintf("edits[%d].", i)
		match, err := editing.Replace(p.Find, p.Replace, p.All, func(old, markdown string) (string, error) {
			text, err := compose(argument+"replace", old, markdown)
			all = all.And(text)
			return text.HTML, err
		})
		if err != nil {
			return all, err
		}
		if match.TooMany || match.Over >= 0 || match.Places == 0 || match.Places > 1 && !p.All {
			return all, misplaced(argument+"find", match)
		}
		all.Places += match.Places
		steps = append(steps, editing.HTML())
	}
	all.HTML = editing.HTML()
	if !e.Drop && len(richtext.Lost(string(old), all.HTML)) > 0 {
		for i := range e.Edits {
			if err := e.losing(fmt.Sprintf("edits[%d]", i), basecamp.HTML(steps[i]), steps[i+1]); err != nil {
				return all, err
			}
		}
	}
	return all.Without(old), nil
}

const maxLost = 5

// losing returns the error of a change that would lose what Markdown cannot write.
func (e EditInput) losing(argument string, old basecamp.HTML, now string) error {
	lost := richtext.Lost(string(old), now)
	if e.Drop || len(lost) == 0 {
		return nil
	}
	instead := "keep the labels of mentions, or edit this paragraph in Basecamp"
	if argument == "body" {
		instead = "keep the labels of mentions, or change passages with edits"
	}
	named := strings.Join(lost[:min(len(lost), maxLost)], ", ")
	if len(lost) > maxLost {
		named += " and more"
	}
	return fault.Invalid(argument, "this change would lose %s; %s, or call edit_text with drop to lose them", named, instead)
}

// misplaced returns the error of an edit whose words do not occur once, or are part of another
// edit.
func misplaced(argument string, m richtext.Match) error {
	switch {
	case m.TooMany:
		return fault.Invalid(argument, "these words occur %d times in the text, and a call changes at most %d places; edit the text in several calls", m.Places, richtext.MaxPlaces)
	case m.Over >= 0:
		return fault.Invalid(argument, "this edit overlaps edits[%d], which changes the same words; make one edit of both", m.Over)
	case m.Quote != "":
		return fault.Invalid(argument, "these words have other formatting in the text; quote them with their marks, from %s", plaintext.Quote(m.Quote))
	case m.Places == 0:
		return fault.Invalid(argument, "these words are not in the text; quote words of one paragraph, list item or table cell, without a file or caption")
	}
	return fault.Invalid(argument, "these words occur %d times in the text: %s; quote more, so that they occur once, or set all", m.Places, plaintext.QuoteAll(m.Near))
}

// Doubted returns the error of a write that carries an edit. If the outcome is unknown, it forbids
// a retry of append or replace, because a retry could apply the edit twice. A new body can be sent
// again.
func (e EditInput) Doubted(err error) error {
	f := fault.From(err)
	if e.Body != "" || !e.Asked() || !f.MayHaveHappened {
		return err
	}
	shown := *f
	shown.Message = "Basecamp may have made this change, but did not confirm it; read the item before you retry"
	shown.Retryable = false
	return &shown
}

// NotBlank returns an error for a text that has only blanks: Basecamp would create an empty post.
func NotBlank(argument, text string) error {
	if lookup.Plainly(text) == "" {
		return fault.Invalid(argument, "must not be blank")
	}
	return nil
}

// NotBlankIfGiven checks the text as notBlank does, unless it is "": an update may omit it.
func NotBlankIfGiven(argument, text string) error {
	if text == "" {
		return nil
	}
	return NotBlank(argument, text)
}

// Unexplained returns what it means that Basecamp refuses a write and gives no reason. Other errors
// stay as they are.
func Unexplained(err error, means *fault.Error) error {
	if f := fault.From(err); f.Code == fault.InvalidInput && len(f.Validation) == 0 {
		return means
	}
	return err
}

// AfterOthers returns the error of a write, with the words before it that say what was written.
func AfterOthers(err error, written string) *fault.Error {
	f := *fault.From(err)
	f.Message = written + f.Message
	return &f
}

// NothingToChange returns the error for an update without changes.
func NothingToChange(could string) error {
	return fault.Invalid("arguments", "nothing to change; give %s", could)
}

// NowhereToMention returns the error for mentions without a text.
func NowhereToMention(texts string) error {
	return fault.Invalid("mentions", "mentions need a text; give %s", texts)
}

// PreviousText returns what the new text drops of an old one, both in Markdown.
func PreviousText(old, now string) string { return plaintext.Dropped(old, now) }

// StatusOf returns the status of what is written, a draft or not.
func StatusOf(draft bool) string {
	if draft {
		return lookup.Drafted
	}
	return lookup.Active
}

// Plainly returns a plain text after the change, as FromPlain writes it.
func (e EditInput) Plainly(old basecamp.HTML) (lookup.Composed, error) {
	if e.Body != "" {
		return lookup.Composed{HTML: richtext.FromPlain(lookup.Plainly(e.Body))}, nil
	}
	text := lookup.Composed{HTML: string(old)}
	if len(e.Edits) > 0 {
		var err error
		if text, err = e.replaced(basecamp.HTML(richtext.Verbatim(richtext.ToPlain(text.HTML))), nil); err != nil {
			return text, err
		}
		text.HTML = richtext.FromPlain(richtext.ToPlain(text.HTML))
	}
	if e.Append != "" {
		text.HTML = richtext.FromPlain(strings.TrimSpace(richtext.ToPlain(text.HTML) + "\n\n" + lookup.Plainly(e.Append)))
	}
	return text, nil
}
