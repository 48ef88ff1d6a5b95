package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github/githubauth"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

var unlimitedHub = githubsandbox.Options{CoreLimit: -1, PointLimit: -1}

// outageOf are the stores of GitHub's grants. Each can be down.
type outageOf struct{ table, secrets bool }

// on returns s with stores of GitHub's grants that fail while they are down.
func (o *outageOf) on(s storage) storage {
	return withGitHubStores(s,
		func(r grant.Records) grant.Records { return downRecords{r, o} },
		func(g grant.Store) grant.Store { return downGrants{g, o} })
}

type downRecords struct {
	grant.Records
	outage *outageOf
}

func (d downRecords) Record(ctx context.Context, subject string) (grant.Record, error) {
	if d.outage.table {
		return grant.Record{}, errThrottled
	}
	return d.Records.Record(ctx, subject)
}

func (d downRecords) SaveRecord(ctx context.Context, r grant.Record) (grant.Record, error) {
	if d.outage.table {
		return grant.Record{}, errThrottled
	}
	return d.Records.SaveRecord(ctx, r)
}

type downGrants struct {
	grant.Store
	outage *outageOf
}

func (d downGrants) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	if d.outage.secrets {
		return provider.Tokens{}, errThrottled
	}
	return d.Store.Load(ctx, subject, version)
}

func (d downGrants) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if d.outage.secrets {
		return "", errThrottled
	}
	return d.Store.Save(ctx, subject, writer, t)
}

func TestGitHub_AStoreThatIsDownFlagsNoUser(t *testing.T) {
	for name, outage := range map[string]outageOf{"the table": {table: true}, "the secrets": {secrets: true}} {
		t.Run(name, func(t *testing.T) {
			kept := inMemory("", "")
			openHub(t, unlimitedHub, nil, kept).works("ines") // links Ines
			now := &outage
			p := openHub(t, unlimitedHub, nil, now.on(kept)) // an instance without a cache
			for _, handle := range []string{"ines", "samo", "saml"} {
				if handle == "samo" && !outage.table {
					continue // no token of hers is read
				}
				got := p.fails(handle, "UPSTREAM_ERROR")
				if !got.Retryable || !strings.Contains(got.Message, "this server could not reach its stored GitHub connection") || got.Data.Link != nil {
					t.Errorf("%s: %s", handle, got.text())
				}
				for _, vendor := range []string{"Provisioned", "dynamodb", "arn:"} {
					if strings.Contains(got.text(), vendor) {
						t.Errorf("it says %s", got.text())
					}
				}
			}
			if sent := p.demo.GitHub.Requests(); len(sent) != 0 {
				t.Errorf("GitHub was asked %v", sent)
			}
			*now = outageOf{}
			wantStatus(t, p.keeper(0), p.subject("ines"), grant.Active)
			for _, handle := range []string{"ines", "saml"} {
				p.works(handle)
			}
		})
	}
}

func TestGitHub_UnlinkedElsewhereAsksForALink(t *testing.T) {
	kept := inMemory("", "")
	p := openHub(t, unlimitedHub, nil, kept, kept)
	p.works("ines")
	p.works("ines") // both instances have the token in their caches
	if err := p.keeper(0).Disconnect(t.Context(), p.subject("ines")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := p.fails("ines", "NOT_LINKED"); got.Data.Link == nil || got.Data.Link.Reason != fault.NeverLinked {
			t.Errorf("it says %s", got.text())
		}
	}
	p.works("saml")
}

// gate lets GitHub's requests pass once it is open. It reports the first that waits.
type gate struct {
	http.RoundTripper
	reached, open chan struct{}
	once          *sync.Once
}

func (g gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		g.once.Do(func() { close(g.reached) })
		<-g.open
	}
	return g.RoundTripper.RoundTrip(r)
}

func TestGitHub_UnlinkedWhileACallRunsAsksForALink(t *testing.T) {
	g := gate{reached: make(chan struct{}), open: make(chan struct{}), once: &sync.Once{}}
	p := openHub(t, unlimitedHub, func(hub *githubServer) {
		g.RoundTripper = hub.transport
		hub.transport = g
	}, inMemory("", ""))
	said := make(chan answer)
	go func() { said <- p.call("ines", "github_list_projects", `{}`) }()
	<-g.reached
	if err := p.keeper(0).Disconnect(t.Context(), p.subject("ines")); err != nil {
		t.Error(err)
	}
	close(g.open)
	got := <-said
	if got.Code != "NOT_LINKED" || got.Data.Link == nil || got.Data.Link.Reason != fault.NeverLinked {
		t.Errorf("it says %s", got.text())
	}
	if _, err := p.keeper(0).Status(t.Context(), p.subject("ines")); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("the call restored the link: %v", err)
	}
}

// The tokens of an OAuth App need no refresh, so the application's credentials are not needed.
func TestGitHub_LinkedUsersWorkWithoutTheApplicationsCredentials(t *testing.T) {
	kept := inMemory("", "")
	openHub(t, unlimitedHub, nil, kept).works("ines")
	p := openHub(t, unlimitedHub, func(hub *githubServer) { hub.credentials = fixed("", "") }, kept)
	p.works("ines")
	p.fails("samo", "NOT_LINKED")
}

