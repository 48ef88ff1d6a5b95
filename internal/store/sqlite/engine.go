package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/wire/pause"
)

// engine keeps the items of a Store in its file.
type engine struct{ *Store }

var _ items.Engine = engine{}

// Find returns items.
func (e engine) Find(ctx context.Context, keys ...items.Key) ([]items.Item, error) {
	found, err := find(ctx, &e.reads, e.now(), keys...)
	return found, e.explained(err)
}

// FindTogether returns items as they are at one moment.
func (e engine) FindTogether(ctx context.Context, keys ...items.Key) ([]items.Item, error) {
	return e.Find(ctx, keys...)
}

const (
	columns = "SELECT kind, owner, name, body, expires FROM items WHERE "
	live    = " AND (expires IS NULL OR expires > ?)"
)

// find returns items.
func find(ctx context.Context, in *statements, now time.Time, keys ...items.Key) ([]items.Item, error) {
	one := columns + "kind = ? AND owner = ? AND name = ?" + live
	args := make([]any, 0, 4*len(keys))
	for _, k := range keys {
		args = append(args, k.Kind, k.Owner, k.Name, now.UnixNano())
	}
	return in.query(ctx, strings.Join(slices.Repeat([]string{one}, len(keys)), " UNION ALL "), args...)
}

// afterAll is greater than all names.
const afterAll = "\xff"

// List returns the items of a range.
func (e engine) List(ctx context.Context, r items.Range) ([]items.Item, error) {
	order := "ASC"
	if r.Descending {
		order = "DESC"
	}
	found, err := e.reads.query(ctx, columns+"kind = ? AND owner = ? AND name >= ? AND name < ?"+live+" ORDER BY name "+order+" LIMIT ?",
		r.Kind, r.Owner, r.From, cmp.Or(r.Below, afterAll), e.now().UnixNano(), cmp.Or(r.Limit, -1))
	return found, e.explained(err)
}

// Write carries out a write.
func (e engine) Write(ctx context.Context, do func(items.Tx) error) error {
	return e.transact(ctx, "FULL", do)
}

// WriteAhead carries out a write whose commit does not wait for the disk. SQLite writes its log in
// order, so the next commit that waits does so for both.
func (e engine) WriteAhead(ctx context.Context, do func(items.Tx) error) error {
	return e.transact(ctx, "NORMAL", do)
}

// tx is a write that is in progress.
type tx struct {
	ctx context.Context //nolint:containedctx // it is the context of one call, which ends with the transaction
	now time.Time
	s   *Store
}

// Find returns an item.
func (t *tx) Find(k items.Key) ([]items.Item, error) {
	found, err := find(t.ctx, &t.s.writes, t.now, k)
	return found, t.s.explained(err)
}

// New does nothing: a read costs little.
func (*tx) New(items.Key) {}

// Count counts items.
func (t *tx) Count(kind, owner string) (n int, err error) {
	s, err := t.s.writes.of(t.ctx, "SELECT count(*) FROM items WHERE kind = ? AND owner = ?"+live)
	if err == nil {
		err = s.QueryRowContext(t.ctx, kind, owner, t.now.UnixNano()).Scan(&n)
	}
	return n, t.s.explained(err)
}

// Put adds or replaces an item. A replaced item counts as the newest of its kind.
func (t *tx) Put(i items.Item) error {
	var expires any
	if !i.Expires.IsZero() {
		expires = i.Expires.UnixNano()
	}
	t.s.puts.Add(1)
	return t.exec("INSERT OR REPLACE INTO items (kind, owner, name, body, expires) VALUES (?, ?, ?, ?, ?)",
		i.Kind, i.Owner, i.Name, string(i.Body), expires)
}

// Remove deletes an item, if it exists.
func (t *tx) Remove(k items.Key) error {
	return t.exec("DELETE FROM items WHERE kind = ? AND owner = ? AND name = ?", k.Kind, k.Owner, k.Name)
}

func (t *tx) exec(query string, args ...any) error {
	return t.s.explained(t.s.writes.exec(t.ctx, query, args...))
}

// transact calls do in a transaction that locks the file, and commits it with a value of PRAGMA
// synchronous. If do returns an error, nothing is changed, and transact returns that error. Once do
// has returned, the commit does not end with ctx: its result is always known.
func (s *Store) transact(ctx context.Context, synchronous string, do func(items.Tx) error) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	last := context.WithoutCancel(ctx)
	if synchronous != s.synchronous {
		if _, err := s.writer.ExecContext(last, "PRAGMA synchronous = "+synchronous); err != nil {
			return s.explained(err)
		}
		s.synchronous = synchronous
	}
	if err := s.begin(ctx); err != nil {
		return s.explained(err)
	}
	err := do(&tx{ctx, s.now(), s})
	if err == nil {
		err = s.explained(s.writes.exec(last, "COMMIT"))
	}
	if err != nil {
		_, _ = s.writer.ExecContext(last, "ROLLBACK") // SQLite has rolled back some failed transactions already
	} else if s.puts.Load() >= sweepPuts {
		s.timer.Reset(0)
	}
	return err
}

// begin locks the file for writing. It polls, because SQLite's own wait sleeps so long between its
// tries that a busy process could keep another from writing.
func (s *Store) begin(ctx context.Context) error {
	if found, err := os.Stat(s.path); err != nil || !os.SameFile(found, s.file) {
		return errMoved // SQLite would go on writing to a file that no later process finds
	}
	err := untilFree(ctx, s.wait, func() error { return s.writes.exec(ctx, "BEGIN IMMEDIATE") })
	if isBusy(err) {
		return fmt.Errorf("%w for %s", errLocked, s.wait)
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
		if err := pause.For(ctx, pollTime/10+rand.N(pollTime)); err != nil {
			return err
		}
	}
}

// pollTime is the longest pause between two tries to lock the file.
const pollTime = 10 * time.Millisecond

var (
	errLocked = errors.New("another server, or a program such as a database viewer or a backup, has locked the file")
	errMoved  = errors.New("the file was moved or deleted while this server ran; restart the server")
)
