package e2e

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"testing"
)

// backHome is the redirect URI of clients that do not listen. The tests read the redirect and do
// not follow it.
const backHome = "http://127.0.0.1:9/callback"

// application is an OAuth client without a library, so that tests see every value and can send
// wrong ones.
type application struct {
	t          testing.TB
	s          *server
	id, secret string
	redirect   string
}

// tokens is the response of the token endpoint.
type tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
	Error        string `json:"error"` // set if there are no tokens
}

// register registers a client. The server issues a secret unless the method is "none".
func register(t testing.TB, s *server, name, method, redirectURI string) *application {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"client_name": name, "redirect_uris": []string{redirectURI}, "token_endpoint_auth_method": method,
	})
	if err != nil {
		t.Fatal(err)
	}
	a := send(t, http.MethodPost, s.at("/register"), map[string]string{"Content-Type": "application/json"}, body)
	a.wants(t, http.StatusCreated)
	var given struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal([]byte(a.body), &given); err != nil || given.ID == "" || (given.Secret != "") != (method != "none") {
		t.Fatalf("registered as %s", a.body)
	}
	return &application{t: t, s: s, id: given.ID, secret: given.Secret, redirect: redirectURI}
}

// attempt is a login that an application has begun.
type attempt struct{ verifier, state, url string }

func (a *application) begins() attempt {
	begun := attempt{verifier: rand.Text() + rand.Text(), state: rand.Text()}
	sum := sha256.Sum256([]byte(begun.verifier))
	begun.url = a.s.at("/authorize?") + url.Values{
		"response_type":         {"code"},
		"client_id":             {a.id},
		"redirect_uri":          {a.redirect},
		"state":                 {begun.state},
		"scope":                 {"read write"},
		"resource":              {a.s.url},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
	}.Encode()
	return begun
}

// login logs a user in and returns the tokens.
func (a *application) login(p *person, answer consent) tokens {
	a.t.Helper()
	begun := a.begins()
	back := p.logsIn(begun.url, answer).Query()
	if back.Get("state") != begun.state || back.Get("iss") != a.s.at("") {
		a.t.Errorf("the redirect has the state and iss %q", back)
	}
	got := a.redeem(back.Get("code"), begun.verifier)
	if got.AccessToken == "" || got.RefreshToken == "" {
		a.t.Fatalf("%s receives no tokens: %q", p.handle, got.Error)
	}
	return got
}

func (a *application) redeem(code, verifier string) tokens {
	a.t.Helper()
	return a.posts("/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {a.redirect}, "code_verifier": {verifier},
	})
}

func (a *application) refresh(refreshToken string) tokens {
	a.t.Helper()
	return a.posts("/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refreshToken}})
}

func (a *application) revoke(token string) {
	a.t.Helper()
	if said := a.posts("/revoke", url.Values{"token": {token}}).Error; said != "" {
		a.t.Errorf("revoke answers %s", said)
	}
}

func (a *application) posts(path string, form url.Values) (got tokens) {
	a.t.Helper()
	form = maps.Clone(form)
	form.Set("client_id", a.id)
	if a.secret != "" {
		form.Set("client_secret", a.secret)
	}
	said := send(a.t, http.MethodPost, a.s.at(path), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded",
	}, []byte(form.Encode()))
	if err := json.Unmarshal([]byte(said.body), &got); err != nil || (said.status == http.StatusOK) != (got.Error == "") {
		a.t.Errorf("%s answers %d: %.300s", path, said.status, said.body)
	}
	return got
}

// me is the answer of get_me: the user of a token.
type me struct {
	Name     string
	Title    string
	Account  struct{ ID int64 }
	Accounts []struct{ ID int64 }
	Scopes   []string
	ReadOnly bool `json:"read_only"`
}

func whoAmI(t testing.TB, s *server, bearer string) (who me) {
	t.Helper()
	r := call(t, s, bearer, "get_me", nil)
	if err := json.Unmarshal(r.StructuredContent, &who); err != nil || r.IsError {
		t.Errorf("get_me: %s", r.text())
	}
	return who
}
