package upstream

import (
	"errors"
	"fmt"
	"strings"
)

// findLink returns the first target with a relation in Link headers (RFC 8288), and whether there
// is one. A malformed header is an error: treating it as the end of a list would lose the other
// pages.
func findLink(headers []string, relation string) (target string, ok bool, err error) {
	for _, header := range headers {
		for rest := skipSeparators(header); rest != ""; {
			l, after, err := parseHeaderLink(rest)
			if err != nil {
				return "", false, err
			}
			if l.has(relation) {
				return l.target, true, nil
			}
			rest = skipSeparators(after)
		}
	}
	return "", false, nil
}

// skipSeparators removes what may separate links.
func skipSeparators(s string) string { return strings.TrimLeft(s, " \t,") }

type headerLink struct {
	target string
	rel    string // relations, separated by spaces; the first rel parameter counts
}

func (l headerLink) has(relation string) bool {
	for r := range strings.FieldsSeq(l.rel) {
		if strings.EqualFold(r, relation) {
			return true
		}
	}
	return false
}

// parseHeaderLink parses <target>; name=value; name="value"... up to the next comma or the end.
func parseHeaderLink(s string) (l headerLink, rest string, err error) {
	if !strings.HasPrefix(s, "<") {
		return l, "", errLinkHeader
	}
	target, rest, ok := strings.Cut(s[1:], ">")
	if !ok {
		return l, "", errLinkHeader
	}
	l.target = strings.TrimSpace(target)
	for {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" || rest[0] == ',' {
			return l, rest, nil
		}
		if rest[0] != ';' {
			return l, "", errLinkHeader
		}
		var name, value string
		if name, value, rest, err = parseParam(rest[1:]); err != nil {
			return l, "", err
		}
		if l.rel == "" && strings.EqualFold(name, "rel") {
			l.rel = value
		}
	}
}

var errLinkHeader = errors.New("malformed Link header")

// parseParam parses name, name=value or name="quoted value", in which \ precedes a quote.
func parseParam(s string) (name, value, rest string, err error) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		return strings.TrimSpace(s), "", "", nil
	}
	name = strings.TrimSpace(s[:end])
	if s[end] != '=' {
		return name, "", s[end:], nil
	}
	s = strings.TrimLeft(s[end+1:], " \t")
	if strings.HasPrefix(s, `"`) {
		value, rest, err = parseQuoted(s[1:])
		return name, value, rest, err
	}
	if end = strings.IndexAny(s, ";,"); end < 0 {
		end = len(s)
	}
	return name, strings.TrimSpace(s[:end]), s[end:], nil
}

func parseQuoted(s string) (value, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			i++
			if i == len(s) {
				return "", "", errLinkHeader
			}
		}
		b.WriteByte(s[i])
	}
	return "", "", fmt.Errorf("%w: open quote", errLinkHeader)
}
