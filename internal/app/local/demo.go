// Package local holds what only a server on a user's own machine has: the demo company, the owner
// of a configured access token, the seat of the one user of a pipe, and the listener for its pages.
package local

import (
	"net/http"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

// Demo is the sandbox with a well-known bearer token for each of its people. All its data is made
// up, so the tokens protect nothing. It runs in this process, so it has no rate limit.
type Demo struct {
	Sandbox *sandbox.Sandbox
	GitHub  *githubsandbox.Server
	Logins  []login
	linked  *demoLinks
}

type login struct{ Name, Bearer string }

// NewDemo returns a demo whose tokens end with it.
func NewDemo() Demo { return NewDemoWith(nil) }

// NewDemoWith returns a demo that knows the tokens in its ledgers. Without ledgers, the tokens that
// it issues end with it.
func NewDemoWith(ledgers func(name string) *sandbox.Ledger) Demo {
	company, hub := sandbox.Options{RateLimit: -1}, githubsandbox.Options{}
	links := &demoLinks{settled: map[string]bool{}}
	if ledgers != nil {
		company.Ledger, hub.Ledger, links.ledger = ledgers("basecamp"), (*githubsandbox.Ledger)(ledgers("github")), ledgers("links")
	}
	s := sandbox.New(company)
	d := Demo{Sandbox: s, GitHub: githubsandbox.New(hub), linked: links}
	for _, person := range s.People() {
		d.Logins = append(d.Logins, login{Name: person.Name, Bearer: DemoBearer(person)})
	}
	return d
}

// DemoBearer returns "sandbox-" and the end of the person's upstream token: sandbox-ines.
func DemoBearer(p sandbox.Person) string {
	return "sandbox-" + p.Token[strings.LastIndex(p.Token, "-")+1:]
}

// Users returns two bearer tokens for each person: one for all scopes, and one with the suffix
// -readonly.
func (d Demo) Users() *StaticUsers {
	users := NewStaticUsers()
	for _, person := range d.Sandbox.People() {
		credential := basecamp.Credential{AccessToken: person.Token, Account: d.Sandbox.Account()}
		users.Add(DemoBearer(person), launchpad.Subject(person.IdentityID), credential, identity.Read, identity.Write)
		users.Add(DemoBearer(person)+"-readonly", launchpad.Subject(person.IdentityID), credential, identity.Read)
		if ids, names := d.Sandbox.AccountsOf(person); len(ids) > 1 {
			for i, id := range ids {
				users.addAccount(DemoBearer(person), fence.Account{ID: id, Name: names[i]})
				users.addAccount(DemoBearer(person)+"-readonly", fence.Account{ID: id, Name: names[i]})
			}
		}
	}
	return users
}

// SignOnPath is the path below which browsers reach the pages of the demo's sign-on.
const SignOnPath = "/launchpad"

// GitHubPath is the path below which browsers reach the pages of the demo's GitHub.
const GitHubPath = "/github"

// ServePages serves the pages of the demo's sign-ons to browsers.
func (d Demo) ServePages(mux *http.ServeMux) {
	mux.Handle(SignOnPath+"/authorization/", http.StripPrefix(SignOnPath, d.Sandbox))
	mux.Handle(GitHubPath+"/login/oauth/authorize", http.StripPrefix(GitHubPath, d.GitHub))
}
