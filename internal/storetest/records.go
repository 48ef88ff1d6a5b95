package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/grant"
)

// Records checks that a grant.Records does what its interface says. open may return the
// same table each time.
func Records(t *testing.T, open func(t *testing.T) grant.Records) {
	check(t, open, recordFacts)
}

var recordFacts = []fact[grant.Records]{
	{"a record is returned as it was saved, with the next Change", func(t *testing.T, s grant.Records) {
		full := newGrantRecord()
		offset := newGrantRecord()
		offset.ConnectedAt = offset.ConnectedAt.Add(700 * time.Millisecond)
		offset.Status = grant.NeedsReauth
		unlinked := newGrantRecord()
		unlinked.Account, unlinked.Scope = "", ""
		unending := newGrantRecord()
		unending.ExpiresAt = time.Time{}
		for _, c := range []grant.Record{full, offset, unlinked, unending, {Subject: newSubject()}} {
			saved := save(t, s, c)
			c.Change = 1
			wantSame(t, saved, c)
			wantRecord(t, s, c)
		}
	}},
	{"saving replaces the whole record", func(t *testing.T, s grant.Records) {
		c := save(t, s, newGrantRecord())
		c = save(t, s, grant.Record{Subject: c.Subject, Revision: c.Revision + 1, Change: c.Change})
		wantSame(t, c, grant.Record{Subject: c.Subject, Revision: beyondFloat + 1, Change: 2})
		wantRecord(t, s, c)
	}},
	{"a person without a record is not found", func(t *testing.T, s grant.Records) {
		wantNoRecord(t, s, newSubject())
		c := save(t, s, newGrantRecord())
		wantNoRecord(t, s, c.Subject+"0")
		wantNoRecord(t, s, c.Subject[:len(c.Subject)-1])
	}},
	{"a write succeeds only over the version that was read", func(t *testing.T, s grant.Records) {
		first := save(t, s, newGrantRecord())
		c := save(t, s, first)
		for _, change := range []int64{0, first.Change, c.Change + 1} {
			late := c
			late.Name, late.Change = "A late writer", change
			_, err := s.SaveRecord(t.Context(), late)
			wantErr(t, err, grant.ErrConflict)
			wantRecord(t, s, c)
		}
	}},
	{"of twenty concurrent writes over one version, one succeeds", func(t *testing.T, s grant.Records) {
		for _, c := range []grant.Record{newGrantRecord(), save(t, s, newGrantRecord())} {
			var saved [rivals]grant.Record
			winner := oneWinner(t, together(func(i int) (err error) {
				rival := c
				rival.Lease = newID()
				saved[i], err = s.SaveRecord(t.Context(), rival)
				return err
			}), grant.ErrConflict)
			if got, want := saved[winner].Change, c.Change+1; got != want {
				t.Errorf("Change %d, want %d", got, want)
			}
			wantRecord(t, s, saved[winner])
		}
	}},
	{"a write over a deleted record fails", func(t *testing.T, s grant.Records) {
		c := save(t, s, newGrantRecord())
		must(t, s.DeleteRecord(t.Context(), c.Subject))
		wantNoRecord(t, s, c.Subject)
		_, err := s.SaveRecord(t.Context(), c)
		wantErr(t, err, grant.ErrConflict)
		wantNoRecord(t, s, c.Subject)
	}},
	{"deleting affects one person, and a missing record is no error", func(t *testing.T, s grant.Records) {
		c := save(t, s, newGrantRecord())
		must(t, s.DeleteRecord(t.Context(), newSubject()))
		must(t, s.DeleteRecord(t.Context(), c.Subject+"0"))
		wantRecord(t, s, c)
	}},
	{"a record is removed only as it was read", func(t *testing.T, s grant.Records) {
		first := save(t, s, newGrantRecord())
		c := save(t, s, first)
		for _, change := range []int64{0, first.Change, c.Change + 1} {
			late := c
			late.Change = change
			wantErr(t, s.RemoveRecord(t.Context(), late), grant.ErrConflict)
			wantRecord(t, s, c)
		}
		must(t, s.RemoveRecord(t.Context(), c))
		wantNoRecord(t, s, c.Subject)
		wantErr(t, s.RemoveRecord(t.Context(), c), grant.ErrConflict)
		c.Change = 0
		wantRecord(t, s, save(t, s, c))
	}},
	{"users with a record are listed in order, after a user", func(t *testing.T, s grant.Records) {
		a := newSubject()
		for _, subject := range []string{a + "2", a, a + "10", a + "1"} {
			save(t, s, grant.Record{Subject: subject})
		}
		save(t, s, grant.Record{Subject: newID()}) // of no user
		must(t, s.DeleteRecord(t.Context(), a+"2"))
		found, err := s.Subjects(t.Context(), a)
		must(t, err)
		wantSame(t, found[:2], []string{a + "1", a + "10"})
		if slices.ContainsFunc(found, func(subject string) bool { return subject == a+"2" || !strings.Contains(subject, ":") }) {
			t.Errorf("listed %q", found)
		}
		found, err = s.Subjects(t.Context(), "~")
		must(t, err)
		wantSame(t, len(found), 0)
	}},
}

// newGrantRecord returns a record that was never stored, with every field filled except Change.
func newGrantRecord() grant.Record {
	now := newClock().Now()
	return grant.Record{
		Subject: newSubject(), Name: unicode, Account: "or:" + newID(), Scope: "read:project read:org", Revision: beyondFloat, Version: newID(), Status: grant.Active, ConnectedAt: now,
		ExpiresAt: now.Add(14 * 24 * time.Hour), SignInBy: now.Add(184 * 24 * time.Hour), Forced: now.Add(-time.Hour), Lease: newID(), LeaseUntil: now.Add(30 * time.Second),
		Failures: 3, NextTry: now.Add(time.Minute),
	}
}

func save(t *testing.T, s grant.Records, c grant.Record) grant.Record {
	t.Helper()
	c, err := s.SaveRecord(t.Context(), c)
	must(t, err)
	return c
}

func wantRecord(t *testing.T, s grant.Records, want grant.Record) {
	t.Helper()
	got, err := s.Record(t.Context(), want.Subject)
	must(t, err)
	wantSame(t, got, want)
}

func wantNoRecord(t *testing.T, s grant.Records, subject string) {
	t.Helper()
	_, err := s.Record(t.Context(), subject)
	wantErr(t, err, grant.ErrNotFound)
}

// SeparateRecords checks that the records of two providers are separate, although one store has
// both.
func SeparateRecords(t *testing.T, open func(t *testing.T, provider string) grant.Records) {
	t.Run("the records of two providers are separate", func(t *testing.T) {
		one, other := open(t, "first"), open(t, "second")
		c := save(t, one, newGrantRecord())
		wantNoRecord(t, other, c.Subject)
		if listed, err := other.Subjects(t.Context(), ""); err != nil || slices.Contains(listed, c.Subject) {
			t.Errorf("listed %q, %v", listed, err)
		}
		theirs := newGrantRecord()
		theirs.Subject, theirs.ExpiresAt = c.Subject, time.Time{}
		theirs = save(t, other, theirs)
		wantRecord(t, other, theirs)
		wantRecord(t, one, c)
		theirs.Status = grant.NeedsReauth
		theirs = save(t, other, save(t, other, theirs)) // its Change is now ahead of the other one's
		wantRecord(t, other, theirs)
		wantRecord(t, one, c)
		c = save(t, one, c)
		wantRecord(t, other, theirs)
		must(t, one.DeleteRecord(t.Context(), c.Subject))
		wantNoRecord(t, one, c.Subject)
		wantRecord(t, other, theirs)
	})
}
