package grant

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/provider"
)

const (
	// early is how long before its end an access token is replaced: while upstream is down for a day, nobody notices.
	early = 24 * time.Hour
	// loserMargin is what an access token must still live to be used while another call renews it.
	loserMargin = time.Minute
	// maxReadings ends a call whose connection never stands still.
	maxReadings = 30

	// recordLife is how long a record is used without another look. Tokens need no such look: the record names their version,
	// and they are kept until their access token expires, so that a Keeper that holds them does without the Store.
	recordLife = 30 * time.Second
)

// Config is what a Keeper is made of. Store, Records, Provider and Log are needed.
type Config struct {
	Store    Store
	Records  Records
	Provider provider.Provider
	// Works reports whether Basecamp takes an access token. It lets Connect spare the Store a write when somebody
	// connects again within minutes; without it every login is written.
	Works func(ctx context.Context, accessToken string) bool
	// Refreshed and Tripped, when set, are told of every refresh that brought new tokens, and of every time that the provider
	// refuses the deployment and everybody is kept away from it.
	Refreshed, Tripped func(context.Context)
	Log                *slog.Logger
	Now                func() time.Time // nil: time.Now
}

// Keeper gives each person's access token, and sees to it that there is one. Any number of Keepers may share a Store and
// Records; each is safe for concurrent use.
type Keeper struct {
	store       Store
	recordStore Records
	provider    provider.Provider
	works       func(ctx context.Context, accessToken string) bool
	refreshed   func(context.Context)
	tripped     func(context.Context)
	log         *slog.Logger
	now         func() time.Time

	records *memo[Record] // active ones alone
	tokens  *memo[pinned]
}

// pinned are the tokens of one version, and of no other.
type pinned struct {
	version string
	tokens  provider.Tokens
}

// New makes a Keeper.
func New(c Config) *Keeper {
	if c.Now == nil {
		c.Now = time.Now
	}
	nobody := func(context.Context) {}
	if c.Refreshed == nil {
		c.Refreshed = nobody
	}
	if c.Tripped == nil {
		c.Tripped = nobody
	}
	return &Keeper{
		store:       c.Store,
		recordStore: c.Records,
		provider:    c.Provider,
		works:       c.Works,
		refreshed:   c.Refreshed,
		tripped:     c.Tripped,
		log:         c.Log,
		now:         c.Now,
		records:     newMemo[Record](),
		tokens:      newMemo[pinned](),
	}
}

// holding is a connection as it was read, with its tokens.
type holding struct {
	Record
	tokens  provider.Tokens
	refused bool // Basecamp has just answered 401 to the access token, whatever its ExpiresAt says
}

// AccessToken gives a token that Basecamp should take. refused is the one that it has just answered 401 to, or "": then
// another is found, by a refresh if need be. Errors are faults: TOKEN_EXPIRED when only a new login helps, also where there
// never was one, and UPSTREAM_ERROR, retryable, when it helps to try again.
//
// The refresh token never leaves the Keeper.
func (k *Keeper) AccessToken(ctx context.Context, subject, refused string) (string, error) {
	if refused == "" {
		if token, ok := k.recall(subject); ok {
			return token, nil
		}
	}
	patience := patience{until: k.now().Add(pollTime), now: k.now}
	for range maxReadings {
		h, err := k.read(ctx, subject, refused)
		if err != nil {
			return "", err
		}
		if k.fresh(h) {
			return h.tokens.AccessToken, nil
		}
		t, err := k.renew(ctx, h)
		switch {
		case err == nil:
			return t.AccessToken, nil
		case errors.Is(err, ErrConflict): // somebody else wrote first: what they wrote counts
			continue
		case errors.Is(err, errLeased) && !k.lives(h, loserMargin) && patience.wait(ctx):
			continue
		case !fault.Is(err, fault.TokenExpired) && k.lives(h, 0):
			return h.tokens.AccessToken, nil
		}
		return "", err
	}
	return "", busy(0)
}

// Status gives a person's connection as it is, or ErrNotFound; other errors are faults. Nobody upstream is asked.
func (k *Keeper) Status(ctx context.Context, subject string) (Record, error) {
	c, err := k.recordStore.Record(ctx, subject)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Record{}, unreachable(err)
	}
	return c, err
}

// recall gives an access token from memory alone.
func (k *Keeper) recall(subject string) (string, bool) {
	now := k.now()
	c, known := k.records.get(subject, now)
	p, held := k.tokens.get(subject, now)
	if !known || !held || p.version != c.Version || !k.fresh(holding{Record: c, tokens: p.tokens}) {
		return "", false
	}
	return p.tokens.AccessToken, true
}

// read gives what is stored, or a fault.
func (k *Keeper) read(ctx context.Context, subject, refused string) (holding, error) {
	since := k.now()
	c, err := k.recordStore.Record(ctx, subject)
	switch {
	case errors.Is(err, ErrNotFound):
		k.forget(subject)
		return holding{}, expired()
	case err != nil:
		return holding{}, unreachable(err)
	case c.Status != Active:
		k.forget(subject)
		return holding{}, expired()
	}
	t, err := k.load(ctx, c)
	if err != nil {
		return holding{}, err
	}
	k.keepRecord(c, since)
	return holding{Record: c, tokens: t, refused: t.AccessToken == refused}, nil
}

// load gives the tokens of the connection's version, or a fault. A version that is lost takes a login to mend, but is not
// written down as such: a Store may be slower to find it than this call had time.
func (k *Keeper) load(ctx context.Context, c Record) (provider.Tokens, error) {
	if p, ok := k.tokens.get(c.Subject, k.now()); ok && p.version == c.Version {
		return p.tokens, nil
	}
	since := k.now()
	t, err := k.store.Load(ctx, c.Subject, c.Version)
	switch {
	case errors.Is(err, ErrNotFound) && ctx.Err() == nil:
		return provider.Tokens{}, expired().Because(err)
	case err != nil:
		return provider.Tokens{}, unreachable(err)
	}
	k.keepTokens(c, t, since)
	return t, nil
}

// fresh reports whether the access token can be used with nothing further done. When it no longer is differs a little from
// call to call, so that of many calls at once, or many people who logged in together, one comes first.
func (k *Keeper) fresh(h holding) bool {
	// A provider whose tokens live for hours must not be asked at every call.
	ahead := max(0, min(early, h.tokens.ExpiresAt.Sub(h.tokens.ObtainedAt)/2))
	ahead = ahead*4/5 + rand.N(ahead*2/5+1)
	return k.lives(h, ahead)
}

// lives reports whether the access token is good for longer than a margin.
func (k *Keeper) lives(h holding, margin time.Duration) bool {
	return !h.refused && h.tokens.ExpiresAt.After(k.now().Add(margin))
}

func (k *Keeper) remember(c Record, t provider.Tokens, since time.Time) {
	k.keepTokens(c, t, since)
	k.keepRecord(c, since)
}

func (k *Keeper) keepTokens(c Record, t provider.Tokens, since time.Time) {
	k.tokens.put(c.Subject, pinned{c.Version, t}, since, t.ExpiresAt)
}

func (k *Keeper) keepRecord(c Record, since time.Time) {
	k.records.put(c.Subject, c, since, since.Add(recordLife))
}

func (k *Keeper) forget(subject string) {
	k.records.drop(subject)
	k.tokens.drop(subject)
}
