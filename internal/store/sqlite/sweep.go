package sqlite

import (
	"context"

	"basecamp-mcp/internal/store/items"
)

// sweepRegularly sweeps until ctx ends.
func (s *Store) sweepRegularly(ctx context.Context) {
	defer s.timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.timer.C:
		}
		s.timer.Reset(sweepTime)
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "remove expired items", "err", err)
		}
		s.Shred(ctx)
	}
}

// sweep removes expired items, and those above the limits.
func (s *Store) sweep(ctx context.Context) error {
	s.puts.Store(0)
	return s.transact(ctx, "FULL", func(in items.Tx) error {
		t := in.(*tx)
		err := t.exec("DELETE FROM items WHERE expires <= ?", t.now.UnixNano())
		for _, l := range items.Limits {
			if err == nil {
				err = t.exec(`DELETE FROM items WHERE id IN (SELECT id FROM (
				SELECT id, row_number() OVER (PARTITION BY `+groupOf[l.By]+` ORDER BY id DESC) AS place FROM items WHERE kind = ?) WHERE place > ?)`, l.Kind, l.Most)
			}
		}
		return err
	})
}

// groupOf has the expression of SQL for a group.
var groupOf = map[items.Group]string{
	items.Together: "''", items.Owner: "owner", items.State: "json_extract(body, '$.Kind')",
	items.Connected: "name IN (SELECT name FROM items WHERE kind = '" + items.ConnectedKind + "')",
}

// Shred removes deleted text from the files. SQLite has overwritten it in the database already
// (secure_delete), but the log still has the pages as they were before. A failure is logged, and
// the next sweep tries again.
func (s *Store) Shred(ctx context.Context) {
	err := untilFree(ctx, s.wait, func() error {
		s.turn <- struct{}{}
		defer func() { <-s.turn }()
		busy, left, moved := false, 0, 0
		err := s.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &left, &moved)
		if busy { // a connection reads
			err = errBusy
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "the file may have deleted tokens until the next sweep", "file", s.path, "err", err)
	}
}
