package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// applicationID marks a file as one of this server's ("bcmp" in ASCII; SQLite, "PRAGMA
// application_id"), and layout is its user_version.
const (
	applicationID = 0x62636d70
	layout        = 1
)

// create is what an empty file becomes. Another process may do the same.
const create = `BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS items (
	id      INTEGER PRIMARY KEY, -- grows with every write, so it orders items by age
	kind    TEXT NOT NULL,
	owner   TEXT NOT NULL,
	name    TEXT NOT NULL,
	body    TEXT NOT NULL, -- JSON
	expires INTEGER,       -- nanoseconds since 1970; NULL: never
	UNIQUE (kind, owner, name)
) STRICT;
CREATE INDEX IF NOT EXISTS items_by_expiry ON items (expires) WHERE expires IS NOT NULL;
PRAGMA application_id = 1650683248; PRAGMA user_version = 1; COMMIT`

// open opens the file.
func (s *Store) open(ctx context.Context) error {
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.checkModes(filepath.Dir(s.path)); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(readers + 1)
	s.db.SetMaxIdleConns(readers)
	err := untilFree(ctx, s.wait, func() (err error) { // another process may do the same with a new file
		if s.writer == nil {
			s.writer, err = s.db.Conn(ctx)
		}
		if err != nil {
			return err
		}
		s.writes.prepare = s.writer.PrepareContext
		return s.settle(ctx)
	})
	if err != nil {
		return fmt.Errorf("open: %w", s.explained(err))
	}
	return nil
}

// prepare makes the directory and the file, if they are missing. SQLite creates its other files
// with the mode of the database. It refuses a directory in which other users can put files in the
// place of these, before it creates any.
func (s *Store) prepare() error {
	dir := filepath.Dir(s.path)
	err := os.MkdirAll(dir, 0o700)
	if found, statErr := os.Stat(dir); statErr == nil && othersMayWrite(found) {
		return fmt.Errorf("other users of this machine can write to %s (%s), and so replace the key and the data; chmod 700 it, or choose another directory with -data",
			dir, found.Mode().Perm())
	}
	var file *os.File
	if err == nil {
		file, err = os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err == nil {
		s.file, err = file.Stat()
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("%w in %s: %w", ErrUnwritable, dir, err)
	}
	return nil
}

// checkModes removes the access of other users to the file and its parts. It only warns about a
// directory that others can read: the user may have named one that has other purposes.
func (s *Store) checkModes(dir string) error {
	if runtime.GOOS == "windows" { // which has no such modes; the user's own folders are private
		return nil
	}
	if found, err := os.Stat(dir); err == nil && found.Mode().Perm()&0o077 != 0 {
		s.log.Warn(fmt.Sprintf("other users of this machine can look into %s; chmod 700 prevents it", dir), "mode", found.Mode().Perm().String())
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		found, err := os.Stat(s.path + suffix)
		if err == nil && found.Mode().Perm()&0o077 != 0 {
			s.log.Warn(fmt.Sprintf("other users of this machine could read %s; now they cannot", s.path+suffix), "mode", found.Mode().Perm().String())
			err = os.Chmod(s.path+suffix, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may remove it at any time
			return err
		}
	}
	return nil
}

// address returns the data source name. With synchronous FULL, a commit is on the disk when it
// returns, even if the machine loses power: a client that has received its new refresh token must
// find it. With secure_delete, SQLite overwrites what it deletes; see Shred.
func address(path string) string {
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/Users
	}
	pragmas := []string{
		fmt.Sprintf("busy_timeout(%d)", lockTime.Milliseconds()), "synchronous(FULL)", "cache_size(-256)", "secure_delete(ON)", "temp_store(MEMORY)", "trusted_schema(0)",
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas}.Encode()}).String()
}

// settle brings an empty file to WAL mode and to the layout, and checks the others. SQLite itself
// notices damage only when a read meets it. A file that is not ours does not change.
func (s *Store) settle(ctx context.Context) error {
	version, application, tables, mode, result := 0, 0, 0, "", ""
	_, err := s.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", pollTime.Milliseconds())) // begin waits
	if err != nil {
		return err
	}
	err = s.writer.QueryRowContext(ctx, `SELECT v.user_version, a.application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version v, pragma_application_id a`).Scan(&version, &application, &tables)
	switch {
	case err != nil:
		return err
	case tables > 0 && application != applicationID:
		return errors.New("this is the database of another program; choose another directory with -data")
	case tables > 0 && version != layout:
		return fmt.Errorf("the file has layout %d, and this release knows only %d; install the release that wrote it, or choose another directory with -data", version, layout)
	}
	if err := s.writer.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return errors.New("the file system cannot share memory, which SQLite needs; choose a directory on a local disk with -data")
	}
	if tables == 0 {
		if _, err := s.writer.ExecContext(ctx, create); err != nil {
			_, _ = s.writer.ExecContext(ctx, "ROLLBACK") // if it has begun
			return err
		}
	}
	err = s.writer.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result)
	if err == nil && result != "ok" {
		err = errDamaged
	}
	return err
}
