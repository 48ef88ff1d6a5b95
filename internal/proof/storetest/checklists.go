package storetest

import (
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/own/checklist"
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
	{"of twenty concurrent writes that expect one revision, one succeeds in each round", func(t *testing.T, s env) {
		d := s.newDraft()
		for round := range int64(4) {
			d.IfRevision = &round
			rival := func(i int) checklist.Draft {
				r := d
				r.Connection, r.Todos = newID(), []checklist.Todo{{Content: fmt.Sprint("Plan ", i), Status: checklist.Pending, ActiveForm: "Planning"}}
				return r
			}
			winner := oneWinner(t, together(func(i int) error {
				_, err := s.SaveChecklist(t.Context(), rival(i))
				return err
			}), checklist.ErrConflict)
			if l := s.wantTodos(t, rival(winner)); l.Revision != round+1 {
				t.Fatalf("revision %d after round %d", l.Revision, round)
			}
		}
	}},
	{"keeping a list only extends its life", func(t *testing.T, s env) {
		d := s.newDraft()
		s.save(t, d)
		revision := s.save(t, d)
		kept := d
		kept.ExpiresAt = d.ExpiresAt.Add(time.Hour)
		must(t, s.KeepChecklist(t.Context(), newSubject(), d.ID, kept.ExpiresAt.Add(time.Hour))) // another user's
		must(t, s.KeepChecklist(t.Context(), d.Subject, d.ID, kept.ExpiresAt))
		must(t, s.KeepChecklist(t.Context(), d.Subject, d.ID, d.ExpiresAt)) // an earlier time than before
		s.clock.set(kept.ExpiresAt.Add(-time.Second))
		l := s.wantTodos(t, kept)
		wantSame(t, l.Previous, d.Todos)
		wantSame(t, l.Revision, revision)
		s.clock.set(kept.ExpiresAt)
		s.wantNoList(t, kept)
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
