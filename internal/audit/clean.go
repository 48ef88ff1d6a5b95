package audit

import (
	"strings"
	"unicode"
)

const (
	mostName    = 64 // characters of what a client calls itself
	mostVersion = 32
)

// ClientName makes one name of what a client says of itself: short, and nothing in it but what can be seen. It is a claim and
// no more.
func ClientName(name, version string) string {
	name, version = clean(name, mostName), clean(version, mostVersion)
	if name == "" || version == "" {
		return name
	}
	return name + "/" + version
}

// clean drops what cannot be seen, or turns text around, and cuts the rest.
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
