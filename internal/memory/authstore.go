// Package memory implements every Store in memory, for a server on one machine and for tests. It
// loses everything when the process ends, and removes what has expired. Its size is limited:
// unknown clients can displace each other, but they cannot exhaust the memory.
package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/authserver"
)

// Limits. Any client can register clients and start logins without authentication, so their number
// is limited. A client can rotate its tokens at any rate, so the number of tokens of a family is
// limited, too.
const (
	mostOfAKind   = 10_000
	mostOfAFamily = 1_000
)

// replayWindow is how long a code stays readable after its expiry.
const replayWindow = 24 * time.Hour

// AuthStore is an authserver.Store. It is safe for concurrent use.
type AuthStore struct {
	now func() time.Time

	mu        sync.Mutex
	clients   *shelf[string, authserver.Client]
	connected *shelf[string, authserver.Client] // those that have redeemed a code
	steps     map[string]steps                  // by kind
	codes     *shelf[authserver.Hash, authserver.Code]
	ended     *shelf[string, time.Time] // by subject: codes that expire until then are ended
	families  *shelf[string, *family]
}

var _ = authserver.NewStore((*AuthStore)(nil))

// NewAuthStore returns an empty store. now returns the time; nil means the real time.
func NewAuthStore(now func() time.Time) *AuthStore {
	if now == nil {
		now = time.Now
	}
	expiry := func(c authserver.Client) time.Time { return c.ExpiresAt }
	return &AuthStore{
		now:       now,
		clients:   newShelf[string](mostOfAKind, expiry),
		connected: newShelf[string](mostOfAKind, expiry),
		steps:     map[string]steps{},
		codes:     newShelf[authserver.Hash](mostOfAKind, func(c authserver.Code) time.Time { return c.ExpiresAt.Add(replayWindow) }),
		ended:     newShelf[string](mostOfAKind, func(until time.Time) time.Time { return until }),
		families:  newShelf[string](mostOfAKind, (*family).end),
	}
}

// lock locks the store and returns the time. If it fails, nothing is locked.
func (b *AuthStore) lock(ctx context.Context) (now time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	b.mu.Lock()
	return b.now(), nil
}

// Client returns a client, or ErrNotFound.
func (b *AuthStore) Client(ctx context.Context, id string) (authserver.Client, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.Client{}, err
	}
	defer b.mu.Unlock()
	c, ok := b.connected.get(id, now)
	if !ok {
		c, ok = b.clients.get(id, now)
	}
	if !ok {
		return authserver.Client{}, authserver.ErrNotFound
	}
	return copyOfClient(c), nil
}

// SaveClient adds or replaces a client. It displaces no client that has redeemed a code.
func (b *AuthStore) SaveClient(ctx context.Context, c authserver.Client) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if _, ok := b.connected.get(c.ID, now); ok {
		b.connected.put(c.ID, copyOfClient(c), now)
	} else {
		b.clients.put(c.ID, copyOfClient(c), now)
	}
	return nil
}

func copyOfClient(c authserver.Client) authserver.Client {
	c.RedirectURIs = slices.Clone(c.RedirectURIs)
	return c
}
