package tools

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

// choice is a set of things one of which a caller names.
type choice[T any] struct {
	argument string // as the caller knows it
	noun     string
	items    []T
	name     func(T) string
	id       func(T) int64
	where    func(T) string // what tells two of one name apart; may be nil
}

// pick finds the thing of that name: exactly, or else the only one whose name contains it, case and accents aside.
func pick[T any](c choice[T], name string) (T, error) {
	var none T
	found := exactly(c.items, name, c.name)
	if len(found) == 0 {
		found = containing(c.items, name, c.name)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, c.unknown(name)
	}
	return none, c.ambiguous(found, "%q may mean %d of them; give the id of one", name, len(found))
}

// byRef finds the thing by id or name; a URL counts by its id.
func (c choice[T]) byRef(ref mcptool.Ref) (T, error) {
	var none T
	id := ref.ID
	if ref.URL != "" {
		link, err := basecamp.ParseLink(ref.URL)
		if err != nil {
			return none, fault.Invalid(c.argument, "is not the URL of anything in Basecamp").Because(err)
		}
		id = link.ID
	}
	if id == 0 {
		return pick(c, ref.Name)
	}
	for _, item := range c.items {
		if c.id(item) == id {
			return item, nil
		}
	}
	return none, c.unknown(ref.String())
}

const maxCandidates = 10

func (c choice[T]) ambiguous(found []T, format string, args ...any) *fault.Error {
	e := fault.New(fault.Ambiguous, c.argument+": "+format, args...)
	for _, item := range found[:min(len(found), maxCandidates)] {
		e.Candidates = append(e.Candidates, c.candidate(item))
	}
	return e
}

// unknown names the three nearest, so that a slip of the pen costs one more call and not a search.
func (c choice[T]) unknown(name string) *fault.Error {
	e := fault.New(fault.NotFound, "%s: there is no %s %q", c.argument, c.noun, name)
	e.Resource = &fault.Resource{Type: c.noun, ID: name}
	nearest := slices.SortedStableFunc(slices.Values(c.items), func(a, b T) int {
		return distance(fold(c.name(a)), fold(name)) - distance(fold(c.name(b)), fold(name))
	})
	var names []string
	for _, item := range nearest[:min(len(nearest), 3)] {
		e.Candidates = append(e.Candidates, c.candidate(item))
		names = append(names, `"`+c.name(item)+`"`)
	}
	if len(names) > 0 {
		e.Message += "; the nearest: " + strings.Join(names, ", ")
	}
	return e
}

func (c choice[T]) candidate(item T) fault.Candidate {
	candidate := fault.Candidate{ID: c.id(item), Name: c.name(item)}
	if c.where != nil {
		candidate.Where = c.where(item)
	}
	return candidate
}

func exactly[T any](items []T, name string, nameOf func(T) string) []T {
	return matching(items, func(item T) bool { return fold(nameOf(item)) == fold(name) })
}

func containing[T any](items []T, name string, nameOf func(T) string) []T {
	return matching(items, func(item T) bool { return strings.Contains(fold(nameOf(item)), fold(name)) })
}

func matching[T any](items []T, match func(T) bool) []T {
	var found []T
	for _, item := range items {
		if match(item) {
			found = append(found, item)
		}
	}
	return found
}

// fold removes what people leave out when they type a name: case, accents, doubled blanks.
func fold(name string) string {
	decomposed := norm.NFKD.String(strings.ToLower(name))
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, decomposed)
	return strings.Join(strings.Fields(plain), " ")
}

// distance is the Levenshtein distance of two names, as far as their first hundred characters go.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), 100)], y[:min(len(y), 100)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0]++
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(y)]
}
