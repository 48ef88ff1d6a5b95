package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/sealkey"
)

// tryOpen opens a store, which is closed when the test ends, and returns what it logs.
func tryOpen(t *testing.T, path string) (*Store, string, error) {
	t.Helper()
	var log bytes.Buffer
	s, err := Open(t.Context(), path, Options{Keys: sealkey.InFile(path), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, log.String(), err
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

// written returns the path of a file with one item.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "sandbox.db")
	s, err := openPart(path)
	must(t, err)
	must(t, put(t.Context(), s, "kept", "1"))
	must(t, s.Close())
	return path
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

func TestOpen_SeveralStoresCanBeginANewFileAtOnce(t *testing.T) {
	path := pathIn(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := openPart(path)
			if err == nil {
				err = errors.Join(put(t.Context(), s, "c", "1"), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestOpen_ADamagedFileIsToldAndStaysAsItIs(t *testing.T) {
	for name, damage := range map[string]func(file []byte) []byte{
		"no database": func([]byte) []byte { return []byte(strings.Repeat("not a database\n", 1000)) },
		"a wrong page": func(file []byte) []byte {
			copy(file[4096:], bytes.Repeat([]byte{0xa5}, 4096))
			return file
		},
		"half a file": func(file []byte) []byte { return file[:len(file)/2] },
	} {
		path := written(t)
		file, err := os.ReadFile(path)
		must(t, err)
		file = damage(file)
		must(t, os.WriteFile(path, file, 0o600))
		wantRefused(t, path, "the file is damaged; end all servers, move it away")
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, file) {
			t.Errorf("%s: the file has %d bytes, %v", name, len(kept), err)
		}
		must(t, os.Remove(path))
		if s, _, err := tryOpen(t, path); err != nil || has(t, s, "kept") {
			t.Errorf("%s: after it was moved away: %v", name, err)
		}
	}
}

func TestWrite_SaysWhatIsWrongWithTheFileAndLosesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, s *Store)
		says    string
		repair  string // a statement; empty if the server must be restarted
	}{
		"full":      {pragma("max_page_count = 10"), "the disk is full; free some space", "max_page_count = 100000"},
		"read-only": {pragma("query_only = 1"), ErrUnwritable.Error() + " in ", "query_only = 0"},
		"deleted":   {func(t *testing.T, s *Store) { t.Helper(); must(t, os.Remove(s.path)) }, "restart the server", ""},
	} {
		if name == "deleted" && runtime.GOOS == "windows" {
			continue // Windows keeps open files
		}
		s := openAt(t, written(t), nil)
		c.prepare(t, s)
		err := put(t.Context(), s, "large", strings.Repeat("1", 100_000))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), filepath.Dir(s.path)) {
			t.Errorf("%s: got %v", name, err)
		}
		if c.repair == "" {
			continue
		}
		if has(t, s, "large") || !has(t, s, "kept") {
			t.Errorf("%s: the file has something else than before", name)
		}
		pragma(c.repair)(t, s)
		must(t, put(t.Context(), s, "large", strings.Repeat("1", 100_000)))
	}
}

func pragma(text string) func(*testing.T, *Store) {
	return func(t *testing.T, s *Store) {
		t.Helper()
		_, err := s.writer.ExecContext(t.Context(), "PRAGMA "+text)
		must(t, err)
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
	must(t, put(t.Context(), s, "c", "1"))
	saveTokens(t, s.Grants("p"), "37s:1", "w")
	names, err := filepath.Glob(filepath.Dir(path) + "/*")
	must(t, err)
	if len(names) < 4 { // with -wal, -shm, -key
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

func TestClose_WaitsForTheSweeper(t *testing.T) {
	s, err := Open(context.Background(), pathIn(t), Options{})
	must(t, err)
	s.timer.Reset(0)
	must(t, s.Close())
	if err := put(t.Context(), s, "c", "1"); err == nil {
		t.Error("a closed store writes")
	}
}

func TestWrite_ThatIsCancelledAtAnyMomentLeavesNoTransactionOpen(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	for range 300 {
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(time.Millisecond))
		_ = put(ctx, s, "c", "1") // fails, or was faster
		cancel()
		must(t, put(t.Context(), s, "c", "2"))
	}
}

func TestOpen_IsFastWithTenThousandItems(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	path := pathIn(t)
	s := openAt(t, path, nil)
	must(t, engine{s}.Write(t.Context(), func(tx items.Tx) (err error) {
		for i := range 10_000 {
			err = errors.Join(err, tx.Put(items.Item{Key: items.Key{Kind: "k", Name: strconv.Itoa(i)}, Body: bytes.Repeat([]byte("1"), 300)}))
		}
		return err
	}))
	best := time.Hour
	for try := 0; try < 5 || try < 50 && best > 50*time.Millisecond; try++ { // other programs slow some tries down
		start := time.Now()
		s, _, err := tryOpen(t, path)
		must(t, err)
		has(t, s, "4711")
		best = min(best, time.Since(start))
	}
	if best > 50*time.Millisecond {
		t.Errorf("took %v, want at most 50 ms", best)
	}
}
