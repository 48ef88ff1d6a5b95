package sqlite

import (
	"context"
	"time"

	"basecamp-mcp/internal/todolist"
)

var _ todolist.Store = (*Store)(nil)

const (
	kindTodolist = "checklist"
	kindLatest   = "latest checklist"
	// latestLife is how long the latest list of a connection is known after the connection wrote it:
	// as long as a connection can live.
	latestLife = 180 * 24 * time.Hour
)

func todolistKey(subject, id string) key { return key{kindTodolist, subject, id} }

// latest is the list that a connection wrote last.
type latest struct{ ID string }

// Todolist returns a user's list, or ErrNotFound.
func (s *Store) Todolist(ctx context.Context, subject, id string) (l todolist.List, err error) {
	ok, err := s.read(ctx, "read a checklist", todolistKey(subject, id), &l)
	if err == nil && !ok {
		err = todolist.ErrNotFound
	}
	return l, err
}

// LatestTodolist returns the list that a connection of a user wrote last, or ErrNotFound.
func (s *Store) LatestTodolist(ctx context.Context, subject, connection string) (todolist.List, error) {
	var last latest
	ok, err := s.read(ctx, "read the latest checklist", key{kindLatest, subject, connection}, &last)
	if err == nil && !ok {
		err = todolist.ErrNotFound
	}
	if err != nil {
		return todolist.List{}, err
	}
	return s.Todolist(ctx, subject, last.ID)
}

// Todolists returns the heads of all lists of a user, in any order.
func (s *Store) Todolists(ctx context.Context, subject string) (heads []todolist.Head, err error) {
	const doing = "read a user's checklists"
	found, err := bodies(ctx, s.reader, "SELECT body FROM items WHERE kind = ? AND owner = ? AND expires > ?",
		kindTodolist, subject, s.now().UnixNano())
	if err != nil {
		return nil, s.failed(doing, err)
	}
	for _, body := range found {
		var l todolist.List
		if err := decode(body, &l); err != nil {
			return nil, s.failed(doing, err)
		}
		heads = append(heads, todolist.Head{
			ID: l.ID, Revision: l.Revision, Summary: todolist.Summarize(l.Todos), Doing: todolist.Doing(l.Todos),
			WrittenAt: l.WrittenAt, ExpiresAt: l.ExpiresAt,
		})
	}
	return heads, nil
}

// SaveTodolist writes a list and returns its new revision. It returns ErrNotFound, or ErrConflict
// with the existing revision.
func (s *Store) SaveTodolist(ctx context.Context, d todolist.Draft) (revision int64, err error) {
	err = s.write(ctx, "save a checklist", func(t *tx) error {
		var old todolist.List
		exists, err := t.find(todolistKey(d.Subject, d.ID), &old)
		if err != nil {
			return err
		}
		if d.Existing && !exists {
			return todolist.ErrNotFound
		}
		if revision = old.Revision; d.IfRevision != nil && *d.IfRevision != revision {
			return todolist.ErrConflict
		}
		revision++
		l := todolist.List{
			ID: d.ID, Revision: revision, Todos: d.Todos, Previous: old.Todos, HasPrevious: exists,
			WrittenAt: d.WrittenAt, ExpiresAt: d.ExpiresAt,
		}
		if err := t.put(todolistKey(d.Subject, d.ID), l, l.ExpiresAt); err != nil || d.Connection == "" {
			return err
		}
		return t.put(key{kindLatest, d.Subject, d.Connection}, latest{d.ID}, d.WrittenAt.Add(latestLife))
	})
	return revision, err
}

// KeepTodolist extends the life of a list.
func (s *Store) KeepTodolist(ctx context.Context, subject, id string, until time.Time) error {
	return s.write(ctx, "keep a checklist", func(t *tx) error {
		var l todolist.List
		ok, err := t.find(todolistKey(subject, id), &l)
		if err != nil || !ok || !l.ExpiresAt.Before(until) {
			return err
		}
		l.ExpiresAt = until
		return t.put(todolistKey(subject, id), l, until)
	})
}

// DeleteTodolist removes a list, if it exists.
func (s *Store) DeleteTodolist(ctx context.Context, subject, id string) error {
	return s.remove(ctx, "delete a checklist", todolistKey(subject, id))
}
