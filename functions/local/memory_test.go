//go:build linux && !race

package main

import (
	"bufio"
	"database/sql" //nolint:depguard // to copy a row is faster than 10,000 transactions
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// listening is the program as a server of HTTP, in a process of its own.
type listening struct {
	testing.TB
	url, bearer string
	cmd         *exec.Cmd
}

var (
	announced = regexp.MustCompile(`is ready at (\S+)`)
	bearing   = regexp.MustCompile(`Bearer token:\s+(\S+)`)
)

func startServer(tb testing.TB, flags ...string) *listening {
	tb.Helper()
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), program, append([]string{"serve", "-addr", "127.0.0.1:0"}, flags...)...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	s := &listening{TB: tb, cmd: cmd}
	tb.Cleanup(s.stop)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := announced.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
		if m := bearing.FindStringSubmatch(lines.Text()); m != nil {
			s.bearer = m[1]
		}
		if s.url != "" && s.bearer != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return s
		}
	}
	tb.Fatalf("%s does not print its URL and a bearer token", program)
	return nil
}

func (s *listening) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// asks sends a message and returns the answer.
func (s *listening) asks(message string) string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url, strings.NewReader(message))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.bearer)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}
