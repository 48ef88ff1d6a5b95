package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"basecamp-mcp/internal/pause"
)

// tx is a write that is in progress. Its methods are in engine.go.
type tx struct {
	ctx  context.Context //nolint:containedctx // it is the context of one call, which ends with the transaction
	conn *sql.Conn
	now  time.Time
	s    *Store
}

// transact calls do in a transaction that locks the file, and commits it with a value of PRAGMA
// synchronous. If do returns an error, nothing is changed, and transact returns that error. Once do
// has returned, the commit does not end with ctx: its result is always known.
func (s *Store) transact(ctx context.Context, synchronous string, do func(t *tx) error) error {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous = "+synchronous); err != nil {
		return err
	}
	if err := s.begin(ctx, conn); err != nil {
		return err
	}
	s.holder.take()
	defer s.holder.leave()
	s.at("begun")
	err = do(&tx{ctx, conn, s.now(), s})
	last := context.WithoutCancel(ctx)
	if err == nil {
		s.at("written")
		_, err = conn.ExecContext(last, "COMMIT")
		s.at("committed")
	}
	if err != nil {
		_, _ = conn.ExecContext(last, "ROLLBACK") // SQLite has rolled back some failed transactions already
	}
	return err
}

// begin locks the file for writing. It polls, because SQLite's own wait sleeps so long between its
// tries that a busy process could keep another from writing. A single try does not end with ctx:
// the driver would report that it was canceled also after the transaction has begun.
func (s *Store) begin(ctx context.Context, conn *sql.Conn) error {
	if s.moved() {
		return errMoved
	}
	err := untilFree(ctx, s.wait, func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), "BEGIN IMMEDIATE")
		return err
	})
	switch {
	case isBusy(err):
		return fmt.Errorf("%w for %s; %s", errLocked, s.wait, s.holder.describe())
	case err != nil && errors.Is(err, ctx.Err()):
		return fmt.Errorf("%w; %s", err, s.holder.describe())
	}
	return err
}

// untilFree repeats what failed because the file is busy, until wait is over or ctx ends.
func untilFree(ctx context.Context, wait time.Duration, try func() error) error {
	for since := time.Now(); ; {
		err := try()
		if !isBusy(err) || time.Since(since) > wait {
			return err
		}
		if err := backOff(ctx); err != nil {
			return err
		}
	}
}

// backOff waits before the next try.
func backOff(ctx context.Context) error { return pause.For(ctx, pollTime/10+rand.N(pollTime)) }

// pollTime is the longest pause between two tries to lock the file.
const pollTime = 10 * time.Millisecond

var (
	errLocked = errors.New("the file was locked")
	errMoved  = errors.New("the file was moved or deleted while this server ran; restart the server")
)

// moved reports whether the path no longer leads to the file that was opened. SQLite would go on
// writing to a file that no later process finds.
func (s *Store) moved() bool {
	found, err := os.Stat(s.path)
	return err != nil || !os.SameFile(found, s.file)
}
