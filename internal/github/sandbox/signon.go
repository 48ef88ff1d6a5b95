package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
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
	switch {
	case r.URL.Path == authorizePath && r.Method == http.MethodGet:
		return s.showConsent(r.URL.Query())
	case r.URL.Path == authorizePath && r.Method == http.MethodPost:
		form, ok := readForm(r, body)
		if !ok {
			return problemPage(http.StatusBadRequest, "The form is malformed.")
		}
		return s.finishConsent(form)
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

// A consentRequest is an application's request, sent by way of the user's browser.
type consentRequest struct {
	values url.Values
	target *url.URL // the redirect URI
	scopes []string
}

// asked are the parameters that the form carries.
var asked = []string{"client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "login"}

// readConsent parses a request, or returns the page about the fault in it: an invalid redirect URI
// must not receive anything.
func (s *Server) readConsent(v url.Values) (q consentRequest, refusal *reply) {
	redirect := cmp.Or(v.Get("redirect_uri"), s.options.RedirectURI)
	target, err := url.Parse(redirect)
	status, words := http.StatusBadRequest, ""
	switch {
	case v.Get("client_id") != ClientID:
		status, words = http.StatusNotFound, "No application has this client_id."
	case err != nil || target.Scheme != "https" && target.Scheme != "http" || target.Host == "" || target.User != nil || target.Fragment != "":
		words = "The redirect_uri must be an http or https address."
	case !s.registered(redirect):
		words = "The redirect_uri is not the callback of this application."
	case v.Get("code_challenge") != "" && v.Get("code_challenge_method") != "S256":
		words = "The code_challenge_method must be S256."
	}
	if words != "" {
		r := problemPage(status, words)
		return q, &r
	}
	q = consentRequest{values: v, target: target}
	q.scopes = normalized(strings.FieldsFunc(v.Get("scope"), func(c rune) bool { return c == ' ' || c == ',' }))
	return q, nil
}

// registered reports whether an address is at or below the callback of the application.
func (s *Server) registered(redirect string) bool {
	return s.options.RedirectURI == "" || redirect == s.options.RedirectURI || strings.HasPrefix(redirect, strings.TrimSuffix(s.options.RedirectURI, "/")+"/")
}

func (q consentRequest) answerWith(parameters map[string]string) reply {
	target := *q.target
	query := target.Query()
	parameters["state"] = q.values.Get("state")
	for name, value := range parameters {
		query.Set(name, value)
	}
	target.RawQuery = query.Encode()
	return replyWith(http.StatusFound, nil).
		withHeader("Location", target.String()).withHeader("Cache-Control", "no-store").withHeader("Referrer-Policy", "no-referrer")
}

func (s *Server) showConsent(query url.Values) reply {
	q, refusal := s.readConsent(query)
	if refusal != nil {
		return *refusal
	}
	return replyWith(http.StatusOK, []byte(s.consentPage(q))).
		withHeader("Content-Type", "text/html; charset=utf-8").
		withHeader("Content-Security-Policy", consentPolicy).
		withHeader("X-Content-Type-Options", "nosniff").
		withHeader("Referrer-Policy", "same-origin").
		withHeader("Cache-Control", "no-store")
}

// finishConsent redirects the browser with a code for the chosen person, or with an error if the
// user denied. The scopes are those whose boxes are ticked. A form without boxes grants all.
func (s *Server) finishConsent(form url.Values) reply {
	q, refusal := s.readConsent(form)
	if refusal != nil {
		return *refusal
	}
	if form.Has("deny") {
		return q.answerWith(map[string]string{"error": "access_denied", "error_description": "The user has denied your application access."})
	}
	person := s.account(form.Get("person"))
	if person == nil || person.kind != "User" {
		return problemPage(http.StatusBadRequest, "No person has this login.")
	}
	granted := q.scopes
	if form.Has("choice") {
		granted = filter(q.scopes, func(scope string) bool { return slices.Contains(form["grant"], scope) })
	}
	fresh := rand.Text()
	s.codes[fresh] = &code{
		person: person, redirectURI: q.target.String(), challenge: form.Get("code_challenge"), scopes: granted, expires: s.now().Add(codeLife),
	}
	return q.answerWith(map[string]string{"code": fresh})
}

var (
	//go:embed signon.html
	consentHTML string
	//go:embed signon.css
	consentStyle string

	// consentPolicy contains no form-action: Chrome applies that directive to every redirect after
	// the form too.
	consentPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(consentStyle) + "'; frame-ancestors 'none'; base-uri 'none'"
)

// consentPage fills in the page without a template engine, to keep the deployed functions small.
func (s *Server) consentPage(q consentRequest) string {
	var fields, scopes, people strings.Builder
	for _, name := range asked {
		fmt.Fprintf(&fields, `<input type="hidden" name="%s" value="%s">`+"\n", name, html.EscapeString(q.values.Get(name)))
	}
	if len(q.scopes) > 0 {
		scopes.WriteString("<fieldset><legend>Grant</legend><input type=\"hidden\" name=\"choice\" value=\"1\">\n")
		for _, scope := range q.scopes {
			name := html.EscapeString(scope)
			fmt.Fprintf(&scopes, `<label><input type="checkbox" name="grant" value="%s" checked> %s</label>`+"\n", name, name)
		}
		scopes.WriteString("</fieldset>\n")
	}
	for _, l := range logins {
		if hint := q.values.Get("login"); hint != "" && !strings.EqualFold(hint, l.login) && s.account(hint) != nil {
			continue // the application named the account
		}
		a := s.account(l.login)
		fmt.Fprintf(&people, `<li><button name="person" value="%s"><strong>%s</strong> <span>@%s</span></button></li>`+"\n", a.login, html.EscapeString(a.name), a.login)
	}
	return strings.NewReplacer(
		"{{style}}", consentStyle,
		"{{host}}", html.EscapeString(q.target.Host),
		"{{fields}}", fields.String(),
		"{{scopes}}", scopes.String(),
		"{{people}}", people.String(),
	).Replace(consentHTML)
}

func hashOf(style string) string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
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
