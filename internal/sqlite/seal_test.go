package sqlite

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/undo"
)

func tokensOf(name string) provider.Tokens {
	return provider.Tokens{Revision: 1, AccessToken: "planted-" + name, RefreshToken: "planted-refresh-" + name, ObtainedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func saveTokens(t *testing.T, g items.Grants, subject, writer string) (version string) {
	t.Helper()
	version, err := g.Save(t.Context(), subject, writer, tokensOf(subject))
	must(t, err)
	return version
}

func TestSeal_UsesANewNonceForEachText(t *testing.T) {
	s := openAt(t, pathIn(t), nil).Sealer()
	label := []byte(rand.Text())
	one, err := s.Seal(t.Context(), label, []byte("text"))
	must(t, err)
	two, err := s.Seal(t.Context(), label, []byte("text"))
	must(t, err)
	if bytes.Equal(one, two) {
		t.Error("two sealed texts are the same")
	}
}

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
