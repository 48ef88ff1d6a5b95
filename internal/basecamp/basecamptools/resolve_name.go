package basecamptools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	requests "basecamp-mcp/internal/upstream"
)

// choice is a set of items from which a caller names one.
type choice[T any] struct {
	argument string // its name in the caller's input
	noun     noun
	items    []T
	name     func(T) string
	id       func(T) int64
	where    func(T) string // distinguishes items of the same name; may be nil
	typeOf   func(T) string // the item's type in answers; nil: the noun's
	words    bool           // whether a partial name must begin at the start of a word
	few      bool           // whether an error lists all items instead of the nearest
	look     func(int) bool // of looking; nil counts nothing
}

// noun holds the singular and the plural of an item's type in sentences, and its type in answers.
type noun struct{ one, many, kind string }

var (
	projectNoun = noun{"project", "projects", "project"}
	listNoun    = noun{"to-do list", "to-do lists", "todolist"}
	personNoun  = noun{"person on the project", "people on the project", "person"}
	anyoneNoun  = noun{"person in this account", "people", "person"}
)

// pick returns the item with that name or, if there is none, the only item whose name contains
// it. It ignores case and accents. A person's last name may be shortened, with a dot.
func pick[T any](c choice[T], name string) (T, error) {
	var none T
	found := exactly(c.items, name, c.label)
	if len(found) == 0 {
		found = containing(c.items, name, c.label)
	}
	if c.words && len(found) > 0 && fold(c.label(found[0])) != fold(name) {
		part := fold(name)
		found = matching(found, func(item T) bool { return beginsWord(fold(c.label(item)), part) })
	}
	if c.words && len(found) == 0 {
		found = matching(c.items, func(item T) bool { return abbreviates(fold(name), fold(c.label(item))) })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, c.unknown(name)
	}
	return none, c.ambiguous(found, "%s matches %d %s; give the id of one", plaintext.Quote(name), len(found), c.noun.many)
}

// byRef returns the item with an id or a name.
func (c choice[T]) byRef(ref toolargs.Ref) (T, error) {
	ref, err := c.noun.bare(c.argument, ref)
	if err != nil {
		var none T
		return none, err
	}
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

// unknown returns a NOT_FOUND that lists up to three items with similar names, so that the
// caller can correct a typing error without a search. If there are few items, it lists all of
// them in order.
func (c choice[T]) unknown(name string) *fault.Error {
	e := fault.New(fault.NotFound, "%s: found no %s %s that you can see", c.argument, c.noun.one, plaintext.Quote(name))
	e.Resource = &fault.Resource{Type: c.noun.kind, ID: shorten(name)}
	near, lead := c.nearest(name), "; nearest: "
	if c.few {
		near, lead = c.items, "; there are "
	}
	for _, item := range near {
		e.Nearest = append(e.Nearest, c.candidate(item))
	}
	e.Message += namesBehind(lead, e.Nearest)
	return e
}

func shortName(name string) string {
	short, _ := plaintext.Excerpt(name, 200)
	return short
}

// namesBehind returns lead and the names of things, or "" if there are none.
func namesBehind(lead string, things []fault.Candidate) string {
	if len(things) == 0 {
		return ""
	}
	names := make([]string, len(things))
	for i, c := range things {
		names[i] = c.Name
	}
	return lead + plaintext.QuoteAll(names)
}

// label returns a name without invisible and misleading characters.
func (c choice[T]) label(item T) string {
	name := c.name(item)
	c.looked(len(name))
	return plaintext.Clean(name)
}

// looking returns a function that counts what a call compares, and reports whether it may go on to
// look for similar names.
func looking(ctx context.Context) func(n int) (goOn bool) {
	return func(n int) bool { return requests.Look(ctx, n) }
}

// looked counts n bytes that were compared, and reports whether the call may go on to look for
// similar names.
func (c choice[T]) looked(n int) (goOn bool) { return c.look == nil || c.look(n) }

func (c choice[T]) candidate(item T) fault.Candidate {
	candidate := fault.Candidate{ID: c.id(item), Type: c.noun.kind, Name: shortName(c.label(item))}
	if c.typeOf != nil {
		candidate.Type = c.typeOf(item)
	}
	if c.where != nil {
		candidate.Where = plaintext.Clean(c.where(item))
	}
	return candidate
}

// maxWords is how many words of a name are compared with those of another.
const maxWords = 15

// nearest returns the three items whose names are most similar to a name, compared word by word. If
// the call has no time left, it returns those that it has found.
func (c choice[T]) nearest(name string) []T {
	type scored struct {
		item           T
		words, changes int
	}
	if !c.looked(0) {
		return nil
	}
	whole, _ := plaintext.Excerpt(fold(name), 100)
	wanted := words(whole)
	wanted = wanted[:min(len(wanted), maxWords)]
	likely := toolargs.Likeliest(c.items, whole, func(item T) string { return fold(c.label(item)) })
	all := make([]scored, 0, len(likely))
	for _, item := range likely {
		if !c.looked(0) {
			break
		}
		label := fold(c.label(item))
		others := words(label[:min(len(label), 200)])
		others = others[:min(len(others), maxWords)]
		s := scored{item: item, changes: c.distance(label, whole)}
		for _, word := range wanted {
			length := utf8.RuneCountInString(word)
			least := length // at most the length of the word
			for _, other := range others {
				if difference := length - utf8.RuneCountInString(other); max(difference, -difference) < least {
					least = min(least, c.distance(word, other))
				}
			}
			s.words += least
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Or(a.words-b.words, a.changes-b.changes) })
	var found []T
	for _, s := range all[:min(len(all), 3)] {
		found = append(found, s.item)
	}
	return found
}

func (c choice[T]) distance(a, b string) int {
	c.looked(10 + min(len(a), 100)*min(len(b), 100)/10)
	return toolargs.Distance(a, b)
}

// words splits a name at everything that is neither a letter nor a digit, as in names of files.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func exactly[T any](items []T, name string, nameOf func(T) string) []T {
	whole := fold(name)
	return matching(items, func(item T) bool { return fold(nameOf(item)) == whole })
}

func containing[T any](items []T, name string, nameOf func(T) string) []T {
	part := fold(name)
	if part == "" {
		return nil
	}
	return matching(items, func(item T) bool { return strings.Contains(fold(nameOf(item)), part) })
}

// beginsWord reports whether part occurs in a name at the start of a word: Okafor does in Sam
// Okafor, ann does not in Hanna.
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

// abbreviates reports whether a name is another one with a shortened last word: "sam o." is short
// for "sam okafor".
func abbreviates(short, name string) bool {
	first, begin, _ := strings.Cut(short, " ")
	begin, dotted := strings.CutSuffix(begin, ".")
	last := name[strings.LastIndexByte(name, ' ')+1:]
	return dotted && begin != "" && strings.HasPrefix(name, first+" ") && strings.HasPrefix(last, begin)
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

// fold removes what users omit when they type a name: case, accents and repeated spaces.
func fold(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.Join(strings.Fields(strings.ToLower(name)), " ")
	}
	decomposed := norm.NFKD.String(strings.ToLower(name))
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, decomposed)
	return strings.Join(strings.Fields(plain), " ")
}
