package app

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/github/githubtools"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/wire/upstream"
)

// Local is the whole server in one process on the user's machine.
type Local struct {
	Handler  http.Handler
	Upstream string // description of the Basecamp that it uses
	GitHub   string // description of the GitHub that it uses; empty if it serves none
	// GitHubPath is the path of GitHub's tools below /mcp, such as /x/basecamp,github. It is empty
	// if /mcp serves them.
	GitHubPath string
	Person     string       // the user as whom Bearer acts
	Bearer     string       // a token that the server accepts; empty if it has none
	Login      bool         // whether users can log in
	Code       string       // what each browser must enter once before it can log in; empty if nothing
	NoLogin    string       // why users cannot log in, and what the operator can do; empty if they can
	File       string       // the file that keeps logins, links, tasks and checklists; empty if none does
	Close      func() error // closes the stores after the last request

	origin   string
	toolsets []string // that it serves
}

// Kept says where a local server stores logins.
type Kept string

// The places.
const (
	InFile   Kept = "file" // in c.Data; in memory if that cannot be written, unless c.StoreChosen
	InMemory Kept = "memory"
	InAWS    Kept = "aws"
)

// NewLocal returns a server of the sandbox; or of the real Basecamp, for users who log in and for
// the owner of a personal access token. Clients reach it at origin. InFile needs a function that
// opens files.
func NewLocal(ctx context.Context, c config.Config, log *slog.Logger, origin string, kept Kept, open ...OpenFile) (Local, error) {
	c.PublicURL = cmp.Or(c.PublicURL, origin)
	if kept == InAWS && c.Stdio && c.BasecampURL != config.Sandbox && c.AccessToken == "" {
		return Local{}, errSharedSeat
	}
	s, err := localStorage(ctx, c, log, kept, open)
	if err != nil {
		return Local{}, err
	}
	var l Local
	if c.BasecampURL == config.Sandbox {
		l, err = newLocalDemo(c, log, s, local.NewDemoWith(s.ledger))
	} else {
		l, err = newLive(ctx, c, log, s)
	}
	if err != nil {
		return Local{}, errors.Join(err, s.shut())
	}
	l.File, l.Close = s.path, s.shut
	return l, nil
}

// localStorage returns the storage of a local server.
func localStorage(ctx context.Context, c config.Config, log *slog.Logger, kept Kept, open []OpenFile) (storage, error) {
	switch {
	case kept == InFile && len(open) > 0:
		return inFileOrMemory(ctx, c, log, open[0])
	case kept == InFile:
		return storage{}, errors.New("this program has no file store")
	case kept == InAWS:
		return localInAWS(c, log)
	}
	return inMemory(c.ClientID, c.ClientSecret), nil
}

// localInAWS returns storage in AWS. The credentials of the application may be in the environment.
func localInAWS(c config.Config, log *slog.Logger) (storage, error) {
	if err := c.CompleteLocal(); err != nil {
		return storage{}, err
	}
	var own credentials
	switch {
	case c.BasecampURL == config.Sandbox:
		own = demoCredentials
	case c.OwnCredentials():
		own = fixed(c.ClientID, c.ClientSecret)
	}
	return inAWS(c.AWS, log, awsstores.Outbound(), own)
}

// newLocalDemo returns a server of the demo.
func newLocalDemo(c config.Config, log *slog.Logger, s storage, demo local.Demo) (Local, error) {
	hub := demoGitHub(demo, c.PublicURL)
	logins := demoLogins(c, log, s, demo, hub)
	first := demo.Logins[0]
	access := newAccess(demo.Users(), logins, nil)
	access.pages = local.NewPageListener(c, local.NewStoreProof(s.Auth))
	mux, mcp, err := newEndpoint(c, log, demoUpstream(demo), hub, access)
	if err != nil {
		return Local{}, err
	}
	server := logins.server(c, log, mcp.Changes())
	server.Demo, server.Bearer = true, first.Bearer
	mux.Handle("GET "+local.ProofPath, local.NewStoreProof(s.Auth))
	demo.ServePages(mux)
	handler := finish(mux, mcp.ListDigest, server, c, log)
	access.pages.Serves(handler)
	l := Local{
		Handler:  handler,
		Upstream: "the built-in demo company, Fernhill Bikes; changes there are lost when this server stops",
		Person:   first.Name,
		Bearer:   first.Bearer,
		Login:    true,
		origin:   c.PublicURL,
		toolsets: mcp.Toolsets(),
	}
	return l.withUpstream(c, "the demo company's, which "+first.Name+" has linked"), nil
}

// withUpstream returns a server that serves the tools of the GitHub with this description, unless
// its configuration leaves them out.
func (l Local) withUpstream(c config.Config, description string) Local {
	switch {
	case len(c.Toolsets) == 0:
		l.GitHub, l.GitHubPath = description, "/x/basecamp,github"
	case slices.Contains(c.Toolsets, githubtools.Name):
		l.GitHub = description
	}
	return l
}

