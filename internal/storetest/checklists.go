package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/checklist"
)

// Checklists checks that a checklist.Store does what its interface says. open returns a Store whose
// clock is now; it may return the same table each time.
func Checklists(t *testing.T, open func(t *testing.T, now func() time.Time) checklist.Store) {
	for _, facts := range [][]fact[bench]{checklistFacts, revisionFacts, checklistExpiryFacts, latestFacts} {
		check(t, func(t *testing.T) bench {
			c := newClock()
			return bench{Store: open(t, c.Now), clock: c}
		}, facts)
	}
}

// bench is a Store of to-do lists and its clock.
type bench struct {
	checklist.Store
	clock *clock
}

var checklistFacts = []fact[bench]{
	{"a list is returned byte for byte and in order", func(t *testing.T, b bench) {
		for _, d := range []checklist.Draft{b.newDraft(), b.newDraft(), b.newDraft(), b.newDraft()} {
			for _, todos := range [][]checklist.Todo{d.Todos, {}, largeTodos(), {{Content: "a"}}} {
				d.Todos = todos
				b.save(t, d)
				b.wantTodos(t, d)
			}
		}
	}},
	{"a list that was never written is not found", func(t *testing.T, b bench) {
		d := b.newDraft()
		b.wantNoList(t, d)
		b.save(t, d)
		for _, id := range []string{newID(), d.ID + "a", d.ID[1:], ""} {
			b.wantNoList(t, checklist.Draft{Subject: d.Subject, ID: id})
		}
	}},
	{"a list belongs to one person, even if another knows its ID", func(t *testing.T, b bench) {
		d := b.newDraft()
		b.save(t, d)
		other := d
		other.Subject, other.Todos = newSubject(), []checklist.Todo{{Content: "Count the spokes"}}
		b.wantNoList(t, other)
		other.Existing = true
		_, err := b.SaveChecklist(t.Context(), other)
		wantErr(t, err, checklist.ErrNotFound)
		must(t, b.DeleteChecklist(t.Context(), other.Subject, d.ID))
		b.wantTodos(t, d)
		other.Existing = false
		b.save(t, other)
		b.wantTodos(t, other)
		b.wantTodos(t, d)
	}},
	{"two lists of one person are independent", func(t *testing.T, b bench) {
		first := b.newDraft()
		second := b.newDraft()
		second.Subject, second.Todos = first.Subject, second.Todos[:1]
		b.save(t, first)
		b.save(t, second)
		b.wantTodos(t, first)
		b.wantTodos(t, second)
		must(t, b.DeleteChecklist(t.Context(), second.Subject, second.ID))
		b.wantTodos(t, first)
		b.wantNoList(t, second)
	}},
	{"the heads of a person's lists show their progress", func(t *testing.T, b bench) {
		first := b.newDraft()
		second, others := b.newDraft(), b.newDraft()
		second.Subject, second.Todos = first.Subject, nil
		b.save(t, first)
		for _, d := range []checklist.Draft{first, second, others} {
			b.save(t, d)
		}
		heads, err := b.Checklists(t.Context(), first.Subject)
		must(t, err)
		slices.SortFunc(heads, func(x, y checklist.Head) int { return y.Summary.Total - x.Summary.Total })
		wantSame(t, heads, []checklist.Head{headOf(first, 2), headOf(second, 1)})
		none, err := b.Checklists(t.Context(), newSubject())
		must(t, err)
		wantSame(t, none, []checklist.Head{})
	}},
	{"a deleted list is not found, and deleting a missing list is not an error", func(t *testing.T, b bench) {
		d := b.newDraft()
		must(t, b.DeleteChecklist(t.Context(), d.Subject, d.ID))
		b.save(t, d)
		b.save(t, d)
		for range 2 {
			must(t, b.DeleteChecklist(t.Context(), d.Subject, d.ID))
		}
		b.wantNoList(t, d)
		b.wantNoHeads(t, d.Subject)
		b.save(t, d)
		l := b.wantTodos(t, d)
		if l.HasPrevious {
			t.Errorf("the new list has a previous revision: %+v", l)
		}
	}},
	{"changing an argument or a result does not change what is stored", func(t *testing.T, b bench) {
		d, kept := b.newDraft(), b.newDraft().Todos
		b.save(t, d)
		b.save(t, d)
		for range 2 {
			clear(d.Todos)
			l, err := b.Checklist(t.Context(), d.Subject, d.ID, "")
			must(t, err)
			wantSame(t, [][]checklist.Todo{l.Todos, l.Previous}, [][]checklist.Todo{kept, kept})
			clear(l.Todos)
			clear(l.Previous)
		}
	}},
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, b bench) {
		d := b.newDraft()
		b.save(t, d)
		changed, added, later := d, b.newDraft(), d.ExpiresAt.Add(time.Hour)
		changed.Todos = nil
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := b.Checklist(ctx, d.Subject, d.ID, ""); return err },
			func(ctx context.Context) error { _, err := b.Checklist(ctx, d.Subject, newID(), ""); return err },
			func(ctx context.Context) error { _, err := b.Checklist(ctx, d.Subject, "", d.Connection); return err },
			func(ctx context.Context) error { _, err := b.Checklists(ctx, d.Subject); return err },
			func(ctx context.Context) error { _, err := b.SaveChecklist(ctx, changed); return err },
			func(ctx context.Context) error { _, err := b.SaveChecklist(ctx, added); return err },
			func(ctx context.Context) error { return b.KeepChecklist(ctx, d.Subject, d.ID, later) },
			func(ctx context.Context) error { return b.DeleteChecklist(ctx, d.Subject, d.ID) },
		} {
			wantUnreachable(t, do(cancelled(t)), checklist.ErrNotFound, checklist.ErrConflict)
		}
		b.wantTodos(t, d)
		b.wantNoList(t, added)
	}},
}

