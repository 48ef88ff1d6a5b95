package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/store/sealkey"
	"basecamp-mcp/internal/store/sqlite"
)

// openFile opens a file as functions/local does for the demo.
func openFile(ctx context.Context, path string, _ bool, log *slog.Logger) (File, error) {
	s, err := sqlite.Open(ctx, path, sqlite.Options{Keys: sealkey.InFile(path), Log: log})
	if errors.Is(err, sqlite.ErrUnwritable) {
		err = fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	if err != nil {
		return File{}, err
	}
	return File{s.Store, s.Close}, nil
}

// inFiles returns the storage of two instances that share a file, as two processes do.
func inFiles(t *testing.T) []storage {
	t.Helper()
	c := config.Config{BasecampURL: config.Sandbox, Data: t.TempDir()}
	var all []storage
	for range 2 {
		s := must(inFile(t.Context(), c, quiet, openFile))
		t.Cleanup(func() { _ = s.shut() })
		all = append(all, s)
	}
	return all
}

func TestRules_HoldInAFile(t *testing.T) {
	hold(t, inFiles, rulebook, handshake, stateless, bridged)
}

func TestInFile_FallsBackToMemoryOnlyIfTheUserChoseNoStore(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		data, says string
	}{
		"not a directory": {filepath.Join(blocked, "basecamp-mcp"), "cannot write in " + filepath.Join(blocked, "basecamp-mcp")},
		"none":            {"", "no configuration directory"},
	} {
		var log bytes.Buffer
		c := config.Config{BasecampURL: config.Sandbox, Data: test.data}
		started, err := NewLocal(t.Context(), c, slog.New(slog.NewTextHandler(&log, nil)), "http://127.0.0.1:1", InFile, openFile)
		if err != nil || started.File != "" || !strings.Contains(log.String(), test.says) || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("%s: %v, file %q, log %s", name, err, started.File, log.String())
		}
		c.StoreChosen = true
		if _, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InFile, openFile); err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "-store memory") {
			t.Errorf("%s, chosen: %v", name, err)
		}
	}
}

func TestFileName_EachOriginHasItsOwn(t *testing.T) {
	for origin, want := range map[string]string{
		"sandbox":                     "sandbox.db",
		"https://3.basecampapi.com":   "3.basecampapi.com.db",
		"http://127.0.0.1:3000":       "http_127.0.0.1_3000.db",
		"https://127.0.0.1:3000":      "127.0.0.1_3000.db",
		"http://[::1]:3000":           "http____1__3000.db",
		"https://basecamp.example:80": "basecamp.example_80.db",
	} {
		if got := fileName(origin); got != want {
			t.Errorf("%s: %s, want %s", origin, got, want)
		}
	}
}

func TestPlaceOf_TokensStayWithTheirOrigin(t *testing.T) {
	c := config.Config{BasecampURL: "https://3.basecampapi.com", LaunchpadURL: "https://launchpad.37signals.com"}
	c.GitHub.URL = "https://github.com"
	other := c
	other.GitHub.URL, other.LaunchpadURL = "https://github.fernhill.example", "https://launchpad.example"
	for _, id := range []string{"github", "37signals"} {
		if placeOf(c, id) == placeOf(other, id) || !strings.HasPrefix(placeOf(c, id), id+" https://") {
			t.Errorf("%s: %q and %q", id, placeOf(c, id), placeOf(other, id))
		}
	}
}
