package pages

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hostile lists names that clients and users may choose to attack a page.
var hostile = []string{
	`<script>alert(1)</script>`,
	`"onmouseover="alert(1)`,
	`'><img src=x onerror=alert(1)>`,
	`</style><script>alert(1)</script>`,
	`javascript:alert(1)`,
	`//evil.example/`,
	`{{.Form.Token}}`,
	"\u202emoc.elpmaxe\u202c\u2066\u0000\u001b[31m\n",
	strings.Repeat("M", 10_000),
	"",
}

// everyView returns each view in its variants, with s in every string that may be hostile.
func everyView(s string) map[string]View {
	day := time.Date(2026, 9, 3, 10, 0, 0, 0, time.UTC)
	form := Form{"/somewhere", s, s, s}
	client := Connection{ID: s, Client: s, Host: s, Account: s, Write: true, Limits: []string{s, "Does not use pings."}, Change: "/account?app=one", CreatedAt: day, UsedAt: day}
	healthy := Provider{Name: "Basecamp", Healthy: true, ConnectedAt: day, ExpiresAt: day}
	dead := Provider{Name: "Basecamp", ConnectedAt: day, ExpiresAt: day, Connect: "/oauth/start?for=account"}
	absent := Provider{Name: "Otherworks", Connect: "/oauth/start?link=other"}
	linked := func(p Provider, state LinkState) Provider {
		p.Name, p.Connect, p.Link = "Otherworks", "/oauth/start?link=other", &state
		return p
	}
	state := LinkState{Account: s, May: []string{s, "read projects"}, Asks: []string{s, "read projects"}, Unlink: form}
	bounds := Fence{Writes: true, Further: "Otherworks", Fields: map[string]string{}, Wrong: map[string]string{}}
	for _, name := range []string{"projects-read", "repos-write", "boards-read"} {
		bounds.Fields[name], bounds.Wrong[name] = s, s
	}
	bounds.Fields["places"], bounds.Wrong["places"] = "named", s
	listed := Fence{Listed: true, Projects: []Project{{1, s}, {2, "Cargo Bike Launch"}}, Fields: map[string]string{"p1": "read"}, Wrong: map[string]string{"projects": s, "was": s}}
	setup := Setup{RegisterURL: "https://launchpad.37signals.com/integrations", RedirectURI: s, Command: s}
	return map[string]View{
		"landing":          Landing{URL: "https://mcp.fernhill.example/mcp", Provider: "Basecamp"},
		"landing, local":   Landing{URL: "http://127.0.0.1:8787/mcp", Demo: true, Bearer: s},
		"landing, strange": Landing{URL: s, Bearer: s},
		"landing, setup":   Landing{URL: s, Setup: &setup, Demo: true, Bearer: s},
		"landing, links":   Landing{URL: s, Links: []Setup{setup, {Provider: "Otherworks", RedirectURI: s}}},
		"consent": Consent{
			Form: form, Provider: "Basecamp", Client: s, ClientHost: s, RedirectHost: s, RedirectURI: s, WantsWrite: true,
		},
		"consent, least":   Consent{Form: form, Provider: "Basecamp", Client: s, RedirectHost: s, RedirectURI: s, Loopback: true},
		"consent, owner":   Consent{Form: form, Provider: "Basecamp", Client: s, RedirectHost: s, RedirectURI: s, Owner: true, Included: []string{"Otherworks"}, Code: OwnerCode{true, "This is not the code."}},
		"start, pipe":      Start{Form: form, Provider: "Basecamp", Pipe: true},
		"start, owner":     Start{Form: form, Provider: "Basecamp", Owner: true, Code: OwnerCode{Asked: true}},
		"landing, further": Landing{URL: "https://mcp.fernhill.example/mcp", Further: []string{"Otherworks"}},
		"landing, owner":   Landing{URL: "http://127.0.0.1:8787/mcp", Provider: "Basecamp", Owner: true},
		"consent, links":   Consent{Form: form, Provider: "Basecamp", Client: s, RedirectHost: s, RedirectURI: s, Links: []string{"Otherworks", "Thirdworks"}},
		"consent, limits":  Consent{Form: form, Provider: "Basecamp", Client: s, WantsWrite: true, Fence: bounds},
		"limits":           Limits{Form: form, Was: s, Client: s, Fence: bounds},
		"limits, listed":   Limits{Form: form, Was: s, Client: s, Accounts: []Account{{ID: 4101, Name: s, Used: true, Default: true}, {ID: 4103, Name: s, Suspended: true}}, Fence: listed},
		"limits, empty":    Limits{Form: form, Fence: Fence{Listed: true}},
		"choose":           Choose{form, "Basecamp", s, s, []Account{{ID: 4101, Name: s, Used: true, Default: true}, {ID: 4102, Name: "Fernhill Bikes"}, {ID: 4103, Name: s, Suspended: true}}},
		"start":            Start{Form: form, Provider: "Basecamp"},
		"start, reconnect": Start{Form: form, Provider: "Basecamp", Reconnect: true},
		"connected":        Connected{Provider: "Basecamp", Person: s},
		"reconnected":      Connected{Provider: "Basecamp", Person: s, Reconnected: true},
		"overview": Overview{
			Form: form, Person: s, Providers: []Provider{healthy, absent}, Clients: []Connection{client, client},
			Now: day, Calls: []Call{{Time: day, Did: []Deed{{s, s, s}}, Client: s}, {Time: day, Did: []Deed{{What: s}}, More: 2}}, Notice: s, Machines: true,
		},
		"program": NewMachine{Form: form, Person: s, Toolsets: []string{"basecamp", "tasks"}, Days: "90", Fence: listed},
		"program, refused": NewMachine{
			Form: form, Person: s, Accounts: []Account{{ID: 4101, Name: s, Used: true, Default: true}, {ID: 4102, Name: "Fernhill Bikes"}, {ID: 4103, Name: s, Suspended: true}}, Toolsets: []string{"tasks"},
			Wrong: s, Name: s, Days: s, Fence: Fence{Writes: true, Wrong: map[string]string{"places": s}}, Chosen: map[string]bool{"write": true, "secret": true},
		},
		"program made":    Machine{Name: s, Client: s, Scope: "read", Proof: "secret", Secret: s, URL: s, TokenURL: s, ExpiresAt: day},
		"overview, dead":  Overview{Form: form, Person: s, Providers: []Provider{dead}},
		"overview, empty": Overview{Form: form, Person: s, Providers: []Provider{absent}},
		"overview, links": Overview{Form: form, Person: s, Providers: []Provider{
			healthy, linked(healthy, state), linked(dead, state), linked(absent, state), linked(healthy, LinkState{Unlink: form}),
		}},
		"changes": Changes{
			form, day, []Run{{s, day, s, []Change{{"u0001", []Deed{{s, s, s}, {"", s, ""}}, 3, true, false, ""}, {"u0002", nil, 0, false, true, s}}}}, []TakenBack{{s, s, s}},
		},
		"changes, none":  Changes{Form: form},
		"link":           Link{Form: form, Provider: "Otherworks", First: "Basecamp", Person: s, Asks: []string{s, "read projects"}},
		"link, more":     Link{form, "Otherworks", "Basecamp", s, s, []string{s}, []string{s, "read projects"}},
		"link, unsigned": SignInFirst{form, "Otherworks", "Basecamp"},
		"linked":         Linked{"Otherworks", s, []string{s, "read projects"}, nil},
		"linked, less":   Linked{"Otherworks", s, nil, []string{s}},
		"disconnect":     DisconnectAll{form, []string{"Basecamp", "Otherworks"}},
		"failure":        Failure{http.StatusBadRequest, s, s, s, s, s},
		"failure, link":  Failure{http.StatusForbidden, s, s, s, "/oauth/start", s},
	}
}

