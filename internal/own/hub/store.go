package hub

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"basecamp-mcp/internal/signin/identity"
)

// ErrChanged means that a row does not have the revision before the one to be written.
var ErrChanged = errors.New("the row has changed")

// Row is what a Store keeps. Its body is JSON that names things by reference, and has no titles.
type Row struct {
	Key      string
	Body     []byte
	Revision int64
	// ExpiresAt is when the row counts as removed; zero: never.
	ExpiresAt time.Time
}

// Store keeps the rows of each person. Reads see every earlier write. An error other than
// ErrChanged means that the Store could not be reached; a write may have been carried out.
type Store interface {
	// HubRows returns the person's rows whose keys have a prefix, in the order of the keys.
	HubRows(ctx context.Context, subject, prefix string) ([]Row, error)
	// SaveHub writes rows together or not at all. Each takes the place of the row with the revision
	// before its own; 1 requires that there is none. Otherwise it returns ErrChanged.
	SaveHub(ctx context.Context, subject string, rows ...Row) error
}

// stored returns the caller's rows whose keys have a prefix.
func (h *Hub) stored(ctx context.Context, prefix string) ([]Row, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := h.store.HubRows(ctx, subject, prefix)
	if err != nil {
		return nil, unreachable(err)
	}
	return rows, nil
}

// save writes rows of the caller together. ErrChanged stays as it is: the caller starts again.
func (h *Hub) save(ctx context.Context, rows ...Row) error {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return err
	}
	err = h.store.SaveHub(ctx, subject, rows...)
	if err != nil && !errors.Is(err, ErrChanged) {
		return unreachable(err)
	}
	return err
}

// saveAs writes a row with a body.
func (h *Hub) saveAs(ctx context.Context, r Row, body any) (err error) {
	if r.Body, err = json.Marshal(body); err != nil {
		return unreachable(err)
	}
	return h.save(ctx, r)
}
