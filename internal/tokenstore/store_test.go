package tokenstore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/storetest"
	"basecamp-mcp/internal/tokenstore"
)

const ines = "37s:1001"

// places are both places of a provider's tokens.
type places struct {
	*testing.T
	secrets *secrets
	ring    *envelopetest.Ring
	sealed  *envelope.Tokens

	prompted int // reads of secrets that do not wait
}

func newPlaces(t *testing.T) *places {
	p := &places{T: t, secrets: &secrets{Store: memory.NewGrants(nil)}, ring: envelopetest.NewRing()}
	p.sealed = envelope.New(envelope.Config{Keys: p.ring, Rows: envelopetest.NewRows(), Stack: "fernhill"}).Of("37signals")
	return p
}

// in returns the store of an instance that seals tokens, or does not.
func (p *places) in(seals bool) tokenstore.Store {
	return tokenstore.New(tokenstore.Config{Secrets: p.secrets, Prompt: prompt{p.secrets, p}, Sealed: p.sealed, Seals: seals})
}

// existing returns the store of an instance that only refreshes.
func (p *places) existing(seals bool) tokenstore.Existing {
	return p.in(seals).Existing(existingSecrets{p.secrets})
}

// prompt is the place of secrets whose reads do not wait.
type prompt struct {
	*secrets
	p *places
}

func (s prompt) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	s.p.prompted++
	return s.secrets.Load(ctx, subject, version)
}

func (p *places) save(s grant.Store, writer string, t provider.Tokens) string {
	p.Helper()
	version, err := s.Save(p.Context(), ines, writer, t)
	if err != nil {
		p.Fatal(err)
	}
	return version
}

// wantNewest checks what instances of both modes see.
func (p *places) wantNewest(accessToken string) {
	p.Helper()
	for _, seals := range []bool{false, true} {
		if got, err := p.in(seals).Load(p.Context(), ines, ""); err != nil || got.AccessToken != accessToken {
			p.Errorf("seals %t: the newest token is %q, %v; want %s", seals, got.AccessToken, err, accessToken)
		}
	}
}

// secrets is a place whose calls fail while err is set. Its versions are never sealed.
type secrets struct {
	grant.Store
	err   error
	loads int
}

func (s *secrets) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	s.loads++
	if s.err != nil {
		return provider.Tokens{}, s.err
	}
	return s.Store.Load(ctx, subject, version)
}

func (s *secrets) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	return s.Store.Save(ctx, subject, writer, t)
}

func (s *secrets) Delete(ctx context.Context, subject string) error {
	if s.err != nil {
		return s.err
	}
	return s.Store.Delete(ctx, subject)
}

// existingSecrets adds only to what a user has.
type existingSecrets struct{ *secrets }

func (s existingSecrets) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if _, err := s.Store.Load(ctx, subject, ""); errors.Is(err, grant.ErrNotFound) {
		return "", grant.ErrNone
	}
	return s.secrets.Save(ctx, subject, writer, t)
}

var errDown = errors.New("the network is down")

// obtained returns tokens of a revision, obtained some hours from now.
func obtained(revision int64, hours int, accessToken string) provider.Tokens {
	now := time.Now().UTC().Truncate(time.Second).Add(time.Duration(hours) * time.Hour)
	return provider.Tokens{Revision: revision, AccessToken: accessToken, RefreshToken: "r" + accessToken, ObtainedAt: now, ExpiresAt: now.Add(336 * time.Hour)}
}

func TestStore_IsAGrantStoreInBothModes(t *testing.T) {
	for name, seals := range map[string]bool{"secrets": false, "envelope": true} {
		t.Run(name, func(t *testing.T) {
			s := newPlaces(t).in(seals)
			storetest.Grants(t, func(*testing.T) grant.Store { return s })
		})
	}
}

func TestStore_AVersionNamesItsPlace(t *testing.T) {
	p := newPlaces(t)
	secret, sealed := p.save(p.in(false), "a", obtained(1, 0, "one")), p.save(p.in(true), "a", obtained(2, 1, "two"))
	if envelope.IsVersion(secret) || !envelope.IsVersion(sealed) {
		t.Fatalf("versions %q and %q", secret, sealed)
	}
	for _, seals := range []bool{false, true} {
		s := p.in(seals)
		for version, want := range map[string]string{secret: "one", sealed: "two"} {
			if got, err := s.Load(t.Context(), ines, version); err != nil || got.AccessToken != want {
				t.Errorf("seals %t: %s has %q, %v", seals, version, got.AccessToken, err)
			}
			if current, err := s.Current(t.Context(), version); err != nil || current != (seals == envelope.IsVersion(version)) {
				t.Errorf("seals %t: %s is current: %t, %v", seals, version, current, err)
			}
		}
	}
}

