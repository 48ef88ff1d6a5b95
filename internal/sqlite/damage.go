package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// isEmptied reports whether the file has lost its content, as it does in some crashes of a machine.
// SQLite would take it for a new one. A file that was written has a note of its holder.
func (s *Store) isEmptied() bool {
	note, err := os.Stat(s.path + "-holder") // first: another process may be filling a new file
	if err != nil || note.Size() == 0 {
		return false
	}
	file, err := os.Stat(s.path)
	return err == nil && file.Size() == 0
}

// replace renames a damaged file and begins a new one. Of several processes that start at the same
// time, one does so, and the others use its new file.
func (s *Store) replace(ctx context.Context, program string) error {
	s.gate.leave(ctx)
	if err := s.gate.lock(ctx, s.wait, enterAlone); err != nil {
		return fmt.Errorf("%s is damaged and cannot be replaced: %w; end all servers, then start one again", s.path, err)
	}
	err := s.connect(ctx, program)
	if isDamaged(err) {
		if err = s.setAside(); err == nil {
			err = s.connect(ctx, program)
		}
	}
	s.gate.leave(ctx)
	return errors.Join(err, s.gate.lock(ctx, s.wait, enter))
}

// setAside renames the file with its parts, and logs that.
func (s *Store) setAside() error {
	if err := s.disconnect(); err != nil {
		return s.failed("close the damaged file", err)
	}
	kept := s.path + ".damaged-" + s.now().UTC().Format("20060102T150405Z")
	for _, part := range []string{"-wal", "-shm", ""} { // the file last: until then, the next start finds the damage again
		if err := os.Rename(s.path+part, kept+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is damaged and cannot be renamed: %w", s.path, reason(err))
		}
	}
	s.log.Error(fmt.Sprintf("%s was damaged: logins, links, checklists and tasks in it are lost, and users must sign in again; a copy is kept as %s",
		s.path, filepath.Base(kept)))
	return s.prepare()
}
