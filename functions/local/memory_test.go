//go:build linux && !race

package main

import (
	"database/sql" //nolint:depguard // to copy a row is faster than 10,000 transactions
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/store/sealkey"
	"basecamp-mcp/internal/store/sqlite"
)

// fill makes the file of the sandbox in a directory, with n registered clients.
func fill(t *testing.T, dir string, n int) {
	t.Helper()
	path := filepath.Join(dir, "sandbox.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Keys: sealkey.InFile(path)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.SaveClient(t.Context(), authserver.Client{
		ID: "c_first", Name: "Plumcot", RedirectURIs: []string{"http://127.0.0.1/callback", "https://app.fernhill.example/callback"},
		AuthMethod: "none", CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `WITH RECURSIVE counted(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
		INSERT INTO items (kind, owner, name, body, expires) SELECT kind, owner, name || n, body, expires FROM items, counted`, n)
	if err != nil {
		t.Fatal(err)
	}
}

// resident returns the memory that a process holds besides the pages of its program, in KB. How
// many of those are mapped depends on what else the machine does.
func resident(t *testing.T, pid int) (kilobytes int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "RssAnon:")
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes
}

func TestMemory_IsSmallAfterTheFirstCallWithTenThousandRecords(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 10_000)
	s := startServer(t, "-store", "file", "-data", dir)
	if got := s.asks(call(1, false, "list_projects", `{"limit":3}`)); !strings.Contains(got, `"result"`) {
		t.Fatal(got)
	}
	if held := resident(t, s.cmd.Process.Pid); held > 15_500 {
		t.Errorf("the server holds %d KB, want at most 15,500 KB", held)
	}
}
