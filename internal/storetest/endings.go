package storetest

import (
	"testing"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

// begun returns a claimed record, the same record with a result, and an entry.
func (s env) begun(t *testing.T) (r, done idempotency.Record, e audit.Entry) {
	t.Helper()
	r = newRecord(s.clock)
	s.claim(t, r)
	done = r
	done.State, done.Result = idempotency.Done, []byte(`{"id":7}`)
	return r, done, newEntry(s.clock.Now())
}

var endFacts = []fact[env]{
	{"a call ends with its result and one entry, however often that is repeated", func(t *testing.T, s env) {
		_, done, e := s.begun(t)
		for range 3 {
			must(t, s.EndCall(t.Context(), idempotency.End{Record: done}, done.Subject, e))
		}
		s.wantRecord(t, done)
		s.wantEntries(t, done.Subject, "", 5, e)
	}},
	{"a call that failed frees its key and has one entry, however often that is repeated", func(t *testing.T, s env) {
		r, _, e := s.begun(t)
		for range 3 {
			must(t, s.EndCall(t.Context(), idempotency.End{Record: r, Free: true}, r.Subject, e))
		}
		s.claim(t, r)
		s.wantEntries(t, r.Subject, "", 5, e)
	}},
	{"a call that has lost its key adds only the entry", func(t *testing.T, s env) {
		r, late, e := s.begun(t)
		late.Claim = newID()
		wantErr(t, s.EndCall(t.Context(), idempotency.End{Record: late}, r.Subject, e), idempotency.ErrLost)
		s.wantRecord(t, r)
		s.wantEntries(t, r.Subject, "", 5, e)
	}},
	{"another entry with the ID changes nothing", func(t *testing.T, s env) {
		r, done, e := s.begun(t)
		must(t, s.AddEntry(t.Context(), r.Subject, e))
		other := e
		other.Tool = "another"
		wantErr(t, s.EndCall(t.Context(), idempotency.End{Record: done}, r.Subject, other), audit.ErrTaken)
		s.wantRecord(t, r)
		s.wantEntries(t, r.Subject, "", 5, e)
	}},
}
