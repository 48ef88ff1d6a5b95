package audit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// wait is how long an answer waits for its entry. A write to DynamoDB in the same region takes
	// 5 to 10 ms.
	wait = 30 * time.Millisecond
	// longWait is the same for an entry whose write also stores the result of the call.
	longWait = time.Second
	// writeTime is the timeout of one attempt to write; tries is the number of attempts.
	writeTime = 3 * time.Second
	tries     = 2
	// mostInFlight bounds the writes in progress. Each holds one entry of a few KB.
	mostInFlight = 64
)

// PageSize is how many entries a page holds.
const PageSize = 50

// ErrCursor means that the audit trail did not issue a cursor.
var ErrCursor = errors.New("not a cursor of the audit trail")

// Trail writes entries and reads them. It is safe for concurrent use.
type Trail struct {
	store  Store
	direct bool // the store never waits
	log    *slog.Logger

	mu       sync.Mutex
	inFlight int
	idle     chan struct{} // closed when no write is in progress any more; nil while there is none
	dropped  int
}

// NewTrail returns a trail in a store. The log receives failures, but no content of entries.
func NewTrail(store Store, log *slog.Logger) *Trail { return &Trail{store: store, log: log} }

// NewDirectTrail returns a trail in a store whose writes never wait, such as the process's memory.
// The trail writes each entry before Record returns, and needs no goroutine for it.
func NewDirectTrail(store Store, log *slog.Logger) *Trail {
	return &Trail{store: store, direct: true, log: log}
}

// Record starts to write an entry, assigns its ID, and returns when the entry is written or after
// 30 ms, whichever comes first. The write has a timeout of its own: it continues when the call's
// deadline passes or the client disconnects. While too many writes are in progress, Record drops
// new entries and logs their number.
//
// Lambda freezes a process once it has answered. A write that is still in progress then continues
// with the next request, possibly after its deadline, so Record makes a second attempt; this
// changes nothing if the first attempt succeeded. A write in progress is lost when the process
// ends, which is why Record waits at all.
func (t *Trail) Record(subject string, e Entry) { t.record(subject, e, wait, t.store.AddEntry) }

// RecordWith does the same with a write that stores more than the entry: add has the arguments and
// the errors of Store.AddEntry, and may be called twice. RecordWith waits for up to a second. It
// returns false if it has dropped the entry and never calls add.
func (t *Trail) RecordWith(subject string, e Entry, add func(ctx context.Context, subject string, e Entry) error) bool {
	return t.record(subject, e, longWait, add)
}

func (t *Trail) record(subject string, e Entry, wait time.Duration, add func(context.Context, string, Entry) error) bool {
	e.ID = NewID(e.Time)
	if t.direct {
		t.write(subject, e, add)
		return true
	}
	if !t.begin() {
		return false
	}
	written := make(chan struct{})
	go func() {
		defer t.end()
		defer close(written)
		t.write(subject, e, add)
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-written:
	case <-timer.C:
	}
	return true
}

func (t *Trail) write(subject string, e Entry, add func(context.Context, string, Entry) error) {
	var err error
	for range tries {
		if err = t.try(subject, e, add); err == nil {
			return
		}
		if errors.Is(err, ErrTaken) {
			e.ID = NewID(e.Time)
		}
	}
	t.log.Error("write an audit entry", "tool", e.Tool, "err", err, "request_id", e.RequestID)
}

func (t *Trail) try(subject string, e Entry, add func(context.Context, string, Entry) error) error {
	if t.direct {
		return add(context.Background(), subject, e)
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	return add(ctx, subject, e)
}

// begin reserves a slot for a write and reports whether one was free.
func (t *Trail) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inFlight == mostInFlight {
		t.dropped++
		t.log.Warn("audit entry dropped: too many are being written", "dropped", t.dropped)
		return false
	}
	if t.inFlight == 0 {
		t.idle = make(chan struct{})
	}
	t.inFlight++
	return true
}

func (t *Trail) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
	if t.inFlight == 0 {
		close(t.idle)
		t.idle = nil
	}
}

// Flush waits until all writes are done. Call it before the process ends.
func (t *Trail) Flush(ctx context.Context) error {
	t.mu.Lock()
	idle := t.idle
	t.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Recent returns a person's latest n entries, newest first.
func (t *Trail) Recent(ctx context.Context, subject string, n int) ([]Entry, error) {
	return t.store.Entries(ctx, subject, "", n)
}

// Page returns up to PageSize of a person's entries, newest first, from the position of a cursor;
// an empty cursor starts at the newest. Next is the cursor of the following page, or empty. A
// cursor that the trail did not issue returns ErrCursor.
func (t *Trail) Page(ctx context.Context, subject, cursor string) (page []Entry, next string, err error) {
	if cursor != "" && !isID(cursor) {
		return nil, "", ErrCursor
	}
	page, err = t.store.Entries(ctx, subject, cursor, PageSize+1)
	if err != nil {
		return nil, "", err
	}
	if len(page) > PageSize {
		page = page[:PageSize]
		next = page[PageSize-1].ID
	}
	return page, next, nil
}

// isID reports whether text has the form of an ID.
func isID(text string) bool {
	if len(text) != len(idLayout)+1+randomPart {
		return false
	}
	_, err := time.Parse(idLayout, text[:len(idLayout)])
	return err == nil && text[len(idLayout)] == '-'
}
