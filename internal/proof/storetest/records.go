package storetest

import (
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/grant"
)

var recordFacts = []fact[grant.Records]{
	{"a record is returned as it was saved, with the next Change", func(t *testing.T, s grant.Records) {
		bare := newGrantRecord()
		bare.Account, bare.Scope, bare.ExpiresAt, bare.ConnectedAt = "", "", time.Time{}, bare.ConnectedAt.Add(700*time.Millisecond)
		for _, c := range []grant.Record{newGrantRecord(), bare, {Subject: newSubject()}} {
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
	{"deleting affects one person, and a write over a deleted record fails", func(t *testing.T, s grant.Records) {
		c := save(t, s, newGrantRecord())
		must(t, s.DeleteRecord(t.Context(), newSubject()))
		must(t, s.DeleteRecord(t.Context(), c.Subject+"0"))
		wantRecord(t, s, c)
		must(t, s.DeleteRecord(t.Context(), c.Subject))
		wantNoRecord(t, s, c.Subject)
		_, err := s.SaveRecord(t.Context(), c)
		wantErr(t, err, grant.ErrConflict)
		wantNoRecord(t, s, c.Subject)
	}},
	{"a record is removed only as it was read", func(t *testing.T, s grant.Records) {
		first := save(t, s, newGrantRecord())
		c := save(t, s, first)
		wantErr(t, s.RemoveRecord(t.Context(), first), grant.ErrConflict)
		wantRecord(t, s, c)
		must(t, s.RemoveRecord(t.Context(), c))
		wantNoRecord(t, s, c.Subject)
		wantErr(t, s.RemoveRecord(t.Context(), c), grant.ErrConflict)
	}},
	{"users with a record are listed in order, after a user", func(t *testing.T, s grant.Records) {
		a := newSubject()
		for _, subject := range []string{a + "2", a, a + "10", a + "1"} {
			save(t, s, grant.Record{Subject: subject})
		}
		must(t, s.DeleteRecord(t.Context(), a+"2"))
		found, err := s.Subjects(t.Context(), a)
		must(t, err)
		wantSame(t, found[:2], []string{a + "1", a + "10"})
		if slices.Contains(found, a+"2") {
			t.Errorf("listed %q", found)
		}
		found, err = s.Subjects(t.Context(), "~")
		must(t, err)
		wantSame(t, len(found), 0)
	}},
}

var separateRecords = []fact[env]{
	{"the records of two providers are separate", func(t *testing.T, s env) {
		one, other := s.Records("first"), s.Records("second")
		c := save(t, one, save(t, one, newGrantRecord()))
		wantNoRecord(t, other, c.Subject)
		if listed, err := other.Subjects(t.Context(), ""); err != nil || slices.Contains(listed, c.Subject) {
			t.Errorf("listed %q, %v", listed, err)
		}
		theirs := save(t, other, grant.Record{Subject: c.Subject, Status: grant.NeedsReauth})
		wantRecord(t, one, c)
		must(t, one.DeleteRecord(t.Context(), c.Subject))
		wantRecord(t, other, theirs)
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
