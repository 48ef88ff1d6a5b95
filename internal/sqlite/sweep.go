package sqlite

import (
	"context"
	"time"
)

// limits are how many items of a kind the file keeps; the oldest go first. Any client can register
// and start logins without authentication, so their number is limited. The numbers are exceeded by
// what is written between two sweeps. Idempotency keys are never removed early; see addCall.
var limits = []limit{
	{kindClient, 10_000, "name IN (SELECT name FROM items WHERE kind = '" + kindConnected + "')"},
	{kindConnected, 10_000, ofTheFile},
	{kindLoginState, 10_000, "json_extract(body, '$.Kind')"},
	{kindCode, 10_000, ofTheFile},
	{kindEndedCodes, 10_000, ofTheFile},
	{kindFamily, 10_000, ofTheFile},
	{kindChecklist, 1_000, ofTheFile},
	{kindLatest, 10_000, ofTheFile},
	{kindLedger, 10_000, ofTheFile},
	{kindAccess, 1_000, ofAnOwner},
	{kindRefresh, 1_000, ofAnOwner},
	{kindSession, 1_000, ofAnOwner},
	{kindEntry, 10_000, ofAnOwner},
	{kindUndo, 10_000, ofAnOwner},
}

// limit is how many items of a kind the file keeps of each group. group is an expression of SQL.
type limit struct {
	kind  string
	most  int
	group string
}

// The usual groups: all items of a kind, and those of one user or one family.
const (
	ofTheFile = "''"
	ofAnOwner = "owner"
)

// sweepRegularly sweeps until ctx ends.
func (s *Store) sweepRegularly(ctx context.Context) {
	timer := time.NewTimer(firstSweep)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.sweepNow:
		}
		timer.Reset(sweepTime)
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "remove expired items", "err", err)
		}
		s.shred(ctx)
	}
}

// sweepSoon makes sweepRegularly sweep at once, unless it is about to.
func (s *Store) sweepSoon() {
	select {
	case s.sweepNow <- struct{}{}:
	default:
	}
}

// sweep removes expired items, and those above the limits.
func (s *Store) sweep(ctx context.Context) error {
	s.puts.Store(0)
	return s.write(ctx, "remove expired items", func(t *tx) error {
		if err := t.exec("DELETE FROM items WHERE expires <= ?", t.now.UnixNano()); err != nil {
			return err
		}
		for _, l := range limits {
			if err := t.exec(`DELETE FROM items WHERE id IN (SELECT id FROM (
				SELECT id, row_number() OVER (PARTITION BY `+l.group+` ORDER BY id DESC) AS place FROM items WHERE kind = ?) WHERE place > ?)`, l.kind, l.most); err != nil {
				return err
			}
		}
		return nil
	})
}
