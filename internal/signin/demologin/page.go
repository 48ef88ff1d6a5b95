// Package demologin is the sign-on page of the made-up providers. In place of a password, the user
// chooses one of their people. It fills in the page without a template engine, which would increase
// the size of the deployed function by a third, although that function never serves the page.
package demologin

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"basecamp-mcp/internal/signin/look"
)

// Page is the sign-on page of a provider.
type Page struct {
	Provider string
	Path     string   // of the page, which its form is sent to
	ClientID string   // of the only application
	Asks     []string // the parameters of an application's request, which the form carries
	Redirect string   // where the answer goes if the request does not say so
	// Check says what else is wrong with a request, or returns "".
	Check func(request url.Values) string
	// People returns who can sign in. The page shows the first one large.
	People func(request url.Values) []Person
	// Scopes are the boxes of the page, which are ticked.
	Scopes []string
	// Grant returns the code for a person with some of the scopes, to be exchanged for tokens, or ""
	// if there is no such person.
	Grant func(handle string, scopes []string, request url.Values) string
}

// Person is a user who can sign in.
type Person struct{ Handle, Name, About string }

// Answer is the answer to a request for the page.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Refuse returns a page about what is wrong with a request. The redirect URI of an invalid request
// must not receive anything.
func Refuse(problem string) Answer {
	return Answer{http.StatusBadRequest, http.Header{
		"Content-Type": {"text/plain; charset=utf-8"}, "Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"},
	}, []byte("Sandbox: " + problem + "\n")}
}

// Answer shows the page for an application's request. If sent, the request is the page's form,
// which names the person: then it redirects the browser with a code, or with an error if the user
// cancelled. The scopes are those whose boxes are ticked; a form without boxes grants all.
func (p Page) Answer(request url.Values, sent bool) Answer {
	redirect := cmp.Or(request.Get("redirect_uri"), p.Redirect)
	target, err := url.Parse(redirect)
	switch {
	case request.Get("client_id") != p.ClientID:
		return Refuse("No application of this client_id is known here.")
	case err != nil || target.Scheme != "https" && target.Scheme != "http" || target.Host == "" || target.User != nil || target.Fragment != "":
		return Refuse("The redirect_uri must be an http or https address.")
	}
	if problem := p.Check(request); problem != "" {
		return Refuse(problem)
	}
	switch {
	case !sent:
		return p.show(request, target)
	case request.Has("cancel"):
		return back(request, target, "error", "access_denied")
	}
	granted := p.Scopes
	if request.Has("choice") {
		granted = slices.DeleteFunc(slices.Clone(granted), func(scope string) bool { return !slices.Contains(request["grant"], scope) })
	}
	code := p.Grant(request.Get("handle"), granted, request)
	if code == "" {
		return Refuse("No person has this handle.")
	}
	return back(request, target, "code", code)
}

// back redirects the browser to the redirect URI with one more query parameter. The URI's own query
// stays.
func back(request url.Values, target *url.URL, name, value string) Answer {
	query := target.Query()
	query.Set(name, value)
	if state := request.Get("state"); state != "" {
		query.Set("state", state)
	}
	target.RawQuery = query.Encode()
	return Answer{Status: http.StatusFound, Header: http.Header{
		"Location": {target.String()}, "Cache-Control": {"no-store"}, "Referrer-Policy": {"no-referrer"},
	}}
}

//go:embed page.html
var markup string

// show fills in the page. Its policy contains no form-action: Chrome applies that directive to
// every redirect after the form too.
func (p Page) show(request url.Values, target *url.URL) Answer {
	var fields, scopes, others strings.Builder
	for _, name := range p.Asks {
		fmt.Fprintf(&fields, `<input type="hidden" name="%s" value="%s">`+"\n", name, html.EscapeString(request.Get(name)))
	}
	if len(p.Scopes) > 0 {
		scopes.WriteString(`<fieldset><legend>Allow</legend><input type="hidden" name="choice" value="1"><div class="choices">` + "\n")
		for _, scope := range p.Scopes {
			fmt.Fprintf(&scopes, `<label class="choice"><input type="checkbox" name="grant" value="%[1]s" checked><code>%[1]s</code></label>`+"\n", html.EscapeString(scope))
		}
		scopes.WriteString("</div></fieldset>\n")
	}
	button := func(one Person, class string) string {
		return fmt.Sprintf(`<button class="person%s" name="handle" value="%s"><span class="who" aria-hidden="true">%s</span><span><strong>%s</strong> <span class="small">%s</span></span></button>`,
			class, html.EscapeString(one.Handle), look.Initials(one.Name), html.EscapeString(one.Name), html.EscapeString(one.About))
	}
	first := ""
	for i, one := range p.People(request) {
		if i == 0 {
			first = button(one, " first")
			continue
		}
		fmt.Fprintf(&others, "<li>%s</li>\n", button(one, ""))
	}
	body := strings.NewReplacer("{{style}}", look.Style, "{{provider}}", p.Provider, "{{action}}", path.Base(p.Path), "{{host}}", html.EscapeString(target.Host),
		"{{fields}}", fields.String(), "{{scopes}}", scopes.String(), "{{first}}", first, "{{people}}", others.String()).Replace(markup)
	return Answer{http.StatusOK, http.Header{
		"Content-Type":            {"text/html; charset=utf-8"},
		"Content-Security-Policy": {"default-src 'none'; style-src " + look.Hash(look.Style) + "; frame-ancestors 'none'; base-uri 'none'"},
		"X-Content-Type-Options":  {"nosniff"},
		"Referrer-Policy":         {"same-origin"}, // with no-referrer, browsers would send the form with the origin null
		"Cache-Control":           {"no-store"},
	}, []byte(body)}
}