func TestStore_TheNewestTokensAreThoseOfBothPlaces(t *testing.T) {
	p := newPlaces(t)
	p.save(p.in(false), "a", obtained(1, 0, "one"))
	p.wantNewest("one")
	p.save(p.in(true), "a", obtained(2, 1, "two"))
	p.wantNewest("two")
	p.save(p.in(false), "a", obtained(3, 2, "three"))
	p.wantNewest("three")
	p.save(p.in(true), "b", obtained(3, 2, "copied"))
	if got, err := p.in(true).Load(t.Context(), ines, ""); err != nil || got.AccessToken != "copied" {
		t.Errorf("of the same tokens in both places, the chosen place has %q, %v", got.AccessToken, err)
	}
}

// A user disconnected while one place could not be reached, and signed in again: revisions start at
// one.
func TestStore_LeftoversOfAnEarlierSignInAreNotTheNewest(t *testing.T) {
	p := newPlaces(t)
	p.save(p.in(false), "a", obtained(7, 0, "before"))
	p.save(p.in(true), "b", obtained(1, 1, "after"))
	p.wantNewest("after")
}

// What an instance of the other mode stores is found, also after the secrets were cleared.
func TestStore_ASecretThatIsStoredAfterTidyingIsFound(t *testing.T) {
	p := newPlaces(t)
	p.save(p.in(false), "a", obtained(1, 0, "one"))
	version := p.save(p.in(true), "a", obtained(1, 0, "one"))
	if err := p.in(true).Clear(t.Context(), ines, version); err != nil {
		t.Fatal(err)
	}
	before := p.secrets.loads
	if _, err := p.in(true).Load(t.Context(), ines, ""); err != nil || p.secrets.loads != before {
		t.Errorf("%d reads of a secret that does not exist, %v", p.secrets.loads-before, err)
	}
	p.save(p.in(false), "b", obtained(2, 1, "two"))
	p.wantNewest("two")
}

func TestStore_APlaceThatCannotBeReachedIsNeitherMissingNorSkipped(t *testing.T) {
	p := newPlaces(t)
	sealed := p.save(p.in(true), "a", obtained(2, 1, "two"))
	secret := p.save(p.in(false), "a", obtained(1, 0, "one"))
	for name, outage := range map[string]struct {
		secrets, ring error
		reads         []string // versions
	}{
		"secrets": {errDown, nil, []string{"", secret}}, "the ring": {nil, errDown, []string{"", sealed}},
	} {
		p.secrets.err, p.ring.Err = outage.secrets, outage.ring
		for _, seals := range []bool{false, true} {
			for _, version := range outage.reads {
				if got, err := p.in(seals).Load(t.Context(), ines, version); !errors.Is(err, errDown) {
					t.Errorf("without %s, seals %t: %q has %q, %v", name, seals, version, got.AccessToken, err)
				}
			}
		}
	}
}

// A deployment without its ring still refreshes users whose newest tokens are in secrets.
func TestStore_OlderRowsNeedNoRing(t *testing.T) {
	for _, sealed := range []int64{1, 2} {
		p := newPlaces(t)
		p.save(p.in(true), "a", obtained(sealed, 0, "one"))
		p.save(p.in(false), "a", obtained(2, 1, "two"))
		p.ring.Err = errDown
		if got, err := p.in(false).Load(t.Context(), ines, ""); err != nil || got.AccessToken != "two" {
			t.Errorf("revision %d is sealed: %q, %v", sealed, got.AccessToken, err)
		}
	}
}

// Most users with rows have no secret, and every refresh asks for one as long as the rows say so.
func TestStore_DoesNotWaitForASecretBesidesRows(t *testing.T) {
	p := newPlaces(t)
	p.save(p.in(true), "a", obtained(1, 0, "one"))
	p.wantNewest("one")
	if p.secrets.loads == 0 || p.secrets.loads != p.prompted {
		t.Errorf("%d reads of secrets, and %d of them without waiting", p.secrets.loads, p.prompted)
	}
}

func TestStore_DeleteRemovesBothPlaces(t *testing.T) {
	for _, seals := range []bool{false, true} {
		p := newPlaces(t)
		p.save(p.in(false), "a", obtained(1, 0, "one"))
		p.save(p.in(true), "a", obtained(2, 1, "two"))
		p.secrets.err = errDown
		if err := p.in(seals).Delete(t.Context(), ines); !errors.Is(err, errDown) {
			t.Errorf("seals %t: deleted although secrets cannot be reached: %v", seals, err)
		}
		if known, err := p.sealed.Summary(t.Context(), ines); err != nil || known.Known {
			t.Errorf("seals %t: rows remain: %+v, %v", seals, known, err)
		}
		p.secrets.err = nil
		if err := p.in(seals).Delete(t.Context(), ines); err != nil {
			t.Error(err)
		}
		if _, err := p.in(!seals).Load(t.Context(), ines, ""); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("seals %t: %v", seals, err)
		}
	}
}

