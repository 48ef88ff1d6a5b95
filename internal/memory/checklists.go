package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/checklist"
)

// mostChecklists is the maximum number of lists. Each has two revisions of up to 64 KB.
const mostChecklists = 1000

// Checklists is a checklist.Store. It is safe for concurrent use.
type Checklists struct {
	now func() time.Time

	mu     sync.Mutex
	lists  *shelf[listKey, checklist.List]
	latest *shelf[connectionKey, string] // the ID of the list that a connection wrote last
}

type (
	listKey       struct{ subject, id string }
	connectionKey struct{ subject, connection string }
)

var _ checklist.Store = (*Checklists)(nil)

// NewChecklists returns an empty store. now returns the time; nil means the real time.
func NewChecklists(now func() time.Time) *Checklists {
	if now == nil {
		now = time.Now
	}
	never := time.Unix(1<<40, 0) // the list itself expires
	return &Checklists{
		now:    now,
		lists:  newShelf[listKey](mostChecklists, func(l checklist.List) time.Time { return l.ExpiresAt }),
		latest: newShelf[connectionKey](mostChecklists, func(string) time.Time { return never }),
	}
}

// lock locks the store and returns the time. If it fails, nothing is locked.
func (s *Checklists) lock(ctx context.Context) (now time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	s.mu.Lock()
	return s.now(), nil
}

// Checklist returns a user's list, or ErrNotFound.
func (s *Checklists) Checklist(ctx context.Context, subject, id string) (checklist.List, error) {
	now, err := s.lock(ctx)
	if err != nil {
		return checklist.List{}, err
	}
	defer s.mu.Unlock()
	return s.list(listKey{subject, id}, now)
}

// LatestChecklist returns the list that a connection of a user wrote last, or ErrNotFound.
func (s *Checklists) LatestChecklist(ctx context.Context, subject, connection string) (checklist.List, error) {
	now, err := s.lock(ctx)
	if err != nil {
		return checklist.List{}, err
	}
	defer s.mu.Unlock()
	id, ok := s.latest.get(connectionKey{subject, connection}, now)
	if !ok {
		return checklist.List{}, checklist.ErrNotFound
	}
	return s.list(listKey{subject, id}, now)
}

func (s *Checklists) list(k listKey, now time.Time) (checklist.List, error) {
	l, ok := s.lists.get(k, now)
	if !ok {
		return checklist.List{}, checklist.ErrNotFound
	}
	l.Todos, l.Previous = slices.Clone(l.Todos), slices.Clone(l.Previous)
	return l, nil
}

// Checklists returns the heads of all lists of a user, in any order.
func (s *Checklists) Checklists(ctx context.Context, subject string) ([]checklist.Head, error) {
	now, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var heads []checklist.Head
	for k := range s.lists.slots {
		if l, ok := s.lists.get(k, now); ok && k.subject == subject {
			heads = append(heads, checklist.Head{
				ID: l.ID, Revision: l.Revision, Summary: checklist.Summarize(l.Todos), Doing: checklist.Doing(l.Todos),
				WrittenAt: l.WrittenAt, ExpiresAt: l.ExpiresAt,
			})
		}
	}
	return heads, nil
}

// SaveChecklist writes a list and returns its new revision. It returns ErrNotFound, or ErrConflict
// with the existing revision.
func (s *Checklists) SaveChecklist(ctx context.Context, d checklist.Draft) (revision int64, err error) {
	now, err := s.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	k := listKey{d.Subject, d.ID}
	old, exists := s.lists.get(k, now)
	if d.Existing && !exists {
		return 0, checklist.ErrNotFound
	}
	if d.IfRevision != nil && *d.IfRevision != old.Revision {
		return old.Revision, checklist.ErrConflict
	}
	s.lists.put(k, checklist.List{
		ID: d.ID, Revision: old.Revision + 1, Todos: slices.Clone(d.Todos), Previous: old.Todos, HasPrevious: exists,
		WrittenAt: d.WrittenAt, ExpiresAt: d.ExpiresAt,
	}, now)
	if d.Connection != "" {
		s.latest.put(connectionKey{d.Subject, d.Connection}, d.ID, now)
	}
	return old.Revision + 1, nil
}

// KeepChecklist extends the life of a list.
func (s *Checklists) KeepChecklist(ctx context.Context, subject, id string, until time.Time) error {
	now, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer s.mu.Unlock()
	k := listKey{subject, id}
	if l, ok := s.lists.get(k, now); ok && l.ExpiresAt.Before(until) {
		l.ExpiresAt = until
		s.lists.put(k, l, now)
	}
	return nil
}

// DeleteChecklist removes a list, if it exists.
func (s *Checklists) DeleteChecklist(ctx context.Context, subject, id string) error {
	if _, err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.lists.remove(listKey{subject, id})
	return nil
}
