package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// errDamaged means that SQLite's own check has found a fault in the file.
var errDamaged = errors.New("the check of the file has found damage")

// check looks for damage in the whole file. SQLite itself notices damage only when a read meets it.
func (s *Store) check(ctx context.Context) error {
	result := ""
	if err := s.writer.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return errDamaged
	}
	return nil
}

// repairTime is how long a replacement may take. An older lock is from a process that has died.
const repairTime = 30 * time.Second

// replace renames a damaged file and begins a new one. Of several processes that start at the same
// time, one does so, and the others use its new file.
func (s *Store) replace(ctx context.Context, program string) error {
	unlock, err := s.lockRepair(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.close(); err != nil {
		return s.failed("close a damaged file", err)
	}
	s.reader, s.writer, s.holder = nil, nil, nil
	if err := s.connect(ctx, program); !isDamaged(err) {
		return err
	}
	if err := s.close(); err != nil {
		return s.failed("close a damaged file", err)
	}
	s.reader, s.writer, s.holder = nil, nil, nil
	kept := s.path + ".damaged-" + s.now().UTC().Format("20060102T150405Z")
	for _, part := range []string{"-wal", "-shm", ""} { // the file itself last: until then, a new start finds the damage again
		if err := os.Rename(s.path+part, kept+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is damaged and cannot be renamed: %w", s.path, reason(err))
		}
	}
	s.log.Error(fmt.Sprintf("%s was damaged: logins, links, checklists and tasks in it are lost, and users must sign in again; a copy is kept as %s",
		s.path, filepath.Base(kept)))
	if err := s.prepare(); err != nil {
		return err
	}
	return s.connect(ctx, program)
}

// lockRepair waits until no other process replaces the file.
func (s *Store) lockRepair(ctx context.Context) (unlock func(), err error) {
	path := s.path + "-repair"
	for until := time.Now().Add(2 * repairTime); ; {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() { _ = os.Remove(path) }, file.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%w in %s: %w", ErrUnwritable, filepath.Dir(s.path), reason(err))
		}
		if found, err := os.Stat(path); err == nil && time.Since(found.ModTime()) > repairTime {
			_ = os.Remove(path)
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return nil, fmt.Errorf("another process has been replacing the damaged file %s for long; delete %s if none does", s.path, path)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
