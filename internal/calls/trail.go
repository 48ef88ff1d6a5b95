package calls

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// wait is how long an answer waits for its line. A write to DynamoDB in the same region takes 5 to
	// 10 ms.
	wait = 30 * time.Millisecond
	// writeTime is the timeout of one attempt to write; tries is the number of attempts.
	writeTime = 3 * time.Second
	tries     = 2
	// mostInFlight bounds the lines that are being written. Each holds a few KB.
	mostInFlight = 64
)

// PageSize is how many lines a page holds.
const PageSize = 50

// ErrCursor means that the log did not issue a cursor.
var ErrCursor = errors.New("not a cursor of the record of calls")

// Log writes what happened to calls, and reads it. It is safe for concurrent use. Of its methods,
// those that have no subject are about the caller in the context.
type Log struct {
	// Direct says that the store never waits, such as the process's memory. Then no line needs a
	// goroutine.
	Direct bool

	store Store
	log   *slog.Logger
	now   func() time.Time

	inFlight *semaphore.Weighted // of the lines that are being written

	mu   sync.Mutex
	last time.Time // of the latest ID
}

// New returns a log in a store. Its clock is now; nil means the real time. The other log receives
// failures, but no content of lines.
func New(store Store, log *slog.Logger, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{store: store, log: log, now: now, inFlight: semaphore.NewWeighted(mostInFlight)}
}

// newID returns a new ID. It is greater than the one before, so that calls of one moment are listed
// in their order.
func (l *Log) newID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().UTC().Truncate(time.Millisecond)
	if !now.After(l.last) {
		now = l.last.Add(time.Millisecond)
	}
	l.last = now
	return NewID(now)
}

// Line starts to write the line of a call without a record, and returns when it is written or after
// 30 ms, whichever comes first. The write has a timeout of its own: it continues when the call's
// deadline passes or the client disconnects. While too many lines are being written, Line drops new
// ones and logs that.
//
// Lambda freezes a process once it has answered. A write that is still in progress then continues
// with the next request, possibly after its deadline, so Line makes a second attempt; this changes
// nothing if the first attempt succeeded. A write in progress is lost when the process ends, which
// is why Line waits at all.
func (l *Log) Line(subject string, e Entry) {
	if l.Direct {
		l.write(subject, e)
		return
	}
	if !l.inFlight.TryAcquire(1) {
		l.log.Warn("the line of a call is dropped: too many are being written")
		return
	}
	written := make(chan struct{})
	go func(e Entry) { // a copy, so that a direct write leaves e on the stack
		defer l.inFlight.Release(1)
		defer close(written)
		l.write(subject, e)
	}(e)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-written:
	case <-timer.C:
	}
}

func (l *Log) write(subject string, e Entry) {
	e.ID = l.newID()
	var err error
	for range tries {
		ctx, cancel := context.Background(), func() {}
		if !l.Direct {
			ctx, cancel = context.WithTimeout(ctx, writeTime)
		}
		err = l.store.AddLine(ctx, subject, e)
		cancel()
		if err == nil {
			return
		}
		if errors.Is(err, ErrTaken) {
			e.ID = l.newID()
		}
	}
	l.log.Error("write the line of a call", "tool", e.Tool, "err", err, "request_id", e.RequestID)
}

// Flush waits until all lines are written. Call it before the process ends.
func (l *Log) Flush(ctx context.Context) error {
	if err := l.inFlight.Acquire(ctx, mostInFlight); err != nil {
		return err
	}
	l.inFlight.Release(mostInFlight)
	return nil
}

// Recent returns the lines of a person's latest n calls, newest first.
func (l *Log) Recent(ctx context.Context, subject string, n int) ([]Entry, error) {
	return l.store.Entries(ctx, subject, "", n)
}

// Page returns up to PageSize of a person's lines, newest first, from the position of a cursor; an
// empty cursor starts at the newest. Next is the cursor of the following page, or empty. A cursor
// that the log did not issue returns ErrCursor.
func (l *Log) Page(ctx context.Context, subject, cursor string) (page []Entry, next string, err error) {
	if cursor != "" && !isID(cursor) {
		return nil, "", ErrCursor
	}
	page, err = l.store.Entries(ctx, subject, cursor, PageSize+1)
	if err != nil {
		return nil, "", err
	}
	if len(page) > PageSize {
		page = page[:PageSize]
		next = page[PageSize-1].ID
	}
	return page, next, nil
}
