package richtext

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// place describes the surroundings of a text. The bytes before and after it are '\n' for the edge
// of a line, ' ' for a blank, '[' for a link or label that follows, ']' for a label that precedes,
// and '*' for other markup.
type place struct {
	before, after byte
	label         bool // inside the brackets of a link or label
	cell          bool // inside a table
}

// ink is text that Markdown must show as written. It is escaped when what follows is known.
type ink struct {
	out    []byte // escaped
	raw    []byte // text still to be escaped: one line with single blanks
	before byte   // what precedes raw; see place
}

// settle escapes the text so far, which the byte after follows.
func (k *ink) settle(after byte, label, cell bool) {
	if len(k.raw) > 0 {
		k.out = escape(k.out, string(k.raw), place{before: k.before, after: after, label: label, cell: cell})
		k.raw, k.before = k.raw[:0], '*'
	}
}

// label writes the label of a mention or file: brackets that are not a link.
func (k *ink) label(kind, name string, cell bool) {
	k.out = append(append(k.out, '['), kind...)
	k.out = escape(k.out, squeeze(name), place{before: '*', after: '*', label: true, cell: cell})
	k.out, k.before = append(k.out, ']'), ']'
}

// special is the set of bytes that may need a backslash.
var special = func() (set [256]bool) {
	for _, c := range []byte("\\`*_~[]()<>&|!:@") {
		set[c] = true
	}
	return set
}()

// escape appends text to dst with backslashes, so that Markdown shows it as written. It writes as
// few backslashes as possible. The text must be one line with single blanks. The time is linear:
// each decision looks at the neighbours and, once a line, at the start of the line.
func escape(dst []byte, text string, at place) []byte {
	from, url, mark := 0, 0, -1 // url: the end of the last URL
	if at.before == '\n' {
		mark = blockMark(text, at.after == '\n')
	}
	for i := range len(text) {
		if i != mark {
			if !special[text[i]] {
				continue
			}
			if text[i] == ':' && i > url {
				url = max(url, urlEnd(text, i, at))
			}
			if i < url || !needsEscape(text, i, at) {
				continue
			}
		}
		dst = append(append(dst, text[from:i]...), '\\')
		from = i
	}
	return append(dst, text[from:]...)
}

// blockMark returns the index of the character that would turn a line into a heading, quote, list
// item, rule or table, or -1. The line starts with text, or is text if wholeLine is set.
func blockMark(text string, wholeLine bool) int {
	rest := strings.TrimLeft(text, text[:1])
	switch c := text[0]; c {
	case '#':
		if len(text)-len(rest) <= 6 && endsWord(rest) {
			return 0
		}
	case '>':
		return 0
	case '-', '+', '|', ':', '=':
		if (c == '-' || c == '+') && endsWord(text[1:]) || wholeLine && c == '=' && strings.Trim(rest, " ") == "" {
			return 0
		}
		if wholeLine && c != '=' && c != '+' && strings.Trim(rest, "-:| ") == "" {
			return 0
		}
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n := 0
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		if n <= 9 && n < len(text) && (text[n] == '.' || text[n] == ')') && endsWord(text[n+1:]) {
			return n
		}
	}
	return -1
}

func endsWord(rest string) bool { return rest == "" || rest[0] == ' ' }

func needsEscape(text string, i int, at place) bool {
	before, after := neighbours(text, i, at)
	switch c := text[i]; c {
	case '`':
		return true
	case '\\':
		return after == '\n' || isPunct(after)
	case '*':
		return before == '\n' || !isBlank(before) || !isBlank(after)
	case '_':
		return needsUnderscoreEscape(text, i, at)
	case '~':
		return before == '~' || after == '~' || !isBlank(before) || i == len(text)-1
	case '<':
		return isAlpha(after) || strings.IndexByte("/!?*[", after) >= 0 || startsAddress(text[i+1:])
	case '&':
		return startsEntity(text[i:])
	case '|':
		return at.cell
	case '!':
		return after == '[' && i == len(text)-1
	case '[':
		return at.label || after == '@' || strings.HasPrefix(text[i+1:], "Attachment:")
	case ']':
		return at.label || after == '(' || after == ':'
	case '(', ':':
		return i == 0 && before == ']'
	case '@':
		return i == 0 && at.label || !at.label && beginsMention(text, i, at)
	}
	return false
}

// beginsMention reports whether the "@" at i could mention someone: it begins a word, or a bracket
// follows. After "[", the backslash before that bracket is enough.
func beginsMention(text string, i int, at place) bool {
	if _, after := neighbours(text, i, at); after == '[' {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return before != '[' && !naming.InWord(before) && unicode.IsLetter(after)
}

// urlEnd returns where the URL ends whose first ":" is at i. It returns 0 if there is no URL, or if
// Markdown would not find it as it stands.
func urlEnd(text string, i int, at place) int {
	start := strings.LastIndexByte(text[:i], ' ') + 1
	if start < i && text[start] == '(' {
		start++
	}
	size := plaintext.URLPrefix(text[start:])
	if start == 0 && !isBlank(at.before) || start+size == len(text) && !isBlank(at.after) {
		return 0
	}
	return start + size
}

func neighbours(text string, i int, at place) (before, after byte) {
	before, after = at.before, at.after
	if i > 0 {
		before = text[i-1]
	}
	if i+1 < len(text) {
		after = text[i+1]
	}
	return before, after
}

// needsUnderscoreEscape reports whether the underscore at i needs a backslash. Single underscores
// and those inside a word, as in snake_case, do not.
func needsUnderscoreEscape(text string, i int, at place) bool {
	before, after := neighbours(text, i, at)
	if before == '_' || after == '_' || before == '\n' {
		return true
	}
	return !(isWord(before) && isWord(after)) && !(isBlank(before) && isBlank(after))
}

// startsAddress reports whether text after a "<" may be an e-mail address. A Markdown reader would
// show such an address without its brackets.
func startsAddress(text string) bool {
	end := strings.IndexAny(text, " <>@")
	return end > 0 && text[end] == '@'
}

// startsEntity reports whether a Markdown reader would decode the "&" at the start of text.
func startsEntity(text string) bool {
	n := 1
	if n < len(text) && text[n] == '#' {
		n++
	}
	start := n
	for n < len(text) && n-start < 32 && isAlnum(text[n]) {
		n++
	}
	return n > start && n < len(text) && text[n] == ';'
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isAlnum(c byte) bool { return isAlpha(c) || c >= '0' && c <= '9' }
func isWord(c byte) bool  { return isAlnum(c) || c >= 0x80 }
func isBlank(c byte) bool { return c == ' ' || c == '\n' }
func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }

// escaped matches an escaped sign, or an entity.
var escaped = lazyregexp.New("\\\\[!-/:-@[-`{-~]|&#?[0-9A-Za-z]{1,32};")

// unescape returns Markdown text as readers see it: without escaping backslashes, and with decoded
// entities.
func unescape(markdown []byte) string {
	if !bytes.ContainsAny(markdown, "\\&") {
		return string(markdown)
	}
	return escaped.ReplaceAllStringFunc(string(markdown), func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		return string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(s))))
	})
}
