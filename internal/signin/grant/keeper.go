package grant

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"time"

	"golang.org/x/sync/singleflight"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
)

const (
	// early is how long before its expiry an access token is replaced: an outage of the sign-on of
	// up to a day stays unnoticed.
	early = 24 * time.Hour
	// loserMargin is the remaining life that an access token needs to be used while another call
	// refreshes it.
	loserMargin = time.Minute
	// maxReadings limits how often a call reads a grant that keeps changing.
	maxReadings = 30

	// recordLife is how long a record is cached. Tokens are cached until they expire: the record
	// names their version, so a Keeper that has them does not need the Store.
	recordLife = 30 * time.Second
	// linkLife is the same for the record of a linked account: a user who has just granted more must
	// not be asked for it again.
	linkLife = time.Second
)

// Config holds the parts of a Keeper. Store, Records, Provider and Log are required.
type Config struct {
	Store    Store   // of the provider
	Records  Records // of the provider
	Provider provider.Provider
	// Works reports whether the provider accepts an access token. With it, Connect can skip a write
	// when a user connects twice within minutes. If nil, every sign-in is written.
	Works func(ctx context.Context, accessToken string) bool
	// Refreshed is called after every successful refresh; may be nil.
	Refreshed func(context.Context)
	// Tripped is called each time the provider refuses the deployment; may be nil.
	Tripped func(context.Context)
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
}

// Keeper returns access tokens of one provider's users, and refreshes them. Several Keepers may
// share a Store and Records. Each is safe for concurrent use.
type Keeper struct {
	c           Config
	recordCache *memo[Record] // only active ones
	tokenCache  *memo[pinned]
	reads       singleflight.Group // of grants by subject
}

// pinned are the tokens of one version.
type pinned struct {
	version string
	tokens  provider.Tokens
}

// New returns a Keeper.
func New(c Config) *Keeper {
	if c.Now == nil {
		c.Now = time.Now
	}
	ignore := func(context.Context) {}
	if c.Refreshed == nil {
		c.Refreshed = ignore
	}
	if c.Tripped == nil {
		c.Tripped = ignore
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = c.Log.With("provider", c.Provider.ID)
	return &Keeper{c: c, recordCache: newMemo[Record](), tokenCache: newMemo[pinned]()}
}

// holding is a record as it was read, with its tokens.
type holding struct {
	Record
	tokens  provider.Tokens
	refused bool // the provider has just answered 401 to the access token, whatever its ExpiresAt
}

// Access is what a caller needs to call a provider for a user.
type Access struct {
	Token    string
	Scope    string // what the user granted, separated by spaces; empty where the provider does not say
	Name     string // the user's name at the provider
	Revision int64  // of the grant

	connectedAt time.Time
}

// Link returns a name of the grant's tokens: other tokens have another one, also after the user has
// unlinked and linked again.
func (a Access) Link() string {
	return strconv.FormatInt(a.connectedAt.UnixNano(), 36) + "-" + strconv.FormatInt(a.Revision, 10)
}

// access returns what a holding permits.
func (h holding) access() Access {
	return Access{
		Token: h.tokens.AccessToken, Scope: h.tokens.Scope, Name: h.Name, Revision: h.tokens.Revision, connectedAt: h.ConnectedAt,
	}
}

// AccessToken returns the token of Access.
func (k *Keeper) AccessToken(ctx context.Context, subject, refused string) (string, error) {
	a, err := k.Access(ctx, subject, refused)
	return a.Token, err
}

// Access returns a token that the provider should accept, and what it permits. refused is the
// token to which the provider has just answered 401, or "": then Access finds another one, if
// necessary by a refresh. Errors are faults: TOKEN_EXPIRED if the user must sign in, also for the
// first time, and a retryable UPSTREAM_ERROR if a later try may succeed.
//
// The refresh token never leaves the Keeper.
func (k *Keeper) Access(ctx context.Context, subject, refused string) (Access, error) {
	if refused == "" {
		if a, ok := k.recall(subject); ok {
			return a, nil
		}
	}
	patience := patience{until: k.c.Now().Add(pollTime), now: k.c.Now}
	for reading := range maxReadings {
		read := k.read
		if reading == 0 && refused == "" {
			read = k.readTogether
		}
		h, err := read(ctx, subject, refused)
		switch {
		case err != nil:
			return Access{}, err
		case k.fresh(h):
			return h.access(), nil
		}
		renewed, err := k.renew(ctx, h)
		switch {
		case err == nil:
			return renewed.access(), nil
		case errors.Is(err, ErrConflict): // another call wrote first: read what it wrote
			continue
		case errors.Is(err, errLeased) && !k.lives(h, loserMargin) && patience.wait(ctx):
			continue
		case !fault.Is(err, fault.TokenExpired) && k.lives(h, 0):
			return h.access(), nil
		}
		return Access{}, err
	}
	return Access{}, k.busy(0)
}

// Status returns a user's record, or ErrNotFound; other errors are faults. It sends nothing to the
// provider.
func (k *Keeper) Status(ctx context.Context, subject string) (Record, error) {
	r, err := k.c.Records.Record(ctx, subject)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Record{}, k.unreachable(err)
	}
	return r, err
}

