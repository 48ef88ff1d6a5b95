package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/sealkey"
)

// lines is a log.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(text)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.String()
}

// tryOpen opens a store, which is closed when the test ends, and returns what it logs.
func tryOpen(t *testing.T, path string) (*Store, string, error) {
	t.Helper()
	var log lines
	s, err := Open(t.Context(), path, Options{Program: "test", Keys: sealkey.InFile(path), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, log.text(), err
}

// wantRefused stops the test unless a file cannot be opened, for a reason in one line.
func wantRefused(t *testing.T, path, says string) {
	t.Helper()
	_, _, err := tryOpen(t, path)
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line that says %q", err, says)
	}
}

// run does statements on a file that no store has open.
func run(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	for _, statement := range statements {
		_, err := db.ExecContext(t.Context(), statement)
		must(t, err)
	}
}

// written returns the path of a file with one client.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "sandbox.db")
	s, err := openPart(path, nil)
	must(t, err)
	must(t, s.SaveClient(t.Context(), authserver.Client{ID: "kept", ExpiresAt: time.Now().Add(time.Hour)}))
	must(t, s.Close())
	return path
}

func hasClient(t *testing.T, s *Store) bool {
	t.Helper()
	_, err := s.Client(t.Context(), "kept")
	if err != nil && !errors.Is(err, authserver.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestOpen_AFileThatIsNotOursStaysAsItIs(t *testing.T) {
	for statement, says := range map[string]string{
		"PRAGMA user_version = 99": "the file has layout 99, and this release knows only 1", "PRAGMA application_id = 1": "database of another program",
	} {
		path := written(t)
		run(t, path, statement)
		before, err := os.ReadFile(path)
		must(t, err)
		wantRefused(t, path, says)
		after, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s: the file has changed", says)
		}
	}
}

func TestMigrate_BringsAnOlderFileUpToDateOrChangesNothing(t *testing.T) {
	path := written(t)
	s := openAt(t, path, nil)
	broken := []string{layouts[0], "ALTER TABLE items ADD COLUMN color TEXT; SELECT nothing FROM nowhere"}
	if err := s.migrate(t.Context(), broken); err == nil {
		t.Error("a broken step succeeds")
	}
	if n, err := layoutOf(t.Context(), s.writer.QueryContext, 1); n != 1 || err != nil || !hasClient(t, s) {
		t.Errorf("after a broken step: layout %d, %v", n, err)
	}
	next := []string{layouts[0], "ALTER TABLE items ADD COLUMN color TEXT"}
	for range 2 {
		must(t, s.migrate(t.Context(), next))
	}
	if n, err := layoutOf(t.Context(), s.writer.QueryContext, 2); n != 2 || err != nil || !hasClient(t, s) {
		t.Errorf("after a step: layout %d, %v", n, err)
	}
	run(t, path, "SELECT color FROM items")
}

func TestOpen_SeveralStoresCanBeginANewFileAtOnce(t *testing.T) {
	path := pathIn(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := openPart(path, nil)
			if err == nil {
				err = errors.Join(s.SaveClient(t.Context(), authserver.Client{ID: "c"}), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestOpen_ADamagedFileIsKeptAndTold(t *testing.T) {
	for name, damage := range map[string]func(file []byte) []byte{
		"no database": func([]byte) []byte { return []byte(strings.Repeat("not a database\n", 1000)) },
		"a wrong page": func(file []byte) []byte {
			copy(file[4096:], bytes.Repeat([]byte{0xa5}, 4096))
			return file
		},
		"half a file":     func(file []byte) []byte { return file[:len(file)/2] },
		"an emptied file": func([]byte) []byte { return nil },
	} {
		path := written(t)
		file, err := os.ReadFile(path)
		must(t, err)
		file = damage(file)
		must(t, os.WriteFile(path, file, 0o600))
		s, log, err := tryOpen(t, path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if hasClient(t, s) || !strings.Contains(log, "users must sign in again") || strings.Count(log, "\n") != 1 {
			t.Errorf("%s: logged %s", name, log)
		}
		must(t, s.SaveClient(t.Context(), authserver.Client{ID: "kept", ExpiresAt: time.Now().Add(time.Hour)}))
		copies, err := filepath.Glob(path + ".damaged-*")
		must(t, err)
		if len(copies) != 1 || !strings.Contains(log, filepath.Base(copies[0])) {
			t.Fatalf("%s: copies %q; logged %s", name, copies, log)
		}
		if kept, err := os.ReadFile(copies[0]); err != nil || !bytes.Equal(kept, file) {
			t.Errorf("%s: the copy has %d bytes, %v", name, len(kept), err)
		}
		if again, log, err := tryOpen(t, path); err != nil || log != "" || !hasClient(t, again) {
			t.Errorf("%s: the new file: %v, logged %s", name, err, log)
		}
	}
}

func TestOpen_AFileThatTheUserDeletedIsNoDamage(t *testing.T) {
	path := written(t)
	must(t, os.Remove(path))
	if s, log, err := tryOpen(t, path); err != nil || log != "" || hasClient(t, s) {
		t.Errorf("%v, logged %s", err, log)
	}
}

func TestOpen_ADamagedLockFileIsNamedAndLosesNothing(t *testing.T) {
	path := written(t)
	must(t, os.WriteFile(path+"-lock", []byte(strings.Repeat("not a database\n", 1000)), 0o600))
	wantRefused(t, path, "sandbox.db-lock is damaged")
	must(t, os.Remove(path+"-lock"))
	if s, log, err := tryOpen(t, path); err != nil || log != "" || !hasClient(t, s) {
		t.Errorf("%v, logged %s", err, log)
	}
}

func TestOpen_OneOfSeveralStoresReplacesADamagedFile(t *testing.T) {
	path := written(t)
	must(t, os.WriteFile(path, []byte(strings.Repeat("not a database\n", 1000)), 0o600))
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			s, err := openPart(path, nil)
			if err == nil {
				err = errors.Join(s.SaveClient(t.Context(), authserver.Client{ID: fmt.Sprint(i), ExpiresAt: time.Now().Add(time.Hour)}), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := openAt(t, path, nil)
	for i := range 6 {
		_, err := s.Client(t.Context(), fmt.Sprint(i))
		must(t, err)
	}
	if copies, err := filepath.Glob(path + ".damaged-*Z"); err != nil || len(copies) != 1 {
		t.Errorf("%d copies, %v", len(copies), err)
	}
}

func TestOpen_ADamagedFileThatAnotherServerUsesStays(t *testing.T) {
	path := written(t)
	p := process(t, "rival", path, "a")
	p.wants("ready")
	file, err := os.ReadFile(path)
	must(t, err)
	copy(file[4096:], bytes.Repeat([]byte{0xa5}, 4096))
	must(t, os.WriteFile(path, file, 0o600))
	s := &Store{path: path, wait: 50 * time.Millisecond, now: time.Now, log: slog.New(slog.DiscardHandler), at: func(string) {}}
	err = s.open(t.Context(), "test")
	if err == nil || !strings.Contains(err.Error(), "another server has the file open; end all servers") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	must(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait()
	if _, log, err := tryOpen(t, path); err != nil || !strings.Contains(log, "was damaged") {
		t.Errorf("after the other server has ended: %v, logged %s", err, log)
	}
}

func TestWrite_AFullDiskIsToldAndLosesNothing(t *testing.T) {
	s := openAt(t, written(t), nil)
	large := authserver.Client{ID: "large", Name: strings.Repeat("x", 100_000), ExpiresAt: time.Now().Add(time.Hour)}
	_, err := s.writer.ExecContext(t.Context(), "PRAGMA max_page_count = 10")
	must(t, err)
	err = s.SaveClient(t.Context(), large)
	if err == nil || !strings.Contains(err.Error(), "the disk is full; free some space") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if _, err := s.Client(t.Context(), "large"); !errors.Is(err, authserver.ErrNotFound) || !hasClient(t, s) {
		t.Errorf("after it: %v", err)
	}
	_, err = s.writer.ExecContext(t.Context(), "PRAGMA max_page_count = 100000")
	must(t, err)
	must(t, s.SaveClient(t.Context(), large))
}

func TestWrite_AReadOnlyFileIsTold(t *testing.T) {
	s := openAt(t, written(t), nil)
	_, err := s.writer.ExecContext(t.Context(), "PRAGMA query_only = 1")
	must(t, err)
	err = s.SaveClient(t.Context(), authserver.Client{ID: "c"})
	if !errors.Is(err, ErrUnwritable) || !strings.Contains(err.Error(), filepath.Dir(s.path)) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if !hasClient(t, s) {
		t.Error("the file can no longer be read")
	}
}

func TestOpen_AnUnwritableDirectoryIsTold(t *testing.T) {
	below := filepath.Join(written(t), "data", "sandbox.db") // below a file
	_, _, err := tryOpen(t, below)
	if !errors.Is(err, ErrUnwritable) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), filepath.Dir(below)) {
		t.Errorf("below a file: %v", err)
	}
	if os.Geteuid() <= 0 { // root may write everywhere, and Windows has no such modes
		return
	}
	dir := filepath.Dir(written(t))
	must(t, os.Chmod(dir, 0o500)) //nolint:gosec // a directory
	_, _, err = tryOpen(t, filepath.Join(dir, "other.db"))
	must(t, os.Chmod(dir, 0o700)) //nolint:gosec // a directory
	if !errors.Is(err, ErrUnwritable) {
		t.Errorf("in a read-only directory: %v", err)
	}
}

func TestOpen_FilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "one", "two", "sandbox.db")
	s, log, err := tryOpen(t, path)
	must(t, err)
	must(t, s.SaveClient(t.Context(), authserver.Client{ID: "c"}))
	_, err = s.Grants("p").Save(t.Context(), "37s:1", "w", tokensOf("a"))
	must(t, err)
	names, err := filepath.Glob(filepath.Dir(path) + "/*")
	must(t, err)
	if len(names) < 5 { // with -wal, -shm, -holder, -key
		t.Errorf("files %q", names)
	}
	for name, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700} {
		if found, err := os.Stat(name); err != nil || found.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, found.Mode(), err)
		}
	}
	for _, name := range names {
		if found, err := os.Stat(name); err != nil || found.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, found.Mode(), err)
		}
	}
	if log != "" {
		t.Errorf("logged %s", log)
	}
	must(t, os.Chmod(filepath.Dir(path), 0o755)) //nolint:gosec // the test's subject
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "-key") })
	for _, name := range names {
		must(t, os.Chmod(name, 0o644)) //nolint:gosec // the test's subject
	}
	_, log, err = tryOpen(t, path)
	must(t, err)
	if !strings.Contains(log, "chmod 700 prevents it") || strings.Count(log, "now they cannot") != len(names) || strings.Count(log, "\n") != 1+len(names) {
		t.Errorf("logged %s", log)
	}
	for _, name := range names {
		if found, err := os.Stat(name); err != nil || found.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, found.Mode(), err)
		}
	}
}

func TestWrite_AFileThatWasDeletedIsTold(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps open files")
	}
	s := openAt(t, written(t), nil)
	must(t, os.Remove(s.path))
	err := s.SaveClient(t.Context(), authserver.Client{ID: "c"})
	if err == nil || !strings.Contains(err.Error(), "restart the server") {
		t.Errorf("got %v", err)
	}
}

func TestClose_WaitsForTheSweeper(t *testing.T) {
	s, err := Open(context.Background(), pathIn(t), Options{})
	must(t, err)
	s.sweepSoon()
	must(t, s.Close())
	if err := s.SaveClient(t.Context(), authserver.Client{ID: "c"}); err == nil {
		t.Error("a closed store writes")
	}
}
