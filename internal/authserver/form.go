package authserver

import (
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"basecamp-mcp/internal/pages"
)

// calm is how long a page must be in front of its user before a press counts. A shorter time can be
// a double click on another page, which opened this one under the pointer between its two clicks
// ("double-clickjacking").
const calm = 700 * time.Millisecond

// form serves a form of this server.
func (s *Server) form(h func(w http.ResponseWriter, r *http.Request, form params) error) http.HandlerFunc {
	return s.page(func(w http.ResponseWriter, r *http.Request) error {
		form, err := s.readForm(r)
		if err != nil {
			return err
		}
		return h(w, r, form)
	})
}

// doubts reports whether the press that sent a form may have been meant for another page, and then
// answers with a second page, whose button is elsewhere and counts only after a while. A page's own
// script holds such presses back, so this is for forms that the script did not send. Handlers call
// it once the form has proved valid, before they do what it says; does says that to the user.
func (s *Server) doubts(w http.ResponseWriter, r *http.Request, does string, form params) bool {
	if s.isCalm(r, form) {
		return false
	}
	now, _ := s.Now().MarshalText() // never fails in the years from 0 to 9999
	// Only the form's own page knows the token that seals the time.
	sealed := seal(form.get("csrf"), sameAnswer(r, form), now)
	form.values["shown"] = []string{base64.RawURLEncoding.EncodeToString(sealed)}
	if strings.HasPrefix(r.URL.Path, "/account") || r.URL.Path == "/oauth/start" { // not a part of a client's sign-in
		pages.Isolate(w.Header())
	}
	pages.Write(w, pages.Again{Action: r.URL.Path, Does: does, Fields: form.values})
	return true
}

// readForm reads a form of this server. It refuses forms that other sites submit. Callers check
// the token and the cookie when they read the form's state.
func (s *Server) readForm(r *http.Request) (params, error) {
	protection := http.NewCrossOriginProtection()
	if err := errors.Join(protection.AddTrustedOrigin(s.Origin(r)), protection.Check(r)); err != nil {
		return params{}, show(pages.Failure{
			Status: http.StatusForbidden, Title: "This form came from another site",
			Message: "No changes were made.", Next: "If you were signing in, start again from your app.",
		})
	}
	form, f := readFormBody(r)
	if f != nil {
		return params{}, show(pages.Failure{
			Status: f.status, Title: "This form cannot be read",
			Message: "No changes were made.", Next: "Start again from your app.",
		})
	}
	for name, given := range form.values { // browsers send line breaks as CRLF, and hidden fields keep LF
		for i, value := range given {
			form.values[name][i] = strings.ReplaceAll(value, "\r\n", "\n")
		}
	}
	return form, nil
}

// isCalm reports whether a page was in front of its user before the press: its script says so, or
// the second page was sent long enough ago.
func (s *Server) isCalm(r *http.Request, form params) bool {
	shown := form.get("shown")
	if shown == pages.Watched {
		return true
	}
	sealed, _ := base64.RawURLEncoding.DecodeString(shown)
	text, err := unseal(form.get("csrf"), sameAnswer(r, form), sealed)
	var sent time.Time
	return err == nil && sent.UnmarshalText(text) == nil && s.Now().Sub(sent) >= calm
}

// sameAnswer returns the purpose of the sealed time: a second page counts only for the answer that
// it asks about. The forms of one page can share a token.
func sameAnswer(r *http.Request, form params) string {
	answer := maps.Clone(form.values)
	delete(answer, "shown")
	return "shown " + r.URL.Path + "?" + answer.Encode()
}

// maxForm is the largest form, in bytes.
const maxForm = 64 << 10

// params are the parameters of an OAuth request. Empty parameters count as absent, and only
// resource may be repeated (RFC 6749, 3.1).
type params struct{ values url.Values }

func (p params) get(name string) string { return p.values.Get(name) }

// resources returns the resource parameters. They may be repeated (RFC 8707, 2).
func (p params) resources() []string { return p.values["resource"] }

// parseParams reads a query or a form. Its errors are invalid_request.
func parseParams(encoded string) (params, *oauthError) {
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return params{}, refuse(invalidRequest, "the parameters are not form-encoded")
	}
	for name, given := range values {
		kept := given[:0]
		for _, value := range given {
			if value != "" {
				kept = append(kept, value)
			}
		}
		values[name] = kept
		if len(kept) > 1 && name != "resource" {
			// The readable parameters may still say where to send the error.
			return params{values}, refuse(invalidRequest, "a parameter was given more than once")
		}
	}
	return params{values}, nil
}

// readFormBody reads the form in the body of a POST (RFC 6749, 3.2).
func readFormBody(r *http.Request) (params, *oauthError) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return params{}, refuse(invalidRequest, "the body must be application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxForm+1))
	if err != nil {
		return params{}, refuse(invalidRequest, "the body ended early")
	}
	if len(body) > maxForm {
		return params{}, refuse(invalidRequest, "the body is too large")
	}
	return parseParams(string(body))
}
