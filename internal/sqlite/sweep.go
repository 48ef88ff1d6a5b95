package sqlite

import (
	"context"
	"time"
)

// limits are how many items of a kind the file keeps; the oldest go first. Any client can register
// and start logins without authentication, so their number is limited. The numbers are exceeded by
// what is written between two sweeps.
var limits = map[string]int{
	kindClient: 10_000, kindLoginState: 10_000, kindCode: 10_000, kindEndedCodes: 10_000, kindFamily: 10_000, kindTodolist: 1_000,
	kindLatest: 10_000, kindCall: 1_000, kindLedger: 10_000,
}

// limitsOfAnOwner are how many items of a kind one user or one family has.
var limitsOfAnOwner = map[string]int{kindAccess: 1_000, kindRefresh: 1_000, kindSession: 1_000, kindEntry: 10_000}

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
		for kind, most := range limits {
			if err := t.exec(`DELETE FROM items WHERE kind = ?1 AND id <= (
				SELECT id FROM items WHERE kind = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`, kind, most); err != nil {
				return err
			}
		}
		for kind, most := range limitsOfAnOwner {
			if err := t.exec(`DELETE FROM items WHERE id IN (SELECT id FROM (
				SELECT id, row_number() OVER (PARTITION BY owner ORDER BY id DESC) AS place FROM items WHERE kind = ?) WHERE place > ?)`, kind, most); err != nil {
				return err
			}
		}
		return nil
	})
}
