package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/todolist"
)

// mostTodolists is the maximum number of lists. Each has two revisions of up to 64 KB.
const mostTodolists = 1000

// Todolists is a todolist.Store. It is safe for concurrent use.
type Todolists struct {
	now func() time.Time

	mu     sync.Mutex
	lists  *shelf[listKey, todolist.List]
	latest *shelf[connectionKey, string] // the ID of the list that a connection wrote last
}

type (
	listKey       struct{ subject, id string }
	connectionKey struct{ subject, connection string }
)

var _ todolist.Store = (*Todolists)(nil)

// NewTodolists returns an empty store. now returns the time; nil means the real time.
func NewTodolists(now func() time.Time) *Todolists {
	if now == nil {
		now = time.Now
	}
	never := time.Unix(1<<40, 0) // the list itself expires
	return &Todolists{
		now:    now,
		lists:  newShelf[listKey](mostTodolists, func(l todolist.List) time.Time { return l.ExpiresAt }),
		latest: newShelf[connectionKey](mostTodolists, func(string) time.Time { return never }),
	}
}

// lock locks the store and returns the time. If it fails, nothing is locked.
func (s *Todolists) lock(ctx context.Context) (now time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	s.mu.Lock()
	return s.now(), nil
}

// Todolist returns a user's list, or ErrNotFound.
func (s *Todolists) Todolist(ctx context.Context, subject, id string) (todolist.List, error) {
	now, err := s.lock(ctx)
	if err != nil {
		return todolist.List{}, err
	}
	defer s.mu.Unlock()
	return s.list(listKey{subject, id}, now)
}

// LatestTodolist returns the list that a connection of a user wrote last, or ErrNotFound.
func (s *Todolists) LatestTodolist(ctx context.Context, subject, connection string) (todolist.List, error) {
	now, err := s.lock(ctx)
	if err != nil {
		return todolist.List{}, err
	}
	defer s.mu.Unlock()
	id, ok := s.latest.get(connectionKey{subject, connection}, now)
	if !ok {
		return todolist.List{}, todolist.ErrNotFound
	}
	return s.list(listKey{subject, id}, now)
}

func (s *Todolists) list(k listKey, now time.Time) (todolist.List, error) {
	l, ok := s.lists.get(k, now)
	if !ok {
		return todolist.List{}, todolist.ErrNotFound
	}
	l.Todos, l.Previous = slices.Clone(l.Todos), slices.Clone(l.Previous)
	return l, nil
}

// Todolists returns the heads of all lists of a user, in any order.
func (s *Todolists) Todolists(ctx context.Context, subject string) ([]todolist.Head, error) {
	now, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var heads []todolist.Head
	for k := range s.lists.slots {
		if l, ok := s.lists.get(k, now); ok && k.subject == subject {
			heads = append(heads, todolist.Head{
				ID: l.ID, Revision: l.Revision, Summary: todolist.Summarize(l.Todos), Doing: todolist.Doing(l.Todos),
				WrittenAt: l.WrittenAt, ExpiresAt: l.ExpiresAt,
			})
		}
	}
	return heads, nil
}

// SaveTodolist writes a list and returns its new revision. It returns ErrNotFound, or ErrConflict
// with the existing revision.
func (s *Todolists) SaveTodolist(ctx context.Context, d todolist.Draft) (revision int64, err error) {
	now, err := s.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	k := listKey{d.Subject, d.ID}
	old, exists := s.lists.get(k, now)
	if d.Existing && !exists {
		return 0, todolist.ErrNotFound
	}
	if d.IfRevision != nil && *d.IfRevision != old.Revision {
		return old.Revision, todolist.ErrConflict
	}
	s.lists.put(k, todolist.List{
		ID: d.ID, Revision: old.Revision + 1, Todos: slices.Clone(d.Todos), Previous: old.Todos, HasPrevious: exists,
		WrittenAt: d.WrittenAt, ExpiresAt: d.ExpiresAt,
	}, now)
	if d.Connection != "" {
		s.latest.put(connectionKey{d.Subject, d.Connection}, d.ID, now)
	}
	return old.Revision + 1, nil
}

// KeepTodolist extends the life of a list.
func (s *Todolists) KeepTodolist(ctx context.Context, subject, id string, until time.Time) error {
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

// DeleteTodolist removes a list, if it exists.
func (s *Todolists) DeleteTodolist(ctx context.Context, subject, id string) error {
	if _, err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.lists.remove(listKey{subject, id})
	return nil
}
