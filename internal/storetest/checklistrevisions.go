package storetest

import (
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/checklist"
)

var revisionFacts = []fact[env]{
	{"every write makes a revision, and the previous one stays readable", func(t *testing.T, s env) {
		d := s.newDraft()
		for revision := int64(1); revision <= 3; revision++ {
			before := d.Todos
			d.Todos = []checklist.Todo{{Content: fmt.Sprint("Plan ", revision), Status: checklist.Pending, ActiveForm: "Planning"}}
			if got := s.save(t, d); got != revision {
				t.Fatalf("revision %d, want %d", got, revision)
			}
			l := s.wantTodos(t, d)
			if l.Revision != revision || l.HasPrevious != (revision > 1) {
				t.Fatalf("list %+v, want revision %d", l, revision)
			}
			if l.HasPrevious {
				wantSame(t, l.Previous, before)
			}
		}
	}},
	{"a write with an expected revision succeeds only over that revision", func(t *testing.T, s env) {
		d := s.newDraft()
		late := d
		late.Todos = nil
		for current := range int64(3) {
			for _, expected := range []int64{current - 1, current + 1, current + 7} {
				late.IfRevision = &expected
				got, err := s.SaveChecklist(t.Context(), late)
				wantErr(t, err, checklist.ErrConflict)
				if got != current {
					t.Fatalf("the conflict is with revision %d, want %d", got, current)
				}
			}
			d.IfRevision = &current
			d.Existing = current > 0
			if got := s.save(t, d); got != current+1 {
				t.Fatalf("revision %d, want %d", got, current+1)
			}
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
	{"a write that requires an existing list does not create one", func(t *testing.T, s env) {
		d := s.newDraft()
		d.Existing = true
		for _, expected := range []*int64{nil, new(int64(0)), new(int64(1))} {
			d.IfRevision = expected
			_, err := s.SaveChecklist(t.Context(), d)
			wantErr(t, err, checklist.ErrNotFound)
		}
		s.wantNoList(t, d)
		s.wantNoHeads(t, d.Subject)
	}},
}

var checklistExpiryFacts = []fact[env]{
	{"every read finds a list until it expires", func(t *testing.T, s env) {
		d := s.newDraft()
		s.save(t, d)
		s.save(t, d)
		s.clock.set(d.ExpiresAt.Add(-time.Second))
		s.wantTodos(t, d)
		s.clock.set(d.ExpiresAt)
		s.wantNoList(t, d)
		s.wantNoHeads(t, d.Subject)
		_, err := s.Checklist(t.Context(), d.Subject, "", d.Connection)
		wantErr(t, err, checklist.ErrNotFound)
	}},
	{"a write that requires an expired list fails", func(t *testing.T, s env) {
		d := s.newDraft()
		revision := s.save(t, d)
		s.clock.set(d.ExpiresAt)
		renewed := d
		renewed.WrittenAt, renewed.ExpiresAt = d.ExpiresAt, d.ExpiresAt.Add(time.Hour)
		renewed.Existing = true
		_, err := s.SaveChecklist(t.Context(), renewed)
		wantErr(t, err, checklist.ErrNotFound)
		renewed.Existing, renewed.IfRevision = false, &revision
		current, err := s.SaveChecklist(t.Context(), renewed)
		wantErr(t, err, checklist.ErrConflict)
		if current != 0 {
			t.Errorf("the conflict is with revision %d of a list that has expired", current)
		}
		must(t, s.KeepChecklist(t.Context(), d.Subject, d.ID, renewed.ExpiresAt))
		s.wantNoList(t, d)
	}},
	{"a new list in place of an expired one does not show it", func(t *testing.T, s env) {
		for _, expected := range []*int64{nil, new(int64(0))} {
			d := s.newDraft()
			s.save(t, d)
			s.save(t, d)
			s.clock.set(d.ExpiresAt)
			d.IfRevision = expected
			d.WrittenAt, d.ExpiresAt, d.Todos = d.ExpiresAt, d.ExpiresAt.Add(time.Hour), d.Todos[1:]
			s.save(t, d)
			if l := s.wantTodos(t, d); l.HasPrevious || len(l.Previous) > 0 {
				t.Errorf("an expired list was returned: %+v", l)
			}
			next := d
			next.IfRevision, next.Todos = nil, nil
			s.save(t, next)
			wantSame(t, s.wantTodos(t, next).Previous, d.Todos)
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
		s.wantLatest(t, kept)
		s.clock.set(kept.ExpiresAt)
		s.wantNoList(t, kept)
	}},
}

var latestFacts = []fact[env]{
	{"a connection's latest list is the one that it wrote last", func(t *testing.T, s env) {
		first := s.newDraft()
		_, err := s.Checklist(t.Context(), first.Subject, "", first.Connection)
		wantErr(t, err, checklist.ErrNotFound)
		second, elsewhere, stranger := first, first, first
		second.ID, second.Todos = newID(), first.Todos[1:]
		elsewhere.ID, elsewhere.Connection, elsewhere.Todos = newID(), newID(), first.Todos[2:]
		stranger.ID, stranger.Subject, stranger.Todos = newID(), newSubject(), nil
		for _, d := range []checklist.Draft{first, second, elsewhere, stranger} {
			s.save(t, d)
			s.wantLatest(t, d)
		}
		s.wantLatest(t, second)
		s.save(t, first)
		s.wantLatest(t, first)
		s.wantLatest(t, elsewhere)
		s.wantLatest(t, stranger)
		refused := first
		refused.ID, refused.IfRevision = newID(), new(int64(7))
		_, err = s.SaveChecklist(t.Context(), refused)
		wantErr(t, err, checklist.ErrConflict)
		s.wantLatest(t, first)
		must(t, s.DeleteChecklist(t.Context(), first.Subject, first.ID))
		_, err = s.Checklist(t.Context(), first.Subject, "", first.Connection)
		wantErr(t, err, checklist.ErrNotFound)
	}},
}
