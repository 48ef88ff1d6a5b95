package envelope

import (
	"context"
	"errors"
	"fmt"

	"basecamp-mcp/internal/grant"
)

// Leftover returns the state of a user's tokens. It needs no key. Rows without a pointer count as
// old: no call stores a row without its pointer.
func (t *Tokens) Leftover(ctx context.Context, subject string) (l grant.Leftover, err error) {
	p, err := t.store.rows.Pointer(ctx, t.owner(subject))
	if err != nil {
		return l, fmt.Errorf("find tokens: %w", err)
	}
	l.Change = p.Change
	for _, v := range p.Kept {
		if v.SavedAt.After(l.SavedAt) {
			l.SavedAt = v.SavedAt
		}
	}
	return l, nil
}

// Discard removes all of a user's tokens, if they are still as Leftover returned them. Otherwise it
// returns grant.ErrConflict.
func (t *Tokens) Discard(ctx context.Context, subject string, l grant.Leftover) error {
	err := t.store.rows.Remove(ctx, t.owner(subject), l.Change)
	if err != nil && !errors.Is(err, grant.ErrConflict) {
		err = fmt.Errorf("discard tokens: %w", err)
	}
	return err
}
