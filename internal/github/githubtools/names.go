package githubtools

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

// maxCandidates limits what an error lists.
const maxCandidates = 50

// choice is a set of things from which a caller names one.
type choice[T any] struct {
	argument string
	noun     string // plural
	items    []T
	name     func(T) string
	ref      func(T) string // what the argument takes; nil: the name
	where    func(T) string // distinguishes things of one name; may be nil
	partly   bool           // whether a part of only one name means it
}

// pick returns the thing with a name. It ignores case, accents and repeated blanks. If no name is
// equal, it also ignores the symbols before names, and then looks for a part of a name.
func (c choice[T]) pick(name string) (T, error) {
	found := c.called(name, fold)
	if len(found) == 0 {
		found = c.called(name, func(s string) string { return fold(bare(s)) })
	}
	if len(found) == 0 && c.partly {
		found = c.containing(name)
	}
	var none T
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, c.unknown(name)
	}
	e := fault.New(fault.Ambiguous, "%s: %q matches %d %s; send the ref of one", c.argument, short(name), len(found), c.noun)
	e.Candidates = c.candidates(found)
	return none, e
}

func (c choice[T]) called(name string, form func(string) string) []T {
	var found []T
	wanted := form(name)
	for _, item := range c.items {
		if wanted != "" && form(plaintext.Clean(c.name(item))) == wanted {
			found = append(found, item)
		}
	}
	return found
}

func (c choice[T]) containing(part string) []T {
	var found []T
	wanted := fold(bare(part))
	for _, item := range c.items {
		if wanted != "" && strings.Contains(fold(plaintext.Clean(c.name(item))), wanted) {
			found = append(found, item)
		}
	}
	return found
}

// unknown returns an INVALID_INPUT that lists the existing names.
func (c choice[T]) unknown(unknown ...string) *fault.Error {
	all := c.candidates(c.items)
	names := make([]string, len(all))
	for i, candidate := range all {
		names[i] = fmt.Sprintf("%q", candidate.Name)
	}
	there := "there are " + strings.Join(names, ", ")
	switch {
	case len(all) == 0:
		there = "there are none"
	case len(c.items) > len(all):
		there += fmt.Sprintf(" and %d more", len(c.items)-len(all))
	}
	are := "is not one of"
	if len(unknown) > 1 {
		are = "are not among"
	}
	for i, name := range unknown {
		unknown[i] = fmt.Sprintf("%q", short(name))
	}
	e := fault.Invalid(c.argument, "%s %s the %s; %s", strings.Join(unknown, ", "), are, c.noun, there)
	e.Candidates = all
	return e
}

func (c choice[T]) candidates(items []T) []fault.Candidate {
	items = items[:min(len(items), maxCandidates)]
	all := make([]fault.Candidate, len(items))
	for i, item := range items {
		all[i].Name = plaintext.Label(c.name(item), maxTitle)
		all[i].Ref = c.name(item)
		if c.ref != nil {
			all[i].Ref = c.ref(item)
		}
		if c.where != nil {
			all[i].Where = c.where(item)
		}
	}
	return all
}

// fold removes what users omit when they type a name: case, accents and repeated blanks.
func fold(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(name)))
	return strings.Join(strings.Fields(plain), " ")
}

// bare returns a name without the symbols before it, such as emoji.
func bare(name string) string {
	return strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
