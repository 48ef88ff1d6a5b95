package authserver

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"basecamp-mcp/internal/signin/pages"
)

// calm is how long a page must be in front of its user before a press counts. A shorter time can be
// a double click on another page, which opened this one under the pointer between its two clicks
// ("double-clickjacking").
const calm = 700 * time.Millisecond

// form serves a form of this server.
func (s *Server) form(h func(w http.ResponseWriter, r *http.Request, form params) error) http.HandlerFunc {
	return s.page(func(w http.ResponseWriter, r *http.Request) error {
		form, err := s.readForm(r)
		if err == nil {
			err = s.pressedTooSoon(form)
		}
		if err != nil {
			return err
		}
		return h(w, r, form)
	})
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
	return form, nil
}

// newForm returns the form of a page that is sent now. Only that page knows the token that seals
// the time.
func (s *Server) newForm(action, step, token string) pages.Form {
	now, _ := s.Now().MarshalText() // never fails in the years from 0 to 9999
	shown := base64.RawURLEncoding.EncodeToString(seal(token, atShown, now))
	return pages.Form{Action: action, Step: step, Token: token, Shown: shown}
}

// atShown is the purpose of a sealed time.
const atShown = "shown"

// pressedTooSoon returns a page if the press that sent a form may have been meant for another page,
// because its page was sent just before. The script of a page holds such presses back itself. A
// user may deny at any time.
func (s *Server) pressedTooSoon(form params) error {
	if form.get("shown") == pages.Watched || form.get("decision") == "deny" {
		return nil
	}
	sealed, _ := base64.RawURLEncoding.DecodeString(form.get("shown"))
	text, err := unseal(form.get("csrf"), atShown, sealed)
	var sent time.Time
	if err == nil && sent.UnmarshalText(text) == nil && s.Now().Sub(sent) >= calm {
		return nil
	}
	return show(pages.Failure{
		Status: http.StatusForbidden, Title: "The button was pressed too soon",
		Message: "The page with the button had only just appeared. A click that was meant for another page must not decide, so no changes were made.",
		Next:    "Go back, wait a second, and press the button again.",
	})
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
