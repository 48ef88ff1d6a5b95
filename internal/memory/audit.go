package memory

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/audit"
)

// mostEntries is the maximum number of entries of one user.
const mostEntries = 1_000

// Audit is an audit.Store that keeps the latest thousand entries of each of ten thousand users. It
// is safe for concurrent use.
type Audit struct {
	now func() time.Time

	mu     sync.Mutex
	trails *shelf[string, *trail]
}

// trail has one user's entries, oldest first.
type trail struct{ entries []audit.Entry }

var _ audit.Store = (*Audit)(nil)

// NewAudit returns an empty store. now returns the time; nil means the real time.
func NewAudit(now func() time.Time) *Audit {
	if now == nil {
		now = time.Now
	}
	return &Audit{now: now, trails: newShelf[string](mostOfAKind, (*trail).end)}
}

// AddEntry adds e. Adding the same entry again changes nothing. It returns ErrTaken if another
// entry has its ID.
func (s *Audit) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.trails.get(subject, s.now())
	if !ok {
		t = &trail{}
	}
	if err := t.add(e); err != nil {
		return err
	}
	s.trails.put(subject, t, s.now())
	return nil
}

// Entries returns the entries whose ID is less than before, newest first.
func (s *Audit) Entries(ctx context.Context, subject, before string, limit int) ([]audit.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.trails.get(subject, s.now())
	if !ok {
		return nil, nil
	}
	oldest := audit.OldestID(s.now().Add(-audit.Retention))
	var found []audit.Entry
	for _, e := range slices.Backward(t.entries) {
		if len(found) == limit || e.ID <= oldest {
			break
		}
		if before == "" || e.ID < before {
			found = append(found, copyOfEntry(e))
		}
	}
	return found, nil
}

// add inserts e in the order of the IDs, which is nearly always at the end.
func (t *trail) add(e audit.Entry) error {
	i, there := slices.BinarySearchFunc(t.entries, e.ID, func(e audit.Entry, id string) int { return strings.Compare(e.ID, id) })
	if there && !reflect.DeepEqual(t.entries[i], e) {
		return audit.ErrTaken
	}
	if there {
		return nil
	}
	t.entries = slices.Insert(t.entries, i, copyOfEntry(e))
	if len(t.entries) > mostEntries {
		t.entries = slices.Delete(t.entries, 0, len(t.entries)-mostEntries)
	}
	return nil
}

// end returns the expiry of the last entry.
func (t *trail) end() time.Time {
	return t.entries[len(t.entries)-1].Time.Add(audit.Retention)
}

func copyOfEntry(e audit.Entry) audit.Entry {
	e.Arguments = slices.Clone(e.Arguments)
	return e
}
