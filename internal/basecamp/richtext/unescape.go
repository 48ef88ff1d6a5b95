package richtext

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/util"
)

// unescape returns Markdown text as readers see it: without escaping backslashes, and with decoded
// entities.
func unescape(markdown []byte) string {
	if bytes.IndexByte(markdown, '\\') < 0 && bytes.IndexByte(markdown, '&') < 0 {
		return string(markdown)
	}
	text := string(markdown)
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && isPunct(text[i+1]):
			i++
			b.WriteByte(text[i])
		case c == '&' && startsEntity(text[i:]):
			end := i + strings.IndexByte(text[i:], ';')
			b.WriteString(entity(text[i : end+1]))
			i = end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// entity decodes "&name;", "&#1;" or "&#x1;". It returns any other text unchanged.
func entity(reference string) string {
	name := reference[1 : len(reference)-1]
	number, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return string(e.Characters)
		}
		return reference
	}
	base := 10
	if hex := strings.TrimLeft(number, "xX"); len(hex) == len(number)-1 {
		number, base = hex, 16
	}
	code, err := strconv.ParseInt(number, base, 32)
	if err != nil {
		return reference
	}
	return string(rune(code))
}
