// Package sqlite implements every Store in one SQLite file, for a server on one machine that keeps
// its users signed in when it restarts. Several processes can share the file.
//
// All stores are one table of items (internal/items). A write is a transaction that locks the file
// first (BEGIN IMMEDIATE). It is on the disk before the method returns, except for audit entries of
// calls that changed nothing.
package sqlite

import (
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

	"basecamp-mcp/internal/items"
)

const (
	// lockTime is how long a write waits for the writes of other processes.
	lockTime = 5 * time.Second
	// readers is the number of connections that read at the same time. Each holds a page cache.
	readers = 4
	// firstSweep is when expired items are first removed: after a fast start, and also by a process
	// that lives for a minute only. sweepTime is how often they are removed later, and sweepPuts after
	// how many new items.
	firstSweep = 10 * time.Second
	sweepTime  = 10 * time.Minute
	sweepPuts  = 1_000
)

// Options are the options of a Store.
type Options struct {
	// Program is the name of this process in the message of another that waits for its write. It is
	// not empty.
	Program string
	// Keys has the keys with which tokens are sealed.
	Keys items.Keys
	Log  *slog.Logger
	Now  func() time.Time // nil: time.Now

	at func(step string) // called between the steps of a write; only tests set it
}

// Store is every Store (items.Store), in a file. It is safe for concurrent use. An error that the
// interfaces do not name says in one line what failed and what to do.
type Store struct {
	*items.Store
	path   string
	log    *slog.Logger
	now    func() time.Time
	writer *sql.DB // one connection: the writes of this process wait in a queue
	reader *sql.DB
	holder *holder
	gate   *gate
	file   os.FileInfo // of the file that was opened
	wait   time.Duration
	at     func(step string)

	puts     atomic.Int64  // since the last sweep
	sweepNow chan struct{} // of capacity 1
	stop     context.CancelFunc
	sweeping sync.WaitGroup
}

// Open opens the stores in a file. It creates the file, with mode 0600, and its directory, with
// mode 0700, if they are missing. A damaged file is renamed and logged, and a new one takes its
// place. Other errors say in one line why the file cannot be used: it is in use, or from a newer
// release, or the disk is full or read-only.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &Store{
		path: path, log: o.Log, now: o.Now, wait: lockTime, at: o.at, sweepNow: make(chan struct{}, 1),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.at == nil {
		s.at = func(string) {}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.open(ctx, o.Program); err != nil {
		return nil, err
	}
	s.Store = items.New(engine{s}, items.Options{Keys: o.Keys, Log: s.log.With("file", path), Now: s.now, Delay: true, Local: true})
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.sweeping.Go(func() { s.sweepRegularly(background) })
	return s, nil
}

// Close closes the file, after the writes in progress.
func (s *Store) Close() error {
	s.stop()
	s.sweeping.Wait()
	return errors.Join(s.Flush(), s.close())
}
