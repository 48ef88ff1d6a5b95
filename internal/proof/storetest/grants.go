package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// Grants checks that a grant.Store does what its interface says. A Store may limit a person's
// tokens to 65,536 bytes in its own encoding. open may return the same store each time.
func Grants(t *testing.T, open func(t *testing.T, provider string) grant.Store) {
	check(t, func(t *testing.T) grants { return grants{open(t, "first"), open(t, "second")} }, grantFacts)
}

// grants are the stores of two providers, in the same place.
type grants struct {
	grant.Store
	second grant.Store
}

var grantFacts = []fact[grants]{
	{"tokens are returned as they were saved, by version and as the newest", func(t *testing.T, s grants) {
		odd, large := newTokens(2), newTokens(1)
		odd.AccessToken, odd.ObtainedAt = unicode, odd.ObtainedAt.Add(700*time.Millisecond)
		unending := newTokens(3)
		unending.RefreshToken, unending.ExpiresAt, unending.RefreshExpiresAt = "", time.Time{}, time.Time{}
		large.AccessToken, large.RefreshToken = strings.Repeat("a", 40_000), strings.Repeat("r", 20_000)
		for _, tokens := range []provider.Tokens{newTokens(beyondFloat), odd, unending, large, {AccessToken: newID()}} {
			saveTokens(t, s, newSubject(), newID(), tokens)
		}
	}},
	{"tokens of 70,000 bytes are refused, and the earlier ones stay", func(t *testing.T, s grants) {
		subject, tokens := newSubject(), newTokens(1)
		refused := func(large provider.Tokens) {
			_, err := s.Save(t.Context(), subject, newID(), large)
			wantErr(t, err, grant.ErrTooLarge)
		}
		refused(provider.Tokens{Revision: 2, AccessToken: strings.Repeat("a", 70_000)})
		wantNoTokens(t, s, subject, "")
		version := saveTokens(t, s, subject, newID(), tokens)
		refused(provider.Tokens{Revision: 2, AccessToken: strings.Repeat("a", 35_000), RefreshToken: strings.Repeat("r", 35_000)})
		wantTokens(t, s, subject, version, tokens)
		wantNewest(t, s, subject, tokens)
	}},
	{"twenty saves as one writer, and a later one, make one version", func(t *testing.T, s grants) {
		subject, writer, tokens := newSubject(), newID(), newTokens(2)
		saveTokens(t, s, subject, newID(), newTokens(1))
		var versions [rivals]string
		for _, err := range together(func(i int) (err error) {
			versions[i], err = s.Save(t.Context(), subject, writer, tokens)
			return err
		}) {
			must(t, err)
		}
		later := saveTokens(t, s, subject, writer, tokens)
		for _, version := range versions {
			if version != later {
				t.Errorf("versions %q, then %q", versions, later)
			}
		}
	}},
	{"another writer or revision makes another version, which is the newest", func(t *testing.T, s grants) {
		subject, writer := newSubject(), newID()
		first, second, third := newTokens(1), newTokens(1), newTokens(2)
		v1 := saveTokens(t, s, subject, writer, first)
		v2 := saveTokens(t, s, subject, newID(), second)
		wantTokens(t, s, subject, v1, first)
		v3 := saveTokens(t, s, subject, writer, third)
		wantTokens(t, s, subject, v2, second)
		if v1 == v2 || v2 == v3 || v1 == v3 {
			t.Errorf("versions %q, %q and %q", v1, v2, v3)
		}
	}},
	{"tokens belong to one person at one provider", func(t *testing.T, s grants) {
		subject, writer := newSubject(), newID()
		version := saveTokens(t, s, subject, writer, newTokens(1))
		for _, other := range []string{newSubject(), subject + "0"} {
			wantNoTokens(t, s, other, "")
			wantNoTokens(t, s, other, version)
		}
		wantNoTokens(t, s.second, subject, "")
		theirs := newTokens(1)
		saveTokens(t, s.second, subject, writer, theirs)
		must(t, s.Delete(t.Context(), subject))
		wantNewest(t, s.second, subject, theirs)
		wantNoTokens(t, s, subject, saveTokens(t, s, newSubject(), newID(), newTokens(7)))
	}},
	{"deleting removes every version, if there is one, and new tokens can be saved", func(t *testing.T, s grants) {
		subject, other, kept := newSubject(), newSubject(), newTokens(1)
		must(t, s.Delete(t.Context(), subject))
		saveTokens(t, s, other, newID(), kept)
		v1 := saveTokens(t, s, subject, newID(), newTokens(1))
		v2 := saveTokens(t, s, subject, newID(), newTokens(2))
		must(t, s.Delete(t.Context(), subject))
		must(t, s.Delete(t.Context(), subject))
		for _, version := range []string{"", v1, v2} {
			soon(t, func() error {
				_, err := load(t, s, absence, subject, version)
				return is(err, grant.ErrNotFound)
			})
		}
		saveTokens(t, s, subject, newID(), newTokens(3))
		wantNoTokens(t, s, subject, v2)
		wantNewest(t, s, other, kept)
	}},
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, s grants) {
		subject, tokens := newSubject(), newTokens(1)
		version := saveTokens(t, s, subject, newID(), tokens)
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := s.Load(ctx, subject, ""); return err },
			func(ctx context.Context) error { _, err := s.Load(ctx, subject, version); return err },
			func(ctx context.Context) error { _, err := s.Load(ctx, newSubject(), ""); return err },
			func(ctx context.Context) error { _, err := s.Save(ctx, subject, newID(), newTokens(2)); return err },
			func(ctx context.Context) error { return s.Delete(ctx, subject) },
		} {
			wantUnreachable(t, do(cancelled(t)), grant.ErrNotFound, grant.ErrConflict, grant.ErrTooLarge)
		}
		wantTokens(t, s, subject, version, tokens)
		wantNewest(t, s, subject, tokens)
	}},
}

