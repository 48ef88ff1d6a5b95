package e2e

import (
	"errors"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// person is a user with a browser. It reads pages, submits their forms and follows redirects. It
// knows only what is in the page, and says like the page's script that it has looked at the page.
type person struct {
	t       testing.TB
	handle  string // which person to choose at the sign-on
	browser *http.Client
}

func newPerson(t testing.TB, handle string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, handle: handle, browser: &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// logsIn goes through the login that begins at the URL. It returns the final redirect, which leads
// to the client.
func (p *person) logsIn(authorize string) *url.URL {
	p.t.Helper()
	asking := p.open(authorize)
	if asking.leaves != nil {
		return asking.leaves
	}
	at := p.submit(asking.form(p.t, "/authorize"), url.Values{"decision": {"approve"}})
	if at.leaves == nil {
		at = p.signsOn(at)
	}
	if at.leaves == nil {
		p.t.Fatalf("the login ends on the page %q", at.title)
	}
	return at.leaves
}

func (p *person) signsOn(at webpage) webpage {
	p.t.Helper()
	return p.submit(at.form(p.t, "/launchpad/authorization/new"), url.Values{"handle": {p.handle}})
}

// account opens the account page. It signs in first if this browser has not done so.
func (p *person) account(s *server) webpage {
	p.t.Helper()
	at := p.open(s.at("/account"))
	if at.url.Path == "/oauth/start" {
		at = p.signsOn(p.submit(at.form(p.t, "/oauth/start"), nil))
	}
	if at.leaves != nil || at.url.Path != "/account" {
		p.t.Fatalf("the request for the account page ends on %q", at.title)
	}
	return at
}

// deliver follows the final redirect to the listener of a client on this machine.
func (p *person) deliver(back *url.URL) {
	p.t.Helper()
	answer, err := p.browser.Get(back.String())
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		p.t.Errorf("the client answers its redirect with %s", answer.Status)
	}
}

func (p *person) open(address string) webpage {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.follow(request)
}

// submit sends a form with the name and value of the button that the user presses.
func (p *person) submit(f form, button url.Values) webpage {
	p.t.Helper()
	if f.fields.Has("shown") {
		f.fields.Set("shown", "watched") // as the page's script does
	}
	maps.Copy(f.fields, button)
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, f.action.String(), strings.NewReader(f.fields.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	return p.follow(request)
}

// follow follows redirects on the same server.
func (p *person) follow(request *http.Request) webpage {
	p.t.Helper()
	home := request.URL.Host
	for range 10 {
		answer, err := p.browser.Do(request)
		if err != nil {
			p.t.Fatal(err)
		}
		to, err := answer.Location()
		if errors.Is(err, http.ErrNoLocation) {
			return read(p.t, answer)
		}
		_ = answer.Body.Close()
		if err != nil {
			p.t.Fatal(err)
		}
		if to.Host != home {
			return webpage{url: request.URL, status: answer.StatusCode, leaves: to}
		}
		request, err = http.NewRequestWithContext(p.t.Context(), http.MethodGet, to.String(), nil)
		if err != nil {
			p.t.Fatal(err)
		}
	}
	p.t.Fatal("more than ten redirects")
	return webpage{}
}

// webpage is the page that a browser shows, or the redirect that leaves the server.
type webpage struct {
	url     *url.URL
	status  int
	title   string
	words   string // the text of its main part
	heading string // its h1
	forms   []form
	leaves  *url.URL // the redirect to another server; if set, there is no page
}

// form is a form of a page, with the values that the page has set.
type form struct {
	action  *url.URL
	fields  url.Values
	buttons []string // labels
}

// form returns the form that is sent to a path.
func (p webpage) form(t testing.TB, path string) form {
	t.Helper()
	return p.find(t, path, func(f form) bool { return f.action.Path == path })
}

// formOf returns the form that has a button.
func (p webpage) formOf(t testing.TB, button string) form {
	t.Helper()
	return p.find(t, button, func(f form) bool { return slices.Contains(f.buttons, button) })
}

// has reports whether the page has a button.
func (p webpage) has(button string) bool {
	return slices.ContainsFunc(p.forms, func(f form) bool { return slices.Contains(f.buttons, button) })
}

func (p webpage) find(t testing.TB, what string, is func(form) bool) form {
	t.Helper()
	i := slices.IndexFunc(p.forms, is)
	if i < 0 {
		t.Fatalf("the page %q (%d) has no form for %s, but %v", p.title, p.status, what, p.forms)
	}
	return p.forms[i]
}

func read(t testing.TB, answer *http.Response) webpage {
	t.Helper()
	defer answer.Body.Close()
	document, err := html.Parse(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	p := webpage{url: answer.Request.URL, status: answer.StatusCode}
	for n := range elements(document) {
		switch n.Data {
		case "title":
			p.title = text(n)
		case "main":
			p.words = text(n)
		case "h1":
			p.heading = text(n)
		case "form":
			p.forms = append(p.forms, readForm(t, n, p.url))
		}
	}
	return p
}

func readForm(t testing.TB, n *html.Node, base *url.URL) form {
	t.Helper()
	action, err := base.Parse(attribute(n, "action"))
	if err != nil {
		t.Fatal(err)
	}
	f := form{action: action, fields: url.Values{}}
	for field := range elements(n) {
		switch field.Data {
		case "button":
			f.buttons = append(f.buttons, text(field))
		case "input":
			kind := attribute(field, "type")
			if kind != "checkbox" && kind != "radio" || has(field, "checked") {
				f.fields.Add(attribute(field, "name"), attribute(field, "value"))
			}
		}
	}
	return f
}

func elements(within *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := range within.Descendants() {
			if n.Type == html.ElementNode && !yield(n) {
				return
			}
		}
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func text(n *html.Node) string {
	var words strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			words.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(words.String()), " ")
}
