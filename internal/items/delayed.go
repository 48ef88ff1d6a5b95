package items

import (
	"context"
	"errors"
	"sync"
	"time"

	"basecamp-mcp/internal/audit"
)

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
