package github_test

import (
	"context"
	"strings"
	"testing"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// link is the credential of one person of the sandbox.
type link github.Credential

func (l link) Credential(context.Context, string) (github.Credential, error) {
	return github.Credential(l), nil
}

// sandboxed returns a sandbox that fails the test on an undocumented request, and a person's client
// of it.
func sandboxed(t *testing.T, login, scope string) (*sandbox.Server, *github.Client) {
	t.Helper()
	s := sandbox.New(sandbox.Options{Undocumented: func(request string) { t.Errorf("undocumented: %s", request) }})
	return s, clientOf(t, s, login, scope)
}

func clientOf(t *testing.T, s *sandbox.Server, login, scope string) *github.Client {
	t.Helper()
	c, err := github.New(github.Config{
		APIURL: sandbox.APIURL, WebURL: sandbox.URL, UserAgent: "fernhill-mcp (ops@fernhill.example)", Transport: s.Transport(), Unlimited: true,
		Tokens: link{AccessToken: s.Person(login).Token, Person: login, Login: login, Scope: scope}.Credential,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const owner = "fernhill-bikes"

var configurator = github.Repo{Owner: owner, Name: "configurator"}

func TestSandbox_RefusesAsGitHubDoes(t *testing.T) {
	s, ines := sandboxed(t, "ines-albrecht", "repo project read:org")
	ctx := t.Context()
	shown := clientOf(t, s, "sam-lindqvist", "read:project read:org")
	_, archived := ines.CreateIssue(ctx, github.Repo{Owner: owner, Name: "old-shop"}, github.Fields{"title": "Bell"})
	_, off := ines.Issues(ctx, github.Repo{Owner: owner, Name: "brand-assets"}, github.IssueFilter{}, "")
	_, deleted := ines.Issue(ctx, configurator, 97)
	_, long := ines.CreateIssue(ctx, configurator, github.Fields{"title": "Bell", "body": strings.Repeat("x", 65_537)})
	_, private := shown.Issues(ctx, github.Repo{Owner: owner, Name: "frame-drawings"}, github.IssueFilter{}, "")
	for name, test := range map[string]struct {
		err    error
		code   fault.Code
		reason string // of the link
	}{
		"an archived repository": {archived, fault.PermissionDenied, ""},
		"issues switched off":    {off, fault.NotFound, ""},
		"a deleted issue":        {deleted, fault.NotFound, ""},
		"too long a body":        {long, fault.InvalidInput, ""},
		"a private repository":   {private, fault.NotFound, string(fault.MissingScope)},
	} {
		f := fault.From(test.err)
		reason := ""
		if f.Link != nil {
			reason = string(f.Link.Reason)
		}
		if reason != test.reason {
			t.Errorf("%s: the reason of the link is %q, want %q", name, reason, test.reason)
		}
		if f.Code != test.code || f.Upstream == nil {
			t.Errorf("%s: %v", name, test.err)
		}
	}
}
