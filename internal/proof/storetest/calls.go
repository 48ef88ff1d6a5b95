package storetest

import (
	"bytes"
	"testing"
	"time"

	"basecamp-mcp/internal/own/calls"
)

// newCall returns a claimed record with every field filled.
func newCall(at time.Time) calls.Record {
	return calls.Record{
		Entry: calls.Entry{
			ID: calls.NewID(at), Time: at, Tool: "set_completed",
			Arguments: []calls.Argument{{Name: "item", Value: "1069479351"}, {Name: "completed", Value: "true"}, {Name: "note"}},
			Outcome:   "NOT_FOUND", Milliseconds: 187, Client: unicode, Door: calls.Bridge, RequestID: newID(), Connection: newID(), Provider: "orchard", Wrote: []string{"1069479351"},
		},
		State: calls.Claimed, By: newID(), Account: 1, More: 2, Cannot: "it sent mail", Revision: 1,
		About: []calls.Item{{Ref: calls.Ref{Provider: "orchard", Type: "todo", ID: "9007199254741623"}, What: "create a to-do"}},
	}
}

// keyOf returns a key of a call, with every field filled except Answer.
func keyOf(r calls.Record) *calls.Key {
	return &calls.Key{
		Tool: "create_todo", Key: unicode, Limits: "l", Call: r.ID, Asked: newID(), Progress: calls.Started,
		HeldUntil: r.Time.Add(calls.Held), ExpiresAt: r.Time.Add(calls.Kept),
	}
}

// asStored returns a key without the members that are its name.
func asStored(k calls.Key) calls.Key {
	k.Tool, k.Key, k.Limits = "", "", ""
	return k
}

func next(r calls.Record, to calls.State) calls.Record {
	r.State, r.Revision = to, r.Revision+1
	return r
}

func (s env) claim(t *testing.T, subject string, r calls.Record, k *calls.Key) {
	t.Helper()
	_, err := s.ClaimCall(t.Context(), subject, r, k)
	must(t, err)
}

func (s env) wantKey(t *testing.T, subject string, want calls.Key) {
	t.Helper()
	found, ok, err := s.FindKey(t.Context(), subject, want)
	must(t, err)
	if !ok {
		t.Fatal("there is no key")
	}
	wantSame(t, found, asStored(want))
}

// wantEntries stops the test unless these are the lines of a page.
func (s env) wantEntries(t *testing.T, subject, before string, limit int, want ...calls.Record) {
	t.Helper()
	got, err := s.Entries(t.Context(), subject, before, limit)
	must(t, err)
	var lines []calls.Entry
	for _, r := range want {
		lines = append(lines, r.Entry)
	}
	wantSame(t, got, lines)
}

func (s env) wantRecords(t *testing.T, subject, from, before string, limit int, want ...calls.Record) {
	t.Helper()
	got, err := s.WritingCalls(t.Context(), subject, from, before, limit)
	must(t, err)
	wantSame(t, got, want)
}

