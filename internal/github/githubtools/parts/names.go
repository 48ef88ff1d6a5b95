package parts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/upstream"
)

// maxCandidates limits what an error lists.
const maxCandidates = 50

// Choice is a set of things from which a caller names one.
type Choice[T any] struct {
	Argument string
	Noun     string // plural
	Items    []T
	Name     func(T) string
	Ref      func(T) string // what the argument takes; nil: the name
	Where    func(T) string // distinguishes things of one name; may be nil
	Partly   bool           // whether a part of only one name means it
	Whole    bool           // an error lists all, however many there are
	Look     func(int) bool // of looking; nil counts nothing
}

// Pick returns the thing with a name. An exact name wins. If there is none, pick ignores case,
// accents and repeated blanks, then also the symbols before names, and then looks for a part of a
// name.
func (c Choice[T]) Pick(name string) (T, error) {
	found, known, err := c.Find(name)
	if err == nil && !known {
		err = c.Unknown(name)
	}
	return found, err
}

// Find does what pick does. Without a thing that has the name, known is false.
func (c Choice[T]) Find(name string) (one T, known bool, err error) {
	var found []T
	for _, same := range []func(name string) func(other string) bool{identical, folded, unmarked} {
		if found = c.called(name, same); len(found) > 0 {
			break
		}
	}
	if len(found) == 0 && c.Partly {
		found = c.containing(name)
	}
	switch len(found) {
	case 1:
		return found[0], true, nil
	case 0:
		return one, false, nil
	}
	e := fault.New(fault.Ambiguous, "%s: %s matches %d %s; send the ref of one", c.Argument, plaintext.Quote(name), len(found), c.Noun)
	e.Candidates = c.candidates(found)
	return one, false, e
}

// called returns the things whose name is the same as a name.
func (c Choice[T]) called(name string, same func(name string) func(other string) bool) []T {
	var found []T
	if name = strings.TrimSpace(plaintext.Clean(name)); name == "" {
		return nil
	}
	isIt := same(name)
	for _, item := range c.Items {
		if isIt(strings.TrimSpace(c.label(item))) {
			found = append(found, item)
		}
	}
	return found
}

func (c Choice[T]) containing(part string) []T {
	var found []T
	wanted := naming.Fold(plaintext.Clean(part))
	for _, item := range c.Items {
		if naming.HasPart(naming.Fold(c.label(item)), wanted) {
			found = append(found, item)
		}
	}
	return found
}

// label returns a thing's name without invisible characters.
func (c Choice[T]) label(item T) string {
	name := c.Name(item)
	c.looked(len(name))
	return plaintext.Clean(name)
}

// looked counts n bytes that were compared, and reports whether the call may go on to look for
// similar names.
func (c Choice[T]) looked(n int) (goOn bool) { return c.Look == nil || c.Look(n) }

// Looking returns a function that counts what a call compares, and reports whether it may go on to
// look for similar names.
func Looking(ctx context.Context) func(n int) (goOn bool) {
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
	without := Bare(name)
	return naming.Fold(without), naming.Fold(strings.TrimSuffix(name, without))
}

// Unknown returns a NOT_FOUND about names that no thing has. It lists the similar names.
func (c Choice[T]) Unknown(unknown ...string) *fault.Error {
	are := "is not one of"
	if len(unknown) > 1 {
		are = "are not among"
	}
	return c.None(fmt.Sprintf("%s %s the %s", plaintext.QuoteAll(unknown), are, c.Noun), unknown...)
}

// None returns a NOT_FOUND that says what was not found, and lists names similar to the unknown
// ones.
func (c Choice[T]) None(wrong string, unknown ...string) *fault.Error {
	near, names := c.offer(unknown...)
	e := fault.New(fault.NotFound, "%s: %s; %s", c.Argument, wrong, names)
	e.Nearest = near
	return e
}

// Listed returns an INVALID_INPUT that says what is wrong, and lists the existing names.
func (c Choice[T]) Listed(wrong string) *fault.Error {
	near, names := c.offer()
	e := fault.Invalid(c.Argument, "%s; %s", wrong, names)
	e.Nearest = near
	return e
}

// MaxListed is the number of things that an error lists although their names are not similar.
const MaxListed = 10

// offer returns the things that an error lists, and the words that list them: all if there are few,
// otherwise those with names similar to the unknown ones or, without any, the first.
func (c Choice[T]) offer(unknown ...string) ([]fault.Candidate, string) {
	if len(c.Items) == 0 {
		return nil, "there are none"
	}
	var near []T
	most := MaxListed
	if c.Whole {
		most = maxCandidates
	}
	if len(c.Items) > most {
		for _, name := range unknown {
			near = append(near, c.nearest(name)...)
		}
	}
	lead, more := "similar: ", ""
	if len(near) == 0 {
		lead, near = "there are ", c.Items[:min(len(c.Items), most)]
		if left := len(c.Items) - len(near); left > 0 {
			more = fmt.Sprintf(" and %d more", left)
		}
	}
	listed := c.candidates(near)
	names := Mapped(listed, func(c fault.Candidate) string { return c.Name })
	return listed, lead + plaintext.QuoteAll(names) + more
}

// Missing returns a NOT_FOUND about a kind of resource. It lists the names that are similar to the
// one that was not found, so that the caller can correct a typing error.
func (c Choice[T]) Missing(kind, name, format string, args ...any) *fault.Error {
	e := fault.New(fault.NotFound, c.Argument+": "+format, args...)
	e.Resource = &fault.Resource{Type: kind, ID: Short(name)}
	e.Nearest = c.candidates(c.nearest(name))
	for i, candidate := range e.Nearest {
		lead := ", "
		if i == 0 {
			lead = "; similar: "
		}
		e.Message += lead + plaintext.Quote(candidate.Name)
		if c.Ref != nil {
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
func (c Choice[T]) nearest(name string) []T {
	wanted := naming.Fold(Bare(plaintext.Clean(name)))
	folded := func(item T) string { return naming.Fold(Bare(c.label(item))) }
	partOf := func(part, whole string) bool { return len([]rune(part)) >= leastPart && strings.Contains(whole, part) }
	type scored struct {
		item    T
		changes int
	}
	var found []scored
	allowed := min(maxDistance, len([]rune(wanted))/3)
	for _, item := range naming.Likeliest(c.Items, wanted, folded) {
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

func (c Choice[T]) candidates(items []T) []fault.Candidate {
	items = items[:min(len(items), maxCandidates)]
	all := make([]fault.Candidate, len(items))
	for i, item := range items {
		all[i].Name = plaintext.Label(c.Name(item), MaxTitle)
		all[i].Ref = plaintext.Clean(c.Name(item))
		if c.Ref != nil {
			all[i].Ref = c.Ref(item)
		}
		if c.Where != nil {
			all[i].Where = c.Where(item)
		}
	}
	return all
}

// Bare returns a name without the symbols before it, such as emoji.
func Bare(name string) string {
	return strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
