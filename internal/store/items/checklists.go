package items

import (
	"context"
	"time"

	"basecamp-mcp/internal/own/checklist"
)

var _ checklist.Store = (*Store)(nil)

const (
	kindChecklist = "checklist"
	kindLatest    = "latest"
	// latestLife is how long the latest list of a connection is known after the connection wrote it:
	// as long as a connection can live.
	latestLife = 180 * 24 * time.Hour
)

func checklistKey(subject, id string) Key { return Key{kindChecklist, subject, id} }

// latest is the list that a connection wrote last.
type latest struct{ ID string }

// Checklist returns a user's list, or ErrNotFound. Without an ID, it is the one that the connection
// wrote last.
func (s *Store) Checklist(ctx context.Context, subject, id, connection string) (l checklist.List, err error) {
	if id == "" {
		var last latest
		if err := s.get(ctx, "read the latest checklist", Key{kindLatest, subject, connection}, &last, checklist.ErrNotFound); err != nil {
			return l, err
		}
		id = last.ID
	}
	err = s.get(ctx, "read a checklist", checklistKey(subject, id), &l, checklist.ErrNotFound)
	return l, err
}

// Checklists returns the heads of all lists of a user, in any order.
func (s *Store) Checklists(ctx context.Context, subject string) (heads []checklist.Head, err error) {
	lists, err := list[checklist.List](ctx, s, "read a user's checklists", Range{Kind: kindChecklist, Owner: subject})
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		heads = append(heads, checklist.Head{
			ID: l.ID, Revision: l.Revision, Summary: checklist.Summarize(l.Todos), Doing: checklist.Doing(l.Todos),
			WrittenAt: l.WrittenAt, ExpiresAt: l.ExpiresAt,
		})
	}
	return heads, nil
}

// SaveChecklist writes a list and returns its new revision. It returns ErrNotFound, or ErrConflict
// with the existing revision.
func (s *Store) SaveChecklist(ctx context.Context, d checklist.Draft) (revision int64, err error) {
	err = s.writeAhead(ctx, "save a checklist", func(t *tx) {
		var old checklist.List
		exists := t.find(checklistKey(d.Subject, d.ID), &old)
		t.refuse(d.Existing && !exists, checklist.ErrNotFound)
		t.refuse(d.IfRevision != nil && *d.IfRevision != old.Revision, checklist.ErrConflict)
		if revision = old.Revision; t.err != nil {
			return
		}
		revision++
		t.put(checklistKey(d.Subject, d.ID), checklist.List{
			ID: d.ID, Revision: revision, Todos: d.Todos, Previous: old.Todos, HasPrevious: exists,
			WrittenAt: d.WrittenAt, ExpiresAt: d.ExpiresAt,
		}, d.ExpiresAt)
		if d.Connection != "" {
			t.put(Key{kindLatest, d.Subject, d.Connection}, latest{d.ID}, d.WrittenAt.Add(latestLife))
		}
	})
	return revision, err
}

// KeepChecklist extends the life of a list.
func (s *Store) KeepChecklist(ctx context.Context, subject, id string, until time.Time) error {
	return s.writeAhead(ctx, "keep a checklist", func(t *tx) {
		var l checklist.List
		if t.find(checklistKey(subject, id), &l) && l.ExpiresAt.Before(until) {
			l.ExpiresAt = until
			t.put(checklistKey(subject, id), l, until)
		}
	})
}

// DeleteChecklist removes a list, if it exists.
func (s *Store) DeleteChecklist(ctx context.Context, subject, id string) error {
	return s.writeAhead(ctx, "delete a checklist", func(t *tx) { t.remove(checklistKey(subject, id)) })
}
