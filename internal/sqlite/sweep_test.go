package sqlite

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/calls"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/items"
)

func (s *Store) count(t *testing.T, kind string) (n int) {
	t.Helper()
	must(t, s.pools[1].QueryRowContext(t.Context(), "SELECT count(*) FROM items WHERE kind = ?", kind).Scan(&n))
	return n
}

func mostOf(kind string) int {
	return items.Limits[slices.IndexFunc(items.Limits, func(l items.Limit) bool { return l.Kind == kind })].Most
}

func TestSweep_RemovesExpiredItems(t *testing.T) {
	now := time.Now()
	s := openAt(t, pathIn(t), func() time.Time { return now })
	for i := range 10 {
		must(t, s.SaveClient(t.Context(), authserver.Client{ID: fmt.Sprint(i), ExpiresAt: now.Add(time.Duration(i) * time.Minute)}))
	}
	_, err := s.Records("p").SaveRecord(t.Context(), grant.Record{Subject: "37s:1"})
	must(t, err)
	now = now.Add(5 * time.Minute)
	must(t, s.sweep(t.Context()))
	if n := s.count(t, "client"); n != 4 {
		t.Errorf("%d clients, want 4", n)
	}
	if n := s.count(t, "grant"); n != 1 {
		t.Error("a record without an expiry is gone")
	}
}

func TestSweep_UnknownClientsCannotFillTheDisk(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	fill(t, s, mostOf("client")+20)
	expires := time.Now().Add(time.Hour)
	for _, id := range []string{"c_000000", "c_000001"} { // clients that are saved again are the latest
		must(t, s.SaveClient(t.Context(), authserver.Client{ID: id, ExpiresAt: expires}))
	}
	must(t, s.sweep(t.Context()))
	if n := s.count(t, "client"); n != mostOf("client") {
		t.Errorf("%d clients, want %d", n, mostOf("client"))
	}
	for id, want := range map[string]bool{"c_000000": true, "c_000001": true, "c_000002": false, "c_000021": false, "c_000022": true, "c_010019": true} {
		if _, err := s.Client(t.Context(), id); (err == nil) != want {
			t.Errorf("client %s: %v", id, err)
		}
	}
}

func TestSweep_OneUserOrClientCannotFillTheDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("writes ten thousand items")
	}
	s, now := openAt(t, pathIn(t), nil), time.Now()
	most := mostOf("refresh")
	var all []items.Item
	for i := range most + 5 {
		for _, family := range []string{"f", "g"}[:min(2, most+6-i)] {
			all = append(all, itemOf(t, items.Key{Kind: "refresh", Owner: family, Name: fmt.Sprintf("%06d", i)}, struct{}{}, now.Add(time.Hour)))
		}
	}
	for i := range mostOf("audit") + 5 {
		at := now.Add(time.Duration(i) * time.Millisecond)
		e := calls.Entry{ID: calls.NewID(at), Time: at, Milliseconds: int64(i)}
		all = append(all, itemOf(t, items.Key{Kind: "audit", Owner: "37s:1", Name: e.ID}, e, at.Add(calls.Retention)))
	}
	s.fill(t, all)
	must(t, s.sweep(t.Context()))
	if n := s.count(t, "refresh"); n != 2*most {
		t.Errorf("%d refresh tokens of two families, want %d", n, 2*most)
	}
	if n := s.count(t, "audit"); n != mostOf("audit") {
		t.Errorf("%d entries", n)
	}
	newest, err := s.Entries(t.Context(), "37s:1", "", 1)
	if err != nil || len(newest) != 1 || newest[0].Milliseconds != int64(mostOf("audit")+4) {
		t.Errorf("the newest is %+v, %v", newest, err)
	}
}

func TestSweep_BeginsAfterManyWrites(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	s.puts.Store(sweepPuts)
	must(t, s.SaveClient(t.Context(), authserver.Client{ID: "expired", ExpiresAt: time.Now().Add(-time.Hour)}))
	for range 1_000 {
		if s.puts.Load() == 0 && s.count(t, "client") == 0 {
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
			s.fill(t, []items.Item{itemOf(t, items.Key{Kind: "client", Name: fmt.Sprint(i)}, bytes.Repeat([]byte("x"), 300+97*i), time.Time{})})
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
