package grant_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
)

const (
	ines  = "37s:1001"
	jonas = "37s:1002"
	// fortnight is how long Basecamp's access tokens live.
	fortnight = 14 * 24 * time.Hour
)

// house is a Keeper with all it stands on. Its store can be out of order, and its sign-on in any mood.
type house struct {
	testing.TB
	*grant.Keeper
	store   *store
	records *records
	signOn  *signOn
	log     *journal
}

// in runs a test in a house where Ines Albrecht has just connected, and where waiting takes no time.
func in(t *testing.T, test func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.connect(ines)
		test(h)
	})
}

func newHouse(t testing.TB) *house {
	h := &house{
		TB:      t,
		store:   &store{Store: memory.NewGrants(time.Now)},
		records: &records{Records: memory.NewRecords()},
		signOn:  &signOn{good: map[string]bool{}},
		log:     &journal{},
	}
	h.Keeper = h.another()
	return h
}

// another is one more Keeper of the same house, as in another Lambda: it remembers nothing.
func (h *house) another() *grant.Keeper { return grant.New(h.config()) }

func (h *house) config() grant.Config {
	return grant.Config{Store: h.store, Records: h.records, Provider: h.signOn.provider(), Log: slog.New(slog.NewTextHandler(h.log, nil))}
}

func (h *house) connect(subject string) grant.Record {
	h.Helper()
	c, err := h.Connect(h.Context(), subject, "Ines Albrecht", h.signOn.login())
	if err != nil {
		h.Fatal(err)
	}
	return c
}

// stale lets time pass until Ines's access token is due to be replaced, with so much left of it.
func (h *house) stale(left time.Duration) {
	h.Helper()
	time.Sleep(time.Until(h.status(ines).ExpiresAt) - left)
}

func (h *house) status(subject string) grant.Record {
	h.Helper()
	c, err := h.records.Records.Record(h.Context(), subject)
	if err != nil {
		h.Fatalf("status of %s: %v", subject, err)
	}
	return c
}

// stored gives the tokens that a connection stands for.
func (h *house) stored(subject string) provider.Tokens {
	h.Helper()
	t, err := h.store.Store.Load(h.Context(), subject, h.status(subject).Version)
	if err != nil {
		h.Fatalf("tokens of %s: %v", subject, err)
	}
	return t
}

// write changes a record behind everybody's back.
func (h *house) write(subject string, change func(c *grant.Record)) grant.Record {
	h.Helper()
	c := h.status(subject)
	change(&c)
	c, err := h.records.Records.SaveRecord(h.Context(), c)
	if err != nil {
		h.Fatal(err)
	}
	return c
}

func (h *house) token(subject, refused string) string {
	h.Helper()
	token, err := h.AccessToken(h.Context(), subject, refused)
	if err != nil {
		h.Fatalf("token of %s: %v", subject, err)
	}
	return token
}

// fails asks for a token that is not to be had.
func (h *house) fails(subject, refused string, code fault.Code) *fault.Error {
	h.Helper()
	token, err := h.AccessToken(h.Context(), subject, refused)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != code || f.Retryable != (code == fault.UpstreamError) || token != "" {
		h.Fatalf("token %q, error %v; want %s", token, err, code)
	}
	return f
}

// asked checks how many refreshes have been sent in all.
func (h *house) asked(want int) {
	h.Helper()
	if got := h.signOn.count(); got != want {
		h.Errorf("%d refreshes sent, want %d", got, want)
	}
}

// settled checks that Ines's connection is at a revision, works, and is not held by anybody.
func (h *house) settled(revision int64) {
	h.Helper()
	c, t := h.status(ines), h.stored(ines)
	if c.Revision != revision || c.Status != grant.Active || c.Lease != "" || !c.LeaseUntil.IsZero() || c.Failures != 0 || !c.NextTry.IsZero() {
		h.Errorf("connection %+v, want a settled revision %d", c, revision)
	}
	if t.Revision != revision || !t.ExpiresAt.Equal(c.ExpiresAt) {
		h.Errorf("tokens of revision %d until %s under %+v", t.Revision, t.ExpiresAt, c)
	}
}

