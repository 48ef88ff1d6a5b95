package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/secrets"
)

// drop removes a key that seals no tokens.
func (k *keyring) drop(ctx context.Context, id string) error {
	e, err := k.read(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(e.IDs(), id) {
		k.say("The ring has no key %q; its keys are %s. Nothing was changed.", id, strings.Join(e.IDs(), ", "))
		return nil
	}
	unused, current := sealOf(e.Keys()[id]), sealOf(e.Keys()[e.Current()])
	if err := e.Drop(id); err != nil {
		return err
	}
	sealed, err := k.rows(ctx)
	if err != nil {
		return fmt.Errorf("the tokens in table %s were not counted, so %s stays: %w", k.table, id, err)
	}
	switch {
	case sealed[unused] > 0:
		return fmt.Errorf("%s seals %s in table %s, so it stays; run the sweep, as docs/operate.md says, and try again", id, tokens(sealed[unused]), k.table)
	case sealed[seal{}] > 0:
		return fmt.Errorf("table %s has %s whose names this release cannot read, so %s stays; use the release that is deployed", k.table, tokens(sealed[seal{}]), id)
	case sealed[current] == 0:
		return fmt.Errorf("table %s has no tokens that the current key seals, so %s stays; check that the table belongs to this ring", k.table, id)
	}
	if err := e.Save(ctx); err != nil {
		return err
	}
	k.say("%s was dropped. %s seals %s.", id, e.Current(), tokens(sealed[current]))
	k.say("Run make keyring after %d minutes. If it names tokens sealed with %s: make keyring STEP=restore", secrets.Settled/time.Minute, id)
	return nil
}
