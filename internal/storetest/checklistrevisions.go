package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/checklist"
)

var revisionFacts = []fact[bench]{
	{"every write makes a revision, and the previous one stays readable", func(t *testing.T, b bench) {
		d := b.newDraft()
		for revision := int64(1); revision <= 3; revision++ {
			before := d.Todos
			d.Todos = []checklist.Todo{{Content: fmt.Sprint("Plan ", revision), Status: checklist.Pending, ActiveForm: "Planning"}}
			if got := b.save(t, d); got != revision {
				t.Fatalf("revision %d, want %d", got, revision)
			}
			l := b.wantTodos(t, d)
			if l.Revision != revision || l.HasPrevious != (revision > 1) {
				t.Fatalf("list %+v, want revision %d", l, revision)
			}
			if l.HasPrevious {
				wantSame(t, l.Previous, before)
			}
		}
	}},
	{"an emptied list has its old content as the previous revision", func(t *testing.T, b bench) {
		full := b.newDraft()
		empty := full
		empty.Todos = []checklist.Todo{}
		b.save(t, full)
		b.save(t, empty)
		wantSame(t, b.wantTodos(t, empty).Previous, full.Todos)
		b.save(t, full)
		l := b.wantTodos(t, full)
		if !l.HasPrevious || len(l.Previous) > 0 {
			t.Errorf("before it: %+v", l)
		}
	}},
	{"a write with an expected revision succeeds only over that revision", func(t *testing.T, b bench) {
		d := b.newDraft()
		late := d
		late.Todos = nil
		for current := range int64(3) {
			for _, expected := range []int64{current - 1, current + 1, current + 7} {
				late.IfRevision = &expected
				got, err := b.SaveChecklist(t.Context(), late)
				wantErr(t, err, checklist.ErrConflict)
				if got != current {
					t.Fatalf("the conflict is with revision %d, want %d", got, current)
				}
			}
			d.IfRevision = &current
			d.Existing = current > 0
			if got := b.save(t, d); got != current+1 {
				t.Fatalf("revision %d, want %d", got, current+1)
			}
			b.wantTodos(t, d)
		}
	}},
	{"of twenty concurrent writes that expect one revision, one succeeds in each round", func(t *testing.T, b bench) {
		d := b.newDraft()
		for round := range int64(4) {
			d.IfRevision = &round
			rival := func(i int) checklist.Draft {
				r := d
				r.Connection, r.Todos = newID(), []checklist.Todo{{Content: fmt.Sprint("Plan ", i), Status: checklist.Pending, ActiveForm: "Planning"}}
				return r
			}
			winner := oneWinner(t, together(func(i int) error {
				_, err := b.SaveChecklist(t.Context(), rival(i))
				return err
			}), checklist.ErrConflict)
			if l := b.wantTodos(t, rival(winner)); l.Revision != round+1 {
				t.Fatalf("revision %d after round %d", l.Revision, round)
			}
		}
	}},
	{"of twenty concurrent writes without expectation, all succeed and the last one stays", func(t *testing.T, b bench) {
		d := b.newDraft()
		var drafts [rivals]checklist.Draft
		var revisions [rivals]int64
		for _, err := range together(func(i int) (err error) {
			drafts[i] = d
			drafts[i].Todos = []checklist.Todo{{Content: fmt.Sprint("Plan ", i), Status: checklist.Pending, ActiveForm: "Planning"}}
			revisions[i], err = b.SaveChecklist(t.Context(), drafts[i])
			return err
		}) {
			must(t, err)
		}
		last := slices.Index(revisions[:], slices.Max(revisions[:]))
		if l := b.wantTodos(t, drafts[last]); l.Revision != revisions[last] {
			t.Errorf("the list is at revision %d; the last one written was %d", l.Revision, revisions[last])
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(revisions[:]))); len(distinct) != rivals {
			t.Errorf("two writes made the same revision: %d", revisions)
		}
	}},
	{"a write that requires an existing list does not create one", func(t *testing.T, b bench) {
		d := b.newDraft()
		d.Existing = true
		for _, expected := range []*int64{nil, new(int64(0)), new(int64(1))} {
			d.IfRevision = expected
			_, err := b.SaveChecklist(t.Context(), d)
			wantErr(t, err, checklist.ErrNotFound)
		}
		b.wantNoList(t, d)
		b.wantNoHeads(t, d.Subject)
	}},
}

