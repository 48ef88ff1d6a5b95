package audit

import (
	"strings"
	"unicode"
)

const (
	mostName    = 64 // characters of a client's name
	mostVersion = 32
)

// ClientName returns a short, printable name from what a client says about itself. The name is a
// claim that the server has not verified.
func ClientName(name, version string) string {
	name, version = clean(name, mostName), clean(version, mostVersion)
	if name == "" || version == "" {
		return name
	}
	return name + "/" + version
}

// clean drops characters that are invisible or change the direction of text, and cuts the rest.
func clean(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if most == 0 {
			break
		}
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			b.WriteRune(r)
			most--
		}
	}
	return strings.TrimSpace(b.String())
}