func TestExisting_SavesWhereTheUserHasTokens(t *testing.T) {
	for _, seals := range []bool{false, true} {
		for _, has := range []struct{ secret, sealed, wantSealed bool }{
			{true, false, false}, {false, true, true}, {true, true, seals},
		} {
			p := newPlaces(t)
			if has.secret {
				p.save(p.in(false), "a", obtained(1, 0, "one"))
			}
			if has.sealed {
				p.save(p.in(true), "a", obtained(1, 0, "one"))
			}
			version := p.save(p.existing(seals), "b", obtained(2, 1, "two"))
			if again := p.save(p.existing(seals), "b", obtained(2, 1, "two")); again != version {
				t.Errorf("saved as %q and %q", version, again)
			}
			if got := envelope.IsVersion(version); got != has.wantSealed {
				t.Errorf("seals %t, %+v: sealed %t", seals, has, got)
			}
			p.wantNewest("two")
		}
	}
}

// The provider has ended the old tokens: the new ones must not be lost.
func TestExisting_SavesTokensOfASecretWithoutTheKeyRing(t *testing.T) {
	p := newPlaces(t)
	p.save(p.in(false), "a", obtained(1, 0, "one"))
	p.ring.Err = errDown
	p.save(p.existing(true), "b", obtained(2, 1, "two"))
	p.wantNewest("two")
}

// downRows are rows that cannot be reached.
type downRows struct{ envelope.Rows }

func (downRows) Pointer(context.Context, envelope.Owner) (envelope.Pointer, error) {
	return envelope.Pointer{}, errDown
}

// Rows may name newer tokens than a secret, and without them nothing notes that there is a secret.
func TestExisting_SavesNoSecretWithoutTheRows(t *testing.T) {
	for _, seals := range []bool{false, true} {
		p := newPlaces(t)
		p.save(p.in(false), "a", obtained(1, 0, "one"))
		p.sealed = envelope.New(envelope.Config{Keys: p.ring, Rows: downRows{}, Stack: "fernhill"}).Of("37signals")
		if version, err := p.existing(seals).Save(t.Context(), ines, "b", obtained(2, 1, "two")); !errors.Is(err, errDown) {
			t.Errorf("seals %t: saved as %q, %v", seals, version, err)
		}
	}
}

func TestExisting_CreatesNothingAndDeletesNothing(t *testing.T) {
	for _, seals := range []bool{false, true} {
		p := newPlaces(t)
		e := p.existing(seals)
		if version, err := e.Save(t.Context(), ines, "a", obtained(2, 0, "two")); err == nil {
			t.Errorf("seals %t: stored %q of a user who has disconnected", seals, version)
		}
		p.ring.Err = errDown
		if _, err := e.Save(t.Context(), ines, "a", obtained(2, 0, "two")); !errors.Is(err, grant.ErrNone) {
			t.Errorf("seals %t: without the ring: %v", seals, err)
		}
		p.ring.Err = nil
		if _, err := p.in(seals).Load(t.Context(), ines, ""); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("seals %t: %v", seals, err)
		}
		p.save(p.in(seals), "a", obtained(1, 0, "one"))
		if err := e.Delete(t.Context(), ines); err != nil {
			t.Error(err)
		}
		p.wantNewest("one")
	}
}

func TestRemains_ReportsTokensOfAnEarlierKey(t *testing.T) {
	p := newPlaces(t)
	s := p.in(true)
	version := p.save(s, "a", obtained(1, 0, "one"))
	if err := s.Clear(t.Context(), ines, version); err != nil {
		t.Fatal(err)
	}
	p.ring.Held["k2"] = "fernhill-ring-key-two-0123456789"
	for i, key := range []string{"k1", "k2"} {
		p.ring.Now = key
		p.save(s, key, obtained(1, 0, "one"))
		if remains, err := s.Remains(t.Context(), ines); err != nil || remains != (i == 1) {
			t.Errorf("after a save with %s: remains %t, %v", key, remains, err)
		}
	}
}

func TestClear_RemovesTheOtherPlaceAndOldKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(t)
		p.save(p.in(false), "a", obtained(1, 0, "one"))
		p.save(p.in(true), "a", obtained(1, 0, "one"))
		p.ring.Held["k2"], p.ring.Now = "fernhill-ring-key-two-0123456789", "k2"
		version := p.save(p.in(true), "b", obtained(1, 0, "one"))
		time.Sleep(2 * time.Hour)
		s := p.in(true)
		p.secrets.err = errDown
		if err := s.Clear(t.Context(), ines, version); !errors.Is(err, errDown) {
			t.Errorf("cleared although secrets cannot be reached: %v", err)
		}
		for _, want := range []bool{true, false} {
			if remains, err := s.Remains(t.Context(), ines); err != nil || remains != want {
				t.Errorf("remains %t, %v, want %t", remains, err, want)
			}
			p.secrets.err = nil
			if err := s.Clear(t.Context(), ines, version); err != nil {
				t.Error(err)
			}
		}
		delete(p.ring.Held, "k1")
		p.wantNewest("one")
		if _, err := p.secrets.Store.Load(t.Context(), ines, ""); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("the secret: %v", err)
		}
	})
}
