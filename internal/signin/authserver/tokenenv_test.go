package authserver_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

const (
	origin   = "https://mcp.fernhill.example"
	callback = "http://localhost:54321/callback"
	// verifier and challenge are the pair of RFC 7636, appendix B.
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	theSecret = "s3cret of :/+% characters"
)

var (
	both = []identity.Scope{identity.Read, identity.Write}

	publicClient    = authserver.Client{ID: "c_plumcot", Name: "Plumcot", RedirectURIs: []string{callback}, AuthMethod: "none"}
	postClient      = authserver.Client{ID: "c_quince", Name: "Quince", AuthMethod: "client_secret_post", SecretHash: authserver.HashOf(theSecret)}
	basicClient     = authserver.Client{ID: "c_medlar", Name: "Medlar", AuthMethod: "client_secret_basic", SecretHash: authserver.HashOf(theSecret)}
	documentClient  = authserver.Client{ID: "https://plumcot.example/client.json", Name: "Plumcot", AuthMethod: "none"}
	strangersClient = authserver.Client{ID: "c_stranger", Name: "Stranger", AuthMethod: "none"}
)

// tokenEnv is a server without a provider, for tests of clients. Its store is in memory, and its
// clock moves only on request.
type tokenEnv struct {
	*testing.T
	*authserver.Server
	store *store
	clock *clock
	log   *bytes.Buffer
	codes int
}

