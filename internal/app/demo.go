package app

import (
	"net/http"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/identity"
)

// demo is the sandbox with a well-known bearer token for each of its people. All its data is made
// up, so the tokens protect nothing. It runs in this process, so it has no rate limit.
type demo struct {
	sandbox *sandbox.Sandbox
	github  *githubsandbox.Server
	logins  []login
	linked  *demoLinks
}

type login struct{ name, bearer string }

func newDemo() demo { return newDemoWith(nil) }

// newDemoWith returns a demo that knows the tokens in its ledgers. Without ledgers, the tokens that
// it issues end with it.
func newDemoWith(ledgers func(name string) Ledger) demo {
	company, hub := sandbox.Options{RateLimit: -1}, githubsandbox.Options{CoreLimit: -1, PointLimit: -1}
	links := &demoLinks{settled: map[string]bool{}}
	if ledgers != nil {
		company.Ledger, hub.Ledger, links.ledger = ledgers("basecamp"), ledgers("github"), ledgers("links")
	}
	s := sandbox.New(company)
	d := demo{sandbox: s, github: githubsandbox.New(hub), linked: links}
	for _, person := range s.People() {
		d.logins = append(d.logins, login{name: person.Name, bearer: demoBearer(person)})
	}
	return d
}

// demoBearer returns "sandbox-" and the end of the person's upstream token: sandbox-ines.
func demoBearer(p sandbox.Person) string {
	return "sandbox-" + p.Token[strings.LastIndex(p.Token, "-")+1:]
}

func (d demo) upstream() basecampServer {
	company := d.sandbox.Transport()
	return basecampServer{baseURL: sandbox.BaseURL, transport: company, outside: company, unlimited: true}
}

// users returns two bearer tokens for each person: one for all scopes, and one with the suffix
// -readonly.
func (d demo) users() *staticUsers {
	users := newStaticUsers()
	for _, person := range d.sandbox.People() {
		credential := basecamp.Credential{AccessToken: person.Token, Account: d.sandbox.Account()}
		users.add(demoBearer(person), launchpad.Subject(person.IdentityID), credential, identity.Read, identity.Write)
		users.add(demoBearer(person)+"-readonly", launchpad.Subject(person.IdentityID), credential, identity.Read)
	}
	return users
}

// signOn returns the place where the demo's people log in. Browsers reach it below the server's own
// origin.
func (d demo) signOn(origin string) signOn {
	return signOn{url: sandbox.BaseURL, browserURL: origin + signOnPath, transport: d.sandbox.Transport()}
}

const signOnPath = "/launchpad"

// githubPath is the path below which browsers reach the pages of the demo's GitHub.
const githubPath = "/github"

// githubServer returns the demo's GitHub. Browsers reach its pages below the server's own origin.
// An empty origin means that they cannot reach them.
func (d demo) githubServer(origin string) *githubServer {
	g := &githubServer{
		url: githubsandbox.URL, apiURL: githubsandbox.APIURL, transport: d.github.Transport(), unlimited: true,
		credentials: fixed(githubsandbox.ClientID, githubsandbox.ClientSecret),
	}
	if origin != "" {
		g.browserURL = origin + githubPath
	}
	return g
}

// servePages serves the pages of the demo's sign-ons to browsers.
func (d demo) servePages(mux *http.ServeMux) {
	mux.Handle(signOnPath+"/authorization/", http.StripPrefix(signOnPath, d.sandbox))
	for _, pages := range []string{"/login/oauth/authorize", "/orgs/"} {
		mux.Handle(githubPath+pages, http.StripPrefix(githubPath, d.github))
	}
}
