package sandbox

import (
	"cmp"
	"crypto/rand"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/signin/demologin"
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
	person      *Person
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
	case r.URL.Path == signOnPath && (get || r.Method == http.MethodPost):
		if get {
			form = r.URL.Query()
		}
		shown := s.login().Answer(form, !get)
		return answer{shown.Status, shown.Header, shown.Body}
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

// login is the page on which the user chooses a person.
func (s *Sandbox) login() demologin.Page {
	return demologin.Page{
		Provider: "Basecamp", Path: signOnPath, ClientID: s.clientID,
		Asks: []string{"response_type", "type", "client_id", "redirect_uri", "state"},
		Check: func(request url.Values) string {
			if kind := cmp.Or(request.Get("response_type"), request.Get("type")); kind != "code" && kind != "web_server" {
				return "The response_type must be code."
			}
			return ""
		},
		People: func(url.Values) (all []demologin.Person) {
			for _, p := range s.identities() {
				all = append(all, demologin.Person{Handle: p.Handle, Name: p.Name, About: p.Title + " · " + strings.Join(s.accountNames(p), ", ")})
			}
			return all
		},
		Grant: func(handle string, _ []string, request url.Values) string {
			people := s.identities()
			at := slices.IndexFunc(people, func(p *Person) bool { return p.Handle == handle })
			if at < 0 {
				return ""
			}
			fresh := rand.Text()
			s.codes[fresh] = &code{person: people[at], redirectURI: request.Get("redirect_uri"), expires: s.now().Add(codeLife)}
			return fresh
		},
	}
}

// accountNames names the accounts of a person.
func (s *Sandbox) accountNames(p *Person) (names []string) {
	for _, a := range s.accounts {
		if slices.ContainsFunc(a.people, func(other *Person) bool { return other.IdentityID == p.IdentityID }) {
			names = append(names, a.Name+map[bool]string{true: " (suspended)"}[a.inactive])
		}
	}
	return names
}

// identities returns the people who can log in. A person with several accounts is included once.
func (s *Sandbox) identities() []*Person {
	var people []*Person
	for _, a := range s.accounts {
		for _, p := range a.people {
			known := slices.ContainsFunc(people, func(other *Person) bool { return other.IdentityID == p.IdentityID })
			if p.Token != "" && !known {
				people = append(people, p)
			}
		}
	}
	return people
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
