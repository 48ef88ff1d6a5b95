package sqlite

import (
	"context"
	"time"
)

// shred removes deleted text from the files. SQLite has overwritten it in the database already
// (secure_delete), but the log still has the pages as they were before. A failure is logged, and
// the next sweep tries again.
func (s *Store) shred(ctx context.Context) {
	if err := s.emptyLog(ctx); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "the file may have deleted tokens until the next sweep", "file", s.path, "err", err)
	}
}

// emptyLog moves what is valid into the database, and truncates the log. It waits for other
// connections that read.
func (s *Store) emptyLog(ctx context.Context) error {
	for since := time.Now(); ; {
		busy, left, moved := 0, 0, 0
		err := s.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &left, &moved)
		if err == nil && busy == 0 || err != nil && !isBusy(err) {
			return err
		}
		if time.Since(since) > s.wait {
			return errLocked
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}