func newLive(ctx context.Context, c config.Config, log *slog.Logger, s storage) (Local, error) {
	l := Local{Upstream: c.BasecampURL, origin: c.PublicURL}
	var err error
	if l.Login, err = canLogIn(ctx, c, s); err != nil {
		return Local{}, err
	}
	users, place, accounts := local.NewStaticUsers(), signOn{}, c.AllowedAccounts
	var seated *local.Seat
	hub := newGitHub(c, s, nil)
	if c.AccessToken != "" {
		if err := addOwner(ctx, c, log, s, users, hub); err != nil {
			return Local{}, err
		}
		owner := users.Token.Known()
		l.Person = "you"
		if len(owner.Accounts) > 0 {
			l.Person = fmt.Sprintf("you, in %s", owner.Accounts[0].Name)
		}
		l.Bearer = bearerFor(c.AccessToken)
		if !l.Login && isPrivate(c) {
			l.Login, users.LogsIn, place.instead = true, true, local.NewOwnerSignOn(users.Token)
			if len(owner.Accounts) > 0 {
				accounts = []int64{owner.Accounts[0].ID}
			}
		}
	}
	if c.Stdio && l.Login && c.AccessToken == "" {
		seated = local.NewSeat(c.ClientID)
		l.Bearer, l.Person = seated.Bearer, "the user who signs in"
	}
	if !l.Login {
		l.NoLogin = noLogin(c)
	}
	logins := newLogins(c, log, s, place, hub.providers(userAgent(c))...)
	up := basecampServer{baseURL: c.BasecampURL, unlimited: standIn(c.BasecampURL)}
	access := newAccess(users, logins, accounts)
	access.seat, access.pages = seated, local.NewPageListener(c, local.NewStoreProof(s.Auth))
	mux, mcp, err := newEndpoint(c, log, up, hub, access)
	if err != nil {
		return Local{}, err
	}
	mux.Handle("GET "+local.ProofPath, local.NewStoreProof(s.Auth))
	server := logins.server(c, log, mcp.Changes())
	pages := http.Handler(server)
	if place.instead != nil {
		server.Owner, pages = users.Described(), local.OnlyThisMachine(server)
		l.Code = server.Owner.Code
	}
	l.toolsets = mcp.Toolsets()
	l.Handler = finish(mux, mcp.ListDigest, pages, c, log)
	access.pages.Serves(l.Handler)
	if hub != nil {
		l = l.withUpstream(c, hub.describe(c, users, l.Login))
	}
	return l, nil
}

// canLogIn reports whether a live server has an application with which users log in. Other machines
// may reach such a server only if its operator said which accounts it is for.
func canLogIn(ctx context.Context, c config.Config, s storage) (bool, error) {
	_, _, err := s.credentials(ctx)
	if errors.Is(err, provider.ErrNotConfigured) {
		return false, nil
	}
	if err == nil && !c.Stdio && !isPrivate(c) && !c.AnyAccount && len(c.AllowedAccounts) == 0 {
		err = errOpenToAll
	}
	return err == nil, err
}

// isPrivate reports whether only this machine can reach a server.
func isPrivate(c config.Config) bool {
	return c.Loopback && local.OriginOnThisMachine(c.PublicURL)
}

// addOwner adds the owner of the configured access tokens to the static users.
func addOwner(ctx context.Context, c config.Config, log *slog.Logger, s storage, users *local.StaticUsers, hub *githubServer) (err error) {
	if users.Token, err = local.StartOwner(ctx, c, userAgent(c), log, s.Auth); err != nil {
		return err
	}
	owner, credential := users.Token.Known(), basecamp.Credential{AccessToken: c.AccessToken, Account: c.AccountID}
	users.Started = cmp.Or(owner.Subject, users.Token.Stranger())
	if owner.Subject != "" {
		credential.Account = owner.Accounts[0].ID
		if err := users.Token.Adopt(ctx, s.Tasks, s.Lists); err != nil {
			return fmt.Errorf("give the owner of BASECAMP_ACCESS_TOKEN what was kept while the owner was unknown: %w", err)
		}
	}
	users.Add(bearerFor(c.AccessToken), users.Started, credential, identity.Read, identity.Write)
	if c.GitHub.AccessToken != "" {
		users.OnGitHub[users.Started], err = hub.identify(ctx, c, log, users.Started)
	}
	return err
}

// registration says where the credentials of an application are made, and for which redirect URI.
const registration = `BASECAMP_CLIENT_ID and BASECAMP_CLIENT_SECRET
      of an application that you register at https://launchpad.37signals.com/integrations
      with the redirect URI %s/oauth/callback; every user then logs in with Basecamp`

// noLogin says why users cannot log in to a live server.
func noLogin(c config.Config) string {
	application := fmt.Sprintf(registration, c.PublicURL)
	if c.AccessToken != "" {
		return `Clients can use only the bearer token of this server, and have no login. With BASECAMP_ACCESS_TOKEN, a login is one
click, so it is served only to this machine. Start again with -addr 127.0.0.1:8787 and without another
PUBLIC_URL, or set
  ` + application + `

`
	}
	return `Set one of these and start again:
  ` + application + `
  BASECAMP_ACCESS_TOKEN
      an access token that such an application received for you. It is valid for two weeks; only you use the server
`
}

