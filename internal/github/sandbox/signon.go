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

// A token is an access token of an OAuth App for a person.
type token struct {
	value   string
	person  *account
	scopes  []string
	revoked bool
	issued  bool // by a sign-on, and not one of the fixed tokens
	serial  int
}

const tokensPerScope = 10 // GitHub Docs, "Token expiration and revocation"

// implied has the scopes that a broader one contains (GitHub Docs, "Scopes for OAuth apps").
var implied = map[string][]string{
	"repo":      {"public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"},
	"project":   {"read:project"},
	"admin:org": {"write:org", "read:org"},
	"write:org": {"read:org"},
	"user":      {"read:user", "user:email", "user:follow"},
}

// has reports whether the token has one of these scopes.
func (t *token) has(anyOf ...string) bool {
	return slices.ContainsFunc(anyOf, func(scope string) bool {
		return slices.ContainsFunc(t.scopes, func(granted string) bool {
			return granted == scope || slices.Contains(implied[granted], scope)
		})
	})
}

// normalized returns scopes without repetitions and without those that a broader one contains.
func normalized(scopes []string) []string {
	var out []string
	for _, scope := range scopes {
		covered := slices.ContainsFunc(scopes, func(other string) bool { return slices.Contains(implied[other], scope) })
		if !covered && !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	slices.Sort(out)
	return out
}

func bearer(r *http.Request) string {
	value, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return value
}

// valid returns the token with a value, or nil if there is none that is alive.
func (s *Server) valid(value string) *token {
	if t := s.token(value); t != nil && !t.revoked {
		return t
	}
	return nil
}

// authorize adds a token for a person. Of more than ten tokens with the same scopes, the oldest is
// revoked.
func (s *Server) authorize(person *account, value string, scopes []string) *token {
	s.issued++
	t := &token{value: value, person: person, serial: s.issued, scopes: normalized(scopes)}
	s.tokens[value] = t
	var same []*token
	for _, other := range s.tokens {
		if other.person == person && !other.revoked && slices.Equal(other.scopes, t.scopes) {
			same = append(same, other)
		}
	}
	if len(same) > tokensPerScope {
		s.revoke(slices.MinFunc(same, func(a, b *token) int { return a.serial - b.serial }))
	}
	return t
}

func freshToken() string { return "gho_" + rand.Text() + rand.Text()[:10] }

// Grant returns a new token for a person with scopes. It panics if there is no such person.
func (s *Server) Grant(login string, scopes ...string) string {
	defer s.lock()()
	person := s.account(login)
	if person == nil || person.kind != "User" {
		panic(fmt.Sprintf("sandbox: no person has the login %q", login))
	}
	return s.authorize(person, freshToken(), scopes).value
}

// Revoke does what a person does who removes the application at GitHub: all of their tokens end.
func (s *Server) Revoke(login string) {
	defer s.lock()()
	for _, t := range s.tokens {
		if strings.EqualFold(t.person.login, login) {
			s.revoke(t)
		}
	}
}

// Alive reports whether a token is valid.
func (s *Server) Alive(value string) bool {
	defer s.lock()()
	return s.valid(value) != nil
}

// Ledger keeps what GitHub keeps of the tokens of an OAuth App, outside the sandbox. A sandbox with
// the same ledger knows these tokens, so that a restart of the sandbox ends no link.
type Ledger struct {
	Save func(token string, state []byte) // stores a state under the name of a token
	Load func(token string) []byte        // returns the stored state, or nil
}

// kept is the stored state of a token.
type kept struct {
	Login   string
	Scopes  []string
	Revoked bool
}

// keep stores the state of a token that a sign-on issued.
func (s *Server) keep(t *token) {
	if s.options.Ledger != nil && t.issued {
		state, _ := json.Marshal(kept{t.person.login, t.scopes, t.revoked}) // never fails for these types
		s.options.Ledger.Save(t.value, state)
	}
}

func (s *Server) revoke(t *token) {
	t.revoked = true
	s.keep(t)
}

// token returns a token, or nil if it was never issued. Another sandbox with the same ledger may
// have issued or revoked it.
func (s *Server) token(value string) *token {
	t := s.tokens[value]
	if s.options.Ledger == nil || value == "" || t != nil && !t.issued {
		return t
	}
	var state kept
	_ = json.Unmarshal(s.options.Ledger.Load(value), &state) // what is not stored names nobody
	person := s.account(state.Login)
	if person == nil {
		return t
	}
	if t == nil {
		t = s.authorize(person, value, state.Scopes)
		t.issued = true
	}
	t.revoked = t.revoked || state.Revoked
	return t
}

// inRepository returns what the token's person may do in a repository, and the token shows.
// Scopes for writing are checked elsewhere.
func (t *token) inRepository(r *repository) access {
	if r.private && !t.has("repo") {
		return noAccess
	}
	return t.person.inRepository(r)
}

func (a *account) inRepository(r *repository) access {
	switch granted := r.guests[a]; {
	case r.owner == a || slices.Contains(r.owner.owners, a):
		return mayAdminister
	case granted > mayRead:
		return granted
	case slices.Contains(r.owner.members, a) && !slices.Contains(r.closedTo, a):
		return mayPush
	case !r.private:
		return mayRead
	default:
		return granted
	}
}

// association returns what a person is in a repository, in GitHub's words.
func (a *account) association(r *repository) string {
	switch {
	case a == nil:
		return "NONE"
	case r.owner == a:
		return "OWNER"
	case slices.Contains(r.owner.members, a):
		return "MEMBER"
	case r.guests[a] > mayRead:
		return "COLLABORATOR"
	}
	return "NONE"
}

// sees reports whether a person may read a project. Who belongs to its owner may also write to it.
func (a *account) sees(p *project) bool { return p.public || a.belongsTo(p.owner) }

func (a *account) belongsTo(owner *account) bool {
	return a == owner || slices.Contains(owner.members, a)
}
