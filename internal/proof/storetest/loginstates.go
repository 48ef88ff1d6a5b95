package storetest

import (
	"bytes"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

var stepFacts = []fact[env]{
	{"every read returns a step as it was added", func(t *testing.T, d env) {
		full := newStep(d.clock.Now())
		large := newStep(d.clock.Now())
		large.Body = bytes.Repeat(large.Body, 128)
		sparse := authserver.LoginState{Key: newHash(), ExpiresAt: full.ExpiresAt}
		for _, s := range []authserver.LoginState{full, large, sparse} {
			must(t, d.AddLoginState(t.Context(), s))
			d.wantStep(t, s)
			d.wantStep(t, s)
		}
	}},
	{"adding a step with a key in use is a conflict and keeps the first step", func(t *testing.T, d env) {
		first := d.addStep(t)
		second := newStep(d.clock.Now())
		second.Key = first.Key
		wantErr(t, d.AddLoginState(t.Context(), second), authserver.ErrConflict)
		d.wantStep(t, first)
	}},
	{"of twenty concurrent attempts to take a step, one succeeds", func(t *testing.T, d env) {
		s := d.addStep(t)
		oneWinner(t, together(func(int) error {
			got, err := d.TakeLoginState(t.Context(), s.Key, s.Binding)
			if err == nil {
				err = same(got, s)
			}
			return err
		}), authserver.ErrNotFound)
		d.wantNoStep(t, s.Key)
	}},
	{"taking a step with a wrong or missing binding consumes it", func(t *testing.T, d env) {
		for _, another := range []authserver.Hash{newHash(), ""} {
			s := d.addStep(t)
			_, err := d.TakeLoginState(t.Context(), s.Key, another)
			wantErr(t, err, authserver.ErrNotFound)
			d.wantNoStep(t, s.Key)
			_, err = d.TakeLoginState(t.Context(), s.Key, s.Binding)
			wantErr(t, err, authserver.ErrNotFound)
		}
	}},
	{"a step without a binding needs only its key", func(t *testing.T, d env) {
		for _, any := range []authserver.Hash{newHash(), ""} {
			s := newStep(d.clock.Now())
			s.Binding = ""
			must(t, d.AddLoginState(t.Context(), s))
			next := newStep(d.clock.Now())
			next.Binding = ""
			must(t, d.ReplaceLoginState(t.Context(), s.Key, any, next))
			got, err := d.TakeLoginState(t.Context(), next.Key, any)
			must(t, err)
			wantSame(t, got, next)
		}
	}},
	{"an expired step is not found, and its key is free", func(t *testing.T, d env) {
		s, next := d.addStep(t), newStep(d.clock.Now().Add(time.Hour))
		d.clock.set(s.ExpiresAt.Add(-time.Second))
		d.wantStep(t, s)
		d.clock.set(s.ExpiresAt)
		d.wantNoStep(t, s.Key)
		wantErr(t, d.ReplaceLoginState(t.Context(), s.Key, s.Binding, next), authserver.ErrNotFound)
		d.wantNoStep(t, next.Key)
		again := s
		again.Binding, again.ExpiresAt = newHash(), s.ExpiresAt.Add(time.Hour)
		must(t, d.AddLoginState(t.Context(), again))
		d.wantStep(t, again)
	}},
}

var replaceFacts = []fact[env]{
	{"the next step replaces a step", func(t *testing.T, d env) {
		s, next := d.addStep(t), newStep(d.clock.Now())
		must(t, d.ReplaceLoginState(t.Context(), s.Key, s.Binding, next))
		d.wantNoStep(t, s.Key)
		d.wantStep(t, next)
	}},
	{"replacing a missing step, or one with a wrong or missing binding, changes nothing", func(t *testing.T, d env) {
		s, next := d.addStep(t), newStep(d.clock.Now())
		wantErr(t, d.ReplaceLoginState(t.Context(), newHash(), s.Binding, next), authserver.ErrNotFound)
		for _, another := range []authserver.Hash{newHash(), ""} {
			wantErr(t, d.ReplaceLoginState(t.Context(), s.Key, another, next), authserver.ErrNotFound)
			d.wantStep(t, s)
			d.wantNoStep(t, next.Key)
		}
	}},
	{"a next step with a key in use is a conflict, and both steps stay", func(t *testing.T, d env) {
		s, other := d.addStep(t), d.addStep(t)
		next := newStep(d.clock.Now())
		next.Key = other.Key
		wantErr(t, d.ReplaceLoginState(t.Context(), s.Key, s.Binding, next), authserver.ErrConflict)
		d.wantStep(t, s)
		d.wantStep(t, other)
	}},
}

func (s env) addStep(t *testing.T) authserver.LoginState {
	t.Helper()
	added := newStep(s.clock.Now())
	must(t, s.AddLoginState(t.Context(), added))
	return added
}

func (s env) wantStep(t *testing.T, want authserver.LoginState) {
	t.Helper()
	got, err := s.LoginState(t.Context(), want.Key)
	must(t, err)
	wantSame(t, got, want)
}

func (s env) wantNoStep(t *testing.T, key authserver.Hash) {
	t.Helper()
	_, err := s.LoginState(t.Context(), key)
	wantErr(t, err, authserver.ErrNotFound)
}
