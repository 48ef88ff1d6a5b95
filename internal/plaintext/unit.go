package plaintext

import "strings"

// maxLabel is the longest stretch in bytes that is kept whole for its brackets alone: "[Attachment: ...]" is, a page between two
// stray brackets is not. Links, images and URLs are kept whole at any length.
const maxLabel = 400

// unitStart is end, or where the outermost unit begins that a cut at end would break: an escape, a link or image, a label in
// brackets, a URL. It reads the paragraph, with which text must begin, once.
func unitStart(text string, end int) int {
	if blank := strings.Index(text[end:], "\n\n"); blank >= 0 {
		text = text[:end+blank]
	}
	s := unitScanner{text: text, end: end, cut: end}
	for s.i < len(text) && (s.i <= end || len(s.open) > 0 && s.open[0] < end) {
		s.step()
	}
	return s.cut
}

type unitScanner struct {
	text string
	i    int
	open []int // where brackets opened that are not closed so far

	end int
	cut int
}

// unit notes that the text between from and to belongs together.
func (s *unitScanner) unit(from, to int) {
	if from < s.end && s.end < to {
		s.cut = min(s.cut, from)
	}
}

func (s *unitScanner) step() {
	switch c := s.text[s.i]; c {
	case '\\':
		s.unit(s.i, s.i+2)
		s.i += 2
	case '[':
		from := s.i
		if from > 0 && s.text[from-1] == '!' {
			from--
		}
		s.open = append(s.open, from)
		s.i++
	case ']':
		s.closeBracket()
	case '<':
		s.url(">")
	case 'h':
		if rest := s.text[s.i:]; strings.HasPrefix(rest, "https://") || strings.HasPrefix(rest, "http://") {
			s.url("")
			return
		}
		s.i++
	default:
		s.i++
	}
}

// closeBracket reads "]" and the target of the link whose text it ends, if it is one.
func (s *unitScanner) closeBracket() {
	s.i++
	if len(s.open) == 0 {
		return
	}
	from := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if s.i-from <= maxLabel {
		s.unit(from, s.i)
	}
	if s.i < len(s.text) && s.text[s.i] == '(' && s.target() {
		s.unit(from, s.i)
	}
}

// target reads the parentheses of a link, and reports whether they are those of one. If not, it stops where that shows, and
// what it read is not read again.
func (s *unitScanner) target() bool {
	depth := 0
	for ; s.i < len(s.text); s.i++ {
		switch c := s.text[s.i]; c {
		case '\\':
			s.i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				s.i++
				return true
			}
		case '\n':
			return false
		case ' ':
			rest := strings.TrimLeft(s.text[s.i:], " ")
			if rest == "" || strings.IndexByte(`"')`, rest[0]) < 0 {
				return false
			}
			s.i = len(s.text) - len(rest) - 1
		case '"', '\'':
			if title := strings.IndexByte(s.text[s.i+1:], c); s.text[s.i-1] == ' ' && title >= 0 {
				s.i += title + 1
			}
		}
	}
	return false
}

// url reads a URL to the first byte that cannot be part of it. One that begins with "<" is one only if it ends with ">".
func (s *unitScanner) url(end string) {
	from := s.i
	s.i++
	for s.i < len(s.text) && strings.IndexByte(" \n\t<>[]()\\", s.text[s.i]) < 0 {
		s.i++
	}
	if end == "" {
		s.unit(from, s.i)
	} else if strings.HasPrefix(s.text[s.i:], end) {
		s.i++
		s.unit(from, s.i)
	}
}
