package items

import (
	"context"

	"basecamp-mcp/internal/own/hub"
)

var _ hub.Store = (*Store)(nil)

const kindHub = "hub"

// HubRows returns the user's rows whose keys have a prefix, in the order of the keys.
func (s *Store) HubRows(ctx context.Context, subject, prefix string) ([]hub.Row, error) {
	r := Range{Kind: kindHub, Owner: subject, From: prefix}
	if prefix != "" {
		r.Below = prefix + "\U0010FFFF" // is above every key with the prefix
	}
	return list[hub.Row](ctx, s, "read links", r)
}

// SaveHub writes rows, or returns ErrChanged.
func (s *Store) SaveHub(ctx context.Context, subject string, rows ...hub.Row) error {
	return s.write(ctx, "save links", func(t *tx) {
		for _, r := range rows {
			var now hub.Row
			t.find(Key{kindHub, subject, r.Key}, &now)
			t.refuse(now.Revision != r.Revision-1, hub.ErrChanged)
			t.put(Key{kindHub, subject, r.Key}, r, r.ExpiresAt)
		}
	})
}