var callFacts = []fact[env]{
	{"lines and records are listed newest first, in parts, as they were added", func(t *testing.T, s env) {
		subject := newSubject()
		all := make([]calls.Record, 60) // some of one second
		for _, i := range []int{3, 1, 0, 2} {
			for n := i; n < len(all); n += 4 {
				all[n] = newCall(s.clock.Now().Add(-time.Duration(n) * 400 * time.Millisecond))
				if n%2 == 0 {
					s.claim(t, subject, all[n], nil)
				} else {
					must(t, s.AddLine(t.Context(), subject, all[n].Entry))
				}
			}
		}
		for _, limit := range []int{0, 1, 51, 60, 100} {
			s.wantEntries(t, subject, "", limit, all[:min(limit, 60)]...)
		}
		s.wantEntries(t, subject, all[1].ID, 2, all[2], all[3])
		s.wantEntries(t, subject, calls.OldestID(all[2].Time), 2, all[3], all[4])
		s.wantEntries(t, subject, all[59].ID, 2)
		s.wantRecords(t, subject, "", "", 2, all[0], all[2])
		s.wantRecords(t, subject, all[6].ID, all[2].ID, 9, all[4], all[6])
		for _, other := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			s.wantEntries(t, other, "", 10)
			s.wantRecords(t, other, "", "", 10)
		}
	}},
	{"an ID is taken once, and adding the same again changes nothing", func(t *testing.T, s env) {
		subject, r := newSubject(), newCall(s.clock.Now())
		line, other := newCall(r.Time.Add(-time.Second)), newCall(r.Time)
		for range 2 {
			must(t, s.AddLine(t.Context(), subject, line.Entry))
			s.claim(t, subject, r, keyOf(r))
		}
		other.ID = r.ID
		_, err := s.ClaimCall(t.Context(), subject, other, nil)
		wantErr(t, err, calls.ErrTaken)
		other.ID = line.ID
		wantErr(t, s.AddLine(t.Context(), subject, other.Entry), calls.ErrTaken)
		s.wantEntries(t, subject, "", 9, r, line)
	}},
	{"a call is kept for ninety days, what undoes it for seven, and its key for one", func(t *testing.T, s env) {
		subject, r := newSubject(), newCall(s.clock.Now())
		old := newCall(r.Time.Add(-time.Hour))
		k := keyOf(r)
		must(t, s.AddLine(t.Context(), subject, old.Entry))
		s.claim(t, subject, r, k)
		done := next(r, calls.Done)
		must(t, s.ChangeCall(t.Context(), subject, done, []byte("old text"), k))
		s.clock.set(k.ExpiresAt.Add(-time.Second))
		s.wantKey(t, subject, *k)
		s.clock.set(k.ExpiresAt)
		_, there, err := s.FindKey(t.Context(), subject, *k)
		if err != nil || there {
			t.Errorf("an expired key: %v, %v", there, err)
		}
		again := newCall(s.clock.Now())
		s.claim(t, subject, again, keyOf(again))
		s.clock.set(r.Time.Add(calls.Undoable - time.Second))
		plain, err := s.Opposite(t.Context(), subject, r.ID)
		if err != nil || string(plain) != "old text" {
			t.Errorf("%q, %v", plain, err)
		}
		s.clock.set(r.Time.Add(calls.Undoable))
		_, err = s.Opposite(t.Context(), subject, r.ID)
		wantErr(t, err, calls.ErrNotFound)
		s.clock.set(old.Time.Add(calls.Retention))
		s.wantEntries(t, subject, "", 9, again, done)
		s.clock.set(r.Time.Add(calls.Retention))
		s.wantEntries(t, subject, "", 9, again)
	}},
	{"of twenty concurrent calls with a key, one has it", func(t *testing.T, s env) {
		subject := newSubject()
		all := make([]calls.Record, rivals)
		winner := oneWinner(t, together(func(i int) error {
			all[i] = newCall(s.clock.Now())
			k := keyOf(all[i])
			k.Asked = "same"
			_, err := s.ClaimCall(t.Context(), subject, all[i], k)
			return err
		}), calls.ErrKeyTaken)
		s.wantRecords(t, subject, "", "", 9, all[winner])
		found, err := s.ClaimCall(t.Context(), subject, newCall(s.clock.Now()), keyOf(newCall(s.clock.Now())))
		wantErr(t, err, calls.ErrKeyTaken)
		wantSame(t, found.Call, all[winner].ID)
	}},
	{"a key belongs to one person, one tool and clients with the same limits", func(t *testing.T, s env) {
		subject, r := newSubject(), newCall(s.clock.Now())
		s.claim(t, subject, r, keyOf(r))
		s.claim(t, newSubject(), r, keyOf(r))
		for _, change := range []func(*calls.Key){
			func(k *calls.Key) { k.Tool += "s" },
			func(k *calls.Key) { k.Limits = "" },
			func(k *calls.Key) { k.Key += " " },
			func(k *calls.Key) { k.Key = "" },
		} {
			other := newCall(s.clock.Now())
			k := keyOf(other)
			change(k)
			s.claim(t, subject, other, k)
		}
	}},
	{"a change replaces record, key and what undoes the call, however often that is repeated", func(t *testing.T, s env) {
		for _, with := range [][]byte{[]byte("old text"), allBytes(), bytes.Repeat([]byte("ü"), calls.MostBytes/2)} {
			subject, r := newSubject(), newCall(s.clock.Now())
			k := keyOf(r)
			s.claim(t, subject, r, k)
			s.wantKey(t, subject, *k)
			k.Progress, k.Answer = calls.Answered, with
			r = next(r, calls.Done)
			for range 3 {
				must(t, s.ChangeCall(t.Context(), subject, r, with, k))
				s.wantRecords(t, subject, r.ID, r.ID+"0", 1, r)
				s.wantKey(t, subject, *k)
				plain, err := s.Opposite(t.Context(), subject, r.ID)
				if err != nil || !bytes.Equal(plain, with) {
					t.Fatalf("%d bytes, %v", len(plain), err)
				}
			}
			r = next(r, calls.Undone)
			must(t, s.ChangeCall(t.Context(), subject, r, []byte{}, nil))
			s.wantRecords(t, subject, r.ID, r.ID+"0", 1, r)
			_, err := s.Opposite(t.Context(), subject, r.ID)
			wantErr(t, err, calls.ErrNotFound)
		}
	}},
	{"of twenty concurrent changes one succeeds", func(t *testing.T, s env) {
		subject, r := newSubject(), newCall(s.clock.Now())
		s.claim(t, subject, r, nil)
		r = next(r, calls.Done)
		oneWinner(t, together(func(int) error {
			own := r
			own.By = newID()
			return s.ChangeCall(t.Context(), subject, own, nil, nil)
		}), calls.ErrChanged)
		wantErr(t, s.ChangeCall(t.Context(), newSubject(), r, nil, nil), calls.ErrChanged)
		r.Revision = 4
		wantErr(t, s.ChangeCall(t.Context(), subject, r, nil, nil), calls.ErrChanged)
	}},
	{"a call frees only its own key", func(t *testing.T, s env) {
		subject, r := newSubject(), newCall(s.clock.Now())
		k := keyOf(r)
		for range 3 {
			r.ID, r.Revision = calls.NewID(r.Time), 1
			k.Call, k.Progress = r.ID, calls.Started
			s.claim(t, subject, r, k)
			late, other := newCall(r.Time), *k
			s.claim(t, subject, late, nil)
			other.Call, other.Progress = late.ID, calls.Free
			must(t, s.ChangeCall(t.Context(), subject, next(late, ""), nil, &other))
			s.wantKey(t, subject, *k)
			k.Progress = calls.Free
			r = next(r, "")
			for range 2 {
				must(t, s.ChangeCall(t.Context(), subject, r, nil, k))
			}
		}
	}},
}
