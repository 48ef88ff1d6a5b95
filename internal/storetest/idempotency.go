package storetest

import (
	"bytes"
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/idempotency"
)

var claimFacts = []fact[env]{
	{"a second claim returns the record of the first", func(t *testing.T, s env) {
		bare := idempotency.Record{Subject: newSubject(), Tool: "t", Key: "k", Claim: newID(), ExpiresAt: s.clock.Now().Add(idempotency.Kept)}
		for _, r := range []idempotency.Record{newRecord(s.clock), bare} {
			s.claim(t, r)
			s.wantRecord(t, r)
		}
	}},
	{"of twenty concurrent claims, one succeeds", func(t *testing.T, s env) {
		r := newRecord(s.clock)
		claims := make([]string, rivals)
		winner := oneWinner(t, together(func(i int) error {
			rival := r
			rival.Claim = newID()
			claims[i] = rival.Claim
			_, err := s.ClaimCall(t.Context(), rival)
			return err
		}), idempotency.ErrTaken)
		r.Claim = claims[winner]
		s.wantRecord(t, r)
	}},
	{"a key belongs to one person and one tool", func(t *testing.T, s env) {
		r := newRecord(s.clock)
		s.claim(t, r)
		for _, change := range []func(*idempotency.Record){
			func(r *idempotency.Record) { r.Subject = newSubject() },
			func(r *idempotency.Record) { r.Subject += "0" },
			func(r *idempotency.Record) { r.Tool += "s" },
			func(r *idempotency.Record) { r.Key += " " },
			func(r *idempotency.Record) { r.Key = "" },
		} {
			other := r
			change(&other)
			s.claim(t, other)
		}
		s.wantRecord(t, r)
	}},
	{"a key is taken until its record expires", func(t *testing.T, s env) {
		r := newRecord(s.clock)
		s.claim(t, r)
		s.clock.set(r.ExpiresAt.Add(-time.Second))
		s.wantRecord(t, r)
		s.clock.set(r.ExpiresAt)
		next := r
		next.Claim, next.ExpiresAt = newID(), r.ExpiresAt.Add(idempotency.Kept)
		s.claim(t, next)
		s.wantRecord(t, next)
	}},
	{"a cancelled context returns an unspecific error", func(t *testing.T, s env) {
		r := newRecord(s.clock)
		s.claim(t, r)
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := s.ClaimCall(ctx, r); return err },
			func(ctx context.Context) error { _, err := s.ClaimCall(ctx, newRecord(s.clock)); return err },
			func(ctx context.Context) error { return s.SettleCall(ctx, r) },
			func(ctx context.Context) error { return s.ReleaseCall(ctx, r) },
		} {
			wantUnreachable(t, do(cancelled(t)), idempotency.ErrTaken, idempotency.ErrLost)
		}
		s.wantRecord(t, r)
	}},
}

var settleFacts = []fact[env]{
	{"a settled call is returned as it was settled", func(t *testing.T, s env) {
		for _, end := range []idempotency.Record{
			{State: idempotency.Done, Result: bytes.Repeat([]byte("ü"), idempotency.MaxResult/2)},
			{State: idempotency.Done, Result: allBytes()},
			{State: idempotency.Unkept},
			{State: idempotency.Unknown},
		} {
			r := newRecord(s.clock)
			s.claim(t, r)
			r.State, r.Result = end.State, end.Result
			must(t, s.SettleCall(t.Context(), r))
			s.wantRecord(t, r)
		}
	}},
	{"a released key is free", func(t *testing.T, s env) {
		r := newRecord(s.clock)
		for range 3 {
			r.Claim = newID()
			s.claim(t, r)
			must(t, s.ReleaseCall(t.Context(), r))
		}
		must(t, s.ReleaseCall(t.Context(), r))
		wantErr(t, s.SettleCall(t.Context(), r), idempotency.ErrLost)
		s.claim(t, r)
	}},
	{"a claim cannot be settled or released by another call", func(t *testing.T, s env) {
		r := newRecord(s.clock)
		s.claim(t, r)
		late := r
		late.Claim, late.State = newID(), idempotency.Unknown
		wantErr(t, s.SettleCall(t.Context(), late), idempotency.ErrLost)
		must(t, s.ReleaseCall(t.Context(), late))
		s.wantRecord(t, r)
	}},
	{"changing a result after a call does not change the stored one", func(t *testing.T, s env) {
		r := newRecord(s.clock)
		s.claim(t, r)
		settled := r
		settled.State, settled.Result = idempotency.Done, allBytes()
		must(t, s.SettleCall(t.Context(), settled))
		clear(settled.Result)
		settled.Result = allBytes()
		for range 2 {
			found, err := s.ClaimCall(t.Context(), r)
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

func (s env) claim(t *testing.T, r idempotency.Record) {
	t.Helper()
	_, err := s.ClaimCall(t.Context(), r)
	must(t, err)
}

// wantRecord stops the test unless this is the record of its key.
func (s env) wantRecord(t *testing.T, want idempotency.Record) {
	t.Helper()
	rival := want
	rival.Claim, rival.Asked = newID(), newID()
	found, err := s.ClaimCall(t.Context(), rival)
	wantErr(t, err, idempotency.ErrTaken)
	wantSame(t, found, want)
}
