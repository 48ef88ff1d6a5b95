package lookup

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
	requests "basecamp-mcp/internal/wire/upstream"
)

// Choice is a set of items from which a caller names one.
type Choice[T any] struct {
	Argument string // its name in the caller's input
	Noun     Noun
	Items    []T
	Name     func(T) string
	ID       func(T) int64
	Where    func(T) string // distinguishes items of the same name; may be nil
	typeOf   func(T) string // the item's type in answers; nil: the noun's
	words    bool           // whether a partial name must begin at the start of a word
	Few      bool           // whether an error lists all items instead of the nearest
	look     func(int) bool // of looking; nil counts nothing
}

// Noun holds the singular and the plural of an item's type in sentences, and its type in answers.
type Noun struct{ One, Many, Kind string }

// The words for what is found by name.
var (
	projectNoun = Noun{"project", "projects", "project"}
	ListNoun    = Noun{"to-do list", "to-do lists", "todolist"}
	PersonNoun  = Noun{"person on the project", "people on the project", "person"}
	anyoneNoun  = Noun{"person in this account", "people", "person"}
)

// Pick returns the item with that name or, if there is none, the only item whose name contains
// it. It ignores case and accents. A person's last name may be shortened, with a dot.
func Pick[T any](c Choice[T], name string) (T, error) {
	var none T
	found := c.named(name)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, c.Unknown(name)
	}
	return none, c.Ambiguous(found, "%s matches %d %s; give the id of one", plaintext.Quote(name), len(found), c.Noun.Many)
}

// named returns the items that a name can mean.
func (c Choice[T]) named(name string) []T {
	found := naming.Exactly(c.Items, name, c.Label)
	if len(found) == 0 {
		found = naming.Containing(c.Items, name, c.Label)
	}
	if c.words && len(found) > 0 && naming.Fold(c.Label(found[0])) != naming.Fold(name) {
		part := naming.Fold(name)
		found = Matching(found, func(item T) bool { return naming.BeginsWord(naming.Fold(c.Label(item)), part) })
	}
	if c.words && len(found) == 0 {
		found = Matching(c.Items, func(item T) bool { return naming.Abbreviates(naming.Fold(name), naming.Fold(c.Label(item))) })
	}
	return found
}

// ByRef returns the item with an id or a name.
func (c Choice[T]) ByRef(ref toolargs.Ref) (T, error) {
	ref, err := c.Noun.Bare(c.Argument, ref)
	if err != nil {
		var none T
		return none, err
	}
	if ref.Name != "" {
		return Pick(c, ref.Name)
	}
	for _, item := range c.Items {
		if c.ID(item) == ref.ID {
			return item, nil
		}
	}
	var none T
	return none, c.Unknown(ref.String())
}

const maxCandidates = 10

// Ambiguous returns the error for a name that several items have.
func (c Choice[T]) Ambiguous(found []T, format string, args ...any) *fault.Error {
	e := fault.New(fault.Ambiguous, c.Argument+": "+format, args...)
	if len(found) > maxCandidates {
		e.Message += fmt.Sprintf(" (candidates holds the first %d)", maxCandidates)
	}
	for _, item := range found[:min(len(found), maxCandidates)] {
		e.Candidates = append(e.Candidates, c.candidate(item))
	}
	return e
}

// Unknown returns a NOT_FOUND that lists up to three items with similar names, so that the
// caller can correct a typing error without a search. If there are few items, it lists all of
// them in order.
func (c Choice[T]) Unknown(name string) *fault.Error {
	e := fault.New(fault.NotFound, "%s: found no %s %s that you can see", c.Argument, c.Noun.One, plaintext.Quote(name))
	e.Resource = &fault.Resource{Type: c.Noun.Kind, ID: Shorten(name)}
	near, lead := c.nearest(name), "; nearest: "
	if c.Few {
		near, lead = c.Items, "; there are "
	}
	for _, item := range near {
		e.Nearest = append(e.Nearest, c.candidate(item))
	}
	e.Message += namesBehind(lead, e.Nearest)
	return e
}

// ShortName returns a name as errors quote it.
func ShortName(name string) string {
	short, _ := plaintext.Excerpt(name, 200)
	return short
}

// namesBehind returns lead and the names of things, or "" if there are none.
func namesBehind(lead string, things []fault.Candidate) string {
	if len(things) == 0 {
		return ""
	}
	return lead + plaintext.QuoteAll(Mapped(things, func(c fault.Candidate) string { return c.Name }))
}

// Label returns a name without invisible and misleading characters.
func (c Choice[T]) Label(item T) string {
	name := c.Name(item)
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
func (c Choice[T]) looked(n int) (goOn bool) { return c.look == nil || c.look(n) }

func (c Choice[T]) candidate(item T) fault.Candidate {
	candidate := fault.Candidate{ID: c.ID(item), Type: c.Noun.Kind, Name: ShortName(c.Label(item))}
	if c.typeOf != nil {
		candidate.Type = c.typeOf(item)
	}
	if c.Where != nil {
		candidate.Where = plaintext.Clean(c.Where(item))
	}
	return candidate
}

// nearest returns the three items whose names are most similar to a name.
func (c Choice[T]) nearest(name string) []T {
	whole, _ := plaintext.Excerpt(naming.Fold(name), 100)
	return naming.Nearest(c.Items, whole, func(item T) string { return naming.Fold(c.Label(item)) }, c.looked)
}

// Matching returns the items that a function accepts.
func Matching[T any](items []T, match func(T) bool) []T {
	var found []T
	for _, item := range items {
		if match(item) {
			found = append(found, item)
		}
	}
	return found
}

// Mapped returns what a function makes of items, in their order.
func Mapped[A, B any](items []A, f func(A) B) []B {
	all := make([]B, len(items))
	for i, item := range items {
		all[i] = f(item)
	}
	return all
}
