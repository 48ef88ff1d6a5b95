package undo_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"basecamp-mcp/internal/undo"
)

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
