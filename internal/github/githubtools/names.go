package githubtools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
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

// pick returns the thing with a name. An exact name wins. If there is none, pick ignores case,
// accents and repeated blanks, then also the symbols before names, and then looks for a part of a
// name.
func (c choice[T]) pick(name string) (T, error) {
	var found []T
	for _, same := range []func(a, b string) bool{identical, folded, unmarked} {
		if found = c.called(name, same); len(found) > 0 {
			break
		}
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

// called returns the things whose name is the same as a name.
func (c choice[T]) called(name string, same func(a, b string) bool) []T {
	var found []T
	if name = strings.TrimSpace(plaintext.Clean(name)); name == "" {
		return nil
	}
	for _, item := range c.items {
		if same(strings.TrimSpace(plaintext.Clean(c.name(item))), name) {
			found = append(found, item)
		}
	}
	return found
}

func (c choice[T]) containing(part string) []T {
	var found []T
	wanted := fold(plaintext.Clean(part))
	for _, item := range c.items {
		if wanted != "" && strings.Contains(fold(plaintext.Clean(c.name(item))), wanted) {
			found = append(found, item)
		}
	}
	return found
}

func identical(a, b string) bool { return a == b }

func folded(a, b string) bool { return fold(a) == fold(b) }

// unmarked reports whether two names are the same without the symbols before them. Names whose
// symbols differ are not: the symbol can be what distinguishes two options.
func unmarked(a, b string) bool {
	bareA, bareB := bare(a), bare(b)
	markA, markB := fold(strings.TrimSuffix(a, bareA)), fold(strings.TrimSuffix(b, bareB))
	return bareA != "" && folded(bareA, bareB) && (markA == "" || markB == "" || markA == markB)
}

// unknown returns an INVALID_INPUT that lists the existing names.
func (c choice[T]) unknown(unknown ...string) *fault.Error {
	are := "is not one of"
	if len(unknown) > 1 {
		are = "are not among"
	}
	quoted := make([]string, len(unknown))
	for i, name := range unknown {
		quoted[i] = fmt.Sprintf("%q", short(name))
	}
	return c.listed(fmt.Sprintf("%s %s the %s", strings.Join(quoted, ", "), are, c.noun))
}

// listed returns an INVALID_INPUT that says what is wrong, and lists the existing names.
func (c choice[T]) listed(wrong string) *fault.Error {
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
	e := fault.Invalid(c.argument, "%s; %s", wrong, there)
	e.Candidates = all
	return e
}

// missing returns a NOT_FOUND about a kind of resource. It lists the names that are similar to the
// one that was not found, so that the caller can correct a typing error.
func (c choice[T]) missing(kind, name, format string, args ...any) *fault.Error {
	e := fault.New(fault.NotFound, c.argument+": "+format, args...)
	e.Resource = &fault.Resource{Type: kind, ID: short(name)}
	e.Nearest = c.candidates(c.nearest(name))
	for i, candidate := range e.Nearest {
		lead := ", "
		if i == 0 {
			lead = "; similar: "
		}
		e.Message += fmt.Sprintf("%s%q", lead, candidate.Name)
		if candidate.Ref != candidate.Name {
			e.Message += " (" + candidate.Ref + ")"
		}
	}
	return e
}

const (
	maxNearest  = 3
	maxDistance = 3 // characters
	leastPart   = 4 // characters of a name that count as a part of another
)

// nearest returns the things whose names are most similar to a name: one contains the other, or
// they differ in a few characters.
func (c choice[T]) nearest(name string) []T {
	wanted := fold(bare(plaintext.Clean(name)))
	partOf := func(part, whole string) bool { return len([]rune(part)) >= leastPart && strings.Contains(whole, part) }
	changes := func(item T) int {
		has := fold(bare(plaintext.Clean(c.name(item))))
		if partOf(wanted, has) || partOf(has, wanted) {
			return 0
		}
		return mcptool.Distance(has, wanted)
	}
	allowed := min(maxDistance, len([]rune(wanted))/3)
	found := slices.DeleteFunc(slices.Clone(c.items), func(item T) bool { return changes(item) > allowed })
	slices.SortStableFunc(found, func(a, b T) int { return cmp.Compare(changes(a), changes(b)) })
	return found[:min(len(found), maxNearest)]
}

func (c choice[T]) candidates(items []T) []fault.Candidate {
	items = items[:min(len(items), maxCandidates)]
	all := make([]fault.Candidate, len(items))
	for i, item := range items {
		all[i].Name = plaintext.Label(c.name(item), maxTitle)
		all[i].Ref = plaintext.Clean(c.name(item))
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
