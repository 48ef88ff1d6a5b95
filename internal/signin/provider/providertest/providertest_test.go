package providertest

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
)

const redirectURI = "https://mcp.example/oauth/orchard/callback"

func TestSignOn_FromASignInToTokensThatAreRevoked(t *testing.T) {
	s := New(nil)
	to, err := s.AuthorizationURL(t.Context(), provider.Authorization{RedirectURI: redirectURI, State: "st&te"})
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(s.Allow(to, "1"))
	if err != nil || back.Query().Get("state") != "st&te" || back.Query().Get("iss") != Origin {
		t.Fatalf("callback %v, %v", back, err)
	}
	code := back.Query().Get("code")
	tokens, err := s.Exchange(t.Context(), provider.Authorization{RedirectURI: redirectURI}, code)
	if err != nil || !tokens.ExpiresAt.IsZero() || tokens.RefreshToken != "" {
		t.Fatalf("%+v, %v; want tokens that never expire", tokens, err)
	}
	if _, err := s.Exchange(t.Context(), provider.Authorization{RedirectURI: redirectURI}, code); !dead(err) {
		t.Errorf("second use of a code: %v", err)
	}
	if who, err := s.Identity(t.Context(), tokens.AccessToken); err != nil || who.Subject != Subject("1") || who.Name != "Rowan" {
		t.Errorf("%+v, %v", who, err)
	}
	if err := s.Revoke(t.Context(), tokens); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity(t.Context(), tokens.AccessToken); !fault.Is(err, fault.TokenExpired) {
		t.Errorf("identity of a revoked token: %v", err)
	}
}

func TestRefresh_ATokenCanBeUsedOnceAndNotAfterItsUserRemovedAccess(t *testing.T) {
	s := New(nil)
	s.Life = time.Hour
	first := s.Login("1")
	second, err := s.Refresh(t.Context(), first.RefreshToken)
	if err != nil || second.AccessToken == first.AccessToken {
		t.Fatalf("%+v, %v", second, err)
	}
	if _, err := s.Refresh(t.Context(), first.RefreshToken); !dead(err) {
		t.Errorf("second use of a refresh token: %v", err)
	}
	s.EndAll("1")
	if _, err := s.Refresh(t.Context(), second.RefreshToken); !dead(err) {
		t.Errorf("refresh after the end of all tokens: %v", err)
	}
}

func dead(err error) bool {
	r, ok := errors.AsType[*provider.Refusal](err)
	return ok && r.Cause == provider.Dead
}
