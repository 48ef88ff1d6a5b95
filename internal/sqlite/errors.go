package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnwritable means that this user cannot write to the directory or the file.
var ErrUnwritable = errors.New("cannot write")

// failed returns err with what was being done, in one line that says what to do. It returns nil for
// nil.
func (s *Store) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", doing, s.path, s.explained(err))
}

// explained returns err with what the operator can do about it.
func (s *Store) explained(err error) error {
	advice, primary := "", code(err)&0xff
	if code(err) == sqlite3.SQLITE_IOERR_SHMSIZE { // the file that processes share cannot grow
		primary = sqlite3.SQLITE_FULL
	}
	switch primary {
	case sqlite3.SQLITE_FULL:
		advice = "the disk is full; free some space"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w in %s; check its permissions (%w)", ErrUnwritable, filepath.Dir(s.path), err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		advice = "the file is damaged; restart the server, which keeps a copy and begins a new file"
	case sqlite3.SQLITE_IOERR:
		advice = "the disk does not work"
	case sqlite3.SQLITE_BUSY:
		advice = "another process has locked the file"
	}
	if advice == "" || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s (%w)", advice, err)
}

// code returns SQLite's extended result code of an error, or 0.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

func isBusy(err error) bool { return code(err)&0xff == sqlite3.SQLITE_BUSY }

func isDamaged(err error) bool {
	primary := code(err) & 0xff
	return errors.Is(err, errDamaged) || primary == sqlite3.SQLITE_CORRUPT || primary == sqlite3.SQLITE_NOTADB
}
