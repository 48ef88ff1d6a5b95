package sqlite

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/sealkey"
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

func wantNone(t *testing.T, g items.Grants, subject, version string) {
	t.Helper()
	if _, err := g.Load(t.Context(), subject, version); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("%s: %v", subject, err)
	}
}

func TestTokens_AreNowhereInTheFiles(t *testing.T) {
	path := pathIn(t)
	s := openAt(t, path, nil)
	saveTokens(t, s.Grants("37signals"), "37s:1", "w")
	names, err := filepath.Glob(path + "*")
	must(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		if strings.Contains(string(text), "planted") {
			t.Errorf("%s has a token", name)
		}
	}
}

// An attacker who can write to the file must not be able to act as another user.
func TestTokens_AreBoundToTheirProviderUserAndVersion(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	one, two := s.Grants("37signals"), s.Grants("github")
	version := saveTokens(t, one, "37s:1", "w")
	stored := func(provider, subject, version string) items.Key {
		return items.Key{Kind: "tokens", Owner: provider + "\t" + subject, Name: version}
	}
	original, err := engine{s}.Find(t.Context(), stored("37signals", "37s:1", version))
	must(t, err)
	for _, moved := range []struct {
		provider, subject, version string
		g                          items.Grants
	}{
		{"37signals", "37s:2", version, one},
		{"github", "37s:1", version, two},
		{"37signals", "37s:1", "2" + version[1:], one},
	} {
		forged := strings.Replace(string(original[0].Body), version, moved.version, 1)
		s.fill(t, []items.Item{{Key: stored(moved.provider, moved.subject, moved.version), Body: []byte(forged)}})
		wantNone(t, moved.g, moved.subject, moved.version)
	}
	if got, err := one.Load(t.Context(), "37s:1", version); err != nil || !cmp.Equal(got, tokensOf("37s:1")) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTokens_OfALostKeyAreMissingAndNewOnesAreStored(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, keyFile string){
		"deleted": func(t *testing.T, keyFile string) { must(t, os.Remove(keyFile)) },
		"garbage": func(t *testing.T, keyFile string) { must(t, os.WriteFile(keyFile, []byte("garbage\n"), 0o600)) },
		"another": func(t *testing.T, keyFile string) {
			_, _, err := sealkey.InFile(strings.TrimSuffix(keyFile, "-key") + "-other").Current(t.Context())
			must(t, err)
			must(t, os.Rename(strings.TrimSuffix(keyFile, "-key")+"-other-key", keyFile))
		},
	} {
		path := pathIn(t)
		s, err := openPart(path, nil)
		must(t, err)
		version := saveTokens(t, s.Grants("37signals"), "37s:1", "w")
		must(t, s.Close())
		change(t, path+"-key")
		var log lines
		s, err = Open(t.Context(), path, Options{Keys: sealkey.InFile(path), Log: slog.New(slog.NewTextHandler(&log, nil))})
		must(t, err)
		wantNone(t, s.Grants("37signals"), "37s:1", version)
		if !strings.Contains(log.text(), "the user must sign in again") {
			t.Errorf("%s: logged %s", name, log.text())
		}
		saveTokens(t, s.Grants("37signals"), "37s:1", "x")
		if got, err := s.Grants("37signals").Load(t.Context(), "37s:1", ""); err != nil || !cmp.Equal(got, tokensOf("37s:1")) {
			t.Errorf("%s: after a new sign-in: %v", name, err)
		}
		must(t, s.Close())
	}
}

// locked are keys that cannot be reached.
type locked struct{}

var errLockedKeys = errors.New("the keyring does not answer")

func (locked) Current(context.Context) (string, []byte, error) { return "", nil, errLockedKeys }
func (locked) Key(context.Context, string) ([]byte, error)     { return nil, errLockedKeys }

func TestTokens_OfAKeyThatCannotBeReachedAreNotMissing(t *testing.T) {
	path := pathIn(t)
	version := saveTokens(t, openAt(t, path, nil).Grants("37signals"), "37s:1", "w")
	s, err := Open(t.Context(), path, Options{Keys: locked{}})
	must(t, err)
	defer s.Close()
	if _, err := s.Grants("37signals").Load(t.Context(), "37s:1", version); !errors.Is(err, errLockedKeys) || errors.Is(err, grant.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.Grants("37signals").Save(t.Context(), "37s:1", "x", tokensOf("x")); !errors.Is(err, errLockedKeys) {
		t.Errorf("write: %v", err)
	}
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
