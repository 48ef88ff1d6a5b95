package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// Grants checks that a grant.Store does what its interface says. A Store may limit a person's
// tokens to 65,536 bytes in its own encoding. open may return the same store each time.
func Grants(t *testing.T, open func(t *testing.T) grant.Store) {
	check(t, open, grantFacts)
}

var grantFacts = []fact[grant.Store]{
	{"tokens are returned as they were saved, by version and as the newest", func(t *testing.T, s grant.Store) {
		full := newTokens(beyondFloat)
		odd := newTokens(2)
		odd.AccessToken, odd.ObtainedAt = unicode, odd.ObtainedAt.Add(700*time.Millisecond)
		unending := newTokens(3)
		unending.RefreshToken, unending.ExpiresAt, unending.RefreshExpiresAt = "", time.Time{}, time.Time{}
		for _, tokens := range []provider.Tokens{full, odd, unending, {AccessToken: newID()}} {
			subject := newSubject()
			version := saveTokens(t, s, subject, newID(), tokens)
			if version == "" {
				t.Fatal("the version has no name")
			}
			wantTokens(t, s, subject, version, tokens)
			wantNewest(t, s, subject, tokens)
		}
	}},
	{"large tokens are stored", func(t *testing.T, s grant.Store) {
		subject, tokens := newSubject(), newTokens(1)
		tokens.AccessToken, tokens.RefreshToken = strings.Repeat("a", 40_000), strings.Repeat("r", 20_000)
		version := saveTokens(t, s, subject, newID(), tokens)
		wantTokens(t, s, subject, version, tokens)
	}},
	{"tokens of 70,000 bytes are refused, and the earlier ones stay", func(t *testing.T, s grant.Store) {
		subject, tokens := newSubject(), newTokens(1)
		for _, large := range []provider.Tokens{
			{Revision: 2, AccessToken: strings.Repeat("a", 70_000)},
			{Revision: 3, AccessToken: strings.Repeat("a", 35_000), RefreshToken: strings.Repeat("r", 35_000)},
		} {
			_, err := s.Save(t.Context(), subject, newID(), large)
			wantErr(t, err, grant.ErrTooLarge)
			wantNoTokens(t, s, subject, "")
		}
		version := saveTokens(t, s, subject, newID(), tokens)
		_, err := s.Save(t.Context(), subject, newID(), provider.Tokens{Revision: 2, RefreshToken: strings.Repeat("r", 70_000)})
		wantErr(t, err, grant.ErrTooLarge)
		wantTokens(t, s, subject, version, tokens)
		wantNewest(t, s, subject, tokens)
	}},
	{"saving twice as one writer makes one version", func(t *testing.T, s grant.Store) {
		subject, writer, tokens := newSubject(), newID(), newTokens(1)
		version := saveTokens(t, s, subject, writer, tokens)
		if again := saveTokens(t, s, subject, writer, tokens); again != version {
			t.Errorf("version %q, then %q", version, again)
		}
		wantTokens(t, s, subject, version, tokens)
	}},
	{"twenty concurrent saves as one writer make one version", func(t *testing.T, s grant.Store) {
		subject, writer, tokens := newSubject(), newID(), newTokens(2)
		saveTokens(t, s, subject, newID(), newTokens(1))
		var versions [rivals]string
		for _, err := range together(func(i int) (err error) {
			versions[i], err = s.Save(t.Context(), subject, writer, tokens)
			return err
		}) {
			must(t, err)
		}
		for _, version := range versions {
			if version != versions[0] {
				t.Errorf("versions %q", versions)
			}
		}
		wantTokens(t, s, subject, versions[0], tokens)
	}},
	{"another writer or revision makes another version", func(t *testing.T, s grant.Store) {
		subject, writer := newSubject(), newID()
		first, second, third := newTokens(1), newTokens(1), newTokens(2)
		v1 := saveTokens(t, s, subject, writer, first)
		v2 := saveTokens(t, s, subject, newID(), second)
		wantTokens(t, s, subject, v1, first)
		wantTokens(t, s, subject, v2, second)
		v3 := saveTokens(t, s, subject, writer, third)
		wantTokens(t, s, subject, v2, second)
		wantTokens(t, s, subject, v3, third)
		if v1 == v2 || v2 == v3 || v1 == v3 {
			t.Errorf("versions %q, %q and %q", v1, v2, v3)
		}
	}},
	{"the newest tokens are those saved last", func(t *testing.T, s grant.Store) {
		subject := newSubject()
		for _, revision := range []int64{1, 2, 3, 3} {
			tokens := newTokens(revision)
			saveTokens(t, s, subject, newID(), tokens)
			wantNewest(t, s, subject, tokens)
		}
	}},
	{"tokens belong to one person", func(t *testing.T, s grant.Store) {
		subject, writer, tokens := newSubject(), newID(), newTokens(1)
		version := saveTokens(t, s, subject, writer, tokens)
		for _, other := range []string{newSubject(), subject + "0"} {
			wantNoTokens(t, s, other, "")
			wantNoTokens(t, s, other, version)
		}
		wantNoTokens(t, s, subject, saveTokens(t, s, newSubject(), newID(), newTokens(7)))
	}},
	{"deleting removes every version, and new tokens can be saved", func(t *testing.T, s grant.Store) {
		subject, other, writer, kept := newSubject(), newSubject(), newID(), newTokens(1)
		saveTokens(t, s, other, writer, kept)
		v1 := saveTokens(t, s, subject, writer, newTokens(1))
		v2 := saveTokens(t, s, subject, writer, newTokens(2))
		must(t, s.Delete(t.Context(), subject))
		for _, version := range []string{"", v1, v2} {
			soon(t, func() error {
				_, err := load(t, s, absence, subject, version)
				return is(err, grant.ErrNotFound)
			})
		}
		anew := newTokens(3)
		wantTokens(t, s, subject, saveTokens(t, s, subject, newID(), anew), anew)
		wantNewest(t, s, subject, anew)
		wantNoTokens(t, s, subject, v2)
		wantNewest(t, s, other, kept)
	}},
	{"deleting missing tokens is not an error", func(t *testing.T, s grant.Store) {
		subject := newSubject()
		must(t, s.Delete(t.Context(), subject))
		saveTokens(t, s, subject, newID(), newTokens(1))
		must(t, s.Delete(t.Context(), subject))
		must(t, s.Delete(t.Context(), subject))
	}},
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, s grant.Store) {
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

// SeparateGrants checks that the tokens of two providers are separate, although one store has both.
func SeparateGrants(t *testing.T, open func(t *testing.T, provider string) grant.Store) {
	t.Run("the tokens of two providers are separate", func(t *testing.T) {
		one, other, subject, writer := open(t, "first"), open(t, "second"), newSubject(), newID()
		tokens, theirs := newTokens(1), newTokens(1)
		theirs.RefreshToken, theirs.ExpiresAt = "", time.Time{}
		version := saveTokens(t, one, subject, writer, tokens)
		wantNoTokens(t, other, subject, "")
		theirVersion := saveTokens(t, other, subject, writer, theirs)
		wantTokens(t, one, subject, version, tokens)
		wantTokens(t, other, subject, theirVersion, theirs)
		must(t, one.Delete(t.Context(), subject))
		wantNewest(t, other, subject, theirs)
	})
}

// newTokens returns tokens with every field filled.
func newTokens(revision int64) provider.Tokens {
	now := newClock().Now()
	return provider.Tokens{
		Revision: revision, AccessToken: newID(), RefreshToken: newID(), ExpiresAt: now.Add(14 * 24 * time.Hour), ObtainedAt: now,
		Scope: "read:project read:org", RefreshExpiresAt: now.Add(184 * 24 * time.Hour),
	}
}

func saveTokens(t *testing.T, s grant.Store, subject, writer string, tokens provider.Tokens) (version string) {
	t.Helper()
	version, err := s.Save(t.Context(), subject, writer, tokens)
	must(t, err)
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

// absence is how long a store may take to report that tokens do not exist. A store may wait before
// it does.
const absence = 2 * time.Second

func load(t *testing.T, s grant.Store, limit time.Duration, subject, version string) (provider.Tokens, error) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return s.Load(ctx, subject, version)
}
