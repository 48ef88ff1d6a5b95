package sqlite

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/store/items"
)

func TestSweep_BeginsAfterManyWrites(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	s.puts.Store(sweepPuts)
	must(t, s.SaveClient(t.Context(), authserver.Client{ID: "expired", ExpiresAt: time.Now().Add(-time.Hour)}))
	for range 1_000 {
		n := 0
		must(t, s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM items").Scan(&n))
		if n == 0 && s.puts.Load() == 0 {
			return
		}
		must(t, s.Revoke(t.Context(), "none", "", time.Now()))
	}
	t.Error("an expired item is still there")
}

// remains returns the names of the files of a store that have a part of a text.
func remains(t *testing.T, path string, text []byte) (files []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	must(t, err)
	for _, name := range names {
		file, err := os.ReadFile(name)
		must(t, err)
		for at := 0; at+32 <= len(text); at += 16 {
			if bytes.Contains(file, text[at:at+32]) {
				files = append(files, filepath.Base(name))
				break
			}
		}
	}
	return files
}

func TestDelete_LeavesNoSealedTokenInAnyFile(t *testing.T) {
	path := pathIn(t)
	s := openAt(t, path, nil)
	g := s.Grants("37signals")
	var sealed [][]byte
	for i := range 30 { // two users in turn, so that their rows share pages
		for _, subject := range []string{"37s:1", "37s:2"} {
			version := saveTokens(t, g, subject, fmt.Sprint(i))
			found, err := engine{s}.Find(t.Context(), items.Key{Kind: "tokens", Owner: "37signals\t" + subject, Name: version})
			must(t, err)
			var row struct{ Sealed []byte }
			must(t, json.Unmarshal(found[0].Body, &row))
			if text := []byte(base64.StdEncoding.EncodeToString(row.Sealed)); subject == "37s:1" {
				sealed = append(sealed, text)
			}
		}
		if i%7 == 0 {
			must(t, put(t.Context(), s, fmt.Sprint(i), strings.Repeat("x", 300+97*i)))
		}
	}
	if len(remains(t, path, sealed[0])) == 0 {
		t.Fatal("no file has the tokens that were saved")
	}
	must(t, g.Delete(t.Context(), "37s:1"))
	for i, text := range sealed {
		if files := remains(t, path, text); len(files) > 0 {
			t.Errorf("version %d is still in %q", i, files)
		}
	}
	if _, err := g.Load(t.Context(), "37s:2", ""); err != nil {
		t.Error(err)
	}
}