// newTokens returns tokens with every field filled.
func newTokens(revision int64) provider.Tokens {
	now := newClock().Now()
	return provider.Tokens{
		Revision: revision, AccessToken: newID(), RefreshToken: newID(), ExpiresAt: now.Add(14 * 24 * time.Hour), ObtainedAt: now,
		Scope: "read:project read:org", RefreshExpiresAt: now.Add(184 * 24 * time.Hour),
	}
}

// saveTokens saves tokens, and checks that they are found.
func saveTokens(t *testing.T, s grant.Store, subject, writer string, tokens provider.Tokens) (version string) {
	t.Helper()
	version, err := s.Save(t.Context(), subject, writer, tokens)
	must(t, err)
	if version == "" {
		t.Fatal("the version has no name")
	}
	wantTokens(t, s, subject, version, tokens)
	wantNewest(t, s, subject, tokens)
	return version
}

func wantTokens(t *testing.T, s grant.Store, subject, version string, want provider.Tokens) {
	t.Helper()
	got, err := load(t, s, patience, subject, version)
	must(t, err)
	wantSame(t, got, want)
}

// wantNewest waits until the tokens saved last are the newest. A store must find a named version
// immediately, but may be late with the newest.
func wantNewest(t *testing.T, s grant.Store, subject string, want provider.Tokens) {
	t.Helper()
	soon(t, func() error {
		got, err := load(t, s, patience, subject, "")
		if err != nil {
			return fmt.Errorf("the newest: %w", err)
		}
		return same(got, want)
	})
}

func wantNoTokens(t *testing.T, s grant.Store, subject, version string) {
	t.Helper()
	_, err := load(t, s, absence, subject, version)
	wantErr(t, err, grant.ErrNotFound)
}

// absence is how long a store may take to report that tokens do not exist, on a machine that does
// other work. A store may wait before it does; its own tests hold for how long.
const absence = 20 * time.Second

func load(t *testing.T, s grant.Store, limit time.Duration, subject, version string) (provider.Tokens, error) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return s.Load(ctx, subject, version)
}
