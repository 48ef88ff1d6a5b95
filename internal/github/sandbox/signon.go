package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"basecamp-mcp/internal/signin/demologin"
)

// ClientID and ClientSecret identify the application, unless Options contain others.
const (
	ClientID     = "sandbox-github-client"
	ClientSecret = "sandbox-github-secret"
)

const (
	signOnBase    = "/login/oauth/"
	authorizePath = signOnBase + "authorize"
	tokenPath     = signOnBase + "access_token"
	codeLife      = 10 * time.Minute
)

// A code is a person's consent, to be exchanged for a token.
type code struct {
	person      *account
	redirectURI string
	challenge   string
	scopes      []string
	expires     time.Time
}

func isSignOn(path string) bool { return strings.HasPrefix(path, signOnBase) }

// signOn plays the pages on which people log in with a browser, and the exchange of codes.
func (s *Server) signOn(r *http.Request, body []byte) reply {
	switch get := r.Method == http.MethodGet; {
	case r.URL.Path == authorizePath && (get || r.Method == http.MethodPost):
		form, ok := r.URL.Query(), true
		if !get {
			form, ok = readForm(r, body)
		}
		if !ok {
			return problemPage(http.StatusBadRequest, "The form is malformed.")
		}
		shown := s.login(form).Answer(form, !get)
		return reply{shown.Status, shown.Header, shown.Body}
	case r.URL.Path == tokenPath && r.Method == http.MethodPost:
		return s.exchange(r, body)
	}
	return problemPage(http.StatusNotFound, "There is no such page.")
}

func readForm(r *http.Request, body []byte) (form url.Values, ok bool) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media != "application/x-www-form-urlencoded" {
		return nil, false
	}
	form, err := url.ParseQuery(string(body))
	return form, err == nil
}

func problemPage(status int, words string) reply {
	return text(status, "Sandbox: "+words+"\n").withHeader("Cache-Control", "no-store")
}

// login is the page on which the user chooses a person, for an application's request.
func (s *Server) login(request url.Values) demologin.Page {
	return demologin.Page{
		Provider: "GitHub", Path: authorizePath, ClientID: ClientID, Redirect: s.options.RedirectURI,
		Asks:   []string{"client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "login"},
		Scopes: normalized(strings.FieldsFunc(request.Get("scope"), func(c rune) bool { return c == ' ' || c == ',' })),
		Check: func(request url.Values) string {
			switch {
			case !s.registered(cmp.Or(request.Get("redirect_uri"), s.options.RedirectURI)):
				return "The redirect_uri is not the callback of this application."
			case request.Get("code_challenge") != "" && request.Get("code_challenge_method") != "S256":
				return "The code_challenge_method must be S256."
			}
			return ""
		},
		People: s.people,
		Grant: func(handle string, scopes []string, request url.Values) string {
			person := s.account(handle)
			if person == nil || person.kind != "User" {
				return ""
			}
			fresh := rand.Text()
			s.codes[fresh] = &code{
				person: person, redirectURI: cmp.Or(request.Get("redirect_uri"), s.options.RedirectURI),
				challenge: request.Get("code_challenge"), scopes: scopes, expires: s.now().Add(codeLife),
			}
			return fresh
		},
	}
}

// people returns who can sign in, or only the account that the application named.
func (s *Server) people(request url.Values) (all []demologin.Person) {
	hint := request.Get("login")
	for _, l := range logins {
		if hint == "" || strings.EqualFold(hint, l.login) || s.account(hint) == nil {
			all = append(all, demologin.Person{Handle: l.login, Name: s.account(l.login).name, About: "@" + l.login})
		}
	}
	return all
}

// registered reports whether an address is at or below the callback of the application.
func (s *Server) registered(redirect string) bool {
	return s.options.RedirectURI == "" || redirect == s.options.RedirectURI || strings.HasPrefix(redirect, strings.TrimSuffix(s.options.RedirectURI, "/")+"/")
}

// exchange answers a token request. GitHub refuses with status 200 (GitHub Docs, "Troubleshooting
// OAuth app access token request errors").
func (s *Server) exchange(r *http.Request, body []byte) reply {
	form, ok := readForm(r, body)
	if !ok || form.Get("client_id") != ClientID || !strings.Contains(r.Header.Get("Accept"), "json") {
		return problemPage(http.StatusNotFound, "Not Found")
	}
	var answer map[string]any
	switch grant := form.Get("grant_type"); {
	case !equal(form.Get("client_secret"), ClientSecret):
		answer = refusal("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
	case grant == "" || grant == "authorization_code":
		answer = s.redeem(form)
	case grant == "refresh_token": // which an OAuth App has none of
		answer = refusal("bad_refresh_token", "The refresh token passed is incorrect or expired.")
	default:
		answer = refusal("unsupported_grant_type", "This grant type is not supported.")
	}
	return replyWith(http.StatusOK, answer).withHeader("Cache-Control", "no-store")
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func refusal(code, words string) map[string]any {
	return map[string]any{
		"error": code, "error_description": words,
		"error_uri": "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors",
	}
}

// redeem exchanges a code, which works once.
func (s *Server) redeem(form url.Values) map[string]any {
	c := s.codes[form.Get("code")]
	if c == nil || !s.now().Before(c.expires) {
		return refusal("bad_verification_code", "The code passed is incorrect or expired.")
	}
	if redirect := form.Get("redirect_uri"); redirect != "" && redirect != c.redirectURI {
		return refusal("redirect_uri_mismatch", "The redirect_uri must be the one of the authorization.")
	}
	delete(s.codes, form.Get("code"))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	if c.challenge != "" && !equal(base64.RawURLEncoding.EncodeToString(sum[:]), c.challenge) {
		return refusal("bad_verification_code", "The code passed is incorrect or expired.")
	}
	return s.issue(c.person, c.scopes)
}

func (s *Server) issue(person *account, scopes []string) map[string]any {
	t := s.authorize(person, freshToken(), scopes)
	t.issued = true
	s.keep(t)
	return map[string]any{"access_token": t.value, "token_type": "bearer", "scope": strings.Join(t.scopes, ",")}
}

// applications answers DELETE /applications/{client_id}/token, by which an application revokes a
// token.
func (s *Server) applications(r *http.Request, path string, body []byte) reply {
	const page = "/apps/oauth-applications#delete-an-app-token"
	var in struct {
		Token *string `json:"access_token"`
	}
	id, secret, _ := r.BasicAuth()
	switch {
	case r.Method != http.MethodDelete || path != "/applications/"+ClientID+"/token":
		return notFound(page)
	case id != ClientID || !equal(secret, ClientSecret):
		return refused(http.StatusUnauthorized, "Bad credentials", page)
	case json.Unmarshal(body, &in) != nil || in.Token == nil:
		return invalid(page, flaw{Resource: "OauthAccess", Field: "access_token", Code: "missing_field"})
	}
	t := s.valid(*in.Token)
	if t == nil {
		return notFound(page)
	}
	s.revoke(t)
	return replyWith(http.StatusNoContent, nil)
}
