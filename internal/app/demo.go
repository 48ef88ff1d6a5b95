package app

import (
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/identity"
)

// demo is the sandbox with a well-known bearer token for each of its people. All its data is made
// up, so the tokens protect nothing. It runs in this process, so it has no rate limit.
type demo struct {
	sandbox *sandbox.Sandbox
	logins  []login
}

type login struct{ name, bearer string }

func newDemo() demo {
	s := sandbox.New(sandbox.Options{RateLimit: -1})
	d := demo{sandbox: s}
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
