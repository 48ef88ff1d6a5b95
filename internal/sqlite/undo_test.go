package sqlite

import (
	"errors"
	"testing"

	"basecamp-mcp/internal/undo"
)

func TestSealer_OpensWithTheSameLabelOnly(t *testing.T) {
	s := openAt(t, pathIn(t), nil).Sealer()
	sealed, err := s.Seal(t.Context(), []byte("here"), []byte("an old text"))
	must(t, err)
	plain, err := s.Open(t.Context(), []byte("here"), sealed)
	if err != nil || string(plain) != "an old text" {
		t.Errorf("%q, %v", plain, err)
	}
	for _, wrong := range [][2][]byte{{[]byte("there"), sealed}, {[]byte("here"), sealed[:len(sealed)-9]}, {[]byte("here"), nil}} {
		if _, err := s.Open(t.Context(), wrong[0], wrong[1]); !errors.Is(err, undo.ErrNotFound) {
			t.Errorf("%s: %v", wrong[0], err)
		}
	}
}
