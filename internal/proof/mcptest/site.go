package mcptest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Site is a server on a socket, as a client and the browser of a user see it.
type Site struct {
	testing.TB
	URL  string
	Code string // which a server of one user asks each browser for
}

// Tokens are what a client has after a login.
type Tokens struct{ Client, Access, Refresh string }

// Verifier is the PKCE verifier of each login, and Done the redirect URI.
const (
	Verifier = "a-verifier-of-forty-three-characters-at-the-least"
	Done     = "http://127.0.0.1:5050/done"
)

// Visitor returns a browser with its own cookies. It follows no redirect.
func Visitor() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Do sends a request with pairs of headers, of which it leaves out empty ones, and returns
// the answer.
func Do(t testing.TB, browser *http.Client, method, address, body string, header ...string) (status int, got http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(header, 2) {
		if pair[1] != "" {
			r.Header.Set(pair[0], pair[1])
		}
	}
	response, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(read)
}

// Ask sends JSON with a bearer token, unless that is empty.
func Ask(t testing.TB, method, address, bearer, body string, header ...string) (status int, got http.Header, text string) {
	t.Helper()
	if bearer != "" {
		bearer = "Bearer " + bearer
	}
	header = append([]string{"Content-Type", "application/json", "Authorization", bearer}, header...)
	return Do(t, http.DefaultClient, method, address, body, header...)
}

// Call returns the answer of a tool, at a path of the endpoint.
func (s *Site) Call(path, bearer, tool, arguments string, header ...string) string {
	s.Helper()
	_, _, body := Ask(s, http.MethodPost, s.URL+path, bearer, Message("tools/call", `{"name":`+quoted(tool)+`,"arguments":`+arguments+`}`), header...)
	return body
}

// Get returns a page, or the URL of its redirect.
func (s *Site) Get(browser *http.Client, address string) string {
	s.Helper()
	_, got, page := Do(s, browser, http.MethodGet, address, "")
	if to := got.Get("Location"); to != "" {
		return to
	}
	return page
}

var (
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)"`)
	action = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
)

// Fill submits the first form of a page, with more fields, and returns the URL of the redirect, or
// the page that is the answer.
func (s *Site) Fill(browser *http.Client, address string, fields ...string) string {
	s.Helper()
	page := s.Get(browser, address)
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		if !form.Has(field[1]) {
			form.Set(field[1], strings.ReplaceAll(field[2], "&amp;", "&"))
		}
	}
	form.Set("shown", "watched") // as the page's script does
	if strings.Contains(page, `name="code"`) {
		form.Set("code", s.Code)
	}
	for pair := range slices.Chunk(fields, 2) {
		form.Set(pair[0], pair[1])
	}
	found := action.FindStringSubmatch(page)
	base, err := url.Parse(address)
	if found == nil || err != nil {
		s.Fatalf("%s has no form: %s", address, page)
	}
	to, err := base.Parse(found[1])
	if err != nil {
		s.Fatal(err)
	}
	_, got, said := Do(s, browser, http.MethodPost, to.String(), form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
	if to := got.Get("Location"); to != "" {
		return to
	}
	return said
}

// Visit opens a page that leads to the sign-on, signs a user in, and returns the browser and the
// last page.
func (s *Site) Visit(address, handle string) (browser *http.Client, page string) {
	s.Helper()
	browser = Visitor()
	return browser, s.Get(browser, s.Fill(browser, s.Fill(browser, address), "handle", handle))
}

// Post sends a request and returns the texts of its JSON answer.
func (s *Site) Post(path, kind, body string) map[string]string {
	s.Helper()
	_, _, said := Do(s, http.DefaultClient, http.MethodPost, s.URL+path, body, "Content-Type", kind)
	var answer map[string]any
	if err := json.Unmarshal([]byte(said), &answer); err != nil {
		s.Fatalf("%s: %v in %s", path, err, said)
	}
	texts := map[string]string{}
	for name, value := range answer {
		texts[name], _ = value.(string)
	}
	return texts
}

// Token sends a form to the token endpoint.
func (s *Site) Token(fields ...string) map[string]string {
	s.Helper()
	form := url.Values{}
	for pair := range slices.Chunk(fields, 2) {
		form.Set(pair[0], pair[1])
	}
	return s.Post("/token", "application/x-www-form-urlencoded", form.Encode())
}

// Redeem returns the tokens for the code in the URL to which a login redirects.
func (s *Site) Redeem(client, back string) Tokens {
	s.Helper()
	at, err := url.Parse(back)
	if err != nil || at.Query().Get("code") == "" {
		s.Fatalf("the login ends with %s", back)
	}
	redirect, _, _ := strings.Cut(back, "?")
	got := s.Token("grant_type", "authorization_code", "client_id", client, "code", at.Query().Get("code"), "redirect_uri", redirect, "code_verifier", Verifier)
	if got["access_token"] == "" {
		s.Fatalf("the code is answered with %v", got)
	}
	return Tokens{client, got["access_token"], got["refresh_token"]}
}

// Renew returns the tokens for a refresh token.
func (s *Site) Renew(old Tokens) Tokens {
	s.Helper()
	got := s.Token("grant_type", "refresh_token", "client_id", old.Client, "refresh_token", old.Refresh)
	if got["access_token"] == "" || got["refresh_token"] == "" {
		s.Fatalf("a refresh is answered with %v", got)
	}
	return Tokens{old.Client, got["access_token"], got["refresh_token"]}
}

// Register registers a client of the user's machine and returns its ID.
func (s *Site) Register() string {
	s.Helper()
	got := s.Post("/register", "application/json", `{"client_name":"Plumcot","redirect_uris":["http://127.0.0.1/done"],"token_endpoint_auth_method":"none"}`)
	if got["client_id"] == "" {
		s.Fatalf("registering is answered with %v", got)
	}
	return got["client_id"]
}

// Challenge returns the PKCE challenge of each login.
func Challenge() string {
	sum := sha256.Sum256([]byte(Verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Asking returns the path at which a client asks for access.
func Asking(client, redirect string) string {
	return "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirect}, "state": {"x"},
		"code_challenge": {Challenge()}, "code_challenge_method": {"S256"},
	}.Encode()
}

// SignIn signs a user in with a client, and returns the URL at which the client gets its answer.
func (s *Site) SignIn(client, handle string) string {
	s.Helper()
	browser := Visitor()
	signOn := s.Fill(browser, s.URL+Asking(client, Done), "decision", "approve", "scope", "write")
	return s.Get(browser, s.Fill(browser, signOn, "handle", handle))
}

// LogIn registers a client and signs a user in with it.
func (s *Site) LogIn(handle string) Tokens {
	s.Helper()
	client := s.Register()
	return s.Redeem(client, s.SignIn(client, handle))
}
