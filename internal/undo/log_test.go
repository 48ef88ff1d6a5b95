package undo_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newLog() (*undo.Log, *clock) {
	c := &clock{time.Date(2026, 3, 2, 12, 0, 0, 5, time.UTC)}
	return undo.New(memory.New(c.now), undo.Unsealed{}, c.now), c
}

func as(t *testing.T, subject string) context.Context {
	return identity.With(t.Context(), identity.Caller{Subject: subject})
}

// wrote records a write that was carried out, and returns its code.
func wrote(t *testing.T, l *undo.Log, opposite string) string {
	t.Helper()
	r, err := l.Begin(as(t, "ines"), undo.Record{Tool: "update_work"}, []byte(opposite))
	if err == nil {
		r, err = l.Complete(as(t, "ines"), r, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

func wantFault(t *testing.T, err error, code fault.Code, inDoubt bool) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != code || f.MayHaveHappened != inDoubt {
		t.Errorf("got %v", err)
	}
}

func TestClaim_ReturnsTheOppositeOnce(t *testing.T) {
	l, c := newLog()
	first, second := wrote(t, l, "one"), wrote(t, l, "two") // in one moment
	c.at = c.at.Add(6 * 24 * time.Hour)
	r, opposite, err := l.Claim(as(t, "ines"), second)
	if err != nil || string(opposite) != "two" {
		t.Fatalf("%s, %v", opposite, err)
	}
	_, _, err = l.Claim(as(t, "ines"), second)
	wantFault(t, err, fault.InvalidInput, true)
	if err := l.Settle(as(t, "ines"), r, true, nil); err != nil {
		t.Fatal(err)
	}
	_, _, err = l.Claim(as(t, "ines"), second)
	wantFault(t, err, fault.InvalidInput, false)
	_, _, err = l.Claim(as(t, "sam"), first)
	wantFault(t, err, fault.NotFound, false)
	for _, code := range []string{"", "u", "uuuuuuuuuuuuuu", first + " "} {
		_, _, err = l.Claim(as(t, "ines"), code)
		wantFault(t, err, fault.NotFound, false)
	}
	c.at = c.at.Add(24 * time.Hour)
	_, _, err = l.Claim(as(t, "ines"), first)
	wantFault(t, err, fault.NotFound, false)
}

func TestClaim_OfWhatWasNotUndoneMayBeRepeated(t *testing.T) {
	l, _ := newLog()
	code := wrote(t, l, "one and two")
	for _, x := range []struct {
		opposite string
		undone   bool
		left     []byte
	}{{"one and two", false, nil}, {"one and two", true, []byte("two")}, {"two", true, nil}} {
		r, opposite, err := l.Claim(as(t, "ines"), code)
		if err == nil {
			err = l.Settle(as(t, "ines"), r, x.undone, x.left)
		}
		if err != nil || string(opposite) != x.opposite {
			t.Fatalf("%s: %s, %v", x.opposite, opposite, err)
		}
	}
	_, _, err := l.Claim(as(t, "ines"), code)
	wantFault(t, err, fault.InvalidInput, false)
}

func TestClaim_IsRefusedWhereTheWriteIsInDoubt(t *testing.T) {
	l, _ := newLog()
	r, err := l.Begin(as(t, "ines"), undo.Record{}, []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = l.Claim(as(t, "ines"), r.ID)
	wantFault(t, err, fault.InvalidInput, true)
}

func TestBegin_KeepsNothingThatIsTooLarge(t *testing.T) {
	l, _ := newLog()
	code := wrote(t, l, string(make([]byte, undo.MostBytes+1)))
	_, _, err := l.Claim(as(t, "ines"), code)
	wantFault(t, err, fault.InvalidInput, false)
	last, err := l.Latest(as(t, "ines"), 20)
	if err != nil || len(last) != 1 || last[0].Cannot != undo.TooLarge || last[0].Sealed != nil {
		t.Errorf("%+v, %v", last, err)
	}
}

// A later write may stand on an earlier one, so it is undone before it.
func TestAll_UndoesTheLastWriteFirst(t *testing.T) {
	l, _ := newLog()
	code := wrote(t, l, `[{"provider":"shelf","id":"1","opposite":{}},{"provider":"shelf","id":"2","opposite":{}},{"provider":"shelf","id":"3","opposite":{}}]`)
	r, err := l.Find(as(t, "ines"), code)
	if err != nil {
		t.Fatal(err)
	}
	var order string
	restore := undo.Each(func(_ context.Context, s writeplan.Step) (writeplan.Restored, error) {
		order += s.ID
		return writeplan.Restored{Result: writeplan.Undone}, nil
	})
	changes := undo.Changes{Log: l, Restorers: map[string]undo.Restorer{"shelf": {Restore: restore}}, Errors: slog.New(slog.DiscardHandler)}
	all, _, err := changes.All(as(t, "ines"), []undo.Record{r}, 1)
	if err != nil || order != "321" || len(all) != 1 || all[0].Result != writeplan.Undone {
		t.Errorf("order %s, %+v, %v", order, all, err)
	}
}

func TestChange_SaysHowManyItemsItDoesNotName(t *testing.T) {
	if shown, err := json.Marshal(undo.Change{More: 8}); err != nil || !strings.Contains(string(shown), `"more":8`) {
		t.Errorf("%s, %v", shown, err)
	}
}

// rotating has a secret for each letter that was current.
type rotating struct {
	current string
	lost    string
}

func (r rotating) Current(context.Context) (string, []byte, error) {
	return r.current, []byte("secret " + r.current), nil
}

func (r rotating) Secret(_ context.Context, id string) ([]byte, error) {
	if id == r.lost {
		return nil, undo.ErrNotFound
	}
	return []byte("secret " + id), nil
}

func TestSealed_OpensWhatWasSealedInItsPlaceOnly(t *testing.T) {
	sealer := undo.Sealed{Keys: rotating{current: "k1"}, Stack: "fernhill"}
	sealed, err := sealer.Seal(t.Context(), []byte("place"), []byte("old text"))
	if err != nil || slices.Contains([]string{"", "old text"}, string(sealed)) {
		t.Fatalf("%q, %v", sealed, err)
	}
	later := undo.Sealed{Keys: rotating{current: "k2"}, Stack: "fernhill"}
	if plain, err := later.Open(t.Context(), []byte("place"), sealed); err != nil || string(plain) != "old text" {
		t.Errorf("after the key was changed: %q, %v", plain, err)
	}
	changed := slices.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for what, open := range map[string]func() ([]byte, error){
		"another place": func() ([]byte, error) { return later.Open(t.Context(), []byte("other"), sealed) },
		"another deployment": func() ([]byte, error) {
			return undo.Sealed{Keys: rotating{}, Stack: "other"}.Open(t.Context(), []byte("place"), sealed)
		},
		"a lost key": func() ([]byte, error) {
			return undo.Sealed{Keys: rotating{lost: "k1"}, Stack: "fernhill"}.Open(t.Context(), []byte("place"), sealed)
		},
		"changed bytes": func() ([]byte, error) { return later.Open(t.Context(), []byte("place"), changed) },
		"cut bytes":     func() ([]byte, error) { return later.Open(t.Context(), []byte("place"), sealed[:2]) },
		"nothing":       func() ([]byte, error) { return later.Open(t.Context(), []byte("place"), nil) },
	} {
		if _, err := open(); !errors.Is(err, undo.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestLog_IsOfACaller(t *testing.T) {
	l, _ := newLog()
	_, begun := l.Begin(t.Context(), undo.Record{}, nil)
	_, _, claimed := l.Claim(t.Context(), wrote(t, l, "one"))
	if _, read := l.Latest(t.Context(), 1); begun == nil || claimed == nil || read == nil {
		t.Errorf("without a caller: %v, %v, %v", begun, claimed, read)
	}
}
