package sandbox

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// newLedger returns a ledger in memory.
func newLedger() *Ledger {
	states := map[string][]byte{}
	return &Ledger{
		Save: func(token string, state []byte) { states[token] = state },
		Load: func(token string) []byte { return states[token] },
	}
}

func (s *Sandbox) statusFor(token string) int {
	r, _ := http.NewRequest(http.MethodGet, "https://launchpad.37signals.com/authorization.json", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	if _, refusal := s.authenticate(r); refusal.status != 0 {
		return refusal.status
	}
	return http.StatusOK
}

func (s *Sandbox) refreshed(token string) int {
	return s.exchange(url.Values{
		"grant_type": {"refresh_token"}, "client_id": {ClientID}, "client_secret": {ClientSecret}, "refresh_token": {token},
	}).status
}

func TestLedger_ARestartEndsNoLogin(t *testing.T) {
	now, ledger := time.Now(), newLedger()
	open := func() *Sandbox { return New(Options{Now: func() time.Time { return now }, Ledger: ledger}) }
	first := open()
	issued := first.newTokens(first.identities()[0]).body.(map[string]any)
	access, refresh := issued["access_token"].(string), issued["refresh_token"].(string)

	if got := open().statusFor(access); got != http.StatusOK {
		t.Errorf("the access token after a restart: %d", got)
	}
	if got := open().refreshed(refresh); got != http.StatusOK {
		t.Errorf("the refresh token after a restart: %d", got)
	}
	for name, got := range map[string]int{
		"a token that was never issued":         open().statusFor("sandbox-access-ABCDEFGH"),
		"a refresh token as an access token":    open().statusFor(refresh),
		"no token":                              open().statusFor(""),
		"the token of a sandbox with no ledger": New(Options{}).statusFor(access),
	} {
		if got != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := open().refreshed(access); got != http.StatusBadRequest {
		t.Errorf("an access token as a refresh token: %d", got)
	}
	now = now.Add(tokenLife + time.Second)
	if got := open().statusFor(access); got != http.StatusUnauthorized {
		t.Errorf("the access token after its life: %d", got)
	}
}

func TestLedger_RevokedTokensStayRevoked(t *testing.T) {
	ledger := newLedger()
	first := New(Options{Ledger: ledger})
	owner := first.identities()[0]
	issued := first.newTokens(owner).body.(map[string]any)
	first.RevokeGrants(owner.identity)
	again := New(Options{Ledger: ledger})
	if got := again.statusFor(issued["access_token"].(string)); got != http.StatusUnauthorized {
		t.Errorf("the access token: %d", got)
	}
	if got := again.refreshed(issued["refresh_token"].(string)); got != http.StatusBadRequest {
		t.Errorf("the refresh token: %d", got)
	}
}
