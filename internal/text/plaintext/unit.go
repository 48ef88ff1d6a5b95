package plaintext

import "strings"

// maxLabel is the length in bytes up to which a text in brackets is kept whole, such as
// "[Attachment: ...]". A longer one may be a page between two stray brackets. Links, images and
// URLs are kept whole at any length.
const maxLabel = 400

// unitStart returns where the outermost unit begins that a cut at end would break, or end. A unit
// is an escape, a link or image, a label in brackets, or a URL. Text must begin with the paragraph
// that is cut; unitStart reads it once.
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

// unitScanner reads a paragraph unit by unit.
type unitScanner struct {
	text string
	i    int
	open []int // indexes of brackets that are still open

	end int // where the caller wants to cut the text
	cut int // where it can be cut
}

// unit records that the text between from and to is one unit.
func (s *unitScanner) unit(from, to int) {
	if from < s.end && s.end < to {
		s.cut = min(s.cut, from)
	}
}

// step reads the next character or unit.
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

// closeBracket reads "]" and, if it ends the text of a link, the target of the link.
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

// target reads the parentheses after "]", and reports whether they are the target of a link. If
// not, it stops at the character that shows this; what it read is not read again.
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

// url reads a URL up to the first byte that cannot be part of it. An autolink, which begins with
// "<", must end with ">".
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
