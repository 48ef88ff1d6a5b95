// Package look is the design of every page: the style sheet of the pages that users see, and of the
// sign-on pages of the demo.
package look

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style is the style sheet. Its contrasts are those of WCAG 2.2, 1.4.3 and 1.4.11.
//
//go:embed style.css
var Style string

// Hash returns the source expression of an inline style or script in a policy (CSP Level 3, 2.3.1).
func Hash(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Initials returns the first letters of the first and the last word of a name, in capitals. A name
// without letters or digits has none.
func Initials(name string) string {
	words := strings.FieldsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) })
	if len(words) > 2 {
		words = []string{words[0], words[len(words)-1]}
	}
	var letters strings.Builder
	for _, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		letters.WriteRune(unicode.ToUpper(first))
	}
	return letters.String()
}