// eachPage runs a test on every page with every hostile string.
func eachPage(t *testing.T, test func(t *testing.T, p written)) {
	for name, p := range writtenPages() {
		t.Run(name, func(t *testing.T) { test(t, p) })
	}
}

// writtenPages has the pages of all tests, because to parse them takes most of the time.
var writtenPages = sync.OnceValue(func() map[string]written {
	all := map[string]written{}
	for i, s := range hostile {
		for name, v := range everyView(s) {
			all[fmt.Sprint(name, " ", i, " ", claim(20, s))], _ = render(v)
		}
	}
	return all
})

// written is a page as a browser receives it.
type written struct {
	status int
	header http.Header
	body   string
	root   *html.Node
}

func write(t *testing.T, v View) written {
	t.Helper()
	p, err := render(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func render(v View) (written, error) {
	w := httptest.NewRecorder()
	Write(w, v)
	root, err := html.Parse(strings.NewReader(w.Body.String()))
	return written{w.Code, w.Header(), w.Body.String(), root}, err
}

// all returns the elements of a kind in document order.
func (p written) all(kind atom.Atom) []*html.Node {
	var found []*html.Node
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == kind {
			found = append(found, n)
		}
	}
	return found
}

// text returns the readable text of the page, with single spaces.
func (p written) text() string { return textOf(p.root) }

func textOf(in *html.Node) string {
	var text strings.Builder
	for n := range in.Descendants() {
		if n.Type == html.TextNode && n.Parent.DataAtom != atom.Style && n.Parent.DataAtom != atom.Script {
			text.WriteString(n.Data)
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// attr returns the value of an attribute, and whether the element has it.
func attr(n *html.Node, name string) (string, bool) {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return "", false
	}
	return n.Attr[i].Val, true
}

func value(n *html.Node, name string) string {
	s, _ := attr(n, name)
	return s
}

func has(n *html.Node, name string) bool {
	_, ok := attr(n, name)
	return ok
}

func content(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}
