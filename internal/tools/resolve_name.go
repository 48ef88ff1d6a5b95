package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

// choice is a set of things one of which a caller names.
type choice[T any] struct {
	argument string // as the caller knows it
	noun     noun
	items    []T
	name     func(T) string
	id       func(T) int64
	where    func(T) string // what tells two of one name apart; may be nil
	words    bool           // whether a part of a name must begin where a word does
	few      bool           // whether there are so few that all are named where one is not found
}

// noun is what a kind of thing is called: by people, by people if there are several, and in answers.
type noun struct{ one, many, kind string }

var (
	projectNoun = noun{"project", "projects", "project"}
	listNoun    = noun{"to-do list", "to-do lists", "todolist"}
	personNoun  = noun{"person on the project", "people on the project", "person"}
	anyoneNoun  = noun{"person in this account", "people", "person"}
)

// pick finds the thing of that name: exactly, or else the only one whose name contains it, case and accents aside.
func pick[T any](c choice[T], name string) (T, error) {
	var none T
	found := exactly(c.items, name, c.label)
	if len(found) == 0 {
		found = containing(c.items, name, c.label)
	}
	if c.words && len(found) > 0 && fold(c.label(found[0])) != fold(name) {
		found = matching(found, func(item T) bool { return beginsWord(fold(c.label(item)), fold(name)) })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, c.unknown(name)
	}
	return none, c.ambiguous(found, "%q matches %d %s; give the id of one", name, len(found), c.noun.many)
}

// byRef finds the thing by id or name.
func (c choice[T]) byRef(ref mcptool.Ref) (T, error) {
	if ref.Name != "" {
		return pick(c, ref.Name)
	}
	for _, item := range c.items {
		if c.id(item) == ref.ID {
			return item, nil
		}
	}
	var none T
	return none, c.unknown(ref.String())
}

const maxCandidates = 10

func (c choice[T]) ambiguous(found []T, format string, args ...any) *fault.Error {
	e := fault.New(fault.Ambiguous, c.argument+": "+format, args...)
	if len(found) > maxCandidates {
		e.Message += fmt.Sprintf(" (candidates holds the first %d)", maxCandidates)
	}
	for _, item := range found[:min(len(found), maxCandidates)] {
		e.Candidates = append(e.Candidates, c.candidate(item))
	}
	return e
}

// unknown names the nearest, three at most, so that a slip of the pen costs one more call and not a search. Of few things it names
// all, in their order.
func (c choice[T]) unknown(name string) *fault.Error {
	e := fault.New(fault.NotFound, "%s: you can see no %s %q", c.argument, c.noun.one, shorten(name))
	e.Resource = &fault.Resource{Type: c.noun.kind, ID: shorten(name)}
	near, lead := nearest(c.items, name, c.label), "; the nearest: "
	if c.few {
		near, lead = c.items, "; there are "
	}
	for _, item := range near {
		e.Candidates = append(e.Candidates, c.candidate(item))
	}
	e.Message += namesBehind(lead, e.Candidates)
	return e
}

func shortName(name string) string {
	short, _ := plaintext.Excerpt(name, 200)
	return short
}

// namesBehind ends a message with the names of candidates, if there are any.
func namesBehind(lead string, candidates []fault.Candidate) string {
	names := make([]string, len(candidates))
	for i, c := range candidates {
		names[i] = `"` + c.Name + `"`
	}
	if len(names) == 0 {
		return ""
	}
	return lead + strings.Join(names, ", ")
}

// label is a name as people are shown it, without the characters that deceive the eye.
func (c choice[T]) label(item T) string { return plaintext.Clean(c.name(item)) }

func (c choice[T]) candidate(item T) fault.Candidate {
	candidate := fault.Candidate{ID: c.id(item), Name: shortName(c.label(item))}
	if c.where != nil {
		candidate.Where = plaintext.Clean(c.where(item))
	}
	return candidate
}

// nearest are the three things whose names hold the words of a name, or words like them, with the fewest changes.
func nearest[T any](items []T, name string, nameOf func(T) string) []T {
	type scored struct {
		item           T
		words, changes int
	}
	wanted := strings.Fields(fold(name))
	all := make([]scored, len(items))
	for i, item := range items {
		label := fold(nameOf(item))
		all[i] = scored{item: item, changes: distance(label, fold(name))}
		for _, word := range wanted {
			all[i].words += farness(word, label)
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Or(a.words-b.words, a.changes-b.changes) })
	var found []T
	for _, s := range all[:min(len(all), 3)] {
		found = append(found, s.item)
	}
	return found
}

// farness is how much a word differs from the likest word of a name, and at most from no word at all.
func farness(word, name string) int {
	least := len([]rune(word))
	for other := range strings.FieldsSeq(name) {
		least = min(least, distance(word, other))
	}
	return least
}

func exactly[T any](items []T, name string, nameOf func(T) string) []T {
	return matching(items, func(item T) bool { return fold(nameOf(item)) == fold(name) })
}

func containing[T any](items []T, name string, nameOf func(T) string) []T {
	part := fold(name)
	return matching(items, func(item T) bool { return part != "" && strings.Contains(fold(nameOf(item)), part) })
}

// beginsWord reports whether a part of a name begins where one of its words does: Sam and Okafor of Sam Okafor, but not ann of
// Hanna.
func beginsWord(name, part string) bool {
	for at := 0; ; at++ {
		i := strings.Index(name[at:], part)
		if i < 0 {
			return false
		}
		at += i
		if before, _ := utf8.DecodeLastRuneInString(name[:at]); at == 0 || !unicode.IsLetter(before) {
			return true
		}
	}
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
