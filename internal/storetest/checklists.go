package storetest

import (
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/checklist"
)

var checklistFacts = []fact[env]{
	{"a list is returned byte for byte and in order", func(t *testing.T, s env) {
		d := s.newDraft()
		s.wantNoList(t, d)
		for _, todos := range [][]checklist.Todo{d.Todos, {}, largeTodos(), {{Content: "a"}}} {
			d.Todos = todos
			s.save(t, d)
			s.wantTodos(t, d)
		}
	}},
	{"a list belongs to one person, even if another knows its ID", func(t *testing.T, s env) {
		d := s.newDraft()
		s.save(t, d)
		other := d
		other.Subject, other.Todos = newSubject(), []checklist.Todo{{Content: "Count the spokes"}}
		s.wantNoList(t, other)
		other.Existing = true
		_, err := s.SaveChecklist(t.Context(), other)
		wantErr(t, err, checklist.ErrNotFound)
		must(t, s.DeleteChecklist(t.Context(), other.Subject, d.ID))
		s.wantTodos(t, d)
		other.Existing = false
		s.save(t, other)
		s.wantTodos(t, other)
		s.wantTodos(t, d)
	}},
	{"the heads of a person's lists show their progress", func(t *testing.T, s env) {
		first := s.newDraft()
		second, others := s.newDraft(), s.newDraft()
		second.Subject, second.Todos = first.Subject, nil
		s.save(t, first)
		for _, d := range []checklist.Draft{first, second, others} {
			s.save(t, d)
		}
		heads, err := s.Checklists(t.Context(), first.Subject)
		must(t, err)
		slices.SortFunc(heads, func(x, y checklist.Head) int { return y.Summary.Total - x.Summary.Total })
		wantSame(t, heads, []checklist.Head{headOf(first, 2), headOf(second, 1)})
		none, err := s.Checklists(t.Context(), newSubject())
		must(t, err)
		wantSame(t, none, []checklist.Head{})
	}},
	{"a deleted list is not found, and deleting a missing list is not an error", func(t *testing.T, s env) {
		d := s.newDraft()
		must(t, s.DeleteChecklist(t.Context(), d.Subject, d.ID))
		s.save(t, d)
		s.save(t, d)
		for range 2 {
			must(t, s.DeleteChecklist(t.Context(), d.Subject, d.ID))
		}
		s.wantNoList(t, d)
		s.wantNoHeads(t, d.Subject)
		s.save(t, d)
		l := s.wantTodos(t, d)
		if l.HasPrevious {
			t.Errorf("the new list has a previous revision: %+v", l)
		}
	}},
}

// newDraft returns a draft of a new list without expectations, written now.
func (s env) newDraft() checklist.Draft {
	now := s.clock.Now()
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

func (s env) save(t *testing.T, d checklist.Draft) (revision int64) {
	t.Helper()
	revision, err := s.SaveChecklist(t.Context(), d)
	must(t, err)
	return revision
}

func (s env) wantTodos(t *testing.T, d checklist.Draft) checklist.List {
	t.Helper()
	l, err := s.Checklist(t.Context(), d.Subject, d.ID, "")
	must(t, err)
	if l.ID != d.ID || l.Revision == 0 {
		t.Fatalf("list %s at revision %d, want %s", l.ID, l.Revision, d.ID)
	}
	wantSame(t, l.Todos, d.Todos)
	wantSame(t, []time.Time{l.WrittenAt, l.ExpiresAt}, []time.Time{d.WrittenAt, d.ExpiresAt})
	return l
}

func (s env) wantNoList(t *testing.T, d checklist.Draft) {
	t.Helper()
	_, err := s.Checklist(t.Context(), d.Subject, d.ID, "")
	wantErr(t, err, checklist.ErrNotFound)
}

func (s env) wantNoHeads(t *testing.T, subject string) {
	t.Helper()
	heads, err := s.Checklists(t.Context(), subject)
	must(t, err)
	wantSame(t, heads, []checklist.Head{})
}

// wantLatest checks that the list is the latest of its connection.
func (s env) wantLatest(t *testing.T, d checklist.Draft) {
	t.Helper()
	l, err := s.Checklist(t.Context(), d.Subject, "", d.Connection)
	must(t, err)
	if l.ID != d.ID {
		t.Errorf("the latest list is %s, want %s", l.ID, d.ID)
	}
	wantSame(t, l.Todos, d.Todos)
}