// Subjects returns the next users who have a grant, as Records does.
func (k *Keeper) Subjects(ctx context.Context, after string) ([]string, error) {
	return k.c.Records.Subjects(ctx, after)
}

// recall returns an access from the cache.
func (k *Keeper) recall(subject string) (Access, bool) {
	now := k.c.Now()
	r, known := k.recordCache.get(subject, now)
	p, held := k.tokenCache.get(subject, now)
	h := holding{Record: r, tokens: p.tokens}
	if !known || !held || p.version != r.Version || !k.fresh(h) {
		return Access{}, false
	}
	return h.access(), true
}

// readTogether returns what read does. Calls of the same user that begin together share one read,
// and read for themselves if it fails.
func (k *Keeper) readTogether(ctx context.Context, subject, refused string) (holding, error) {
	shared := k.reads.DoChan(subject, func() (any, error) { return k.read(ctx, subject, refused) })
	select {
	case <-ctx.Done():
		return holding{}, k.unreachable(ctx.Err())
	case got := <-shared:
		if got.Err != nil && got.Shared {
			return k.read(ctx, subject, refused)
		}
		h, _ := got.Val.(holding)
		return h, got.Err
	}
}

// read returns the stored grant, or a fault.
func (k *Keeper) read(ctx context.Context, subject, refused string) (holding, error) {
	since := k.c.Now()
	r, err := k.c.Records.Record(ctx, subject)
	switch {
	case errors.Is(err, ErrNotFound):
		k.forget(subject)
		return holding{}, k.expired()
	case err != nil:
		return holding{}, k.unreachable(err)
	case r.Status != Active:
		k.forget(subject)
		return holding{}, k.expired()
	}
	t, err := k.load(ctx, r)
	if err != nil {
		return holding{}, err
	}
	k.keepRecord(r, since)
	return holding{Record: r, tokens: t, refused: t.AccessToken == refused}, nil
}

// load returns the tokens of the record's version, or a fault, from the cache if it has them.
func (k *Keeper) load(ctx context.Context, r Record) (provider.Tokens, error) {
	if p, ok := k.tokenCache.get(r.Subject, k.c.Now()); ok && p.version == r.Version {
		return p.tokens, nil
	}
	since := k.c.Now()
	t, err := k.stored(ctx, r)
	if err == nil {
		k.keepTokens(r, t, since)
	}
	return t, err
}

// stored returns the tokens of the record's version, or a fault. If the version is lost, the user
// must sign in again. The record does not change then: the Store may only have been too slow for
// this call.
func (k *Keeper) stored(ctx context.Context, r Record) (provider.Tokens, error) {
	t, err := k.c.Store.Load(ctx, r.Subject, r.Version)
	switch {
	case errors.Is(err, ErrNotFound) && ctx.Err() == nil:
		return provider.Tokens{}, k.expired().Because(err)
	case err != nil:
		return provider.Tokens{}, k.unreachable(err)
	}
	return t, nil
}

// fresh reports whether the access token can be used without a refresh. The time at which a token
// becomes stale varies a little from call to call, so that of many concurrent calls, or many users
// who signed in together, one is first. A token that never expires stays fresh until it is refused.
func (k *Keeper) fresh(h holding) bool {
	if h.tokens.ExpiresAt.IsZero() {
		return !h.refused
	}
	// At most half of the token's life: tokens that live for hours must not be refreshed at each
	// call.
	ahead := max(0, min(early, h.tokens.ExpiresAt.Sub(h.tokens.ObtainedAt)/2))
	ahead = ahead*4/5 + rand.N(ahead*2/5+1)
	return k.lives(h, ahead)
}

// lives reports whether the access token is valid for longer than margin.
func (k *Keeper) lives(h holding, margin time.Duration) bool {
	return !h.refused && (h.tokens.ExpiresAt.IsZero() || h.tokens.ExpiresAt.After(k.c.Now().Add(margin)))
}

func (k *Keeper) remember(r Record, t provider.Tokens, since time.Time) {
	k.keepTokens(r, t, since)
	k.keepRecord(r, since)
}

func (k *Keeper) keepTokens(r Record, t provider.Tokens, since time.Time) {
	k.tokenCache.put(r.Subject, pinned{r.Version, t}, since, t.ExpiresAt)
}

func (k *Keeper) keepRecord(r Record, since time.Time) {
	life := recordLife
	if r.Account != "" {
		life = linkLife
	}
	k.recordCache.put(r.Subject, r, since, since.Add(life))
}

func (k *Keeper) forget(subject string) {
	k.recordCache.drop(subject)
	k.tokenCache.drop(subject)
}
