package main

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/secrets"
)

// restore makes the previous version of the ring the one in use, if that repairs the ring or
// returns a key. It does not remove a key that seals tokens.
func (k *keyring) restore(ctx context.Context) error {
	r, err := secrets.ReadRestoration(ctx, k.manager, k.ring)
	if err != nil {
		return err
	}
	if !r.Useful {
		k.say("The ring has all keys of its previous version. Nothing was changed.")
		return nil
	}
	if len(r.Lost) > 0 {
		sealed, err := k.rows(ctx)
		if err != nil {
			return fmt.Errorf("the tokens in table %s were not counted, so the ring stays: %w", k.table, err)
		}
		for _, lost := range r.Lost {
			if n := sealed[sealOf(lost)]; n > 0 {
				return fmt.Errorf("the previous version does not have %s with the fingerprint %s, which seals %s in table %s, so the ring stays",
					lost.ID, lost.Fingerprint(), tokens(n), k.table)
			}
		}
	}
	if err := r.Save(ctx); err != nil {
		return err
	}
	k.say("The previous version of the ring is in use again.")
	return nil
}
