package e2e

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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
	t            testing.TB
	s            *server
	id, redirect string
}

// tokens is the response of the token endpoint.
type tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
	Error        string `json:"error"` // set if there are no tokens
}

// register registers a client without a secret.
func register(t testing.TB, s *server, name, redirectURI string) *application {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"client_name": name, "redirect_uris": []string{redirectURI}, "token_endpoint_auth_method": "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	a := send(t, http.MethodPost, s.at("/register"), map[string]string{"Content-Type": "application/json"}, body)
	a.wants(t, http.StatusCreated)
	var given struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(a.body), &given); err != nil || given.ID == "" {
		t.Fatalf("registered as %s", a.body)
	}
	return &application{t: t, s: s, id: given.ID, redirect: redirectURI}
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

func (a *application) posts(path string, form url.Values) (got tokens) {
	a.t.Helper()
	form.Set("client_id", a.id)
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
