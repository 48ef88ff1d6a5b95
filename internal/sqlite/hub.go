package sqlite

import (
	"context"

	"basecamp-mcp/internal/hub"
)

var _ hub.Store = (*Store)(nil)

const kindHub = "hub"

// HubRows returns the user's rows whose keys have a prefix, in the order of the keys.
func (s *Store) HubRows(ctx context.Context, subject, prefix string) (found []hub.Row, err error) {
	const doing = "read links"
	all, err := bodies(ctx, s.reader.QueryContext,
		"SELECT body FROM items WHERE kind = ? AND owner = ? AND substr(name, 1, length(?)) = ? AND (expires IS NULL OR expires > ?) ORDER BY name",
		kindHub, subject, prefix, prefix, s.now().UnixNano())
	for i := 0; err == nil && i < len(all); i++ {
		var r hub.Row
		err = decode(all[i], &r)
		found = append(found, r)
	}
	if err != nil {
		return nil, s.failed(doing, err)
	}
	return found, nil
}

// SaveHub writes rows, or returns ErrChanged.
func (s *Store) SaveHub(ctx context.Context, subject string, rows ...hub.Row) error {
	return s.write(ctx, "save links", func(t *tx) error {
		for _, r := range rows {
			var now hub.Row
			_, err := t.find(key{kindHub, subject, r.Key}, &now)
			if err == nil && now.Revision != r.Revision-1 {
				err = hub.ErrChanged
			}
			if err == nil {
				err = t.put(key{kindHub, subject, r.Key}, r, r.ExpiresAt)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