// The tokens of a GitHub App expire, and a refresh token is good for one refresh.
func TestGitHub_TwoInstancesRefreshOnce(t *testing.T) {
	kept := inMemory("", "")
	p := openHub(t, githubsandbox.Options{GitHubApp: true, CoreLimit: -1, PointLimit: -1}, nil, kept, kept)
	user, _ := p.demo.GitHubUser(p.subject("ines"))
	stale := provider.Tokens{
		AccessToken: user.Token, RefreshToken: "ghr_" + user.Token[len("ghu_"):],
		ObtainedAt: time.Now().Add(-8 * time.Hour), ExpiresAt: time.Now().Add(2 * time.Minute),
	}
	of := provider.Identity{Subject: githubauth.Subject(user.ID), Name: user.Login}
	if _, err := p.keeper(0).Link(t.Context(), p.subject("ines"), of, stale); err != nil {
		t.Fatal(err)
	}
	p.demo.GitHub.ResetRequests()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { p.works("ines") })
	}
	all.Wait()
	refreshes := 0
	for _, r := range p.demo.GitHub.Requests() {
		if r.Path == "/login/oauth/access_token" {
			refreshes++
		}
	}
	if refreshes != 1 {
		t.Errorf("%d refreshes", refreshes)
	}
	wantStatus(t, p.keeper(1), p.subject("ines"), grant.Active)
}

func TestGitHub_ARevokedLinkIsFlaggedForItsUserAlone(t *testing.T) {
	p := openHub(t, unlimitedHub, nil, inMemory("", ""))
	p.works("ines")
	p.works("saml")
	p.demo.GitHub.Revoke("ines-albrecht")
	if got := p.fails("ines", "TOKEN_EXPIRED"); got.Data.Link == nil || got.Data.Link.Reason != fault.Reauthorize {
		t.Errorf("it says %s", got.text())
	}
	wantStatus(t, p.keeper(0), p.subject("ines"), grant.NeedsReauth)
	wantStatus(t, p.keeper(0), p.subject("saml"), grant.Active)
	p.works("saml")
	for _, handle := range []string{"ines", "saml"} { // Basecamp does not mind
		if _, _, body := send(t, p.url+"/mcp", "sandbox-"+handle, "tools/call", `{"name":"get_me","arguments":{}}`); strings.Contains(body, `"isError":true`) {
			t.Error(body)
		}
	}
}

func TestGitHub_PeopleInOneProcessShareNothing(t *testing.T) {
	p := openHub(t, githubsandbox.Options{CoreLimit: -1, PointLimit: 200}, func(hub *githubServer) { hub.unlimited = false }, inMemory("", ""))
	const private = `{"issue":"fernhill-bikes/frame-drawings#1"}`
	const ambiguous = `{"project":"Season launch"}`

	first := p.call("ines", "github_get_issue", private)
	if first.IsError {
		t.Fatal(first.text())
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { p.fails("samo", "NOT_LINKED") })
		all.Go(func() {
			if got := p.call("ines", "github_get_issue", private); string(got.StructuredContent) != string(first.StructuredContent) {
				t.Errorf("Ines reads %s", got.text())
			}
		})
		all.Go(func() {
			if got := p.call("saml", "github_get_issue", private); got.Code != "NOT_FOUND" || strings.Contains(got.text(), "Long tail") {
				t.Errorf("Sam Lindqvist reads %s", got.text())
			}
		})
	}
	all.Wait()
	if got := p.call("ines", "github_get_project", ambiguous); !strings.Contains(got.text(), "ines-albrecht/") {
		t.Errorf("Ines's board is not among %s", got.text())
	}
	if got := p.call("saml", "github_get_project", ambiguous); strings.Contains(got.text(), "ines-albrecht/") {
		t.Errorf("Sam Lindqvist is shown Ines's board: %s", got.text())
	}

	limited := false
	for range 400 {
		if limited = p.call("ines", "github_list_projects", `{"owner":"fernhill-bikes"}`).Code == "RATE_LIMITED"; limited {
			break
		}
	}
	if !limited {
		t.Fatal("Ines meets no limit")
	}
	p.works("saml")
	p.fails("samo", "NOT_LINKED")
	for _, r := range p.demo.GitHub.Requests() {
		if r.Person != "ines-albrecht" && r.Person != "sam-lindqvist" {
			t.Errorf("%s %s was sent for %q", r.Method, r.Path, r.Person)
		}
	}
	if got := p.call("samo", "connections", `{}`); strings.Contains(got.text(), "ines-albrecht") || !strings.Contains(got.text(), `"provider":"GitHub","status":"not_connected"`) {
		t.Errorf("Sam Okafor is shown %s", got.text())
	}
}

// A cursor and an idempotency key of one user mean nothing to another.
func TestGitHub_CursorsAndKeysBelongToTheirUser(t *testing.T) {
	p := openHub(t, unlimitedHub, nil, inMemory("", ""))
	const create = `{"repo":"fernhill-bikes/configurator","title":"Bell for the long tail","idempotency_key":"bell-1"}`
	if got := p.call("ines", "github_create_issue", create); got.IsError {
		t.Fatal(got.text())
	}
	if got := p.call("samo", "github_create_issue", create); got.Code != "NOT_LINKED" || strings.Contains(got.text(), "Bell") {
		t.Errorf("Sam Okafor is told %s", got.text())
	}
	if got := p.call("saml", "github_create_issue", create); got.Code != "PERMISSION_DENIED" {
		t.Errorf("Sam Lindqvist is told %s", got.text())
	}
}
