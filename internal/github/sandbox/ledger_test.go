package sandbox

import (
	"net/http"
	"net/url"
	"testing"
)

// newLedger returns a ledger in memory.
func newLedger() *Ledger {
	states := map[string][]byte{}
	return &Ledger{
		Save: func(token string, state []byte) { states[token] = state },
		Load: func(token string) []byte { return states[token] },
	}
}

func open(ledger *Ledger) *Server {
	s := New(Options{Ledger: ledger})
	s.ready()
	return s
}

func TestLedger_ARestartEndsNoLink(t *testing.T) {
	ledger := newLedger()
	first := open(ledger)
	value := first.issue(first.account(logins[0].login), []string{"repo", "project"})["access_token"].(string)
	again := open(ledger)
	found := again.valid(value)
	if found == nil || found.person.login != logins[0].login || !found.has("read:project") || found.has("admin:org") {
		t.Fatalf("the token after a restart: %+v", found)
	}
	if again.valid("gho_ABCDEFGH") != nil || again.valid("") != nil || open(nil).valid(value) != nil {
		t.Error("a sandbox knows a token that it never issued")
	}
}

func TestLedger_ARevokedTokenStaysRevokedInEverySandbox(t *testing.T) {
	ledger := newLedger()
	first, second := open(ledger), open(ledger)
	value := first.issue(first.account(logins[0].login), []string{"repo"})["access_token"].(string)
	if second.valid(value) == nil {
		t.Fatal("the second sandbox does not know the token")
	}
	r, _ := http.NewRequest(http.MethodDelete, APIURL+"/applications/"+ClientID+"/token", http.NoBody)
	r.SetBasicAuth(ClientID, ClientSecret)
	got := first.applications(r, "/applications/"+url.PathEscape(ClientID)+"/token", []byte(`{"access_token":"`+value+`"}`))
	if got.status != http.StatusNoContent {
		t.Fatalf("%+v", got)
	}
	if second.valid(value) != nil || open(ledger).valid(value) != nil {
		t.Error("the revoked token is alive")
	}
}