// newDraft returns a draft of a new list without expectations, written now.
func (b bench) newDraft() checklist.Draft {
	now := b.clock.Now()
	return checklist.Draft{
		Subject: newSubject(), Connection: newID(), ID: newID(), WrittenAt: now, ExpiresAt: now.Add(7 * 24 * time.Hour),
		Todos: []checklist.Todo{
			{Content: "  " + unicode, Status: checklist.Completed, ActiveForm: unicode + "\u2028 <b>&amp;\n"},
			{Content: "True the rear wheel", Status: checklist.InProgress, ActiveForm: "Truing the rear wheel"},
			{Content: "True the rear wheel", Status: checklist.Pending, ActiveForm: "Truing the rear wheel"},
		},
	}
}

// largeTodos returns the maximum number of to-dos.
func largeTodos() []checklist.Todo {
	todos := make([]checklist.Todo, checklist.MaxTodos)
	for i := range todos {
		todos[i] = checklist.Todo{Content: newID() + unicode + newID(), Status: checklist.Pending, ActiveForm: newID() + newID() + newID()}
	}
	return todos
}

func headOf(d checklist.Draft, revision int64) checklist.Head {
	return checklist.Head{
		ID: d.ID, Revision: revision, Summary: checklist.Summarize(d.Todos), Doing: checklist.Doing(d.Todos), WrittenAt: d.WrittenAt,
		ExpiresAt: d.ExpiresAt,
	}
}

func (b bench) save(t *testing.T, d checklist.Draft) (revision int64) {
	t.Helper()
	revision, err := b.SaveChecklist(t.Context(), d)
	must(t, err)
	return revision
}

func (b bench) wantTodos(t *testing.T, d checklist.Draft) checklist.List {
	t.Helper()
	l, err := b.Checklist(t.Context(), d.Subject, d.ID, "")
	must(t, err)
	if l.ID != d.ID || l.Revision == 0 {
		t.Fatalf("list %s at revision %d, want %s", l.ID, l.Revision, d.ID)
	}
	wantSame(t, l.Todos, d.Todos)
	wantSame(t, []time.Time{l.WrittenAt, l.ExpiresAt}, []time.Time{d.WrittenAt, d.ExpiresAt})
	return l
}

func (b bench) wantNoList(t *testing.T, d checklist.Draft) {
	t.Helper()
	_, err := b.Checklist(t.Context(), d.Subject, d.ID, "")
	wantErr(t, err, checklist.ErrNotFound)
}

func (b bench) wantNoHeads(t *testing.T, subject string) {
	t.Helper()
	heads, err := b.Checklists(t.Context(), subject)
	must(t, err)
	wantSame(t, heads, []checklist.Head{})
}

// wantLatest checks that the list is the latest of its connection.
func (b bench) wantLatest(t *testing.T, d checklist.Draft) {
	t.Helper()
	l, err := b.Checklist(t.Context(), d.Subject, "", d.Connection)
	must(t, err)
	if l.ID != d.ID {
		t.Errorf("the latest list is %s, want %s", l.ID, d.ID)
	}
	wantSame(t, l.Todos, d.Todos)
}
