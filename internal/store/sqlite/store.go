// Package sqlite is an items.Engine in one SQLite file, for a server on one machine that keeps its
// users signed in when it restarts. Several processes can share the file.
//
// All items are rows of one table. A write is a transaction that locks the file first (BEGIN
// IMMEDIATE). It is on the disk before the method returns, except for lines of calls that wrote
// nothing.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/store/items"
)

const (
	// lockTime is how long a write waits for the writes of other processes.
	lockTime = 5 * time.Second
	// readers is the number of connections that read at the same time. Each holds a page cache.
	readers = 4
	// firstSweep is when expired items are first removed: after a fast start, and also by a process
	// that lives for a minute only. sweepTime is how often they are removed later, and sweepPuts
	// after how many new items.
	firstSweep = 10 * time.Second
	sweepTime  = 10 * time.Minute
	sweepPuts  = 5_000
)

// Options are the options of a Store, which is always Local.
type Options = items.Options

// Store is every Store (items.Store), in a file. It is safe for concurrent use. An error that the
// interfaces do not name says in one line what failed and what to do.
type Store struct {
	*items.Store
	path string
	log  *slog.Logger
	now  func() time.Time
	file os.FileInfo // of the file that was opened
	wait time.Duration

	turn          chan struct{} // of capacity 1; who has put something into it may use the writer
	db            *sql.DB
	writer        *sql.Conn
	synchronous   string // of the writer; empty before its first write
	writes, reads statements

	puts     atomic.Int64 // since the last sweep
	timer    *time.Timer  // of the next sweep
	stop     context.CancelFunc
	sweeping sync.WaitGroup
}

// Open opens the stores in a file. It creates the file, with mode 0600, and its directory, with
// mode 0700, if they are missing. Its errors say in one line why the file cannot be used: it is
// damaged, in use, or of another release, or the disk is full or read-only.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	var db *sql.DB
	path, err := filepath.Abs(path)
	if err == nil {
		db, err = sql.Open("sqlite", address(path))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &Store{
		path: path, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), now: o.Now, wait: lockTime,
		turn: make(chan struct{}, 1), db: db, timer: time.NewTimer(firstSweep),
		reads: statements{prepare: db.PrepareContext, known: map[string]*sql.Stmt{}}, writes: statements{known: map[string]*sql.Stmt{}},
	}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	o.Log, o.Local = s.log.With("file", path), true
	s.Store = items.New(engine{s}, o)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.sweeping.Go(func() { s.sweepRegularly(background) })
	return s, nil
}

// Close closes the file, after the writes in progress.
func (s *Store) Close() error {
	s.stop()
	s.sweeping.Wait()
	return s.close()
}

// close closes the connections.
func (s *Store) close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	var errs []error
	for _, prepared := range s.writes.known { // otherwise the log stays
		errs = append(errs, prepared.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	return errors.Join(append(errs, s.db.Close())...)
}

// statements keeps a prepared statement for each text that it was given, because SQLite takes
// longer to parse one than to carry it out. A statement that has begun does not end with its
// context: the driver would start a goroutine for each that watches it, and report that it was
// canceled also after it was carried out.
type statements struct {
	prepare func(ctx context.Context, query string) (*sql.Stmt, error)
	mu      sync.Mutex
	known   map[string]*sql.Stmt
}

// of returns the statement with a text, unless ctx has ended.
func (p *statements) of(ctx context.Context, query string) (s *sql.Stmt, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, err = p.known[query], ctx.Err(); s != nil || err != nil {
		return s, err
	}
	if s, err = p.prepare(context.Background(), query); err == nil {
		p.known[query] = s
	}
	return s, err
}

// exec carries out a statement.
func (p *statements) exec(ctx context.Context, query string, args ...any) error {
	s, err := p.of(ctx, query)
	if err == nil {
		_, err = s.ExecContext(context.WithoutCancel(ctx), args...)
	}
	return err
}

// query returns the items that a statement finds.
func (p *statements) query(ctx context.Context, query string, args ...any) (found []items.Item, err error) {
	s, err := p.of(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var i items.Item
		var expires sql.NullInt64
		if err := rows.Scan(&i.Kind, &i.Owner, &i.Name, &i.Body, &expires); err != nil {
			return nil, err
		}
		if expires.Valid {
			i.Expires = time.Unix(0, expires.Int64)
		}
		found = append(found, i)
	}
	return found, rows.Err()
}
