package storetest

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

// EndStore is a Store that ends a call in one write.
type EndStore struct {
	Calls   idempotency.Store
	Entries audit.Store
	EndCall func(ctx context.Context, end idempotency.End, subject string, e audit.Entry) error
}

// Endings checks that an EndStore stores the result and the entry of a call together. open returns
// a Store whose clock is now; it may return the same table each time.
func Endings(t *testing.T, open func(t *testing.T, now func() time.Time) EndStore) {
	check(t, func(t *testing.T) desk {
		c := newClock()
		s := open(t, c.Now)
		return desk{ledger{s.Calls, c}, archive{s.Entries, c}, s.EndCall}
	}, endFacts)
}

// desk is an EndStore by its parts.
type desk struct {
	calls   ledger
	entries archive
	endCall func(ctx context.Context, end idempotency.End, subject string, e audit.Entry) error
}

// begun returns a claimed record, the same record with a result, and an entry.
func (d desk) begun(t *testing.T) (r, done idempotency.Record, e audit.Entry) {
	t.Helper()
	r = newRecord(d.calls.clock)
	d.calls.claim(t, r)
	done = r
	done.State, done.Result = idempotency.Done, []byte(`{"id":7}`)
	return r, done, newEntry(d.calls.clock.Now())
}

var endFacts = []fact[desk]{
	{"a call ends with its result and one entry, however often that is repeated", func(t *testing.T, d desk) {
		_, done, e := d.begun(t)
		for range 3 {
			must(t, d.endCall(t.Context(), idempotency.End{Record: done}, done.Subject, e))
		}
		d.calls.wantRecord(t, done)
		d.entries.want(t, done.Subject, "", 5, e)
	}},
	{"a call that failed frees its key and has one entry, however often that is repeated", func(t *testing.T, d desk) {
		r, _, e := d.begun(t)
		for range 3 {
			must(t, d.endCall(t.Context(), idempotency.End{Record: r, Free: true}, r.Subject, e))
		}
		d.calls.claim(t, r)
		d.entries.want(t, r.Subject, "", 5, e)
	}},
	{"a call that has lost its key adds only the entry", func(t *testing.T, d desk) {
		r, late, e := d.begun(t)
		late.Claim = newID()
		wantErr(t, d.endCall(t.Context(), idempotency.End{Record: late}, r.Subject, e), idempotency.ErrLost)
		d.calls.wantRecord(t, r)
		d.entries.want(t, r.Subject, "", 5, e)
	}},
	{"another entry with the ID changes nothing", func(t *testing.T, d desk) {
		r, done, e := d.begun(t)
		must(t, d.entries.AddEntry(t.Context(), r.Subject, e))
		other := e
		other.Tool = "another"
		wantErr(t, d.endCall(t.Context(), idempotency.End{Record: done}, r.Subject, other), audit.ErrTaken)
		d.calls.wantRecord(t, r)
		d.entries.want(t, r.Subject, "", 5, e)
	}},
}
