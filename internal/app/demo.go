package app

import (
	"context"
	"errors"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/github/githubauth"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

// demo is the sandbox with a well-known bearer token for each of its people. All its data is made
// up, so the tokens protect nothing. It runs in this process, so it has no rate limit.
type demo struct {
	sandbox *sandbox.Sandbox
	github  *githubsandbox.Server
	logins  []login
}

type login struct{ name, bearer string }

func newDemo() demo {
	s := sandbox.New(sandbox.Options{RateLimit: -1})
	d := demo{sandbox: s, github: githubsandbox.New(githubsandbox.Options{CoreLimit: -1, PointLimit: -1})}
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

// githubPath is the path below which browsers reach the sign-on of the demo's GitHub.
const githubPath = "/github"

func (d demo) githubServer() *githubServer {
	return &githubServer{apiURL: githubsandbox.APIURL, webURL: githubsandbox.URL, transport: d.github.Transport(), unlimited: true}
}

// githubProvider returns the demo's GitHub as a provider. Browsers reach its sign-on below the
// server's own origin.
func (d demo) githubProvider(origin string) provider.Provider {
	return githubauth.New(githubauth.Config{
		URL: githubsandbox.URL, BrowserURL: origin + githubPath, APIURL: githubsandbox.APIURL,
		Transport: d.github.Transport(), UserAgent: Name + "/" + Version,
		Credentials: func(context.Context) (clientID, clientSecret string, err error) {
			return githubsandbox.ClientID, githubsandbox.ClientSecret, nil
		},
	}).Provider()
}

// link links the demo's people to their GitHub, except one who has not done so yet.
func (d demo) link(l *logins) {
	hub, _ := l.linked(githubauth.ProviderID)
	for _, person := range d.sandbox.People() {
		for _, user := range d.github.People() {
			subject := launchpad.Subject(person.IdentityID)
			if _, err := hub.keeper.Status(context.Background(), subject); user.Name != person.Name || user.Token == "" || !errors.Is(err, grant.ErrNotFound) {
				continue
			}
			_, _ = hub.keeper.Link(context.Background(), subject,
				provider.Identity{Subject: githubauth.Subject(user.ID), Name: user.Login}, provider.Tokens{AccessToken: user.Token})
		}
	}
}
