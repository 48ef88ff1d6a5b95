package envelope_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/storetest"
)

const (
	ines  = "or:1001"
	jonas = "or:1002"
)

// testEnv is a Store with its parts, which tests can change.
type testEnv struct {
	testing.TB
	*envelope.Tokens
	ring *envelopetest.Ring
	rows *envelopetest.Rows
	now  time.Time
	log  bytes.Buffer
}

func newTestEnv(t testing.TB) *testEnv {
	env := &testEnv{
		TB: t, ring: envelopetest.NewRing(), rows: envelopetest.NewRows(), now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC),
	}
	env.Tokens = env.stack("fernhill").Of("orchard")
	return env
}

// stack returns the Store of a deployment with the same ring and rows.
func (env *testEnv) stack(name string) *envelope.Store { return env.with(env.rows, name) }

func (env *testEnv) with(rows envelope.Rows, stack string) *envelope.Store {
	return envelope.New(envelope.Config{
		Keys: env.ring, Rows: rows, Stack: stack, Now: func() time.Time { return env.now },
		Log: slog.New(slog.NewTextHandler(&env.log, nil)),
	})
}

func tokensOf(revision int64) provider.Tokens {
	obtained := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	return provider.Tokens{
		Revision: revision, AccessToken: "secret-access", RefreshToken: "secret-refresh",
		ObtainedAt: obtained, ExpiresAt: obtained.Add(14 * 24 * time.Hour),
	}
}

func (env *testEnv) save(subject, writer string, revision int64) (version string) {
	env.Helper()
	version, err := env.Save(env.Context(), subject, writer, tokensOf(revision))
	if err != nil {
		env.Fatal(err)
	}
	return version
}

func (env *testEnv) wantLoad(subject, version string, revision int64) {
	env.Helper()
	got, err := env.Load(env.Context(), subject, version)
	if err != nil || !cmp.Equal(got, tokensOf(revision)) {
		env.Errorf("version %q has %+v, %v; want revision %d", version, got, err, revision)
	}
}

func (env *testEnv) wantNone(subject, version string) {
	env.Helper()
	if _, err := env.Load(env.Context(), subject, version); !errors.Is(err, grant.ErrNotFound) {
		env.Errorf("version %q: %v, want not found", version, err)
	}
}

// wantKept checks which versions exist, oldest first.
func (env *testEnv) wantKept(subject string, want ...string) {
	env.Helper()
	var got []string
	env.edit(subject, func(p *envelope.Pointer, rows map[string]envelope.Row) {
		for _, v := range p.Kept {
			got = append(got, v.Version)
		}
		if len(rows) != len(p.Kept) {
			env.Errorf("%d rows, and %d in the pointer", len(rows), len(p.Kept))
		}
	})
	if diff := cmp.Diff(want, got); diff != "" {
		env.Errorf("kept versions, -want +got:\n%s", diff)
	}
}

func (env *testEnv) edit(subject string, edit func(p *envelope.Pointer, rows map[string]envelope.Row)) {
	env.rows.Edit(envelope.Owner{Provider: "orchard", Subject: subject}, edit)
}

// wantRefused checks that one more row was refused, with a line in the log that names no user.
func (env *testEnv) wantRefused() {
	env.Helper()
	said := env.log.String()
	if env.refused() != 1 {
		env.Errorf("log:\n%s", said)
	}
	for _, private := range []string{ines, jonas, "secret-"} {
		if strings.Contains(said, private) {
			env.Errorf("the log contains %s:\n%s", private, said)
		}
	}
	env.log.Reset()
}

// refused returns how many rows were refused, as the log says.
func (env *testEnv) refused() int {
	return strings.Count(env.log.String(), "level=ERROR msg=\"stored tokens were refused")
}

func TestTokens_AreAGrantStore(t *testing.T) {
	store := envelope.New(envelope.Config{Keys: envelopetest.NewRing(), Rows: envelopetest.NewRows(), Stack: "fernhill"})
	storetest.Grants(t, func(*testing.T) grant.Store { return store.Of("orchard") })
	storetest.SeparateGrants(t, func(_ *testing.T, provider string) grant.Store { return store.Of(provider) })
}
