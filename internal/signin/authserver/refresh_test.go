package authserver_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
)

func TestRefresh_EveryUseRotates(t *testing.T) { // RFC 9700, 4.14.2
	k, _, first := loggedIn(t)
	seen := map[string]bool{first.AccessToken: true, first.RefreshToken: true}
	s := first
	for range 5 {
		k.clock.pass(time.Hour)
		s = k.issues(refreshing(s.RefreshToken))
		if seen[s.AccessToken] || seen[s.RefreshToken] {
			t.Errorf("seen before: %s", s.text)
		}
		seen[s.AccessToken], seen[s.RefreshToken] = true, true
		if !k.opens(s.AccessToken) || s.Type != "Bearer" || s.ExpiresIn != 28800 || s.Scope != "read write" {
			t.Errorf("%s", s.text)
		}
	}
}

// A thief copied a token, and the client has refreshed since.
func TestRefresh_AnOldTokenRevokesTheFamily(t *testing.T) { // RFC 9700, 4.14.2
	k, family, stolen := loggedIn(t, publicClient)
	s := k.issues(refreshing(stolen.RefreshToken))
	s = k.issues(refreshing(s.RefreshToken))
	k.refuses(k.post(refreshing(stolen.RefreshToken)), http.StatusBadRequest, "invalid_grant")
	k.alive(false, s)
	if f, _, err := k.store.Store.Refresh(t.Context(), family, authserver.HashOf(s.RefreshToken)); err != nil || f.RevokedFor != "reuse" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestRefresh_AnOldTokenIsDetectedBeforeOtherErrors(t *testing.T) { // RFC 9700, 4.14.2
	k, _, stolen := loggedIn(t, publicClient)
	s := k.issues(refreshing(stolen.RefreshToken))
	k.uses(s.AccessToken)
	k.clock.pass(time.Hour)
	k.refuses(k.post(refreshing(stolen.RefreshToken, "scope", "admin", "resource", "https://evil.example")), http.StatusBadRequest, "invalid_grant")
	k.alive(false, s)
}

func TestRefresh_ThePredecessorReturnsTheSameSuccessorForTenMinutes(t *testing.T) {
	k, _, first := loggedIn(t, publicClient)
	next := k.issues(refreshing(first.RefreshToken))
	opened := map[string]bool{next.AccessToken: true}
	for range 3 {
		k.clock.pass(200 * time.Second) // exactly the end
		s := k.issues(refreshing(first.RefreshToken))
		if s.RefreshToken != next.RefreshToken || opened[s.AccessToken] || !k.opens(s.AccessToken) || s.ExpiresIn != 28800 {
			t.Errorf("want the successor and another access token, got %s", s.text)
		}
		opened[s.AccessToken] = true
	}
	k.clock.pass(time.Second)
	k.refuses(k.post(refreshing(first.RefreshToken)), http.StatusBadRequest, "invalid_grant")
	for token := range opened {
		if k.opens(token) {
			t.Error("an access token of the dead family opens")
		}
	}
	k.alive(false, next)
}

// The answer with the successor and its access token was lost.
func TestRefresh_ALostAnswerIsRepeatedUntilItIsUsed(t *testing.T) {
	for name, away := range map[string]time.Duration{
		"after eleven minutes": 11 * time.Minute, "after a day": 24 * time.Hour, "at the end of the family's life": 30*24*time.Hour - time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			k, _, first := loggedIn(t, publicClient)
			k.clock.pass(29 * 24 * time.Hour) // the token's own thirty days end soon
			lost := k.issues(refreshing(first.RefreshToken))
			k.uses(first.AccessToken) // the old token, if it is still valid
			k.clock.pass(away / 2)
			lostAgain := k.issues(refreshing(first.RefreshToken))
			k.clock.pass(away - away/2)
			s := k.issues(refreshing(first.RefreshToken))
			if s.RefreshToken != lost.RefreshToken || s.RefreshToken != lostAgain.RefreshToken || s.AccessToken == lost.AccessToken {
				t.Errorf("want the successor and another access token, got %s", s.text)
			}
			k.alive(true, s)
		})
	}
}

