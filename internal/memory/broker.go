// Package memory is every Store in memory, for a server that runs on one machine and for tests. It forgets all when the
// process ends, and before that whatever has expired; strangers can make it forget other strangers, not run out of memory.
package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/authserver"
)

// What is kept at most. Anybody can register clients and begin logins, hence the first bound; a client can rotate its
// tokens as fast as it likes, hence the second.
const (
	mostOfAKind   = 10_000
	mostOfAFamily = 1_000
)

// replayWindow is how long a code stays readable once it has expired.
const replayWindow = 24 * time.Hour

// Broker is a authserver.Store. It is safe for concurrent use.
type Broker struct {
	now func() time.Time

	mu       sync.Mutex
	clients  *shelf[string, authserver.Client]
	steps    *shelf[authserver.Hash, authserver.LoginState]
	codes    *shelf[authserver.Hash, authserver.Code]
	ended    *shelf[string, time.Time] // codes of a person, up to which expiry
	families *shelf[string, *family]
}

var _ authserver.Store = (*Broker)(nil)

// NewBroker gives an empty store whose time is now, or the real one for nil.
func NewBroker(now func() time.Time) *Broker {
	if now == nil {
		now = time.Now
	}
	return &Broker{
		now:      now,
		clients:  newShelf[string](mostOfAKind, func(c authserver.Client) time.Time { return c.ExpiresAt }),
		steps:    newShelf[authserver.Hash](mostOfAKind, func(s authserver.LoginState) time.Time { return s.ExpiresAt }),
		codes:    newShelf[authserver.Hash](mostOfAKind, func(c authserver.Code) time.Time { return c.ExpiresAt.Add(replayWindow) }),
		ended:    newShelf[string](mostOfAKind, func(until time.Time) time.Time { return until }),
		families: newShelf[string](mostOfAKind, (*family).end),
	}
}

// lock begins an operation and tells its time. Nothing is locked when it fails.
func (b *Broker) lock(ctx context.Context) (now time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	b.mu.Lock()
	return b.now(), nil
}

// Client reads one. ErrNotFound.
func (b *Broker) Client(ctx context.Context, id string) (authserver.Client, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.Client{}, err
	}
	defer b.mu.Unlock()
	c, ok := b.clients.get(id, now)
	if !ok {
		return authserver.Client{}, authserver.ErrNotFound
	}
	return copyOfClient(c), nil
}

// SaveClient adds or replaces one.
func (b *Broker) SaveClient(ctx context.Context, c authserver.Client) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	b.clients.put(c.ID, copyOfClient(c), now)
	return nil
}

func copyOfClient(c authserver.Client) authserver.Client {
	c.RedirectURIs = slices.Clone(c.RedirectURIs)
	return c
}
