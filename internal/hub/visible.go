package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

// Text is the text of a thing, and who reads it.
type Text struct {
	Readers string // such as "9 people, client: yes"
	Closed  bool   // no client reads it, and not everyone
	// Add returns what writes a line as the last paragraph, and Drop what takes it away.
	Add, Drop func(line string) (LineWriter, error)
}

// LineWriter writes a text that is ready.
type LineWriter func(context.Context) (Told, error)

// Told is whom a write reached.
type Told struct {
	Notified   []string
	ClientsSee any
}

// Shown is a visible line, and who reads it.
type Shown struct {
	On      string `json:"on"`
	Line    string `json:"line"`
	Readers string `json:"read_by,omitempty"`
	Changed bool   `json:"changed"`
}

// Lines are the visible lines of a link, ready to be written.
type Lines struct {
	Shown []Shown
	// Why says why the link has no visible line, or why one stays.
	Why    string
	writes []LineWriter // for each of Shown; nil if it stands there
	sides  []string
	unsaid bool // the call does not say whether the link is to be visible
}

// Sides returns the sides on which the call writes a line, as a Link keeps them.
func (l Lines) Sides() string { return strings.Join(l.sides, " ") }

// PlanLines reads what a visible link of two things needs. If visible is nil, it is visible where
// no client and no stranger reads it.
func (h *Hub) PlanLines(ctx context.Context, a, b Thing, visible *bool) (l Lines, err error) {
	ends := h.ends(a, b)
	switch {
	case visible != nil && !*visible:
		return l, nil
	case ends == nil && visible != nil:
		return l, fault.Invalid("visible", "needs an item in Basecamp and an issue on GitHub, whose readers then see the line; leave it out")
	case ends == nil:
		return l, nil
	}
	open, closed := make([]Text, len(ends)), true
	for i, e := range ends {
		if open[i], err = e.side.Open(ctx, e.of); err != nil {
			break
		}
		closed = closed && open[i].Closed
	}
	switch {
	case err != nil && visible == nil:
		return Lines{Why: "no line was written: " + fault.From(err).Message}, nil
	case err != nil:
		return l, err
	case visible == nil && !closed:
		return Lines{Why: fmt.Sprintf("only you see this link; with visible: true, a line would be read under %s by %s, and under %s by %s",
			ends[0].of.Ref.ID, open[0].Readers, ends[1].of.Ref.ID, open[1].Readers)}, nil
	}
	l.unsaid = visible == nil
	for i, e := range ends {
		var write LineWriter
		line := e.standing()
		if line == "" {
			if write, err = open[i].Add(e.line); err != nil {
				return Lines{}, err
			}
			line, l.sides = e.line, append(l.sides, e.of.Ref.Side)
		}
		line, _ = plaintext.Excerpt(line, mostShown)
		l.Shown = append(l.Shown, Shown{e.of.Ref.ID, line, open[i].Readers, write != nil})
		l.writes = append(l.writes, write)
	}
	return l, nil
}

// mostShown is how many characters of a line are shown.
const mostShown = 200

// PlanRemoval reads what takes the lines away that calls of the caller wrote. A line that was
// edited since, or that another person wrote, stays.
func (h *Hub) PlanRemoval(ctx context.Context, a, b Thing) (l Lines, err error) {
	linked, err := h.Linked(ctx, a.Ref)
	if err != nil {
		return l, err
	}
	var written []string
	if i := slices.IndexFunc(linked, func(l Link) bool { return l.To == b.Ref }); i >= 0 {
		written = strings.Fields(linked[i].Lines)
	}
	for _, e := range h.ends(a, b) {
		if !e.of.names(e.to) {
			continue
		}
		line := e.standing()
		if address, ours := strings.CutPrefix(line, e.label+": "); !slices.Contains(written, e.of.Ref.Side) || !ours || strings.Contains(address, " ") {
			l.Why = fmt.Sprintf("the line under %s stays: another person wrote or changed it", e.of.Ref.ID)
			continue
		}
		var write LineWriter
		open, err := e.side.Open(ctx, e.of)
		if err == nil {
			write, err = open.Drop(line)
		}
		if err != nil {
			l.Why = fmt.Sprintf("the line under %s stays: %s", e.of.Ref.ID, fault.From(err).Message)
			continue
		}
		l.Shown = append(l.Shown, Shown{e.of.Ref.ID, line, open.Readers, true})
		l.writes = append(l.writes, write)
	}
	return l, nil
}

// Write writes the lines. A call that is repeated after an error writes what is missing. If the
// call does not ask for lines, one that is refused is no error.
func (l *Lines) Write(ctx context.Context) (all Told, err error) {
	all.Notified = []string{}
	for i, write := range l.writes {
		if write == nil {
			continue
		}
		told, err := write(ctx)
		if f := fault.From(err); err != nil && l.unsaid && !f.MayHaveHappened {
			l.Why = fmt.Sprintf("the line under %s failed: %s", l.Shown[i].On, f.Message)
			l.Shown = l.Shown[:i]
			return all, nil
		}
		if err != nil {
			f := *fault.From(err)
			f.Message = fmt.Sprintf("your link is kept, but the line under %s failed; repeat the call: %s", l.Shown[i].On, f.Message)
			return all, &f
		}
		all.Notified = append(all.Notified, told.Notified...)
		if told.ClientsSee != nil {
			all.ClientsSee = told.ClientsSee
		}
	}
	return all, nil
}

// end is a thing of a link with the line that belongs under it.
type end struct {
	side Bearer
	of   Thing
	to   Ref

	label, line string
}

// standing returns the line that stands under the thing, or "".
func (e end) standing() string {
	for _, l := range e.of.Lines {
		if l.To == e.to {
			return l.Text
		}
	}
	return ""
}

// ends returns both ends of a link, or nil if a line can show it on neither side. What is in a
// repository comes first, because it is refused more often.
func (h *Hub) ends(a, b Thing) []end {
	x, isX := h.side(a.Ref.Side).(Bearer)
	y, isY := h.side(b.Ref.Side).(Bearer)
	if !isX || !isY || a.Ref.Side == b.Ref.Side {
		return nil
	}
	ends := []end{
		{x, a, b.Ref, label(y), y.Naming(b)}, {y, b, a.Ref, label(x), x.Naming(a)},
	}
	if _, ok := y.(Repository); ok {
		slices.Reverse(ends)
	}
	return ends
}
