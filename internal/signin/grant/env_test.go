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

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/memory"
)

const (
	ines  = "37s:1001"
	jonas = "37s:1002"
	// fortnight is the life of an access token.
	fortnight = 14 * 24 * time.Hour
)

// testEnv is a Keeper with its stores and its sign-on, which tests can make fail.
type testEnv struct {
	testing.TB
	*grant.Keeper
	store   *store
	records *records
	signOn  *signOn
	log     *journal
}

// in runs a test in a new environment in which Ines Albrecht has just connected. Waiting takes no
// time.
func in(t *testing.T, test func(env *testEnv)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		env := newTestEnv(t)
		env.connect(ines)
		test(env)
	})
}

func newTestEnv(t testing.TB) *testEnv {
	env := &testEnv{
		TB:      t,
		store:   &store{Store: memory.New(time.Now).Grants("")},
		records: &records{Records: memory.New(nil).Records("")},
		signOn:  &signOn{good: map[string]bool{}},
		log:     &journal{},
	}
	env.Keeper = env.another()
	return env
}

// another returns another Keeper of the same stores, as in another Lambda: its cache is empty.
func (env *testEnv) another() *grant.Keeper { return grant.New(env.config()) }

func (env *testEnv) config() grant.Config {
	return grant.Config{Store: env.store, Records: env.records, Provider: env.signOn.provider(), Log: slog.New(slog.NewTextHandler(env.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
}

func (env *testEnv) connect(subject string) grant.Record {
	env.Helper()
	c, err := env.Connect(env.Context(), subject, "Ines Albrecht", env.signOn.login())
	if err != nil {
		env.Fatal(err)
	}
	return c
}

// stale waits until Ines's access token expires after the given time.
func (env *testEnv) stale(left time.Duration) {
	env.Helper()
	time.Sleep(time.Until(env.status(ines).ExpiresAt) - left)
}

func (env *testEnv) status(subject string) grant.Record {
	env.Helper()
	c, err := env.records.Records.Record(env.Context(), subject)
	if err != nil {
		env.Fatalf("status of %s: %v", subject, err)
	}
	return c
}

// stored returns the tokens that a record names.
func (env *testEnv) stored(subject string) provider.Tokens {
	env.Helper()
	t, err := env.store.Store.Load(env.Context(), subject, env.status(subject).Version)
	if err != nil {
		env.Fatalf("tokens of %s: %v", subject, err)
	}
	return t
}

// write changes a record without a Keeper.
func (env *testEnv) write(subject string, change func(c *grant.Record)) grant.Record {
	env.Helper()
	c := env.status(subject)
	change(&c)
	c, err := env.records.Records.SaveRecord(env.Context(), c)
	if err != nil {
		env.Fatal(err)
	}
	return c
}

func (env *testEnv) token(subject, refused string) string {
	env.Helper()
	token, err := env.AccessToken(env.Context(), subject, refused)
	if err != nil {
		env.Fatalf("token of %s: %v", subject, err)
	}
	return token
}

// wantToken requests a token, and checks which one it is.
func (env *testEnv) wantToken(refused, want string) {
	env.Helper()
	if got := env.token(ines, refused); got != want {
		env.Errorf("token %s, want %s", got, want)
	}
}

// elsewhere returns the environment with another Keeper.
func (env *testEnv) elsewhere() *testEnv {
	other := *env
	other.Keeper = env.another()
	return &other
}

func (env *testEnv) disconnect() {
	env.Helper()
	if err := env.Disconnect(env.Context(), ines); err != nil {
		env.Error(err)
	}
}

func (env *testEnv) wantStatus(want grant.Status) {
	env.Helper()
	if c := env.status(ines); c.Status != want {
		env.Errorf("record %+v, want %s", c, want)
	}
}

// wantLogged checks how many lines of the log say something.
func (env *testEnv) wantLogged(want int, line string) {
	env.Helper()
	if env.log.says(line) != want {
		env.Errorf("want %d lines with %q in the log:\n%s", want, line, env.log)
	}
}

// fails requests a token, and checks that the request fails with code.
func (env *testEnv) fails(subject, refused string, code fault.Code) *fault.Error {
	env.Helper()
	token, err := env.AccessToken(env.Context(), subject, refused)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != code || f.Retryable != (code == fault.UpstreamError) || token != "" {
		env.Fatalf("token %q, error %v; want %s", token, err, code)
	}
	return f
}

// asked checks the total number of refreshes sent.
func (env *testEnv) asked(want int) {
	env.Helper()
	if got := env.signOn.count(); got != want {
		env.Errorf("%d refreshes sent, want %d", got, want)
	}
}

// wantActive checks that Ines's grant is at a revision, works and is not leased.
func (env *testEnv) wantActive(revision int64) {
	env.Helper()
	c, t := env.status(ines), env.stored(ines)
	if c.Revision != revision || c.Status != grant.Active || c.Lease != "" || !c.LeaseUntil.IsZero() || c.Failures != 0 || !c.NextTry.IsZero() {
		env.Errorf("record %+v, want an active revision %d without a lease", c, revision)
	}
	if t.Revision != revision || !t.ExpiresAt.Equal(c.ExpiresAt) {
		env.Errorf("tokens of revision %d until %s under %+v", t.Revision, t.ExpiresAt, c)
	}
}

// signOn is a provider with single-use refresh tokens: a refresh returns the next one.
type signOn struct {
	provider.SignOn
	mu    sync.Mutex
	made  int
	good  map[string]bool
	sent  []string
	takes time.Duration
	// mood, if set, answers instead.
	mood func(refreshToken string) (provider.Tokens, error)

	// orchard, if set, makes it the sign-on of a provider whose accounts users link.
	orchard *orchard
}

func (s *signOn) provider() provider.Provider {
	if s.orchard != nil {
		return provider.Provider{ID: "orchard", Namespace: "or", Name: "Orchard", Revokes: true, SignOn: s}
	}
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
		Scope:        "read",
	}
	if s.orchard != nil {
		t = s.orchard.own(t)
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

// refuses makes the sign-on refuse every refresh.
func (s *signOn) refuses(cause provider.Cause, retryAfter time.Duration) {
	s.mood = func(string) (provider.Tokens, error) {
		return provider.Tokens{}, fmt.Errorf("refresh: %w", &provider.Refusal{Cause: cause, RetryAfter: retryAfter})
	}
}

var errDown = errors.New("the network is down")

// store is a grant.Store whose hooks can fail; then the call fails without its effect.
type store struct {
	grant.Store
	mu           sync.Mutex
	loads, saves int
	onLoad       func(version string) error
	onSave       func(t provider.Tokens) error
	onDelete     func() error
	saved        func()       // called after the effect
	deleted      func() error // the same; its error is that of the call
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

func (s *store) Delete(ctx context.Context, subject string) error {
	if s.onDelete != nil {
		if err := s.onDelete(); err != nil {
			return err
		}
	}
	err := s.Store.Delete(ctx, subject)
	if err == nil && s.deleted != nil {
		err = s.deleted()
	}
	return err
}

// records is a grant.Records with hooks, like store.
type records struct {
	grant.Records
	mu            sync.Mutex
	reads, writes int
	takes         time.Duration // of a read
	onRead        func(subject string) error
	onWrite       func(c grant.Record) error
	onRemove      func() error
	read          func() // called after the effect
}

func (r *records) Record(ctx context.Context, subject string) (grant.Record, error) {
	r.mu.Lock()
	r.reads++
	r.mu.Unlock()
	if r.takes > 0 {
		select {
		case <-time.After(r.takes):
		case <-ctx.Done():
			return grant.Record{}, ctx.Err()
		}
	}
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

func (r *records) DeleteRecord(ctx context.Context, subject string) error {
	if r.onRemove != nil {
		return r.onRemove()
	}
	return r.Records.DeleteRecord(ctx, subject)
}

func (r *records) RemoveRecord(ctx context.Context, c grant.Record) error {
	if r.onRemove != nil {
		return r.onRemove()
	}
	return r.Records.RemoveRecord(ctx, c)
}

// down fails, as a hook.
func down() error { return errDown }

// journal keeps what is logged.
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
