package githubtools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/naming"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/upstream"
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
	whole    bool           // an error lists all, however many there are
	look     func(int) bool // of looking; nil counts nothing
}

// pick returns the thing with a name. An exact name wins. If there is none, pick ignores case,
// accents and repeated blanks, then also the symbols before names, and then looks for a part of a
// name.
func (c choice[T]) pick(name string) (T, error) {
	found, known, err := c.find(name)
	if err == nil && !known {
		err = c.unknown(name)
	}
	return found, err
}

// find does what pick does. Without a thing that has the name, known is false.
func (c choice[T]) find(name string) (one T, known bool, err error) {
	var found []T
	for _, same := range []func(name string) func(other string) bool{identical, folded, unmarked} {
		if found = c.called(name, same); len(found) > 0 {
			break
		}
	}
	if len(found) == 0 && c.partly {
		found = c.containing(name)
	}
	switch len(found) {
	case 1:
		return found[0], true, nil
	case 0:
		return one, false, nil
	}
	e := fault.New(fault.Ambiguous, "%s: %s matches %d %s; send the ref of one", c.argument, plaintext.Quote(name), len(found), c.noun)
	e.Candidates = c.candidates(found)
	return one, false, e
}

// called returns the things whose name is the same as a name.
func (c choice[T]) called(name string, same func(name string) func(other string) bool) []T {
	var found []T
	if name = strings.TrimSpace(plaintext.Clean(name)); name == "" {
		return nil
	}
	isIt := same(name)
	for _, item := range c.items {
		if isIt(strings.TrimSpace(c.label(item))) {
			found = append(found, item)
		}
	}
	return found
}

func (c choice[T]) containing(part string) []T {
	var found []T
	wanted := naming.Fold(plaintext.Clean(part))
	for _, item := range c.items {
		if naming.HasPart(naming.Fold(c.label(item)), wanted) {
			found = append(found, item)
		}
	}
	return found
}

// label returns a thing's name without invisible characters.
func (c choice[T]) label(item T) string {
	name := c.name(item)
	c.looked(len(name))
	return plaintext.Clean(name)
}

// looked counts n bytes that were compared, and reports whether the call may go on to look for
// similar names.
func (c choice[T]) looked(n int) (goOn bool) { return c.look == nil || c.look(n) }

// looking returns a function that counts what a call compares, and reports whether it may go on to
// look for similar names.
func looking(ctx context.Context) func(n int) (goOn bool) {
	return func(n int) bool { return upstream.Look(ctx, n) }
}

func identical(name string) func(string) bool {
	return func(other string) bool { return other == name }
}

func folded(name string) func(string) bool {
	plain := naming.Fold(name)
	return func(other string) bool { return naming.Fold(other) == plain }
}

// unmarked reports whether two names are the same without the symbols before them. Names whose
// symbols differ are not: the symbol can be what distinguishes two options.
func unmarked(name string) func(string) bool {
	plain, symbols := split(name)
	return func(other string) bool {
		bare, mark := split(other)
		return plain != "" && bare == plain && (mark == "" || symbols == "" || mark == symbols)
	}
}

// split returns a name without the symbols before it, and the symbols, both folded.
func split(name string) (plain, symbols string) {
	without := bare(name)
	return naming.Fold(without), naming.Fold(strings.TrimSuffix(name, without))
}

// unknown returns a NOT_FOUND about names that no thing has. It lists the similar names.
func (c choice[T]) unknown(unknown ...string) *fault.Error {
	are := "is not one of"
	if len(unknown) > 1 {
		are = "are not among"
	}
	return c.none(fmt.Sprintf("%s %s the %s", plaintext.QuoteAll(unknown), are, c.noun), unknown...)
}

// none returns a NOT_FOUND that says what was not found, and lists names similar to the unknown
// ones.
func (c choice[T]) none(wrong string, unknown ...string) *fault.Error {
	near, names := c.offer(unknown...)
	e := fault.New(fault.NotFound, "%s: %s; %s", c.argument, wrong, names)
	e.Nearest = near
	return e
}

// listed returns an INVALID_INPUT that says what is wrong, and lists the existing names.
func (c choice[T]) listed(wrong string) *fault.Error {
	near, names := c.offer()
	e := fault.Invalid(c.argument, "%s; %s", wrong, names)
	e.Nearest = near
	return e
}

// maxListed is the number of things that an error lists although their names are not similar.
const maxListed = 10

// offer returns the things that an error lists, and the words that list them: all if there are few,
// otherwise those with names similar to the unknown ones or, without any, the first.
func (c choice[T]) offer(unknown ...string) ([]fault.Candidate, string) {
	if len(c.items) == 0 {
		return nil, "there are none"
	}
	var near []T
	most := maxListed
	if c.whole {
		most = maxCandidates
	}
	if len(c.items) > most {
		for _, name := range unknown {
			near = append(near, c.nearest(name)...)
		}
	}
	lead, more := "similar: ", ""
	if len(near) == 0 {
		lead, near = "there are ", c.items[:min(len(c.items), most)]
		if left := len(c.items) - len(near); left > 0 {
			more = fmt.Sprintf(" and %d more", left)
		}
	}
	listed := c.candidates(near)
	names := mapped(listed, func(c fault.Candidate) string { return c.Name })
	return listed, lead + plaintext.QuoteAll(names) + more
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
		e.Message += lead + plaintext.Quote(candidate.Name)
		if c.ref != nil {
			e.Message += " (" + plaintext.Word(candidate.Ref) + ")"
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
// the name differs in a few characters from the whole or from its first word, as jonass does from
// jonas-brandt.
func (c choice[T]) nearest(name string) []T {
	wanted := naming.Fold(bare(plaintext.Clean(name)))
	folded := func(item T) string { return naming.Fold(bare(c.label(item))) }
	partOf := func(part, whole string) bool { return len([]rune(part)) >= leastPart && strings.Contains(whole, part) }
	type scored struct {
		item    T
		changes int
	}
	var found []scored
	allowed := min(maxDistance, len([]rune(wanted))/3)
	for _, item := range naming.Likeliest(c.items, wanted, folded) {
		if !c.looked(0) {
			break
		}
		has, changes := folded(item), 0
		if !partOf(wanted, has) && !partOf(has, wanted) {
			c.looked(10 + min(len(has), 100)*min(len(wanted), 100)/10)
			first := strings.FieldsFunc(has, func(r rune) bool { return r == '-' || r == ' ' })
			changes = naming.Distance(has, wanted)
			if len(first) > 1 {
				changes = min(changes, naming.Distance(first[0], wanted))
			}
		}
		if changes <= allowed {
			found = append(found, scored{item, changes})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.changes, b.changes) })
	var most []T
	for _, s := range found[:min(len(found), maxNearest)] {
		most = append(most, s.item)
	}
	return most
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

// bare returns a name without the symbols before it, such as emoji.
func bare(name string) string {
	return strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
