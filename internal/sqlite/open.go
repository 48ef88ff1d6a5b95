package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// open opens the file, and begins a new one if it is damaged.
func (s *Store) open(ctx context.Context, program string) error {
	err := s.prepare()
	if err == nil {
		err = s.checkModes(filepath.Dir(s.path))
	}
	if err == nil {
		err = s.pass(ctx)
	}
	if err == nil {
		err = s.connect(ctx, program)
	}
	if isDamaged(err) {
		err = s.replace(ctx, program)
	}
	if err != nil {
		_ = s.close() // err says why
	}
	return err
}

// pass goes through the gate.
func (s *Store) pass(ctx context.Context) (err error) {
	if s.gate, err = openGate(ctx, s.address("-lock")); err == nil {
		err = s.gate.lock(ctx, s.wait, enter)
	}
	if isDamaged(err) { // the database may be whole, and keeps its place
		return fmt.Errorf("%s-lock is damaged and holds nothing of value; end all servers, delete it, then start one again", s.path)
	}
	return s.failed("open", err)
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
	if _, missing := os.Stat(s.path); errors.Is(missing, fs.ErrNotExist) {
		_ = os.Remove(s.path + "-holder") // of a file that was moved or deleted; see isEmptied
	}
	for _, suffix := range []string{"", "-lock"} {
		var file *os.File
		if err == nil {
			file, err = os.OpenFile(s.path+suffix, os.O_RDWR|os.O_CREATE, 0o600)
		}
		if err == nil {
			err = file.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("%w in %s: %w", ErrUnwritable, dir, reason(err))
	}
	return nil
}

// reason returns an error without the path that it repeats.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
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
	for _, suffix := range []string{"", "-wal", "-shm", "-lock", "-holder"} {
		if err := s.makePrivate(s.path + suffix); err != nil {
			return err
		}
	}
	return nil
}

// makePrivate removes the access of other users to a file, if it exists.
func (s *Store) makePrivate(path string) error {
	found, err := os.Stat(path)
	if err == nil && found.Mode().Perm()&0o077 != 0 {
		s.log.Warn(fmt.Sprintf("other users of this machine could read %s; now they cannot", path), "mode", found.Mode().Perm().String())
		err = os.Chmod(path, 0o600)
	}
	if errors.Is(err, fs.ErrNotExist) { // another process may remove it at any time
		return nil
	}
	return err
}

// connect opens the connections and makes the layout current. It closes earlier connections.
func (s *Store) connect(ctx context.Context, program string) error {
	if err := s.disconnect(); err != nil {
		return s.failed("open again", err)
	}
	file, err := os.Stat(s.path)
	if err != nil {
		return fmt.Errorf("open %s: %w", s.path, reason(err))
	}
	s.file = file
	if s.isEmptied() {
		return errDamaged
	}
	if s.holder, err = openHolder(s.path+"-holder", program); err != nil {
		return fmt.Errorf("%w in %s: %w", ErrUnwritable, filepath.Dir(s.path), reason(err))
	}
	s.writer = openDB(s.address("", pragmas(pollTime)...))
	s.reader = openDB(s.address("", pragmas(lockTime)...))
	s.writer.SetMaxOpenConns(1)
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(readers)
	if err := s.settle(ctx); err != nil {
		return s.failed("open", err)
	}
	return nil
}

// pragmas returns the settings of a connection that waits for some time where SQLite itself waits.
// With synchronous FULL, a commit is on the disk when it returns, even if the machine loses power:
// a client that has received its new refresh token must find it. With secure_delete, SQLite
// overwrites what it deletes; see shred.
func pragmas(busy time.Duration) []string {
	return []string{fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "synchronous(FULL)", "cache_size(-256)", "secure_delete(ON)", "temp_store(MEMORY)", "trusted_schema(0)"}
}

// address returns the data source name of the file with a suffix.
func (s *Store) address(suffix string, pragmas ...string) string {
	path := filepath.ToSlash(s.path + suffix)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/Users
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas}.Encode()}).String()
}

// settle brings a file to WAL mode and to the current layout, and checks it. While another process
// does the same with a new file, it waits.
func (s *Store) settle(ctx context.Context) error {
	return untilFree(ctx, s.wait, func() error {
		mode := ""
		_, err := layoutOf(ctx, s.writer.QueryContext, len(layouts)) // a file that is not ours does not change
		if err == nil {
			err = s.writer.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		}
		if err == nil && mode != "wal" {
			err = errors.New("the file system cannot share memory, which SQLite needs; choose a directory on a local disk with -data")
		}
		if err == nil {
			err = s.migrate(ctx, layouts)
		}
		if err == nil {
			err = s.check(ctx)
		}
		return err
	})
}

// disconnect closes the connections that are open, so that connect can open others.
func (s *Store) disconnect() error {
	err := s.closeConnections()
	s.reader, s.writer, s.holder = nil, nil, nil
	return err
}

func (s *Store) closeConnections() error {
	var errs []error
	for _, db := range []*sql.DB{s.reader, s.writer} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(append(errs, s.holder.close())...)
}

// close closes everything.
func (s *Store) close() error { return errors.Join(s.closeConnections(), s.gate.close()) }