// identify returns the credential for GitHub of the static user with a subject, after it has asked
// GitHub whose token is configured. If GitHub cannot be reached, the credential has no login.
func (g *githubServer) identify(ctx context.Context, c config.Config, log *slog.Logger, subject string) (github.Credential, error) {
	ctx, cancel := context.WithTimeout(ctx, local.AskTime)
	defer cancel()
	user, err := g.signOn(userAgent(c)).Identity(ctx, c.GitHub.AccessToken)
	if reason := upstream.Unreachable(err); reason != "" || errors.Is(err, context.DeadlineExceeded) {
		log.WarnContext(ctx, "GitHub cannot be reached, so GITHUB_ACCESS_TOKEN is not checked", "because", fault.From(err).Message)
		err = nil
	}
	if err != nil {
		return github.Credential{}, fmt.Errorf("GITHUB_ACCESS_TOKEN: %s: %s", g.apiURL, fault.From(err).Message)
	}
	return github.Credential{AccessToken: c.GitHub.AccessToken, Person: subject, Link: local.StaticConnection, Login: user.Name}, nil
}

// describe says whose GitHub a live server uses. login is whether users can log in.
func (g *githubServer) describe(c config.Config, users *local.StaticUsers, login bool) string {
	var ways []string
	for _, credential := range users.OnGitHub {
		if users.LogsIn {
			return g.url + ", @" + credential.Login + "'s"
		}
		ways = append(ways, "@"+credential.Login+"'s for the bearer token")
	}
	linkable := c.GitHub.OwnCredentials() || c.GitHub.Secret != ""
	switch {
	case linkable && login:
		ways = append(ways, "linked by each user who logs in")
	case linkable:
		ways = append(ways, "linked by no user until users can log in, which needs BASECAMP_CLIENT_ID and BASECAMP_CLIENT_SECRET")
	}
	return g.url + ", " + strings.Join(ways, ", and ")
}

// standIn reports whether a base URL belongs to a stand-in for Basecamp on this machine. Config
// allows no other host without TLS. A stand-in does not have Basecamp's rate limit.
func standIn(baseURL string) bool { return strings.HasPrefix(baseURL, "http://") }

// bearerFor derives the token that clients use from the access token. It is the same after each
// start, and does not reveal the access token.
func bearerFor(accessToken string) string {
	mac := hmac.New(sha256.New, []byte(accessToken))
	mac.Write([]byte("basecamp-mcp local bearer"))
	return "local-" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// errOpenToAll refuses a login of everyone at 37signals that other machines can reach.
var errOpenToAll = errors.New("ALLOWED_ACCOUNTS must be the IDs of the Basecamp accounts that may use this server, comma separated, or * for any, because other machines can reach it")

// errSharedSeat refuses a store in which other users would take the same seat.
var errSharedSeat = errors.New("stdio with a sign-in must not use -store aws, because all users of that store would share one sign-in; use another store, or set BASECAMP_ACCESS_TOKEN")

func demoUpstream(d local.Demo) basecampServer {
	company := d.Sandbox.Transport()
	return basecampServer{baseURL: sandbox.BaseURL, transport: company, outside: company, unlimited: true}
}

// demoCredentials are those of the application at the sandbox.
var demoCredentials = fixed(sandbox.ClientID, sandbox.ClientSecret)

// demoLogins returns the logins of the demo, with its GitHub.
func demoLogins(c config.Config, log *slog.Logger, s storage, demo local.Demo, hub *githubServer) *logins {
	s.credentials = demoCredentials
	return newLogins(c, log, linkDemo(demo, log, hub, s), demoSignOn(demo, c.PublicURL), hub.providers(userAgent(c))...)
}

// demoSignOn returns the place where the demo's people log in. Browsers reach it below the server's
// own origin.
func demoSignOn(d local.Demo, origin string) signOn {
	return signOn{url: sandbox.BaseURL, browserURL: origin + local.SignOnPath, transport: d.Sandbox.Transport()}
}

// demoGitHub returns the demo's GitHub. Browsers reach its pages below the server's own origin.
// An empty origin means that they cannot reach them.
func demoGitHub(d local.Demo, origin string) *githubServer {
	g := &githubServer{
		url: githubsandbox.URL, apiURL: githubsandbox.APIURL, transport: d.GitHub.Transport(), unlimited: true,
		credentials: fixed(githubsandbox.ClientID, githubsandbox.ClientSecret),
	}
	if origin != "" {
		g.browserURL = origin + local.GitHubPath
	}
	return g
}

// linkDemo returns s with records of GitHub in which the demo's people are linked already, except
// one who has not done so yet. A person is linked at the first look at the person's record, because
// a start must not wait for the stores, nor make the data of a GitHub that no caller uses.
func linkDemo(d local.Demo, log *slog.Logger, hub *githubServer, s storage) storage {
	keeper := newKeeper(s, log, hub.providers(Name)[0], false)
	all := s.records
	s.records = func(providerID string) grant.Records {
		if providerID != githubauth.ProviderID {
			return all(providerID)
		}
		return d.Records(all(providerID), keeper)
	}
	return s
}
