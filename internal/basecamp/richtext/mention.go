package richtext

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/norm"

	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
)

// mention is a reference of the form "@[Name](person:ID)" or "[Name](mention:ID)". Both forms may
// have an "@" inside or before the brackets, or none, and either word.
type mention struct {
	own
	name string
	id   int64
}

type mentionParser struct{}

func (mentionParser) Trigger() []byte { return []byte{'@'} }

// Parse reads "@[Name](person:ID)" and "@[Name]".
func (mentionParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	name, size := bracketed(line[1:])
	if size == 0 {
		return nil
	}
	if m, length := targeted(name, line[1+size:]); m != nil {
		block.Advance(1 + size + length)
		return m
	}
	if bytes.HasPrefix(line[1+size:], []byte("(")) { // a "(" makes it a link
		return nil
	}
	old, _ := pc.Get(keptKey).(kept)
	i, ok := old.newMention("@" + strings.TrimPrefix(name, "@"))
	if !ok {
		return nil
	}
	block.Advance(1 + size)
	return &label{attachment: i}
}

var personTarget = lazyregexp.New(`^\((?:person|mention):([0-9]{1,19})\)`)

// targeted returns the mention of a name if a target such as "(person:ID)" follows, and the length
// of the target. Otherwise it returns nil and 0.
func targeted(name string, rest []byte) (m *mention, length int) {
	target := personTarget.FindSubmatch(rest)
	if target == nil {
		return nil, 0
	}
	id, err := strconv.ParseInt(string(target[1]), 10, 64)
	if err != nil {
		return nil, 0
	}
	return &mention{name: strings.TrimPrefix(name, "@"), id: id}, len(target[0])
}

// bracketed reads the "[...]" at the start of line. It returns the text inside without escapes, and
// the length including the brackets. The length is 0 if there are no brackets.
func bracketed(line []byte) (inside string, size int) {
	if len(line) == 0 || line[0] != '[' {
		return "", 0
	}
	for i := 1; i < min(len(line), maxTarget); i++ {
		switch line[i] {
		case '\\':
			i++
		case '[', '\n':
			return "", 0
		case ']':
			return squeeze(unescape(line[1:i])), i + 1
		}
	}
	return "", 0
}

// Mentions returns the ids in "@[Name](person:ID)" and "[Name](mention:ID)" of a Markdown text, in
// order and without duplicates. It ignores code.
func Mentions(markdown string) []int64 {
	if !strings.Contains(markdown, "](person:") && !strings.Contains(markdown, "](mention:") {
		return nil
	}
	var ids []int64
	walk(plaintext.Clean(markdown), func(n ast.Node) bool {
		if m, ok := n.(*mention); ok && !slices.Contains(ids, m.id) {
			ids = append(ids, m.id)
		}
		return true
	})
	return ids
}

var referenceTarget = lazyregexp.New(`[A-Za-z]:[0-9]`)

// References returns the targets of the form type:ID in the links of a Markdown text, in order and
// without duplicates. It ignores code and mentions.
func References(markdown string) (targets []string) {
	if !referenceTarget.MatchString(markdown) {
		return nil
	}
	walk(plaintext.Clean(markdown), func(n ast.Node) bool {
		if link, ok := n.(*ast.Link); ok {
			target := unescape(link.Destination)
			if _, id, _ := strings.Cut(target, ":"); id != "" && strings.Trim(id, "0123456789") == "" && !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
		return true
	})
	return targets
}

// Called returns the sorted names in "[@Name]" and "@[Name]" of a Markdown text, each once. It
// ignores code, links and the mentions in old, which is the field that the text replaces.
func Called(markdown, old string) []string {
	if !strings.Contains(markdown, "[@") && !strings.Contains(markdown, "@[") {
		return nil
	}
	var names []string
	k := keep(old)
	k.unknown = &names
	if _, err := parse(k.markPreviews(strings.Trim(plaintext.Clean(markdown), "\n")), k); err != nil {
		return nil
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// walk parses a text and calls visit for its nodes, until visit returns false. It reports whether
// it visited all of them. A text that takes too long to parse has none.
func walk(markdown string, visit func(ast.Node) bool) (all bool) {
	doc, err := parse(markdown, kept{})
	if err != nil {
		return true
	}
	all = true
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && !visit(n) {
			all = false
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return all
}

// personName is a name by which a text may mention a person.
type personName struct {
	folded string
	person Person
}

// personNames returns the full and the first names of people, the longest first.
func personNames(people []Person) []personName {
	var names []personName
	for _, p := range people {
		full := fold(p.Name)
		if full == "" {
			continue
		}
		names = append(names, personName{full, p})
		if first, _, more := strings.Cut(full, " "); more {
			names = append(names, personName{first, p})
		}
	}
	slices.SortStableFunc(names, func(a, b personName) int { return cmp.Compare(len(b.folded), len(a.folded)) })
	return names
}

// fold returns a name without the details that people leave out when they type it: case, accents
// and repeated blanks.
func fold(name string) string {
	var b strings.Builder
	for _, r := range squeeze(name) {
		b.WriteString(foldRune(r))
	}
	return b.String()
}

// foldRune returns the text by which r is compared. For an accent, it returns "".
func foldRune(r rune) string {
	if r < utf8.RuneSelf {
		return string(unicode.ToLower(r))
	}
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == '‘', r == '’', r == 'ʼ':
			return '\''
		case r == '‐': // NFKD turns a non-breaking hyphen into it
			return '-'
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(string(r)))
	return plain
}

// called returns the length of the name at the start of text if it equals folded and a name can end
// after it. Otherwise it returns 0.
func called(text, folded string) int {
	at := 0
	for at < len(text) {
		if n := blankPrefix(text[at:]); n > 0 && strings.HasPrefix(folded, " ") {
			at, folded = at+n, folded[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		plain := foldRune(r)
		if folded == "" && plain != "" {
			break
		}
		if !strings.HasPrefix(folded, plain) {
			return 0
		}
		at, folded = at+size, folded[len(plain):]
	}
	if folded != "" || !endsName(text[at:]) {
		return 0
	}
	return at
}

// endsName reports whether a name can end before rest: "Ann" does not end in "Ann-Marie".
func endsName(rest string) bool {
	if tail, ok := strings.CutPrefix(rest, "-"); ok {
		rest = tail
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return !isWordRune(r)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// findName returns the first place where text has "@" and the name, or 0 and 0.
func findName(text, folded string) (from, to int) {
	for {
		at := strings.IndexByte(text[to:], '@')
		if at < 0 {
			return 0, 0
		}
		from = to + at
		to = from + 1
		if before, _ := utf8.DecodeLastRuneInString(text[:from]); isWordRune(before) {
			continue
		}
		if n := called(text[to:], folded); n > 0 {
			return from, to + n
		}
	}
}