// signOn is a provider whose refresh tokens are good once: using one makes the next.
type signOn struct {
	provider.SignOn
	mu    sync.Mutex
	made  int
	good  map[string]bool
	sent  []string
	takes time.Duration
	// mood, if any, answers instead.
	mood func(refreshToken string) (provider.Tokens, error)
}

func (s *signOn) provider() provider.Provider {
	return provider.Provider{ID: "37signals", Namespace: "37s", Name: "Basecamp", SignOn: s}
}

func (s *signOn) login() provider.Tokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issue()
}

func (s *signOn) issue() provider.Tokens {
	s.made++
	t := provider.Tokens{
		AccessToken:  fmt.Sprintf("secret-access-%d", s.made),
		RefreshToken: fmt.Sprintf("secret-refresh-%d", s.made),
		ObtainedAt:   time.Now(),
		ExpiresAt:    time.Now().Add(fortnight),
	}
	s.good[t.RefreshToken] = true
	return t
}

func (s *signOn) Refresh(ctx context.Context, refreshToken string) (provider.Tokens, error) {
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return provider.Tokens{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, refreshToken)
	if s.mood != nil {
		return s.mood(refreshToken)
	}
	if !s.good[refreshToken] {
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead}
	}
	delete(s.good, refreshToken)
	return s.issue(), nil
}

func (s *signOn) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sent)
}

// refuses puts the sign-on into a mood.
func (s *signOn) refuses(cause provider.Cause, retryAfter time.Duration) {
	s.mood = func(string) (provider.Tokens, error) {
		return provider.Tokens{}, fmt.Errorf("refresh: %w", &provider.Refusal{Cause: cause, RetryAfter: retryAfter})
	}
}

var errDown = errors.New("the network is down")

// store is a grant.Store with faults: a hook that fails makes the call fail, without its effect.
type store struct {
	grant.Store
	mu           sync.Mutex
	loads, saves int
	onLoad       func(version string) error
	onSave       func(t provider.Tokens) error
	saved        func() // after it had its effect
}

func (s *store) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	s.mu.Lock()
	s.loads++
	s.mu.Unlock()
	if s.onLoad != nil {
		if err := s.onLoad(version); err != nil {
			return provider.Tokens{}, err
		}
	}
	return s.Store.Load(ctx, subject, version)
}

func (s *store) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	s.mu.Lock()
	s.saves++
	s.mu.Unlock()
	if s.onSave != nil {
		if err := s.onSave(t); err != nil {
			return "", err
		}
	}
	version, err := s.Store.Save(ctx, subject, writer, t)
	if err == nil && s.saved != nil {
		s.saved()
	}
	return version, err
}

// records is a grant.Records with faults, like store.
type records struct {
	grant.Records
	mu            sync.Mutex
	reads, writes int
	onRead        func(subject string) error
	onWrite       func(c grant.Record) error
	read          func() // after it had its effect
}

func (r *records) Record(ctx context.Context, subject string) (grant.Record, error) {
	r.mu.Lock()
	r.reads++
	r.mu.Unlock()
	if r.onRead != nil {
		if err := r.onRead(subject); err != nil {
			return grant.Record{}, err
		}
	}
	c, err := r.Records.Record(ctx, subject)
	if r.read != nil {
		r.read()
	}
	return c, err
}

func (r *records) SaveRecord(ctx context.Context, c grant.Record) (grant.Record, error) {
	r.mu.Lock()
	r.writes++
	r.mu.Unlock()
	if r.onWrite != nil {
		if err := r.onWrite(c); err != nil {
			return grant.Record{}, err
		}
	}
	return r.Records.SaveRecord(ctx, c)
}

// journal is a log that can be read.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) says(line string) int { return strings.Count(j.String(), line) }
