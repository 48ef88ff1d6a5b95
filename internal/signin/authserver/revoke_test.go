package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

func revoking(token string, pairs ...string) url.Values {
	return with(url.Values{"client_id": {publicClient.ID}, "token": {token}}, pairs...)
}

// revokes expects status 200 and an empty object.
func (k *tokenEnv) revokes(form url.Values) {
	k.Helper()
	if s := k.send(posting("/revoke", form)); s.status != http.StatusOK || strings.TrimSpace(s.text) != "{}" {
		k.Errorf("%d %s", s.status, s.text)
	}
}

func TestRevoke_ARefreshTokenRevokesItsFamily(t *testing.T) { // RFC 7009, 2.1
	for _, hint := range []string{"", "refresh_token", "access_token", "whatever"} {
		k, family, s := loggedIn(t, publicClient)
		_, bystander := k.login()
		next := k.issues(refreshing(s.RefreshToken))
		k.revokes(revoking(next.RefreshToken, "token_type_hint", hint))
		k.alive(false, s)
		k.alive(false, next)
		k.alive(true, bystander)
		if f, _, err := k.store.Store.Refresh(t.Context(), family, authserver.HashOf(s.RefreshToken)); err != nil || f.RevokedFor != "client" {
			t.Errorf("%+v, %v", f, err)
		}
		k.revokes(revoking(next.RefreshToken)) // a second time
	}
}

// The server keeps no grant that no client can use.
func TestRevoke_TheLastClientEndsTheGrant(t *testing.T) {
	b := newSignInEnv(t).browser()
	_, first := b.connected("ines")
	_, second := b.connected("ines")
	b.clock.pass(time.Hour)
	for i, token := range []string{first, first, second} {
		r := posting("/revoke", url.Values{"client_id": {b.client}, "token": {token}})
		w := httptest.NewRecorder()
		if b.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("HTTP %d %s", w.Code, w.Body)
		}
		_, err := b.keeper().Status(t.Context(), b.subject("Ines Albrecht"))
		if isThere := err == nil; isThere != (i < 2) {
			t.Errorf("after revocation %d the grant is there: %t", i+1, isThere)
		}
	}
}

func TestRevoke_KeepsTheGrantOfALoginInProgress(t *testing.T) {
	b := newSignInEnv(t).browser()
	_, old := b.connected("ines")
	b.clock.pass(time.Hour)
	revoke := func() {
		w := httptest.NewRecorder()
		if b.ServeHTTP(w, posting("/revoke", url.Values{"client_id": {b.client}, "token": {old}})); w.Code != http.StatusOK {
			t.Fatalf("HTTP %d %s", w.Code, w.Body)
		}
	}
	code := b.logIn("ines").answer(t).Get("code")
	revoke() // before the client of the new login has its tokens
	if status, tokens := b.redeem(code); status != http.StatusOK {
		t.Fatalf("HTTP %d %v", status, tokens)
	}
	if _, err := b.keeper().Status(t.Context(), b.subject("Ines Albrecht")); err != nil {
		t.Errorf("the grant of the new login: %v", err)
	}
	revoke() // an old token of a user who has another client
	if _, err := b.keeper().Status(t.Context(), b.subject("Ines Albrecht")); err != nil {
		t.Errorf("the grant of the new client: %v", err)
	}
}

// A client that missed a rotation and logs out wants to end the connection.
func TestRevoke_AnOldRefreshTokenRevokesItsFamilyToo(t *testing.T) { // RFC 7009, 2.1
	k, _, s := loggedIn(t, publicClient)
	next := k.issues(refreshing(s.RefreshToken))
	k.clock.pass(time.Hour)
	k.revokes(revoking(s.RefreshToken))
	k.alive(false, next)
}

func TestRevoke_AnAccessTokenIsRevokedByItself(t *testing.T) { // RFC 7009, 2.1
	for _, hint := range []string{"", "access_token", "refresh_token"} {
		k, _, s := loggedIn(t)
		next := k.issues(refreshing(s.RefreshToken))
		k.revokes(revoking(s.AccessToken, "token_type_hint", hint))
		if k.opens(s.AccessToken) || !k.opens(next.AccessToken) {
			t.Errorf("hint %q: revoked %v, the other opens %v", hint, !k.opens(s.AccessToken), k.opens(next.AccessToken))
		}
		k.alive(true, next)
	}
}

func TestRevoke_TokensOfOtherClientsStay(t *testing.T) { // RFC 7009, 2.2
	k, family, s := loggedIn(t, strangersClient, postClient)
	guess := strings.Repeat("A", 43)
	for name, form := range map[string]url.Values{
		"another client, refresh": revoking(s.RefreshToken, "client_id", strangersClient.ID),
		"another client, access":  revoking(s.AccessToken, "client_id", strangersClient.ID),
		"another, confidential":   revoking(s.RefreshToken, "client_id", postClient.ID, "client_secret", theSecret),
		"another, a document":     revoking(s.RefreshToken, "client_id", documentClient.ID),
		"malformed":               revoking("x", "client_id", strangersClient.ID),
		"guessed refresh":         revoking("bcm_rt_"+family+"_"+guess, "client_id", strangersClient.ID),
		"guessed access":          revoking("bcm_at_"+family+"_"+guess, "client_id", strangersClient.ID),
		"of no family":            revoking("bcm_rt_0123456789abcdef_"+guess, "client_id", strangersClient.ID),
		"an upstream token":       revoking("BAhbB0kiAbB7ImNsaWVudF9pZCI6", "client_id", strangersClient.ID),
	} {
		t.Run(name, func(t *testing.T) {
			k := k.in(t)
			k.untouched(func() { k.revokes(form) })
		})
	}
	k.alive(true, s)
}

func TestRevoke_AuthenticatesClients(t *testing.T) { // RFC 7009, 2.2
	k := newTokenEnv(t)
	code, _ := k.code(of(postClient))
	s := k.issues(redeeming(code, "client_id", postClient.ID, "client_secret", theSecret))
	for name, test := range map[string]struct {
		form          url.Values
		authorization string
		status        int
		code          string
	}{
		"wrong secret":      {revoking(s.RefreshToken, "client_id", postClient.ID, "client_secret", "guess"), "", 401, "invalid_client"},
		"no secret":         {revoking(s.AccessToken, "client_id", postClient.ID), "", 401, "invalid_client"},
		"wrong, by basic":   {revoking(s.RefreshToken, "client_id", ""), basic(postClient.ID, "guess"), 401, "invalid_client"},
		"two ways":          {revoking(s.RefreshToken, "client_id", postClient.ID, "client_secret", theSecret), encoded(postClient.ID, theSecret), 400, "invalid_request"},
		"an unknown client": {revoking(s.RefreshToken, "client_id", "c_unknown"), "", 401, "invalid_client"},
		"no client":         {revoking(s.RefreshToken, "client_id", ""), "", 400, "invalid_request"},
		"no token":          {revoking("", "client_id", postClient.ID, "client_secret", theSecret, "token", ""), "", 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			k := k.in(t)
			k.untouched(func() {
				k.refuses(k.send(authenticating("/revoke", test.form, test.authorization)), test.status, test.code)
			})
		})
	}
	if !k.opens(s.AccessToken) {
		t.Error("revoked")
	}
	if got := k.send(authenticating("/revoke", revoking(s.RefreshToken, "client_id", ""), encoded(postClient.ID, theSecret))); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.text)
	}
	if k.opens(s.AccessToken) {
		t.Error("not revoked")
	}
}
