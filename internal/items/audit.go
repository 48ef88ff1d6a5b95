package items

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

var _ audit.Store = (*Store)(nil)

const kindEntry = "audit"

// AddEntry adds e. Adding the same entry again changes nothing. It returns ErrTaken if another
// entry has its ID. The entry of a call that changed nothing may be written a moment later.
func (s *Store) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	if e.Reads && s.delays {
		return s.delay(subject, e)
	}
	return s.write(ctx, "add an audit entry", func(t tx) error { return t.addEntry(subject, &e) })
}

func (t tx) addEntry(subject string, e *audit.Entry) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	k := Key{kindEntry, subject, e.ID}
	t.New(k)
	found, err := t.Find(k)
	switch {
	case err != nil:
		return err
	case len(found) > 0 && !bytes.Equal(found[0].Body, body):
		return audit.ErrTaken
	case len(found) > 0:
		return nil
	}
	return t.Put(Item{k, body, e.Time.Add(audit.Retention)})
}

// Entries returns the entries whose ID is less than before, newest first.
func (s *Store) Entries(ctx context.Context, subject, before string, limit int) (entries []audit.Entry, err error) {
	const doing = "read audit entries"
	if err := s.Flush(); err != nil || limit == 0 {
		return nil, err
	}
	found, err := s.engine.List(ctx, Range{
		Kind: kindEntry, Owner: subject, From: audit.OldestID(s.now().Add(-audit.Retention)), Below: before, Descending: true, Limit: limit,
	})
	for i := 0; err == nil && i < len(found); i++ {
		var e audit.Entry
		if err = decode(found[i], &e); err == nil {
			e.ID = found[i].Name
		}
		entries = append(entries, e)
	}
	if err != nil {
		return nil, s.failed(doing, err)
	}
	return entries, nil
}

// EndCall does SettleCall or ReleaseCall, and AddEntry, in one transaction. It returns ErrLost if
// it has added only the entry, because another call holds the record; and ErrTaken, with nothing
// done, if another entry has the ID. Repeating it changes nothing.
func (s *Store) EndCall(ctx context.Context, end idempotency.End, subject string, e audit.Entry) error {
	var lost error
	err := s.write(ctx, "settle an idempotency key and add an audit entry", func(t tx) error {
		settle := t.settle
		if end.Free {
			settle = t.release
		}
		if lost = settle(end.Record); lost != nil && !errors.Is(lost, idempotency.ErrLost) {
			return lost
		}
		return t.addEntry(subject, &e)
	})
	if err != nil {
		return err
	}
	return lost
}

const (
	// delayTime is how long the audit entry of a read waits for others, so that one commit serves all
	// of them.
	delayTime = 10 * time.Millisecond
	// mostDelayed is how many entries may wait. Above it, the next one waits for the commit.
	mostDelayed = 1_000
)

// delayed are the audit entries of reads that are not in the file yet.
type delayed struct {
	committing sync.Mutex // held during the commit, so that a reader of entries waits for it
	mu         sync.Mutex
	entries    []delayedEntry
}

type delayedEntry struct {
	subject string
	audit.Entry
}

// delay writes an entry within delayTime.
func (s *Store) delay(subject string, e audit.Entry) error {
	s.delayed.mu.Lock()
	s.delayed.entries = append(s.delayed.entries, delayedEntry{subject, e})
	waiting := len(s.delayed.entries)
	s.delayed.mu.Unlock()
	switch {
	case waiting > mostDelayed:
		return s.Flush()
	case waiting == 1:
		time.AfterFunc(delayTime, func() {
			if err := s.Flush(); err != nil {
				s.log.Error("write the audit entries of reads", "err", err)
			}
		})
	}
	return nil
}

// Flush writes the audit entries that wait, in one transaction. After an error they are lost.
func (s *Store) Flush() error {
	s.delayed.committing.Lock()
	defer s.delayed.committing.Unlock()
	s.delayed.mu.Lock()
	entries := s.delayed.entries
	s.delayed.entries = nil
	s.delayed.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	return s.write(context.Background(), "add audit entries", func(t tx) error {
		for _, e := range entries {
			if err := t.addEntry(e.subject, &e.Entry); err != nil && !errors.Is(err, audit.ErrTaken) {
				return err
			}
		}
		return nil
	})
}
