package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"basecamp-mcp/internal/secrets"
)

// status prints the keys of the ring and how many tokens each seals.
func (k *keyring) status(ctx context.Context) error {
	e, err := k.read(ctx)
	if err != nil {
		return err
	}
	k.say("key ring %s, last changed %s", k.ring, moment(e.Stored()))
	sealed, err := k.rows(ctx)
	if err != nil {
		k.print(e, nil)
		return fmt.Errorf("the tokens in table %s were not counted: %w", k.table, err)
	}
	k.print(e, sealed)
	k.advise(e, sealed)
	for _, id := range e.IDs() {
		delete(sealed, sealOf(e.Keys()[id]))
	}
	k.warn(sealed)
	return nil
}

// print prints a table of the keys. Without a count, sealed is nil.
func (k *keyring) print(e *secrets.Edition, sealed rows) {
	w := tabwriter.NewWriter(k.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "KEY\tFINGERPRINT\tADDED\tSEALS\tSEALED TOKENS")
	keys := e.Keys()
	for _, id := range e.IDs() {
		use, count, added := "no new tokens", "unknown", "unknown"
		if at := e.Added(id); !at.IsZero() {
			added = moment(at)
		}
		if id == e.Current() {
			use = "new tokens"
			if at := e.Switched(); !at.IsZero() {
				use += " since " + moment(at)
			}
		}
		if sealed != nil {
			count = strconv.Itoa(sealed[sealOf(keys[id])])
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", id, keys[id].Fingerprint(), added, use, count)
	}
	_ = w.Flush()
}

// advise says which of the keys before the current one can be dropped, and when.
func (k *keyring) advise(e *secrets.Edition, sealed rows) {
	keys := e.Keys()
	for _, id := range e.IDs() {
		n := sealed[sealOf(keys[id])]
		switch {
		case id == e.Current() || id == e.Next():
		case n > 0:
			k.say("%s cannot be dropped yet: it seals %s.", id, tokens(n))
		case sealed[seal{}] == 0 && sealed[sealOf(keys[e.Current()])] > 0:
			k.say("Next step, from %s on: drop %s", moment(e.Stored().Add(secrets.Settled)), id)
		}
	}
}

// warn names tokens that no key of the ring opens.
func (k *keyring) warn(sealed rows) {
	strangers := slices.SortedFunc(maps.Keys(sealed), func(a, b seal) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.fingerprint, b.fingerprint))
	})
	for _, s := range strangers {
		if s == (seal{}) {
			k.say("The table has %s whose names this release cannot read; use the release that is deployed.", tokens(sealed[s]))
			continue
		}
		k.say("The table has %s sealed with %s (fingerprint %s), which the ring does not have; docs/operate.md says how to put it back.", tokens(sealed[s]), s.id, s.fingerprint)
	}
}
