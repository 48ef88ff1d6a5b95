package envelope

import (
	"context"
	"fmt"
)

// Current reports whether a version is sealed with the ring's current key.
func (t *Tokens) Current(ctx context.Context, version string) (bool, error) {
	id, fingerprint, ok := KeyOf(version)
	if !ok {
		return false, nil
	}
	k, err := t.store.keys.Current(ctx)
	if err != nil {
		return false, fmt.Errorf("find the current key: %w", err)
	}
	return k.ID == id && k.Fingerprint() == fingerprint, nil
}

// Elsewhere reports whether the user has tokens here, and whether the deployment's other store may
// still have some, too.
func (t *Tokens) Elsewhere(ctx context.Context, subject string) (known, elsewhere bool, err error) {
	p, err := t.store.rows.Pointer(ctx, t.owner(subject))
	if err != nil {
		return false, false, fmt.Errorf("find tokens: %w", err)
	}
	return p.Change > 0, p.Elsewhere, nil
}

// ClearElsewhere stores that the other store has no tokens of the user any more.
func (t *Tokens) ClearElsewhere(ctx context.Context, subject string) error {
	err := t.change(ctx, subject, func(p *Pointer) (*Row, []string, error) {
		if p.Change == 0 || !p.Elsewhere {
			return nil, nil, errUnchanged
		}
		p.Elsewhere = false
		return nil, nil, nil
	})
	if err != nil {
		return fmt.Errorf("note where tokens are: %w", err)
	}
	return nil
}
