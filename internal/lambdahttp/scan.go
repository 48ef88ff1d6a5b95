package lambdahttp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON in one pass and allocates memory only for values that the caller wants.
// encoding/json passes over an event twice and finds every member by reflection, which would cost
// more than the rest of this package. A fuzz test compares the two.
type scanner struct {
	data  []byte // UTF-8
	pos   int
	depth int
	bad   bool // the input is invalid JSON, or has a wrong type
}

// deepest is the maximum nesting of values. An event has four levels.
const deepest = 100

func (s *scanner) fail() {
	s.bad = true
	s.pos = len(s.data)
}

// peek returns the first byte of the next token, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch b := s.data[s.pos]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

func (s *scanner) take(b byte) bool {
	if s.peek() != b {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) expect(b byte) {
	if !s.take(b) {
		s.fail()
	}
}

// end reports whether the input was exactly one valid value.
func (s *scanner) end() bool { return !s.bad && s.peek() == 0 && s.pos == len(s.data) }

// object calls member with each name; member must read the value. The name is valid only during the
// call. null has no members.
func (s *scanner) object(member func(name []byte)) {
	if s.null() {
		return
	}
	s.list('{', '}', func() {
		name := s.text()
		s.expect(':')
		member(name)
	})
}

// array calls element to read each element. null has no elements.
func (s *scanner) array(element func()) {
	if !s.null() {
		s.list('[', ']', element)
	}
}

func (s *scanner) list(open, shut byte, item func()) {
	s.expect(open)
	if s.depth++; s.depth > deepest {
		s.fail()
	}
	for more := !s.take(shut); more && !s.bad; {
		item()
		if more = s.take(','); !more {
			s.expect(shut)
		}
	}
	s.depth--
}

// string reads a string; null is "".
func (s *scanner) string() string {
	if s.null() {
		return ""
	}
	return string(s.text())
}

// bool reads true or false; null is false.
func (s *scanner) bool() bool {
	switch word := string(s.scalar()); word {
	case "true":
		return true
	case "false", "null":
	default:
		s.fail()
	}
	return false
}

// skip reads any value and ignores it.
func (s *scanner) skip() {
	switch s.peek() {
	case '"':
		s.text()
	case '{':
		s.object(func([]byte) { s.skip() })
	case '[':
		s.array(s.skip)
	default:
		s.scalar()
	}
}

func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	if string(s.scalar()) != "null" {
		s.fail()
	}
	return true
}

// scalar reads a number or a literal such as true.
func (s *scanner) scalar() []byte {
	s.peek()
	start := s.pos
	for s.pos < len(s.data) && isScalar(s.data[s.pos]) {
		s.pos++
	}
	token := s.data[start:s.pos]
	if !json.Valid(token) {
		s.fail()
	}
	return token
}

func isScalar(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || b == 'E' || b == '-' || b == '+' || b == '.'
}

// text reads a string. The result may share memory with the input.
func (s *scanner) text() []byte {
	s.expect('"')
	start, escaped := s.pos, false
	for ; s.pos < len(s.data); s.pos++ {
		switch b := s.data[s.pos]; {
		case b == '"':
			text := s.data[start:s.pos]
			s.pos++
			if escaped {
				return s.unescape(text)
			}
			return text
		case b == '\\':
			escaped = true
			s.pos++
		case b < ' ':
			s.fail()
		}
	}
	s.fail()
	return nil
}

// unescape replaces the escapes of a string. Each backslash must be followed by a byte.
func (s *scanner) unescape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return append(out, text...)
		}
		out = append(out, text[:i]...)
		b := text[i+1]
		text = text[i+2:]
		switch b {
		case '"', '\\', '/':
			out = append(out, b)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			var r rune
			r, text = s.unicode(text)
			out = utf8.AppendRune(out, r)
		default:
			s.fail()
			return nil
		}
	}
}

// unicode reads the digits after \u, and the second half of a surrogate pair. A single half becomes
// U+FFFD.
func (s *scanner) unicode(text []byte) (rune, []byte) {
	r, ok := hex4(text)
	if !ok {
		s.fail()
		return utf8.RuneError, nil
	}
	text = text[4:]
	if !utf16.IsSurrogate(r) || !bytes.HasPrefix(text, []byte(`\u`)) {
		return r, text
	}
	second, _ := hex4(text[2:])
	if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
		text = text[6:]
	}
	return r, text
}

func hex4(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(n), err == nil
}
