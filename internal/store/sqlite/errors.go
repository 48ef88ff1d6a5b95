package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnwritable means that this user cannot write to the directory or the file.
var ErrUnwritable = errors.New("cannot write")

// errDamaged means that SQLite has found a fault in the file. errBusy means that a connection
// prevents something, which SQLite did not report as an error.
var (
	errDamaged = errors.New("the file is damaged; end all servers, move it away with its -wal and -shm, and start again: users must sign in again")
	errFull    = errors.New("the disk is full; free some space")
	errBusy    = errors.New("the file is in use")
)

// explained returns err with the file and what the operator can do about it. It returns nil for
// nil.
func (s *Store) explained(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		err = fmt.Errorf("%w (%w)", errFull, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		err = fmt.Errorf("%w in %s; check its permissions (%w)", ErrUnwritable, filepath.Dir(s.path), err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		err = fmt.Errorf("%w (%w)", errDamaged, err)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

// code returns SQLite's primary result code of an error, or 0.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func isBusy(err error) bool { return errors.Is(err, errBusy) || code(err) == sqlite3.SQLITE_BUSY }
