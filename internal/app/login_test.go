package app

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
)

// place is the whole server on a socket, with the demo company as Basecamp.
type place struct {
	mcptest.Site
	sandbox *sandbox.Sandbox
	storage storage
	log     *bytes.Buffer
}

func open(t *testing.T, c config.Config) *place {
	t.Helper()
	return openOn(t, c, inMemory("", ""))
}

// openOn starts an instance for each storage. Requests go to the instances in turns.
func openOn(t *testing.T, c config.Config, storages ...storage) *place {
	t.Helper()
	demo := local.NewDemo()
	p := &place{Site: mcptest.Site{TB: t}, log: &bytes.Buffer{}, storage: storages[0], sandbox: demo.Sandbox}
	var instances []http.Handler
	p.URL = inTurns(t, &instances)
	c.BasecampURL, c.PublicURL = config.Sandbox, p.URL
	log := slog.New(slog.NewTextHandler(&locked{w: p.log}, nil))
	for _, s := range storages {
		started := must(newLocalDemo(c, log, s, demo))
		instances = append(instances, started.Handler)
	}
	return p
}

// inTurns serves instances, which may be added before the first request, and returns the origin.
func inTurns(t *testing.T, instances *[]http.Handler) (url string) {
	t.Helper()
	var requests atomic.Uint64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*instances)[requests.Add(1)%uint64(len(*instances))].ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// locked allows concurrent writes.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (p *place) whoAmI(access string) (status int, body string) {
	p.Helper()
	status, _, body = send(p, p.URL+"/mcp", access, "tools/call", `{"name":"get_me","arguments":{}}`)
	return status, body
}

// wants checks that get_me is answered with a text.
func (p *place) wants(when, access, text string) {
	p.Helper()
	if status, body := p.whoAmI(access); status != http.StatusOK || !strings.Contains(body, text) {
		p.Errorf("%s: HTTP %d %s", when, status, body)
	}
}

// expire makes Basecamp refuse the access token of a user.
func (p *place) expire(handle string) {
	subject := fmt.Sprintf("37s:%d", p.person(handle).IdentityID)
	connection := must(p.storage.records(launchpad.ProviderID).Record(p.Context(), subject))
	tokens := must(p.storage.grants(launchpad.ProviderID).Load(p.Context(), connection.Subject, connection.Version))
	p.sandbox.ExpireToken(tokens.AccessToken)
}

func (p *place) person(handle string) sandbox.Person {
	people := p.sandbox.People()
	i := slices.IndexFunc(people, func(person sandbox.Person) bool { return person.Handle == handle })
	return people[i]
}

func TestLogin_ADeadGrantIsReplacedByTheClientsOwnLogin(t *testing.T) {
	p := open(t, config.Config{})
	ines := p.LogIn("ines")
	access := ines.Access
	other := p.LogIn("priya").Access
	p.sandbox.RevokeGrants(p.person("ines").IdentityID)
	_, body := p.whoAmI(access)
	if !strings.Contains(body, "TOKEN_EXPIRED") || !strings.Contains(body, p.URL+"/oauth/start?t=") {
		t.Errorf("told %s", body)
	}
	if status, body := p.whoAmI(access); status != http.StatusUnauthorized {
		t.Errorf("the next call: HTTP %d %s", status, body)
	}
	if answer := p.Token("grant_type", "refresh_token", "client_id", ines.Client, "refresh_token", ines.Refresh); answer["error"] != "invalid_grant" {
		t.Errorf("its refresh token: %v", answer)
	}
	p.wants("another user", other, "Priya Raman")
	if n := p.sandbox.Refreshes(); n != 1 {
		t.Errorf("the dead refresh token was sent %d times", n)
	}
	again := p.LogIn("ines").Access
	p.wants("after a new login", again, "Ines Albrecht")
}

func TestAuthenticate_ReachesNoAccountThatWasRemovedFromTheList(t *testing.T) {
	p := open(t, config.Config{})
	access := p.LogIn("ines").Access
	both := fence.Fence{Accounts: []fence.Account{{ID: p.sandbox.Account()}, {ID: 2}}}
	if err := p.storage.Auth.SetFence(t.Context(), strings.Split(access, "_")[2], fence.Fence{}, both); err != nil {
		t.Fatal(err)
	}
	logins := newLogins(config.Config{}, quiet, p.storage, signOn{})
	ctx := identity.WithOrigin(t.Context(), p.URL)
	for account, want := range map[int64]bool{p.sandbox.Account(): true, 1: false} {
		caller, _, err := newAccess(local.NewStaticUsers(), logins, []int64{account}).Authenticate(ctx, access, "")
		_, _, sessionErr := newAccess(local.NewStaticUsers(), logins, []int64{account}).Authenticate(ctx, access, "x")
		if (err == nil) != want || (sessionErr == nil) != want {
			t.Errorf("with account %d allowed: %v, %v", account, err, sessionErr)
		}
		if all := caller.Fence.Accounts; want && (len(all) != 1 || all[0].ID != account) {
			t.Errorf("with account %d allowed, the caller reaches %v", account, all)
		}
	}
}

func TestEndConnection_KeepsAConnectionWhoseGrantCannotBeRead(t *testing.T) {
	p := open(t, config.Config{})
	access := p.LogIn("ines").Access
	s, cut := p.storage, true
	s.records = func(string) grant.Records { return cutRecords{cut: &cut} }
	ctx := identity.WithOrigin(t.Context(), p.URL)
	a := newAccess(local.NewStaticUsers(), newLogins(config.Config{}, quiet, s, signOn{}), nil)
	caller, _, err := a.Authenticate(ctx, access, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.EndConnection(identity.With(ctx, caller), launchpad.ProviderID); err == nil {
		t.Error("no error")
	}
	if _, _, err := a.Authenticate(ctx, access, ""); err != nil {
		t.Errorf("the connection is gone: %v", err)
	}
}