func TestRefresh_AfterTheAnswerWasUsedTheOldTokenIsAReplay(t *testing.T) { // RFC 9700, 4.14.2
	for name, use := range map[string]func(k *tokenEnv, s, repeated said){
		"its access token":              func(k *tokenEnv, s, _ said) { k.uses(s.AccessToken) },
		"the access token given again":  func(k *tokenEnv, _, repeated said) { k.uses(repeated.AccessToken) },
		"its access token, being ended": func(k *tokenEnv, s, _ said) { k.send(posting("/revoke", revoking(s.AccessToken))) },
		"its refresh token":             func(k *tokenEnv, s, _ said) { k.issues(refreshing(s.RefreshToken)) },
	} {
		t.Run(name, func(t *testing.T) {
			k, family, first := loggedIn(t, publicClient)
			s := k.issues(refreshing(first.RefreshToken))
			k.clock.pass(11 * time.Minute)
			repeated := k.issues(refreshing(first.RefreshToken))
			use(k, s, repeated)
			k.refuses(k.post(refreshing(first.RefreshToken)), http.StatusBadRequest, "invalid_grant")
			k.alive(false, repeated)
			if f, _, err := k.store.Store.Refresh(t.Context(), family, authserver.HashOf(s.RefreshToken)); err != nil || f.RevokedFor != "reuse" {
				t.Errorf("%+v, %v", f, err)
			}
		})
	}
}

func TestRefresh_ConcurrentRequestsReceiveOneSuccessor(t *testing.T) {
	k, _, first := loggedIn(t)
	answers := make([]said, 10)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = k.post(refreshing(first.RefreshToken)) })
	}
	all.Wait()
	opened := map[string]bool{}
	for _, s := range answers {
		if s.status != http.StatusOK || s.RefreshToken != answers[0].RefreshToken || opened[s.AccessToken] || !k.opens(s.AccessToken) {
			t.Errorf("%d %s", s.status, s.text)
		}
		opened[s.AccessToken] = true
	}
	k.alive(true, answers[0])
}

func TestRefresh_TheLoserOfARaceReceivesTheWinnersSuccessor(t *testing.T) {
	k, _, first := loggedIn(t)
	var winner said
	k.store.before = map[string]func(){"Rotate": func() { winner = k.issues(refreshing(first.RefreshToken)) }}
	loser := k.issues(refreshing(first.RefreshToken))
	if loser.RefreshToken != winner.RefreshToken || loser.AccessToken == winner.AccessToken {
		t.Errorf("winner %s, loser %s", winner.text, loser.text)
	}
}

// A store reads a family and then its token. A rotation between the two reads is not a replay.
func TestRefresh_ReadsAgainAfterAConcurrentRotation(t *testing.T) { // RFC 9700, 4.14.2
	k, family, first := loggedIn(t)
	before, _, err := k.store.Store.Refresh(t.Context(), family, authserver.HashOf(first.RefreshToken))
	if err != nil {
		t.Fatal(err)
	}
	winner := k.issues(refreshing(first.RefreshToken))
	k.store.torn = &before
	s := k.issues(refreshing(first.RefreshToken))
	if s.RefreshToken != winner.RefreshToken || !k.opens(s.AccessToken) {
		t.Errorf("%s", s.text)
	}
}

// A table may still contain expired items.
func TestRefresh_AnExpiredFamilyInTheStoreIsRefused(t *testing.T) { // RFC 9700, 4.14.2
	k, family, s := loggedIn(t, publicClient)
	f, _, err := k.store.Store.Refresh(t.Context(), family, authserver.HashOf(s.RefreshToken))
	if err != nil {
		t.Fatal(err)
	}
	expired, ended := f, f
	expired.ExpiresAt, ended.EndsAt = k.clock.Now(), k.clock.Now()
	for _, read := range []authserver.Family{expired, ended} {
		k.store.torn = &read
		k.untouched(func() { k.refuses(k.post(refreshing(s.RefreshToken)), http.StatusBadRequest, "invalid_grant") })
	}
}

func TestRefresh_AStoreWithEndlessConflictsIsUnavailable(t *testing.T) {
	k, _, first := loggedIn(t)
	k.store.conflict = true
	k.refuses(k.post(refreshing(first.RefreshToken)), http.StatusServiceUnavailable, "temporarily_unavailable")
	k.store.conflict = false
	k.issues(refreshing(first.RefreshToken))
}

