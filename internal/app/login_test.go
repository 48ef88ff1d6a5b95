package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// place is the whole server on a socket, with the demo company as Basecamp.
type place struct {
	*testing.T
	url     string
	sandbox *sandbox.Sandbox
	storage storage
	log     *bytes.Buffer
	code    string // of the owner
}

func open(t *testing.T, c config.Config) *place {
	t.Helper()
	return openOn(t, c, inMemory("", ""))
}

// openOn starts an instance for each storage. Requests go to the instances in turns.
func openOn(t *testing.T, c config.Config, storages ...storage) *place {
	t.Helper()
	return openWith(t, c, nil, storages...)
}

// openWith starts the same instances as openOn, with further providers.
func openWith(t *testing.T, c config.Config, others []provider.Provider, storages ...storage) *place {
	t.Helper()
	demo := local.NewDemo()
	p := &place{T: t, log: &bytes.Buffer{}, storage: storages[0], sandbox: demo.Sandbox}
	var instances []http.Handler
	p.url = inTurns(t, &instances)
	c.BasecampURL, c.PublicURL = config.Sandbox, p.url
	log := slog.New(slog.NewTextHandler(&locked{w: p.log}, nil))
	for _, s := range storages {
		started := must(newLocalDemo(c, log, s, demo, others...))
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

// visitor returns a new browser with its own cookies.
func visitor() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

var (
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)"`)
	action = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
)

// fill submits the first form of a page and returns the address to which that leads.
func (p *place) fill(browser *http.Client, address string, fields ...string) string {
	p.Helper()
	page, at := p.get(browser, address)
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		if !form.Has(field[1]) {
			form.Set(field[1], strings.ReplaceAll(field[2], "&amp;", "&"))
		}
	}
	form.Set("shown", pages.Watched) // as the page's script does
	if strings.Contains(page, `name="code"`) {
		form.Set("code", p.code)
	}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	found := action.FindStringSubmatch(page)
	if found == nil {
		p.Fatalf("%s has no form: %s", address, page)
	}
	to := must(at.Parse(found[1]))
	response := must(browser.PostForm(to.String(), form))
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.Header.Get("Location") == "" {
		return string(text)
	}
	return response.Header.Get("Location")
}

func (p *place) get(browser *http.Client, address string) (page string, at *url.URL) {
	p.Helper()
	response := must(browser.Get(address))
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if location := response.Header.Get("Location"); location != "" {
		return location, response.Request.URL
	}
	return string(text), response.Request.URL
}

const verifier = "a verifier of forty-three characters at the-least"

// logIn registers a client and logs a user in with it.
func (p *place) logIn(handle string) (access, refresh string) {
	p.Helper()
	return p.logInWith(p.register("http://127.0.0.1/done"), handle)
}

// register registers a client with a redirect URI and returns its ID.
func (p *place) register(redirect string) string {
	p.Helper()
	registered := p.post("/register", "application/json", `{"client_name":"Plumcot","redirect_uris":["`+redirect+`"],"token_endpoint_auth_method":"none"}`)
	clientID, _ := registered["client_id"].(string)
	if clientID == "" {
		p.Fatalf("registering is answered with %v; the log says %s", registered, p.log)
	}
	return clientID
}

// logInWith logs a user in with a registered client.
func (p *place) logInWith(clientID, handle string) (access, refresh string) {
	p.Helper()
	answer := p.signIn(clientID, handle)
	if answer.Get("code") == "" {
		p.Fatalf("the login ends with %v", answer)
	}
	tokens := p.token("grant_type", "authorization_code", "client_id", clientID, "code", answer.Get("code"),
		"redirect_uri", "http://127.0.0.1:5050/done", "code_verifier", plain(verifier))
	if tokens["access_token"] == nil {
		p.Fatalf("the code is answered with %v; the log says %s", tokens, p.log)
	}
	return tokens["access_token"].(string), tokens["refresh_token"].(string)
}

// signIn signs a user in with a registered client and returns what the client receives.
func (p *place) signIn(clientID, handle string) (answer url.Values) {
	p.Helper()
	browser := visitor()
	signOn := p.fill(browser, p.url+asking(clientID, "http://127.0.0.1:5050/done"), "decision", "approve", "scope", "write")
	back := p.fill(browser, signOn, "handle", handle)
	done, _ := p.get(browser, back)
	at, err := url.Parse(done)
	if err != nil {
		p.Fatalf("the login ends with %s", done)
	}
	return at.Query()
}

// asking returns the path at which a client asks for access, with its query.
func asking(clientID, redirect string) string {
	sum := sha256.Sum256([]byte(plain(verifier)))
	return "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {redirect}, "state": {"x"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

func plain(s string) string { return strings.ReplaceAll(s, " ", "-") }

func (p *place) token(fields ...string) map[string]any {
	p.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return p.post("/token", "application/x-www-form-urlencoded", form.Encode())
}

func (p *place) post(path, kind, body string) (answer map[string]any) {
	p.Helper()
	response := must(http.Post(p.url+path, kind, strings.NewReader(body)))
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		p.Fatal(err)
	}
	return answer
}

func (p *place) whoAmI(access string) (status int, body string) {
	p.Helper()
	status, _, body = send(p.T, p.url+"/mcp", access, "tools/call", `{"name":"get_me","arguments":{}}`)
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
	access, refresh := p.logIn("ines")
	other, _ := p.logIn("priya")
	p.sandbox.RevokeGrants(p.person("ines").IdentityID)
	_, body := p.whoAmI(access)
	if !strings.Contains(body, "TOKEN_EXPIRED") || !strings.Contains(body, p.url+"/oauth/start?t=") {
		t.Errorf("told %s", body)
	}
	if status, body := p.whoAmI(access); status != http.StatusUnauthorized {
		t.Errorf("the next call: HTTP %d %s", status, body)
	}
	if answer := p.token("grant_type", "refresh_token", "client_id", "x", "refresh_token", refresh); answer["error"] != "invalid_grant" && answer["error"] != "invalid_client" {
		t.Errorf("its refresh token: %v", answer)
	}
	p.wants("another user", other, "Priya Raman")
	if n := p.sandbox.Refreshes(); n != 1 {
		t.Errorf("the dead refresh token was sent %d times", n)
	}
	again, _ := p.logIn("ines")
	p.wants("after a new login", again, "Ines Albrecht")
}

func TestAuthenticate_ReachesNoAccountThatWasRemovedFromTheList(t *testing.T) {
	p := open(t, config.Config{})
	access, _ := p.logIn("ines")
	both := fence.Fence{Accounts: []fence.Account{{ID: p.sandbox.Account()}, {ID: 2}}}
	if err := p.storage.Auth.SetFence(t.Context(), strings.Split(access, "_")[2], fence.Fence{}, both); err != nil {
		t.Fatal(err)
	}
	logins := newLogins(config.Config{}, quiet, p.storage, signOn{})
	ctx := identity.WithOrigin(t.Context(), p.url)
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
	access, _ := p.logIn("ines")
	s, cut := p.storage, true
	s.records = func(string) grant.Records { return cutRecords{cut: &cut} }
	ctx := identity.WithOrigin(t.Context(), p.url)
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
