package audit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// wait is how long an answer is held back for its entry. A write to DynamoDB from the same region takes 5 to 10 ms.
	wait = 30 * time.Millisecond
	// writeTime is what one try of a write may take, and tries is how many there are.
	writeTime = 3 * time.Second
	tries     = 2
	// mostInFlight bounds the writes under way; each holds one entry of a few KB.
	mostInFlight = 64
)

// PageSize is how many entries a page holds.
const PageSize = 50

// ErrCursor means that a cursor is none of ours.
var ErrCursor = errors.New("not a cursor of the audit trail")

// Trail writes entries and reads them. It is safe for concurrent use.
type Trail struct {
	store Store
	log   *slog.Logger

	mu       sync.Mutex
	inFlight int
	idle     chan struct{} // closed when nothing is in flight any more; nil when nothing is
	dropped  int
}

// NewTrail gives a trail in a store. The log takes what goes wrong, and nothing of what the entries say.
func NewTrail(store Store, log *slog.Logger) *Trail { return &Trail{store: store, log: log} }

// Record begins to write an entry, gives it an ID, and returns when it is written or after 30 ms, whatever comes first. The
// write has a time of its own: that the call's is up, or its client gone, does not stop it. While too many writes hang, new
// entries are dropped, and the log says how many.
//
// A Lambda is frozen once it has answered. A write that is then still under way goes on with the next request; its time may
// have run out in between, and so it is tried twice, which changes nothing if the first try had landed. What is under way
// when the process ends for good is lost: hence the wait.
func (t *Trail) Record(subject string, e Entry) {
	e.ID = NewID(e.Time)
	if !t.begin() {
		return
	}
	written := make(chan struct{})
	go func() {
		defer t.end()
		defer close(written)
		t.write(subject, e)
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-written:
	case <-timer.C:
	}
}

func (t *Trail) write(subject string, e Entry) {
	var err error
	for range tries {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		err = t.store.AddEntry(ctx, subject, e)
		cancel()
		if err == nil {
			return
		}
		if errors.Is(err, ErrTaken) {
			e.ID = NewID(e.Time)
		}
	}
	t.log.Error("write an audit entry", "tool", e.Tool, "err", err, "request_id", e.RequestID)
}

// begin takes a place in flight; false when there is none.
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

// Flush waits until nothing is being written, for a process that is about to end.
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

// Recent gives a person's latest n entries, the newest first.
func (t *Trail) Recent(ctx context.Context, subject string, n int) ([]Entry, error) {
	return t.store.Entries(ctx, subject, "", n)
}

// Page gives PageSize of a person's entries, the newest first, from where a cursor points, or from the newest for "". Next is
// the cursor of the page behind it, "" when there is none. ErrCursor.
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

// isID reports whether text has the form of an id.
func isID(text string) bool {
	if len(text) != len(idLayout)+1+randomPart {
		return false
	}
	_, err := time.Parse(idLayout, text[:len(idLayout)])
	return err == nil && text[len(idLayout)] == '-'
}
