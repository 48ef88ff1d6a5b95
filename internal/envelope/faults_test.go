package envelope_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/envelope"
)

var errDown = errors.New("no answer")

// faulty fails the call with a number, counted from 1: before or after it has happened.
type faulty struct {
	envelope.Rows
	fails int
	after bool

	calls int
	// meanwhile, if not nil, happens once before a Write.
	meanwhile func()
}

func (f *faulty) call(do func() error) error {
	f.calls++
	if f.calls != f.fails {
		return do()
	}
	if f.after {
		_ = do()
	}
	return errDown
}

func (f *faulty) Pointer(ctx context.Context, o envelope.Owner) (p envelope.Pointer, err error) {
	err = f.call(func() error { p, err = f.Rows.Pointer(ctx, o); return err })
	return p, err
}

func (f *faulty) Row(ctx context.Context, o envelope.Owner, version string) (r envelope.Row, err error) {
	err = f.call(func() error { r, err = f.Rows.Row(ctx, o, version); return err })
	return r, err
}

func (f *faulty) Write(ctx context.Context, o envelope.Owner, p envelope.Pointer, add *envelope.Row, remove []string) error {
	if f.meanwhile != nil {
		do := f.meanwhile
		f.meanwhile = nil
		do()
	}
	return f.call(func() error { return f.Rows.Write(ctx, o, p, add, remove) })
}

func (f *faulty) Delete(ctx context.Context, o envelope.Owner) error {
	return f.call(func() error { return f.Rows.Delete(ctx, o) })
}

// The third revision removes the first in the same step, so there is no state in between.
func TestSave_ThatCrashesAtAnyStepKeepsTheGrantAndCanBeRepeated(t *testing.T) {
	for _, after := range []bool{false, true} {
		for fails := 1; fails <= 2; fails++ {
			t.Run(fmt.Sprintf("call %d, carried out: %v", fails, after), func(t *testing.T) {
				env := newTestEnv(t)
				env.saveAfter(fortnight, "writer", 1)
				second := env.saveAfter(fortnight, "writer", 2)
				env.now = env.now.Add(fortnight)
				rows := &faulty{Rows: env.rows, fails: fails, after: after}
				crashing := env.with(rows, "fernhill").Of("orchard")
				_, err := crashing.Save(t.Context(), ines, "third", tokensOf(3))
				wantError(t, err, "save tokens: no answer")
				env.wantLoad(ines, second, 2) // the record names it
				if _, err := env.Load(t.Context(), ines, ""); err != nil {
					t.Errorf("the newest: %v", err)
				}
				third, err := crashing.Save(t.Context(), ines, "third", tokensOf(3))
				if err != nil {
					t.Fatal(err)
				}
				env.wantKept(ines, second, third)
				env.wantLoad(ines, third, 3)
				env.wantLoad(ines, "", 3)
			})
		}
	}
}

// The answer is lost, and the operator changes the current key before the Save is repeated.
func TestSave_RepeatedUnderAnotherKeyReturnsTheSameVersion(t *testing.T) {
	env := newTestEnv(t)
	rows := &faulty{Rows: env.rows, fails: 2, after: true}
	store := env.with(rows, "fernhill").Of("orchard")
	_, err := store.Save(t.Context(), ines, "first", tokensOf(1))
	wantError(t, err, "save tokens: no answer")
	env.rotate()
	version, err := store.Save(t.Context(), ines, "first", tokensOf(1))
	if err != nil {
		t.Fatal(err)
	}
	env.wantKept(ines, version)
	env.wantLoad(ines, version, 1)
}

func TestSave_RacingWithAnotherKeepsBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := newTestEnv(t)
		var other string
		rows := &faulty{Rows: env.rows, meanwhile: func() { other = env.save(ines, "other", 1) }}
		version, err := env.with(rows, "fernhill").Of("orchard").Save(t.Context(), ines, "writer", tokensOf(1))
		if err != nil {
			t.Fatal(err)
		}
		env.wantKept(ines, other, version)
	})
}

// The function that ends sign-ins deletes the tokens while a refresh saves some.
func TestExisting_SaveAfterADeletionAddsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := newTestEnv(t)
		env.save(ines, "first", 1)
		rows := &faulty{Rows: env.rows, meanwhile: func() {
			if err := env.Delete(t.Context(), ines); err != nil {
				t.Error(err)
			}
		}}
		_, err := env.with(rows, "fernhill").Of("orchard").Existing().Save(t.Context(), ines, "second", tokensOf(2))
		wantError(t, err, "save tokens: the user has no tokens")
		env.wantKept(ines)
	})
}

func TestLoad_OfTheNewestSeesAVersionThatReplacedIt(t *testing.T) {
	env := newTestEnv(t)
	env.save(ines, "first", 1)
	rows := &replacing{Rows: env.rows, replace: func() {
		env.rows.Edit(envelope.Owner{Provider: "orchard", Subject: ines}, func(p *envelope.Pointer, rows map[string]envelope.Row) {
			clear(rows)
			p.Kept = nil
		})
		env.save(ines, "second", 2)
	}}
	got, err := env.with(rows, "fernhill").Of("orchard").Load(t.Context(), ines, "")
	if err != nil || got.Revision != 2 || env.refused() > 0 {
		t.Errorf("loaded %+v, %v; %d refused", got, err, env.refused())
	}
}

// replacing replaces a user's rows once, before a row is read.
type replacing struct {
	envelope.Rows
	replace func()
}

func (r *replacing) Row(ctx context.Context, o envelope.Owner, version string) (envelope.Row, error) {
	if do := r.replace; do != nil {
		r.replace = nil
		do()
	}
	return r.Rows.Row(ctx, o, version)
}

func TestDelete_ThatFailsIsAnErrorAndCanBeRepeated(t *testing.T) {
	env := newTestEnv(t)
	env.save(ines, "first", 1)
	store := env.with(&faulty{Rows: env.rows, fails: 1}, "fernhill").Of("orchard")
	wantError(t, store.Delete(t.Context(), ines), "delete tokens: no answer")
	env.wantLoad(ines, "", 1)
	if err := store.Delete(t.Context(), ines); err != nil {
		t.Fatal(err)
	}
	env.wantNone(ines, "")
}

func TestLoad_ThatCannotReadARowIsAnError(t *testing.T) {
	env := newTestEnv(t)
	version := env.save(ines, "first", 1)
	for _, x := range []struct {
		version string
		fails   int
	}{{version, 1}, {"", 1}, {"", 2}} {
		_, err := env.with(&faulty{Rows: env.rows, fails: x.fails}, "fernhill").Of("orchard").Load(t.Context(), ines, x.version)
		wantError(t, err, "load tokens: no answer")
	}
	if env.refused() > 0 {
		t.Errorf("%d refused", env.refused())
	}
}
