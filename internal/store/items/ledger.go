package items

import (
	"context"
	"encoding/json"
	"time"
)

const (
	kindLedger = "ledger"
	// ledgerLife is how long a state is kept after it was saved.
	ledgerLife = 184 * 24 * time.Hour
)

// Ledger keeps what a sandbox knows of the tokens that it issued. Their upstream is made up, so
// their states are not sealed. The methods have no context and no errors, because a sandbox has
// none for them: after a failure, it does not know a token.
type Ledger struct {
	store *Store
	name  string
}

// Ledger returns the ledger with a name.
func (s *Store) Ledger(name string) Ledger { return Ledger{s, name} }

func (l Ledger) key(token string) Key { return Key{kindLedger, l.name, digest(token)} }

// Save stores a state, which is JSON, under the name of a token.
func (l Ledger) Save(token string, state []byte) {
	_ = l.store.put(context.Background(), "save a token of the sandbox", l.key(token), json.RawMessage(state), l.store.now().Add(ledgerLife))
}

// Load returns the stored state, or nil.
func (l Ledger) Load(token string) []byte {
	var state json.RawMessage
	_, _ = l.store.read(context.Background(), "read a token of the sandbox", l.key(token), &state)
	return state
}
