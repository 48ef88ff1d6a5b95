package parts

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

// EditInput holds a change to a body.
type EditInput struct {
	Body    toolargs.Change[string] `json:"body,omitzero" jsonschema:"New Markdown" limits:"maxlen=65536"`
	Append  string                  `json:"append,omitzero" jsonschema:"Markdown" limits:"minlen=1 maxlen=65536"`
	Find    string                  `json:"find,omitzero" jsonschema:"Text that occurs once" limits:"word minlen=1 maxlen=65536"`
	Replace toolargs.Change[string] `json:"replace,omitzero" jsonschema:"Markdown, or empty" limits:"word maxlen=65536"`
}

// Asked reports whether the arguments ask for a change.
func (e EditInput) Asked() bool {
	return e.Body.Given || e.Append != "" || e.Find != "" || e.Replace.Given
}

// Check returns an error if the arguments of an edit do not go together.
func (e EditInput) Check() error {
	ways := 0
	for _, given := range []bool{e.Body.Given, e.Append != "", e.Find != "" || e.Replace.Given} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return fault.Invalid("body", "give only one of body, append, or find with replace")
	case (e.Find != "") != e.Replace.Given:
		return fault.Invalid("find", "find and replace must be given together: replace is the text in its place, \"\" to delete")
	}
	return nil
}

// Edited returns a body after the change. Everything else in it stays byte for byte.
func (e EditInput) Edited(old string) (string, error) {
	argument, text := "append", old
	switch {
	case e.Body.Given:
		return WithBreaksOf(old, Sent(e.Body.To)), nil
	case e.Append != "":
		text = put(old, len(old), len(old), blankLine(old), e.Append)
	case e.Find != "":
		argument = "replace"
		start, end, times := Place(old, e.Find)
		switch times {
		case 1:
			text = put(old, start, end, "", e.Replace.To)
		case 0:
			return "", fault.Invalid("find", "this text is not in the body; quote it exactly, without [hidden comment]")
		default:
			return "", fault.Invalid("find", "this text occurs %d times in the body; quote more, so that it occurs once", times)
		}
	}
	if utf8.RuneCountInString(text) > MaxBody {
		return "", fault.Invalid(argument, "makes the body longer than %d characters", MaxBody)
	}
	return text, nil
}

// put returns a body with the caller's text between two indexes, after a separator.
func put(body string, start, end int, separator, text string) string {
	text = separator + WithBreaksOf(body, plainLinks.Replace(text))
	return plaintext.UnescapeAtIn(body[:start]+text+body[end:], start, start+len(text))
}

// WithBreaksOf returns a text of the caller with the line breaks of the body that it goes into. An
// answer shows the CRLF of a body, but most clients send LF back. A text with CRLF stays as it is.
func WithBreaksOf(body, text string) string {
	lines := WithLF(body)
	crlf := len(body) - len(lines)
	switch {
	case crlf == 0 || strings.Contains(text, "\r\n"):
		return text
	case text == lines:
		return body
	case crlf == strings.Count(lines, "\n"):
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// Place returns where a text occurs first in a body, and how often it occurs. LF and CRLF match
// each other, and so do the "\@" of an answer and the "@" of the body.
func Place(body, find string) (start, end, times int) {
	lines, find := WithLF(body), WithLF(find)
	found := indexes(lines, find)
	if bare := Sent(find); bare != find {
		more := slices.DeleteFunc(indexes(lines, bare), func(at int) bool {
			next := sort.SearchInts(found, at-len(find)+1)
			return next < len(found) && found[next] < at+len(bare)
		})
		if len(found) == 0 {
			find = bare
		}
		found = append(found, more...)
	}
	if len(found) == 0 {
		return 0, 0, 0
	}
	return original(body, found[0]), original(body, found[0]+len(find)), len(found)
}

// indexes returns where a text occurs in another one. Occurrences may overlap.
func indexes(text, find string) (found []int) {
	for from := 0; ; from = found[len(found)-1] + 1 {
		at := strings.Index(text[from:], find)
		if at < 0 {
			return found
		}
		found = append(found, from+at)
	}
}

// WithLF returns a text with line breaks of one character.
func WithLF(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// original returns the index in a text of an index in its form with LF.
func original(text string, index int) int {
	at := 0
	for ; index > 0; index-- {
		if strings.HasPrefix(text[at:], "\r\n") {
			at++
		}
		at++
	}
	return at
}

// Doubted returns the error of a write that carries an edit. If the outcome is unknown, it forbids
// to retry append or replace, because a retry could apply the edit twice.
func (e EditInput) Doubted(err error) error {
	if e.Append == "" && e.Find == "" {
		return err
	}
	return Unconfirmed(err, "made this change", "read the issue before you retry")
}

// Unconfirmed returns the error of a write that must not simply be retried. If the outcome is
// unknown, it says what GitHub may have done and how the caller finds out.
func Unconfirmed(err error, done, check string) error {
	f := fault.From(err)
	if !f.MayHaveHappened {
		return err
	}
	told := *f
	told.Message = "GitHub may have " + done + ", but did not confirm it; " + check
	told.Retryable, told.RetryAfter = false, 0
	return &told
}

// blankLine separates a body from what is appended, with the body's own line breaks.
func blankLine(body string) string {
	if body == "" {
		return ""
	}
	if strings.Contains(body, "\r\n") {
		return "\r\n\r\n"
	}
	return "\n\n"
}
