package githubtools

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

const (
	maxTitle = 256
	maxBody  = 65_536 // characters of a body on GitHub
	maxPart  = 40_000 // characters of a body in one answer
)

// editInput holds a change to a body.
type editInput struct {
	Body    toolargs.Change[string] `json:"body,omitzero" jsonschema:"New Markdown" limits:"maxlen=65536"`
	Append  string                  `json:"append,omitzero" jsonschema:"Markdown" limits:"minlen=1 maxlen=65536"`
	Find    string                  `json:"find,omitzero" jsonschema:"Text that occurs once" limits:"word minlen=1 maxlen=65536"`
	Replace toolargs.Change[string] `json:"replace,omitzero" jsonschema:"Markdown, or empty" limits:"word maxlen=65536"`
}

func (e editInput) asked() bool {
	return e.Body.Given || e.Append != "" || e.Find != "" || e.Replace.Given
}

// check returns an error if the arguments of an edit do not go together.
func (e editInput) check() error {
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

// edited returns a body after the change. Everything else in it stays byte for byte.
func (e editInput) edited(old string) (string, error) {
	argument, text := "append", old
	switch {
	case e.Body.Given:
		return withBreaksOf(old, sent(e.Body.To)), nil
	case e.Append != "":
		text = put(old, len(old), len(old), blankLine(old), e.Append)
	case e.Find != "":
		argument = "replace"
		start, end, times := place(old, e.Find)
		switch times {
		case 1:
			text = put(old, start, end, "", e.Replace.To)
		case 0:
			return "", fault.Invalid("find", "this text is not in the body; quote it exactly, without [hidden comment]")
		default:
			return "", fault.Invalid("find", "this text occurs %d times in the body; quote more, so that it occurs once", times)
		}
	}
	if utf8.RuneCountInString(text) > maxBody {
		return "", fault.Invalid(argument, "makes the body longer than %d characters", maxBody)
	}
	return text, nil
}

// put returns a body with the caller's text between two indexes, after a separator.
func put(body string, start, end int, separator, text string) string {
	text = separator + withBreaksOf(body, plainLinks.Replace(text))
	return plaintext.UnescapeAtIn(body[:start]+text+body[end:], start, start+len(text))
}

// withBreaksOf returns a text of the caller with the line breaks of the body that it goes into. An
// answer shows the CRLF of a body, but most clients send LF back. A text with CRLF stays as it is.
func withBreaksOf(body, text string) string {
	lines := withLF(body)
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

// place returns where a text occurs first in a body, and how often it occurs. LF and CRLF match
// each other, and so do the "\@" of an answer and the "@" of the body.
func place(body, find string) (start, end, times int) {
	lines, find := withLF(body), withLF(find)
	found := indexes(lines, find)
	if bare := sent(find); bare != find {
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

func withLF(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

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

// doubted returns the error of a write that carries an edit. If the outcome is unknown, it forbids
// to retry append or replace, because a retry could apply the edit twice.
func (e editInput) doubted(err error) error {
	if e.Append == "" && e.Find == "" {
		return err
	}
	return unconfirmed(err, "made this change", "read the issue before you retry")
}

// unconfirmed returns the error of a write that must not simply be retried. If the outcome is
// unknown, it says what GitHub may have done and how the caller finds out.
func unconfirmed(err error, done, check string) error {
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

// part cuts a text to the part that begins at an offset.
func part(text *string, offset int, truncated *bool) (next int, err error) {
	if length := utf8.RuneCountInString(*text); offset > 0 && offset >= length {
		return 0, fault.Invalid("offset", "must be less than %d, the length of the body", length)
	}
	*text, next = plaintext.Slice(*text, offset, maxPart)
	*truncated = next > 0 || offset > 0
	return next, nil
}

// notBlank returns an error for a text without a visible character.
func notBlank(argument, text string) error {
	if strings.TrimSpace(plaintext.Clean(text)) == "" {
		return fault.Invalid(argument, "must not be blank")
	}
	return nil
}

const hiddenComment = "[hidden comment]"

// shown returns Markdown that other people may have written, as a reader on GitHub's site sees it:
// without invisible characters, and with a mark in place of each HTML comment outside code. GitHub
// hides processing instructions, declarations, CDATA sections, and definitions of links and
// footnotes that nothing refers to, as it hides comments. An "@" that may mention someone has a
// backslash, and so has a link that would mention someone in Basecamp. So a copy of the text in
// another system mentions no one; [sent] removes the backslashes.
func shown(markdown string) string {
	return mentionLinks.Replace(plaintext.EscapeAt(uncovered(cleaned(markdown))))
}

// cleaned returns a text without invisible characters, with the line breaks that GitHub has.
func cleaned(text string) string {
	lines := strings.Split(text, "\r\n")
	for i, line := range lines {
		lines[i] = plaintext.Clean(line)
	}
	return strings.Join(lines, "\r\n")
}

// sent returns Markdown of the caller as GitHub gets it: without the backslashes of [shown].
func sent(markdown string) string { return plainLinks.Replace(plaintext.UnescapeAt(markdown)) }

var (
	mentionLinks = strings.NewReplacer("](person:", `]\(person:`, "](mention:", `]\(mention:`)
	plainLinks   = strings.NewReplacer(`]\(person:`, "](person:", `]\(mention:`, "](mention:")
)

// uncovered returns a clean text with marks in place of what GitHub hides.
func uncovered(text string) string {
	if !strings.Contains(text, "<!") && !strings.Contains(text, "<?") && !strings.Contains(text, "]:") {
		return text
	}
	u := uncoverer{rest: text}
	if strings.Contains(text, "]:") {
		u.refers = labels(text)
	}
	u.all()
	return u.out.String()
}

// labels counts the references to links and footnotes in Markdown, by label.
func labels(markdown string) map[string]int {
	u := uncoverer{rest: markdown, refers: map[string]int{}, counts: true}
	u.all()
	return u.refers
}

// label returns a label as references are compared: without case and the width of spaces.
func label(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// uncoverer copies Markdown line by line. Where it is unsure whether GitHub shows code or hides a
// comment, it hides the comment.
type uncoverer struct {
	out    strings.Builder
	rest   string
	fence  string // the marks that opened the fence; empty outside
	indent int    // of that fence
	html   bool   // in a block of HTML, where marks of code mean nothing
	raw    bool   // in a block of HTML that a blank line does not end
	// endless holds the ends of comments that the rest lacks. Without it, many beginnings would take
	// long.
	endless map[string]bool
	refers  map[string]int // references by label
	counts  bool           // count the references, and hide no definition
	inText  bool           // the line before is text of a paragraph, which no definition interrupts
}

var (
	fenceForm = lazyregexp.New("^( {0,3})(`{3,}|~{3,})([^\n]*)")
	htmlBlock = lazyregexp.New(`^[ \t]*((>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*<[A-Za-z/?!]`)
	rawBegins = lazyregexp.New(`(?i)<(script|pre|style|textarea|\?|![A-Z[])`)
	rawEnds   = lazyregexp.New(`(?i)</(script|pre|style|textarea)>|\?>|\]\]>`)
	reference = lazyregexp.New(`^\[((?:[^\[\]\\]|\\.)+)\]`)
	defines   = lazyregexp.New(`^[ \t]*((>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*\[(?:[^\[\]\\]|\\.)+\]:`)
	// definition is the definition of a link. Its title may begin in the next line.
	definition = lazyregexp.New(`^[ \t]*(?:(?:>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*(?:\r?\n[ \t]*)?(?:<[^<>\n]*>|[^\s<]\S*)` +
		`(?:\s+(?:"(?:[^"\\\n]|\\.|\n[ \t]*[^\s"])*"|'(?:[^'\\\n]|\\.|\n[ \t]*[^\s'])*'|\((?:[^()\\\n]|\\.|\n[ \t]*[^\s()])*\)))?[ \t]*(?:\r?\n|$)`)
	// footnote is the definition of a footnote: a paragraph, and what follows indented.
	footnote = lazyregexp.New(`^[ \t]*(?:>[ \t]*)*\[(\^[^\[\]\s]+)\]:[^\n]*(?:\n[ \t]*(?:[^\s\[]|\[[^^\n])[^\n]*)*` +
		`(?:\n(?:[ \t]*\r?\n)*(?: {4}|\t)[^\n]*)*(?:\n|$)`)
	htmlTag = lazyregexp.New(`^</?[A-Za-z][A-Za-z0-9-]*(\s+[^\s<>"'=/]+(\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?)*\s*/?>`)
)

// line copies one line, or more if a comment ends in a later one.
func (u *uncoverer) line() {
	text, _, _ := strings.Cut(u.rest, "\n")
	blank := strings.TrimSpace(text) == ""
	if u.fence != "" && !blank && len(text)-len(strings.TrimLeft(text, " ")) < u.indent {
		u.fence = "" // the list item that held the fence has ended
	}
	mark := fenceForm.FindStringSubmatch(text)
	interrupts := u.inText
	first, _ := utf8.DecodeRuneInString(text)
	u.inText = u.fence == "" && unicode.IsLetter(first)
	switch {
	case u.fence != "":
		if len(mark) > 0 && strings.HasPrefix(mark[2], u.fence) && strings.TrimSpace(mark[3]) == "" {
			u.fence = ""
		}
		u.copy(len(text) + 1)
		return
	case blank:
		u.html = u.raw
	case len(mark) > 0 && !u.html && !(mark[2][0] == '`' && strings.Contains(mark[3], "`")):
		u.fence, u.indent = mark[2], len(mark[1])
		if !strings.Contains(mark[3], "<!--") {
			u.copy(len(text) + 1)
			return
		}
	case htmlBlock.MatchString(text) && !beginsHidden(text):
		u.html, u.raw = true, u.raw || rawBegins.MatchString(text)
	}
	if !interrupts && strings.Contains(text, "]:") {
		if u.counts {
			u.copy(len(defines.FindString(text)))
		} else if u.unused() {
			return
		}
	}
	if u.raw && rawEnds.MatchString(text) {
		u.raw = false
	}
	u.inline(beginsHidden(text))
}

// unused hides the definition that the rest begins with, if nothing refers to it.
func (u *uncoverer) unused() bool {
	found := footnote.FindStringSubmatch(u.rest)
	if len(found) == 0 {
		found = definition.FindStringSubmatch(u.rest)
	}
	if len(found) == 0 || u.refers[label(found[1])] > 0 {
		return false
	}
	u.out.WriteString(hiddenComment)
	u.rest = u.rest[len(found[0]):]
	if strings.HasSuffix(found[0], "\n") {
		u.out.WriteString(found[0][len(strings.TrimRight(found[0], "\r\n")):])
	}
	return true
}

func (u *uncoverer) all() {
	for u.rest != "" {
		u.line()
	}
}

func (u *uncoverer) copy(n int) {
	n = min(n, len(u.rest))
	u.out.WriteString(u.rest[:n])
	u.rest = u.rest[n:]
}

// inline copies to the end of a line. first says that the line begins with a comment, which hides
// the rest of the text if it has no end.
func (u *uncoverer) inline(first bool) {
	for u.rest != "" {
		switch {
		case u.rest[0] == '\n':
			u.copy(1)
			return
		case strings.HasPrefix(u.rest, "<!--"):
			u.comment("-->", first)
		case strings.HasPrefix(u.rest, "<![CDATA["):
			u.comment("]]>", first)
		case strings.HasPrefix(u.rest, "<?"):
			u.comment("?>", first)
		case declared(u.rest):
			u.comment(">", first)
		case u.html:
			u.copy(1)
		case u.rest[0] == '[' && u.counts:
			if found := reference.FindStringSubmatch(u.rest); found != nil {
				u.refers[label(found[1])]++
			}
			u.copy(1)
		case u.rest[0] == '\\' && len(u.rest) > 1 && u.rest[1] != '\n':
			u.copy(2)
		case u.rest[0] == '`':
			u.copy(plaintext.CodeSpan(u.rest))
		case u.rest[0] == '<':
			u.copy(max(1, len(htmlTag.FindString(u.rest))))
		default:
			u.copy(1)
		}
	}
}

// beginsHidden reports whether a line begins with something like a comment.
func beginsHidden(line string) bool {
	start := strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(start, "<?") || strings.HasPrefix(start, "<!")
}

// declared reports whether text begins with a declaration, such as a document type.
func declared(text string) bool {
	return len(text) > 2 && text[:2] == "<!" && (text[2]|' ' >= 'a' && text[2]|' ' <= 'z')
}

// comment hides a comment, which ends with end. One without an end hides the rest if it begins a
// line; otherwise GitHub shows it.
func (u *uncoverer) comment(end string, first bool) {
	const begin = len("<!")
	at := -1
	if !u.endless[end] {
		at = strings.Index(u.rest[begin:], end)
	}
	switch {
	case at >= 0:
		u.out.WriteString(hiddenComment)
		u.rest = u.rest[begin+at+len(end):]
		return
	case u.endless == nil:
		u.endless = map[string]bool{}
	}
	u.endless[end] = true
	if !first {
		u.copy(begin)
		return
	}
	u.out.WriteString(hiddenComment)
	u.rest = ""
}