func newTokenEnv(t *testing.T, change ...func(*authserver.Config)) *tokenEnv {
	k := &tokenEnv{T: t, clock: &clock{now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}, log: &bytes.Buffer{}}
	k.store = &store{Store: authserver.NewStore(memory.New(k.clock.Now))}
	config := authserver.Config{
		Store: authserver.NewStore(k.store),
		Upstreams: []authserver.Upstream{{Keeper: grant.New(grant.Config{
			Store: memory.New(k.clock.Now).Grants(""), Records: memory.New(nil).Records(""), Now: k.clock.Now,
		})}},
		Origin:    func(*http.Request) string { return origin },
		Toolsets:  []string{"todos", "messages"},
		Documents: noFetching{t},
		Now:       k.clock.Now,
		Log:       slog.New(slog.NewTextHandler(k.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&config)
	}
	k.Server = authserver.New(config)
	return k
}

// in returns the same environment for a subtest.
func (k *tokenEnv) in(t *testing.T) *tokenEnv {
	c := *k
	c.T = t
	return &c
}

// register stores clients, in addition to the copies in codes and families.
func (k *tokenEnv) register(clients ...authserver.Client) {
	for _, c := range clients {
		c.ExpiresAt = k.clock.Now().Add(90 * 24 * time.Hour)
		if err := k.store.SaveClient(k.Context(), c); err != nil {
			k.Fatal(err)
		}
	}
}

var permit = authserver.Permit{
	Subject: "37s:9007199254741210", Person: "Ines Albrecht", Account: 195539477, AccountName: "Fernhill Bikes",
	Client: publicClient, Resource: origin + "/mcp", Scopes: both,
}

// code stores a new code and returns it with the ID of its family.
func (k *tokenEnv) code(change ...func(*authserver.Code)) (code, family string) {
	k.codes++
	code, family = "code-"+strconv.Itoa(k.codes), strings.Repeat("f", 14)+strconv.Itoa(10+k.codes)
	c := authserver.Code{
		Permit: permit, Hash: authserver.HashOf(code), Family: family,
		RedirectURI: callback, Challenge: challenge, ExpiresAt: k.clock.Now().Add(time.Minute),
	}
	for _, f := range change {
		f(&c)
	}
	if err := k.store.AddCode(k.Context(), c); err != nil {
		k.Fatal(err)
	}
	return code, family
}

func of(client authserver.Client) func(*authserver.Code) {
	return func(c *authserver.Code) { c.Client = client }
}

// login creates a family and returns its ID and its first tokens.
func (k *tokenEnv) login(change ...func(*authserver.Code)) (family string, first said) {
	k.Helper()
	code, family := k.code(change...)
	return family, k.issues(redeeming(code))
}

// loggedIn returns an environment with registered clients, the ID of a new family, and its first
// tokens.
func loggedIn(t *testing.T, clients ...authserver.Client) (k *tokenEnv, family string, first said) {
	t.Helper()
	k = newTokenEnv(t)
	k.register(clients...)
	family, first = k.login()
	return k, family, first
}

// redeeming returns the form with which the public client redeems a code. Pairs of names and
// values replace parameters; an empty value removes one.
func redeeming(code string, pairs ...string) url.Values {
	return with(url.Values{
		"grant_type": {"authorization_code"}, "client_id": {publicClient.ID}, "code": {code},
		"redirect_uri": {callback}, "code_verifier": {verifier},
	}, pairs...)
}

func refreshing(token string, pairs ...string) url.Values {
	return with(url.Values{"grant_type": {"refresh_token"}, "client_id": {publicClient.ID}, "refresh_token": {token}}, pairs...)
}

func with(form url.Values, pairs ...string) url.Values {
	for pair := range slices.Chunk(pairs, 2) {
		form.Del(pair[0])
		if pair[1] != "" {
			form.Set(pair[0], pair[1])
		}
	}
	return form
}

// said is an answer of /token or /revoke.
type said struct {
	status int
	header http.Header
	text   string

	AccessToken  string `json:"access_token"`
	Type         string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`

	Error       string `json:"error"`
	Description string `json:"error_description"`
}

func (k *tokenEnv) send(r *http.Request) said {
	k.Helper()
	w := httptest.NewRecorder()
	k.ServeHTTP(w, r)
	s := said{status: w.Code, header: w.Header(), text: w.Body.String()}
	if w.Code == http.StatusNoContent || r.Method == http.MethodHead {
		return s
	}
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || w.Header().Get("Content-Type") != "application/json" {
		k.Errorf("%d is not JSON: %q", w.Code, w.Body)
	}
	return s
}

func posting(path string, form url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, origin+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func (k *tokenEnv) post(form url.Values) said { k.Helper(); return k.send(posting("/token", form)) }

// issues sends a form and expects tokens.
func (k *tokenEnv) issues(form url.Values) said {
	k.Helper()
	s := k.post(form)
	if s.status != http.StatusOK || s.AccessToken == "" || s.RefreshToken == "" {
		k.Fatalf("%s: %d %s", form.Get("grant_type"), s.status, s.text)
	}
	return s
}

// refuses expects an OAuth error.
func (k *tokenEnv) refuses(s said, status int, code string) {
	k.Helper()
	if s.status != status || s.Error != code || s.Description == "" || s.AccessToken != "" || s.RefreshToken != "" {
		k.Errorf("want %d %s, got %d %s", status, code, s.status, s.text)
	}
}

// untouched expects that f writes nothing to the store.
func (k *tokenEnv) untouched(f func()) {
	k.Helper()
	before := k.store.writes()
	f()
	if after := k.store.writes(); len(after) > len(before) {
		k.Errorf("wrote: %v", after[len(before):])
	}
}

func (k *tokenEnv) opens(accessToken string) bool {
	_, err := k.verify(accessToken)
	return err == nil
}

// uses calls with an access token, which may have expired.
func (k *tokenEnv) uses(accessToken string) { k.opens(accessToken) }

func (k *tokenEnv) verify(accessToken string) (identity.Caller, error) {
	v := authserver.NewVerifier(k.store.Store, k.clock.Now)
	c, _, err := v.Authenticate(identity.WithOrigin(k.Context(), origin), accessToken, "")
	return c, err
}

// alive checks that both tokens work, or that neither does.
func (k *tokenEnv) alive(want bool, s said) {
	k.Helper()
	if got := k.opens(s.AccessToken); got != want {
		k.Errorf("the access token opens: %v", got)
	}
	if got := k.post(refreshing(s.RefreshToken)); (got.status == http.StatusOK) != want {
		k.Errorf("the refresh token returns %d %s", got.status, got.text)
	}
}

func s256(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