func TestRefresh_AConcurrentRevocationWins(t *testing.T) { // RFC 7009, 2.1
	for _, rotated := range []bool{false, true} {
		k, family, first := loggedIn(t, publicClient)
		if rotated {
			k.issues(refreshing(first.RefreshToken))
		}
		revoke := func() { _ = k.store.Store.Revoke(t.Context(), family, "disconnected", k.clock.Now()) }
		k.store.before = map[string]func(){"Rotate": revoke, "AddAccess": revoke}
		k.refuses(k.post(refreshing(first.RefreshToken)), http.StatusBadRequest, "invalid_grant")
	}
}

func TestRefresh_ScopesNarrowAndNeverWiden(t *testing.T) { // RFC 6749, 6
	read := []identity.Scope{identity.Read}
	for _, test := range []struct {
		granted []identity.Scope
		asked   string
		want    string // empty if it is refused
	}{
		{both, "", "read write"},
		{both, "read write", "read write"},
		{both, "write read", "read write"},
		{both, "read", "read"},
		{both, " read  offline_access ", "read"},
		{both, "offline_access", "read write"},
		{both, "read unknown", "read"},
		{both, "unknown", ""},
		{read, "", "read"},
		{read, "offline_access", "read"},
		{read, "read", "read"},
		{read, "write", ""},
		{read, "read write", ""},
		{read, "READ", ""},
	} {
		k := newTokenEnv(t)
		_, s := k.login(func(c *authserver.Code) { c.Scopes = test.granted })
		got := k.post(refreshing(s.RefreshToken, "scope", test.asked))
		if test.want == "" {
			k.refuses(got, http.StatusBadRequest, "invalid_scope")
			k.issues(refreshing(s.RefreshToken)) // which was not used up
			continue
		}
		caller, err := k.verify(got.AccessToken)
		if got.Scope != test.want || err != nil || identity.ScopeString(caller.Scopes) != test.want {
			t.Errorf("%s, then %q: %s, %v", test.granted, test.asked, got.text, caller.Scopes)
		}
	}
}

func TestRefresh_ANarrowTokenDoesNotNarrowTheGrant(t *testing.T) { // RFC 6749, 6
	k, _, s := loggedIn(t)
	s = k.issues(refreshing(s.RefreshToken, "scope", "read"))
	if again := k.issues(refreshing(s.RefreshToken)); again.Scope != "read write" {
		t.Errorf("%s", again.text)
	}
}

