package hub

import (
	"context"
	"slices"
	"strings"
	"unicode"
)

// Bearer is what a Side also is whose things have a text that others read, and that can hold a
// visible line.
type Bearer interface {
	// Naming returns a line that names a thing: the label of the side, a colon and an address.
	Naming(t Thing) string
	// Parse returns the thing that an address names, and whether it names one of this side.
	Parse(address string) (Ref, bool)
	// Writers returns who may have written what stands in the text of a thing.
	Writers(ctx context.Context, t Thing) ([]string, error)
	// Open reads the text of a thing again, to change it.
	Open(ctx context.Context, t Thing) (Text, error)
}

// Repository is a Side that knows who may write where a thing of its is.
type Repository interface {
	MayWrite(ctx context.Context, id, login string) (bool, error)
}

// Line is a line of a thing's text that names a thing of another side.
type Line struct {
	To     Ref
	Text   string
	Marked bool // it begins with the label of that side; otherwise it is the last line
}

// names reports whether a visible line of a thing names another one.
func (t Thing) names(ref Ref) bool {
	return slices.ContainsFunc(t.Lines, func(l Line) bool { return l.To == ref })
}

// lined takes the visible lines from the text of a thing. A line that people edited is one as long
// as it begins with the label, or is the last one, and an address stands in it.
func (h *Hub) lined(t *Thing) {
	lines := strings.FieldsFunc(t.Text, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	t.Text, t.Lines = "", nil
	code := false
	for i, text := range lines {
		text = strings.ReplaceAll(strings.TrimSpace(text), `\`, "") // which Markdown escapes with
		if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
			code = !code
			continue
		}
		for _, s := range h.sides {
			b, bears := s.(Bearer)
			if !bears || s.Name() == t.Ref.Side || code {
				continue
			}
			marked := hasLabel(text, label(b))
			if !marked && i < len(lines)-1 {
				continue
			}
			for word := range strings.FieldsFuncSeq(text, parts) {
				ref, ok := b.Parse(strings.TrimRight(word, ".:!?"))
				if ok && !t.names(ref) && len(t.Lines) < mostLinks {
					t.Lines = append(t.Lines, Line{ref, text, marked})
				}
			}
		}
	}
}

// parts reports whether a rune separates an address from what stands around it.
func parts(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>()[]\"'`,;|*", r) }

func refsOf(lines []Line) (all []Ref) {
	for _, l := range lines {
		all = append(all, l.To)
	}
	return all
}

// label returns what lines begin with that name things of a side.
func label(b Bearer) string {
	name, _, _ := strings.Cut(b.Naming(Thing{}), ":")
	return name
}

// hasLabel reports whether a line begins with a label, whatever its case and markup. A quoted line
// does not.
func hasLabel(line, label string) bool {
	line = strings.TrimLeft(line, "*_#- ")
	if len(line) <= len(label) || !strings.EqualFold(line[:len(label)], label) {
		return false
	}
	next := line[len(label)]
	return next == ' ' || next == ':' || next == '*' || next == '_'
}

// Said is what the visible lines of a thing name. Pairs count as links. Claims do not: nothing
// follows them.
type Said struct {
	Pairs  []Thing
	Claims []Ref
}

// Said reads what the visible lines of a thing name. A line counts if both things name each other,
// or if everyone who may have written it may write to the repository.
func (h *Hub) Said(ctx context.Context, t Thing) (v Said) {
	for _, line := range t.Lines {
		if other := h.look(ctx, line.To)[0]; h.counts(ctx, t, other, line.Marked) {
			v.Pairs = append(v.Pairs, other)
		} else {
			v.Claims = append(v.Claims, line.To)
		}
	}
	return v
}

// counts reports whether a line of a thing that names another one makes them a pair.
func (h *Hub) counts(ctx context.Context, t, other Thing, marked bool) bool {
	switch other.State {
	case Gone, Forbidden, Unknown:
		return false
	}
	return other.names(t.Ref) || marked && h.vouched(ctx, t, other)
}

// vouching is how many requests it takes to find out whether a line of one writer counts.
const vouching = 2

// vouched reports whether all who may have written the lines of a thing may write to the repository
// of the pair. If that cannot be found out, they may not.
func (h *Hub) vouched(ctx context.Context, t, other Thing) bool {
	bearer, bears := h.side(t.Ref.Side).(Bearer)
	repo, id := h.repository(t, other)
	if !bears || repo == nil {
		return false
	}
	writers, err := bearer.Writers(ctx, t)
	if err != nil || len(writers) == 0 {
		return false
	}
	for _, who := range writers {
		login, err := h.loginOf(ctx, who)
		if err != nil || login == "" {
			return false
		}
		if may, err := repo.MayWrite(ctx, id, login); err != nil || !may {
			return false
		}
	}
	return true
}

// repository returns which of two things is in a repository.
func (h *Hub) repository(things ...Thing) (Repository, string) {
	for _, t := range things {
		if r, ok := h.side(t.Ref.Side).(Repository); ok {
			return r, t.Ref.ID
		}
	}
	return nil, ""
}

// Paired adds the pairs of things that were read to their links. It sends up to a number of
// requests; a line that it cannot check does not count.
func (h *Hub) Paired(ctx context.Context, links map[Ref][]Link, seen map[Ref]Thing, most int) {
	var refs []Ref
	for ref, t := range seen {
		if len(t.Lines) > 0 {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, compare)
	for _, ref := range refs {
		for _, line := range seen[ref].Lines {
			other, known := seen[line.To]
			if slices.ContainsFunc(links[ref], func(l Link) bool { return l.To == line.To }) || !known && most == 0 {
				continue
			}
			if !known {
				other = h.look(ctx, line.To)[0]
				most--
			}
			marked := line.Marked && most >= vouching
			if marked && !other.names(ref) {
				most -= vouching
			}
			if h.counts(ctx, seen[ref], other, marked) {
				seen[line.To] = other
				links[ref] = append(links[ref], Link{To: line.To})
				links[line.To] = append(links[line.To], Link{To: ref})
			}
		}
	}
}

func compare(a, b Ref) int { return strings.Compare(a.Side+a.ID, b.Side+b.ID) }
