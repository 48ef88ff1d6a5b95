package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeAt returns Markdown with a backslash before each "@" that may mention someone, and with two
// for each one that stands there already. A copy of it mentions no one in a tool that respects the
// backslash. [UnescapeAt] returns the same bytes again.
func EscapeAt(markdown string) string {
	var b strings.Builder
	from := 0
	for _, at := range callingAts(markdown) {
		b.WriteString(markdown[from:at])
		b.WriteString(strings.Repeat(`\`, 1+backslashes(markdown[from:at])))
		from = at
	}
	b.WriteString(markdown[from:])
	return b.String()
}

// UnescapeAt removes the backslashes that [EscapeAt] adds before each "@" that may mention someone.
// It leaves code unchanged.
func UnescapeAt(markdown string) string { return UnescapeAtIn(markdown, 0, len(markdown)) }

// UnescapeAtIn does what [UnescapeAt] does between two indexes of a text. The text around them says
// where code is.
func UnescapeAtIn(markdown string, from, to int) string {
	var b strings.Builder
	b.WriteString(markdown[:from])
	for _, at := range callingAts(markdown) {
		if at <= from || at >= to {
			continue
		}
		if n := backslashes(markdown[from:at]); n%2 == 1 {
			b.WriteString(markdown[from : at-(n+1)/2])
			from = at
		}
	}
	b.WriteString(markdown[from:])
	return b.String()
}

// backslashes returns the number of backslashes at the end of a text.
func backslashes(text string) int { return len(text) - len(strings.TrimRight(text, `\`)) }

// callingAts returns the index of each "@" that may mention someone: one before "[" or a letter,
// outside code, URLs and e-mail addresses. Backslashes before an "@" change nothing.
func callingAts(markdown string) []int {
	if !strings.Contains(markdown, "@") {
		return nil
	}
	s := atScanner{text: markdown}
	for s.i < len(markdown) {
		s.line()
	}
	return s.found
}

// atScanner reads Markdown line by line. Where it is unsure whether a reader sees code, it takes
// the text for no code.
type atScanner struct {
	text   string
	i      int
	fence  Fence
	code   bool // in the fence
	lost   bool // a line may or may not have ended the fence
	opened bool // the paragraph has a mark of code without its end in the same line
	found  []int
}

func (s *atScanner) line() {
	end := len(s.text)
	if feed := strings.IndexByte(s.text[s.i:], '\n'); feed >= 0 {
		end = s.i + feed + 1
	}
	line := strings.TrimRight(s.text[s.i:end], "\r\n")
	if s.code && !s.fence.holds(line) {
		s.code, s.lost = false, s.lost || !s.fence.marked
	}
	switch {
	case s.code:
		s.code = !s.fence.closes(line)
	case strings.TrimSpace(line) == "":
		s.opened = false
	default:
		if s.fence, s.code = opensFence(line); !s.code || s.lost {
			s.code = false
			s.inline(s.i + len(line))
		}
	}
	s.i = end
}

// inline reads the rest of a line up to end.
func (s *atScanner) inline(end int) {
	for s.i < end {
		rest := s.text[s.i:end]
		switch {
		case rest[0] == '\\' && len(rest) > 1 && rest[1] != '@':
			s.i += 2
		case rest[0] == '`':
			s.span(rest)
		case rest[0] == 'h' && beginsWord(s.text[:s.i]):
			s.i += max(1, URLPrefix(rest))
		case rest[0] == '@' && calls(s.text[:s.i], rest[1:]):
			s.found = append(s.found, s.i)
			s.i++
		default:
			s.i++
		}
	}
}

// span skips the code span that the rest of a line begins with.
func (s *atScanner) span(rest string) {
	size := CodeSpan(rest)
	marks := len(rest) - len(strings.TrimLeft(rest, "`"))
	s.opened = s.opened || size == marks
	if s.opened || s.lost {
		size = marks
	}
	s.i += size
}

// calls reports whether an "@" between two texts may mention someone.
func calls(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return next == '[' || unicode.IsLetter(next) && !unicode.IsLetter(last) && !unicode.IsDigit(last)
}

// beginsWord reports whether a URL can begin after a text.
func beginsWord(before string) bool {
	return before == "" || strings.IndexByte(" \t\n(", before[len(before)-1]) >= 0
}

// CodeSpan returns the length of the code span that text begins with, within its line, or of its
// marks if they open none.
func CodeSpan(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	marks := len(line) - len(strings.TrimLeft(line, "`"))
	for at := marks; at < len(line); {
		if line[at] != '`' {
			at++
			continue
		}
		run := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
		if at += run; run == marks {
			return at
		}
	}
	return marks
}

// URLPrefix returns the length of the web address that text begins with, or 0. It counts only an
// address that every Markdown reader takes for one as it stands, up to the blank after it.
func URLPrefix(text string) int {
	if !strings.HasPrefix(text, "http") {
		return 0
	}
	address, _, _ := strings.Cut(text, " ")
	address, _, _ = strings.Cut(address, "\n")
	address = strings.TrimRight(address, "\r.,:;!?\"')")
	host, ok := strings.CutPrefix(address, "https://")
	if !ok {
		host, ok = strings.CutPrefix(address, "http://")
	}
	if !ok || host == "" || !isAlphanumeric(host[0]) {
		return 0
	}
	for i := range len(host) {
		inWord := i > 0 && i+1 < len(host) && isAlphanumeric(host[i-1]) && isAlphanumeric(host[i+1])
		if c := host[i]; !isAlphanumeric(c) && strings.IndexByte("/:.?=%#+,;@-", c) < 0 && !(c == '_' && inWord) {
			return 0
		}
	}
	return len(address)
}

func isAlphanumeric(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}