func TestRefresh_AFailedAttemptConsumesNothing(t *testing.T) { // RFC 6749, 4.1.2; RFC 8707, 2.2; RFC 6749, 6
	k, family, s := loggedIn(t, strangersClient, postClient)
	_, others := k.login(of(strangersClient), func(c *authserver.Code) { c.Client.ID = publicClient.ID })
	foreign := strings.Replace(others.RefreshToken, others.RefreshToken[7:23], family, 1) // a secret of another family
	rotated := k.issues(refreshing(s.RefreshToken))
	for name, test := range map[string]struct {
		token string
		pairs []string
		want  string
	}{
		"another client":                   {rotated.RefreshToken, []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"another client, old token":        {s.RefreshToken, []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"another client, confidential":     {rotated.RefreshToken, []string{"client_id", postClient.ID, "client_secret", theSecret}, "invalid_grant"},
		"another client, with no secret":   {rotated.RefreshToken, []string{"client_id", postClient.ID}, "invalid_client"},
		"an unknown client":                {rotated.RefreshToken, []string{"client_id", "c_unknown"}, "invalid_client"},
		"a secret":                         {rotated.RefreshToken, []string{"client_secret", "guess"}, "invalid_client"},
		"another resource":                 {rotated.RefreshToken, []string{"resource", "https://evil.example/mcp"}, "invalid_target"},
		"a scope beyond":                   {rotated.RefreshToken, []string{"scope", "admin"}, "invalid_scope"},
		"another resource, repeated":       {s.RefreshToken, []string{"resource", "https://evil.example/mcp"}, "invalid_target"},
		"a scope beyond, repeated":         {s.RefreshToken, []string{"scope", "admin"}, "invalid_scope"},
		"an unknown token":                 {"x", []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"an access token":                  {rotated.AccessToken, []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"a guess":                          {rotated.RefreshToken[:len(rotated.RefreshToken)-1] + "_", []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"another family's secret":          {foreign, []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"a blank behind":                   {rotated.RefreshToken + " ", []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"of an unknown family":             {"bcm_rt_0123456789abcdef_" + rotated.RefreshToken[24:], []string{"client_id", strangersClient.ID}, "invalid_grant"},
		"a token of another family's form": {"bcm_rt_0123456789ABCDEF_" + rotated.RefreshToken[24:], []string{"client_id", strangersClient.ID}, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			k := k.in(t)
			k.untouched(func() {
				status := http.StatusBadRequest
				if test.want == "invalid_client" {
					status = http.StatusUnauthorized
				}
				k.refuses(k.post(refreshing(test.token, test.pairs...)), status, test.want)
			})
		})
	}
	k.alive(true, rotated)
	k.alive(true, others)
}

func TestRefresh_ExpiresAfterThirtyIdleDays(t *testing.T) { // RFC 9700, 4.14.2
	k, _, s := loggedIn(t, publicClient)
	k.clock.pass(30*24*time.Hour - time.Second)
	s = k.issues(refreshing(s.RefreshToken))
	k.clock.pass(30*24*time.Hour - time.Second) // extended
	s = k.issues(refreshing(s.RefreshToken))
	k.clock.pass(30 * 24 * time.Hour)
	k.refuses(k.post(refreshing(s.RefreshToken)), http.StatusBadRequest, "invalid_grant")
}

func TestRefresh_ExpiresAfterAHundredAndEightyDaysOfUse(t *testing.T) { // RFC 9700, 4.14.2
	k, family, s := loggedIn(t)
	ends := k.clock.Now().Add(180 * 24 * time.Hour)
	for k.clock.Now().Add(29 * 24 * time.Hour).Before(ends) {
		k.clock.pass(29 * 24 * time.Hour)
		s = k.issues(refreshing(s.RefreshToken))
	}
	k.clock.pass(ends.Sub(k.clock.Now()) - 10*time.Minute)
	s = k.issues(refreshing(s.RefreshToken))
	if s.ExpiresIn != 600 {
		t.Errorf("expires_in %d goes beyond the end", s.ExpiresIn)
	}
	again := k.issues(refreshing(s.RefreshToken))
	if f, r, err := k.store.Store.Refresh(t.Context(), family, authserver.HashOf(again.RefreshToken)); err != nil || f.ExpiresAt.After(ends) || r.ExpiresAt.After(ends) {
		t.Errorf("%v: family to %v, token to %v, beyond %v", err, f.ExpiresAt, r.ExpiresAt, ends)
	}
	if repeated := k.issues(refreshing(s.RefreshToken)); repeated.ExpiresIn != 600 {
		t.Errorf("expires_in %d goes beyond the end", repeated.ExpiresIn)
	}
	k.clock.pass(10 * time.Minute)
	k.register(publicClient)
	k.alive(false, again)
}

// This origin refuses access tokens for another, and a refresh would return another such token.
func TestRefresh_IsRefusedForAnotherOrigin(t *testing.T) { // RFC 8707, 2
	k := newTokenEnv(t)
	_, s := k.login(func(c *authserver.Code) { c.Resource = "https://old.fernhill.example/mcp" })
	k.untouched(func() { k.refuses(k.post(refreshing(s.RefreshToken)), http.StatusBadRequest, "invalid_grant") })
}

// The environment has no provider: a refresh that contacts one would panic.
func TestRefresh_NeverContactsTheProvider(t *testing.T) {
	k := newTokenEnv(t, func(c *authserver.Config) { c.Upstreams = nil })
	_, s := k.login()
	k.issues(refreshing(s.RefreshToken))
}

func TestRefresh_AClientThatOnlyRefreshesStaysRegistered(t *testing.T) {
	b := newSignInEnv(t).browser()
	_, refresh := b.connected("ines")
	for range 5 {
		b.clock.pass(25 * 24 * time.Hour)
		status, tokens := b.redeem("", "grant_type", "refresh_token", "refresh_token", refresh)
		if status != http.StatusOK {
			t.Fatalf("HTTP %d %v", status, tokens)
		}
		refresh = tokens["refresh_token"].(string)
	}
	wantPage(t, "after 125 days", b.get(b.asking()), http.StatusOK)
}
