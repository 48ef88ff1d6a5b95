package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ClientID and ClientSecret identify the application at Launchpad, unless Options contain others.
const (
	ClientID     = "sandbox-client"
	ClientSecret = "sandbox-secret"
)

const (
	signOnPath = "/authorization/new"
	tokenPath  = "/authorization/token"
	codeLife   = 10 * time.Minute
	maxForm    = 64 << 10
)

// A code is a person's consent, to be exchanged for tokens.
type code struct {
	person      *person
	redirectURI string
	expires     time.Time
}

func isSignOn(path string) bool { return path == signOnPath || path == tokenPath }

// signOn plays Launchpad, where people log in with a browser and applications exchange codes for
// tokens. It requires neither a bearer nor a User-Agent, and the rate limit does not apply.
func (s *Sandbox) signOn(r *http.Request) answer {
	form, ok := readForm(r)
	if !ok {
		return oauthError(http.StatusBadRequest, "invalid_request").answer()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch get := r.Method == http.MethodGet || r.Method == http.MethodHead; {
	case r.URL.Path == signOnPath && get:
		return s.showSignOn(r.URL.Query())
	case r.URL.Path == signOnPath && r.Method == http.MethodPost:
		return s.finishSignOn(form)
	case r.URL.Path == tokenPath && r.Method == http.MethodPost:
		return s.exchange(form).answer()
	}
	return notFound().answer()
}

// readForm returns the form of a POST request. For other methods, it returns nil and true.
func readForm(r *http.Request) (form url.Values, ok bool) {
	if r.Method != http.MethodPost {
		return nil, true
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body, err := io.ReadAll(io.LimitReader(r.Body, maxForm+1))
	if err != nil || len(body) > maxForm || media != "application/x-www-form-urlencoded" {
		return nil, false
	}
	form, err = url.ParseQuery(string(body))
	return form, err == nil
}

// A consentRequest is an application's request to Launchpad, sent by way of the user's browser.
type consentRequest struct {
	kind, clientID, redirectURI, state string
	target                             *url.URL // redirectURI, parsed
}

// readConsent parses a request, or returns a message about the fault in it. The message goes to a
// page: the redirect URI of an invalid request must not receive anything.
func (s *Sandbox) readConsent(v url.Values) (q consentRequest, problem string) {
	q = consentRequest{
		kind: cmp.Or(v.Get("response_type"), v.Get("type")), clientID: v.Get("client_id"),
		redirectURI: v.Get("redirect_uri"), state: v.Get("state"),
	}
	if q.clientID != s.clientID {
		return q, "No application of this client_id is known here."
	}
	target, err := url.Parse(q.redirectURI)
	if err != nil || target.Scheme != "https" && target.Scheme != "http" || target.Host == "" || target.User != nil || target.Fragment != "" {
		return q, "The redirect_uri must be an http or https address."
	}
	if q.kind != "code" && q.kind != "web_server" {
		return q, "The response_type must be code."
	}
	q.target = target
	return q, ""
}

// answerWith redirects the browser to the redirect URI with one more query parameter. The URI's own
// query stays.
func (q consentRequest) answerWith(name, value string) answer {
	target := *q.target
	query := target.Query()
	query.Set(name, value)
	if q.state != "" {
		query.Set("state", q.state)
	}
	target.RawQuery = query.Encode()
	return answer{status: http.StatusFound, header: http.Header{
		"Location": {target.String()}, "Cache-Control": {"no-store"}, "Referrer-Policy": {"no-referrer"},
	}}
}

func refusedPage(problem string) answer {
	a := plainAnswer(http.StatusBadRequest, "Sandbox: "+problem+"\n")
	a.header.Set("Cache-Control", "no-store")
	return a
}

// showSignOn shows the page on which the user chooses a person.
func (s *Sandbox) showSignOn(query url.Values) answer {
	q, problem := s.readConsent(query)
	if problem != "" {
		return refusedPage(problem)
	}
	return answer{status: http.StatusOK, body: []byte(s.signOnPage(q)), header: http.Header{
		"Content-Type":            {"text/html; charset=utf-8"},
		"Content-Security-Policy": {signOnPolicy},
		"X-Content-Type-Options":  {"nosniff"},
		"Referrer-Policy":         {"same-origin"}, // with no-referrer, browsers would send the form with the origin null
		"Cache-Control":           {"no-store"},
	}}
}

// finishSignOn redirects the browser with a code for the chosen person, or with an error if the
// user cancelled.
func (s *Sandbox) finishSignOn(form url.Values) answer {
	q, problem := s.readConsent(form)
	if problem != "" {
		return refusedPage(problem)
	}
	if form.Has("cancel") {
		return q.answerWith("error", "access_denied")
	}
	for _, p := range s.identities() {
		if p.Handle == form.Get("handle") {
			fresh := rand.Text()
			s.codes[fresh] = &code{person: p, redirectURI: q.redirectURI, expires: s.now().Add(codeLife)}
			return q.answerWith("code", fresh)
		}
	}
	return refusedPage("No person has this handle.")
}

// identities returns the people who can log in. A person with several accounts is included once.
func (s *Sandbox) identities() []*person {
	var people []*person
	for _, a := range s.accounts {
		for _, p := range a.people {
			known := slices.ContainsFunc(people, func(other *person) bool { return other.Identity == p.Identity })
			if p.login != "" && !known {
				people = append(people, p)
			}
		}
	}
	return people
}

var (
	//go:embed signon.html
	signOnHTML string
	//go:embed signon.css
	signOnStyle string

	// signOnPolicy contains no form-action: Chrome applies that directive to every redirect after the
	// form too.
	signOnPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(signOnStyle) + "'; frame-ancestors 'none'; base-uri 'none'"
)

// signOnPage fills in the page without a template engine. An engine would increase the size of the
// function by a third, although the deployed function never serves this page.
func (s *Sandbox) signOnPage(q consentRequest) string {
	var fields, buttons strings.Builder
	for _, f := range [][2]string{{"response_type", q.kind}, {"client_id", q.clientID}, {"redirect_uri", q.redirectURI}, {"state", q.state}} {
		fmt.Fprintf(&fields, `<input type="hidden" name="%s" value="%s">`+"\n", f[0], html.EscapeString(f[1]))
	}
	for _, p := range s.identities() {
		var accounts []string
		for _, a := range s.accounts {
			if slices.ContainsFunc(a.people, func(other *person) bool { return other.Identity == p.Identity }) {
				accounts = append(accounts, a.Name+map[bool]string{true: " (suspended)"}[a.inactive])
			}
		}
		fmt.Fprintf(&buttons, `<li><button name="handle" value="%s"><strong>%s</strong> <span>%s</span> <span>%s</span></button></li>`+"\n",
			html.EscapeString(p.Handle), html.EscapeString(p.Name), html.EscapeString(p.Title), html.EscapeString(strings.Join(accounts, ", ")))
	}
	return strings.NewReplacer(
		"{{style}}", signOnStyle,
		"{{host}}", html.EscapeString(q.target.Host),
		"{{fields}}", fields.String(),
		"{{people}}", buttons.String(),
	).Replace(signOnHTML)
}

func hashOf(style string) string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// redacted returns the query of a login for the log: names stay, secrets are removed.
func redacted(rawQuery string) string {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "[redacted]"
	}
	for name, values := range query {
		if !slices.Contains([]string{"response_type", "type", "grant_type", "client_id", "redirect_uri"}, name) {
			for i := range values {
				values[i] = "[redacted]"
			}
		}
	}
	return query.Encode()
}