var checklistExpiryFacts = []fact[bench]{
	{"every read finds a list until it expires", func(t *testing.T, b bench) {
		d := b.newDraft()
		b.save(t, d)
		b.save(t, d)
		b.clock.set(d.ExpiresAt.Add(-time.Second))
		b.wantTodos(t, d)
		b.clock.set(d.ExpiresAt)
		b.wantNoList(t, d)
		b.wantNoHeads(t, d.Subject)
		_, err := b.Checklist(t.Context(), d.Subject, "", d.Connection)
		wantErr(t, err, checklist.ErrNotFound)
	}},
	{"a write that requires an expired list fails", func(t *testing.T, b bench) {
		d := b.newDraft()
		revision := b.save(t, d)
		b.clock.set(d.ExpiresAt)
		renewed := d
		renewed.WrittenAt, renewed.ExpiresAt = d.ExpiresAt, d.ExpiresAt.Add(time.Hour)
		renewed.Existing = true
		_, err := b.SaveChecklist(t.Context(), renewed)
		wantErr(t, err, checklist.ErrNotFound)
		renewed.Existing, renewed.IfRevision = false, &revision
		current, err := b.SaveChecklist(t.Context(), renewed)
		wantErr(t, err, checklist.ErrConflict)
		if current != 0 {
			t.Errorf("the conflict is with revision %d of a list that has expired", current)
		}
		must(t, b.KeepChecklist(t.Context(), d.Subject, d.ID, renewed.ExpiresAt))
		b.wantNoList(t, d)
	}},
	{"a new list in place of an expired one does not show it", func(t *testing.T, b bench) {
		for _, expected := range []*int64{nil, new(int64(0))} {
			d := b.newDraft()
			b.save(t, d)
			b.save(t, d)
			b.clock.set(d.ExpiresAt)
			d.IfRevision = expected
			d.WrittenAt, d.ExpiresAt, d.Todos = d.ExpiresAt, d.ExpiresAt.Add(time.Hour), d.Todos[1:]
			b.save(t, d)
			if l := b.wantTodos(t, d); l.HasPrevious || len(l.Previous) > 0 {
				t.Errorf("an expired list was returned: %+v", l)
			}
			next := d
			next.IfRevision, next.Todos = nil, nil
			b.save(t, next)
			wantSame(t, b.wantTodos(t, next).Previous, d.Todos)
		}
	}},
	{"keeping a list only extends its life", func(t *testing.T, b bench) {
		d := b.newDraft()
		b.save(t, d)
		revision := b.save(t, d)
		kept := d
		kept.ExpiresAt = d.ExpiresAt.Add(time.Hour)
		must(t, b.KeepChecklist(t.Context(), d.Subject, d.ID, kept.ExpiresAt))
		must(t, b.KeepChecklist(t.Context(), d.Subject, d.ID, d.ExpiresAt)) // an earlier time than before
		b.clock.set(kept.ExpiresAt.Add(-time.Second))
		l := b.wantTodos(t, kept)
		wantSame(t, l.Previous, d.Todos)
		if l.Revision != revision {
			t.Errorf("keeping the list changed its revision to %d from %d", l.Revision, revision)
		}
		b.wantLatest(t, kept)
		b.clock.set(kept.ExpiresAt)
		b.wantNoList(t, kept)
	}},
	{"keeping ignores missing lists and other people's lists", func(t *testing.T, b bench) {
		d := b.newDraft()
		later := d.ExpiresAt.Add(time.Hour)
		must(t, b.KeepChecklist(t.Context(), d.Subject, d.ID, later))
		b.wantNoList(t, d)
		b.save(t, d)
		must(t, b.KeepChecklist(t.Context(), newSubject(), d.ID, later))
		must(t, b.KeepChecklist(t.Context(), d.Subject, newID(), later))
		b.wantTodos(t, d)
		b.clock.set(d.ExpiresAt)
		b.wantNoList(t, d)
	}},
}

var latestFacts = []fact[bench]{
	{"a connection's latest list is the one that it wrote last", func(t *testing.T, b bench) {
		first := b.newDraft()
		_, err := b.Checklist(t.Context(), first.Subject, "", first.Connection)
		wantErr(t, err, checklist.ErrNotFound)
		second, elsewhere, stranger := first, first, first
		second.ID, second.Todos = newID(), first.Todos[1:]
		elsewhere.ID, elsewhere.Connection, elsewhere.Todos = newID(), newID(), first.Todos[2:]
		stranger.ID, stranger.Subject, stranger.Todos = newID(), newSubject(), nil
		for _, d := range []checklist.Draft{first, second, elsewhere, stranger} {
			b.save(t, d)
			b.wantLatest(t, d)
		}
		b.wantLatest(t, second)
		b.save(t, first)
		b.wantLatest(t, first)
		b.wantLatest(t, elsewhere)
		b.wantLatest(t, stranger)
	}},
	{"a list that two connections share is the latest of both in its current state", func(t *testing.T, b bench) {
		mine := b.newDraft()
		shared := mine
		shared.Connection, shared.Todos = newID(), mine.Todos[1:]
		b.save(t, mine)
		b.save(t, shared)
		b.wantLatest(t, shared)
		shared.Connection = mine.Connection
		b.wantLatest(t, shared)
	}},
	{"a refused write does not change the latest list", func(t *testing.T, b bench) {
		d := b.newDraft()
		refused := d
		refused.ID, refused.IfRevision = newID(), new(int64(7))
		b.save(t, d)
		_, err := b.SaveChecklist(t.Context(), refused)
		wantErr(t, err, checklist.ErrConflict)
		b.wantLatest(t, d)
	}},
	{"a deleted latest list is not found", func(t *testing.T, b bench) {
		d := b.newDraft()
		b.save(t, d)
		must(t, b.DeleteChecklist(t.Context(), d.Subject, d.ID))
		_, err := b.Checklist(t.Context(), d.Subject, "", d.Connection)
		wantErr(t, err, checklist.ErrNotFound)
	}},
	{"a latest list is found as long as it is kept", func(t *testing.T, b bench) {
		d := b.newDraft()
		b.save(t, d)
		for range 4 {
			later := d.ExpiresAt.Add(6 * 24 * time.Hour)
			must(t, b.KeepChecklist(t.Context(), d.Subject, d.ID, later))
			b.clock.set(d.ExpiresAt)
			d.ExpiresAt = later
			b.wantLatest(t, d)
		}
	}},
}
