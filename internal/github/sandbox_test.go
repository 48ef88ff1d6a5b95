package github_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/sandbox"
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSandbox_ServesIssuesFromTheFirstToTheComment(t *testing.T) {
	_, c := sandboxed(t, "ines-albrecht", "repo project read:org")
	ctx := t.Context()
	page := must(c.Issues(ctx, configurator, github.IssueFilter{State: "all"}, ""))
	second := must(c.Issues(ctx, configurator, github.IssueFilter{State: "all"}, page.Next))
	if len(page.Items)+len(second.Items) != 140 || second.Next != "" {
		t.Errorf("%d and %d issues, then %q", len(page.Items), len(second.Items), second.Next)
	}
	milestones := must(c.Milestones(ctx, configurator))
	spring := milestones[slices.IndexFunc(milestones, func(m github.Milestone) bool { return m.Title == "Spring launch" })]
	made := must(c.CreateIssue(ctx, configurator, github.NewIssue{Title: "Bell", Body: "It *rings*.\r\n", Labels: []string{"🔥 hot"}, Milestone: spring.Number}))
	if made.Body != "It *rings*.\r\n" || !slices.Equal(made.Labels, []string{"🔥 hot"}) || made.Milestone == nil || made.Milestone.Title != "Spring launch" {
		t.Errorf("created %+v", made)
	}
	comment := must(c.AddComment(ctx, configurator, made.Number, "Still rings."))
	thread := must(c.Thread(ctx, made, true, ""))
	if len(thread.Comments.Items) != 1 || thread.Comments.Items[0].NodeID != comment.NodeID {
		t.Errorf("comments %+v", thread.Comments.Items)
	}
	closed, reason := "closed", "not_planned"
	after := must(c.UpdateIssue(ctx, configurator, made.Number, github.IssueChange{State: &closed, StateReason: &reason}))
	if after.State != closed || after.StateReason != reason || !slices.Equal(after.Labels, made.Labels) {
		t.Errorf("closed %+v", after)
	}
}

func TestSandbox_ServesABoardAndItsFields(t *testing.T) {
	s, c := sandboxed(t, "ines-albrecht", "repo project read:org")
	ctx := t.Context()
	board := must(c.Project(ctx, github.ProjectRef{Owner: owner, Number: 1}))
	status := board.Fields[slices.IndexFunc(board.Fields, func(f github.Field) bool { return f.Name == "Status" })]
	page := must(c.Items(ctx, board.ID, 100, ""))
	if page.Total != 130 || len(page.Items) != 100 || page.Next == "" {
		t.Errorf("%d of %d items, then %q", len(page.Items), page.Total, page.Next)
	}
	issue := must(c.CreateIssue(ctx, configurator, github.NewIssue{Title: "Bell"}))
	content := must(c.Content(ctx, configurator, issue.Number))
	item := c.AddItems(ctx, []github.Placement{{ProjectID: board.ID, ContentID: content.ID}})[0].Value.ID
	option := status.Options[len(status.Options)-1]
	set := github.NewValue{ProjectID: board.ID, ItemID: item, FieldID: status.ID, Value: &github.Value{OptionID: &option.ID}}
	if err := c.SetValues(ctx, []github.NewValue{set})[0].Err; err != nil {
		t.Fatal(err)
	}
	s.ResetRequests()
	now, _, err := c.ItemValue(ctx, item, "Status")
	if err != nil || now.On.Value == nil || now.On.Value.Value != option.Name || len(now.On.Field.Options) == 0 || len(s.Requests()) != 1 {
		t.Errorf("Status is %+v, %v", now, err)
	}
	if set.Value = nil; c.SetValues(ctx, []github.NewValue{set})[0].Err != nil {
		t.Fatal("not cleared")
	}
	if now, _, err := c.ItemValue(ctx, item, "Status"); err != nil || now.On.Value != nil {
		t.Errorf("the cleared Status is %+v, %v", now, err)
	}
	if err := c.RemoveItem(ctx, board.ID, item); err != nil {
		t.Fatal(err)
	}
}

func TestSandbox_CreatesChangesAndDeletesAProject(t *testing.T) {
	_, c := sandboxed(t, "ines-albrecht", "repo project read:org")
	ctx := t.Context()
	me := must(c.Owner(ctx, ""))
	made := must(c.CreateProject(ctx, github.NewProject{OwnerID: me.ID, Title: "Bells"}))
	title := "Bells and horns"
	if after, _, err := c.UpdateProject(ctx, made.ID, github.ProjectChange{Title: &title}); err != nil || after.Title != title {
		t.Errorf("renamed %+v, %v", after, err)
	}
	if err := c.DeleteProject(ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Project(ctx, github.ProjectRef{ID: made.ID}); !fault.Is(err, fault.NotFound) {
		t.Errorf("the deleted project: %v", err)
	}
}

func TestSandbox_RefusesAsGitHubDoes(t *testing.T) {
	s, ines := sandboxed(t, "ines-albrecht", "repo project read:org")
	ctx := t.Context()
	shown := clientOf(t, s, "sam-lindqvist", "read:project read:org")
	blocked := clientOf(t, s, "noemie-laurent", "repo project read:org")
	_, archived := ines.CreateIssue(ctx, github.Repo{Owner: owner, Name: "old-shop"}, github.NewIssue{Title: "Bell"})
	_, off := ines.Issues(ctx, github.Repo{Owner: owner, Name: "brand-assets"}, github.IssueFilter{}, "")
	_, deleted := ines.Issue(ctx, configurator, 97)
	_, long := ines.CreateIssue(ctx, configurator, github.NewIssue{Title: "Bell", Body: strings.Repeat("x", 65_537)})
	_, private := shown.Issues(ctx, github.Repo{Owner: owner, Name: "frame-drawings"}, github.IssueFilter{}, "")
	_, sso := blocked.Issues(ctx, configurator, github.IssueFilter{}, "")
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
		"single sign-on":         {sso, fault.PermissionDenied, string(fault.SSO)},
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
