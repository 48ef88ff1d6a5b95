package storetest

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/idempotency"
)

// Once checks that an idempotency.Store does what its interface says. open returns a Store whose
// clock is now; it may return the same table each time.
func Once(t *testing.T, open func(t *testing.T, now func() time.Time) idempotency.Store) {
	check(t, func(t *testing.T) ledger {
		c := newClock()
		return ledger{open(t, c.Now), c}
	}, slices.Concat(claimFacts, settleFacts))
}

// ledger is a Store and its clock.
type ledger struct {
	idempotency.Store
	clock *clock
}

var claimFacts = []fact[ledger]{
	{"a second claim returns the record of the first", func(t *testing.T, l ledger) {
		bare := idempotency.Record{Subject: newSubject(), Tool: "t", Key: "k", Claim: newID(), ExpiresAt: l.clock.Now().Add(idempotency.Kept)}
		for _, r := range []idempotency.Record{newRecord(l.clock), bare} {
			l.claim(t, r)
			l.wantRecord(t, r)
		}
	}},
	{"of twenty concurrent claims, one succeeds", func(t *testing.T, l ledger) {
		r := newRecord(l.clock)
		claims := make([]string, rivals)
		winner := oneWinner(t, together(func(i int) error {
			rival := r
			rival.Claim = newID()
			claims[i] = rival.Claim
			_, err := l.ClaimCall(t.Context(), rival)
			return err
		}), idempotency.ErrTaken)
		r.Claim = claims[winner]
		l.wantRecord(t, r)
	}},
	{"a key belongs to one person and one tool", func(t *testing.T, l ledger) {
		r := newRecord(l.clock)
		l.claim(t, r)
		for _, change := range []func(*idempotency.Record){
			func(r *idempotency.Record) { r.Subject = newSubject() },
			func(r *idempotency.Record) { r.Subject += "0" },
			func(r *idempotency.Record) { r.Tool += "s" },
			func(r *idempotency.Record) { r.Key += " " },
			func(r *idempotency.Record) { r.Key = "" },
		} {
			other := r
			change(&other)
			l.claim(t, other)
		}
		l.wantRecord(t, r)
	}},
	{"a key is taken until its record expires", func(t *testing.T, l ledger) {
		r := newRecord(l.clock)
		l.claim(t, r)
		l.clock.set(r.ExpiresAt.Add(-time.Second))
		l.wantRecord(t, r)
		l.clock.set(r.ExpiresAt)
		next := r
		next.Claim, next.ExpiresAt = newID(), r.ExpiresAt.Add(idempotency.Kept)
		l.claim(t, next)
		l.wantRecord(t, next)
	}},
	{"a cancelled context returns an unspecific error", func(t *testing.T, l ledger) {
		r := newRecord(l.clock)
		l.claim(t, r)
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := l.ClaimCall(ctx, r); return err },
			func(ctx context.Context) error { _, err := l.ClaimCall(ctx, newRecord(l.clock)); return err },
			func(ctx context.Context) error { return l.SettleCall(ctx, r) },
			func(ctx context.Context) error { return l.ReleaseCall(ctx, r) },
		} {
			wantUnreachable(t, do(cancelled(t)), idempotency.ErrTaken, idempotency.ErrLost)
		}
		l.wantRecord(t, r)
	}},
}

var settleFacts = []fact[ledger]{
	{"a settled call is returned as it was settled", func(t *testing.T, l ledger) {
		for _, end := range []idempotency.Record{
			{State: idempotency.Done, Result: bytes.Repeat([]byte("ü"), idempotency.MaxResult/2)},
			{State: idempotency.Done, Result: allBytes()},
			{State: idempotency.Unkept},
			{State: idempotency.Unknown},
		} {
			r := newRecord(l.clock)
			l.claim(t, r)
			r.State, r.Result = end.State, end.Result
			must(t, l.SettleCall(t.Context(), r))
			l.wantRecord(t, r)
		}
	}},
	{"a released key is free", func(t *testing.T, l ledger) {
		r := newRecord(l.clock)
		for range 3 {
			r.Claim = newID()
			l.claim(t, r)
			must(t, l.ReleaseCall(t.Context(), r))
		}
		must(t, l.ReleaseCall(t.Context(), r))
		wantErr(t, l.SettleCall(t.Context(), r), idempotency.ErrLost)
		l.claim(t, r)
	}},
	{"a claim cannot be settled or released by another call", func(t *testing.T, l ledger) {
		r := newRecord(l.clock)
		l.claim(t, r)
		late := r
		late.Claim, late.State = newID(), idempotency.Unknown
		wantErr(t, l.SettleCall(t.Context(), late), idempotency.ErrLost)
		must(t, l.ReleaseCall(t.Context(), late))
		l.wantRecord(t, r)
	}},
	{"changing a result after a call does not change the stored one", func(t *testing.T, l ledger) {
		r := newRecord(l.clock)
		l.claim(t, r)
		settled := r
		settled.State, settled.Result = idempotency.Done, allBytes()
		must(t, l.SettleCall(t.Context(), settled))
		clear(settled.Result)
		settled.Result = allBytes()
		for range 2 {
			found, err := l.ClaimCall(t.Context(), r)
			wantErr(t, err, idempotency.ErrTaken)
			wantSame(t, found, settled)
			clear(found.Result)
		}
	}},
}

// newRecord returns the record of a running call, with every field filled except Result.
func newRecord(c *clock) idempotency.Record {
	now := c.Now()
	return idempotency.Record{
		Subject: newSubject(), Tool: "create_todo", Key: unicode, Asked: newID(), Claim: newID(), State: idempotency.Running,
		HeldUntil: now.Add(idempotency.Held), ExpiresAt: now.Add(idempotency.Kept),
	}
}

func (l ledger) claim(t *testing.T, r idempotency.Record) {
	t.Helper()
	_, err := l.ClaimCall(t.Context(), r)
	must(t, err)
}

// wantRecord stops the test unless this is the record of its key.
func (l ledger) wantRecord(t *testing.T, want idempotency.Record) {
	t.Helper()
	rival := want
	rival.Claim, rival.Asked = newID(), newID()
	found, err := l.ClaimCall(t.Context(), rival)
	wantErr(t, err, idempotency.ErrTaken)
	wantSame(t, found, want)
}
