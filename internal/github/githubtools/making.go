package githubtools

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/upstream"
)

// Place is where an issue is made, and how.
type Place struct {
	Repo              string
	Labels, Assignees []string
}

// Maker returns what makes an issue. It resolves everything.
func (w *Wing) Maker(ctx context.Context, p Place, title string) (hub.Maker, error) {
	k := w.kit
	repo, err := k.repo("repo", p.Repo)
	if err := fault.All(err, notBlank("title", title), logins("assignees", p.Assignees)); err != nil {
		return hub.Maker{}, err
	}
	if err := k.github.Require(ctx, writeIssues...); err != nil {
		return hub.Maker{}, err
	}
	draft := github.NewIssue{Title: title}
	labels, badLabels := k.labels(ctx, repo, "labels", p.Labels)
	assignees, badAssignees := k.assignable(ctx, repo, "assignees", p.Assignees, nil)
	if err := fault.All(badLabels, badAssignees); err != nil {
		return hub.Maker{}, err
	}
	if _, err := k.github.Repository(ctx, repo); err != nil { // before anything is written
		return hub.Maker{}, err
	}
	draft.Labels, draft.Assignees = labels, assignees
	return hub.Maker{
		Into: "repo/" + strings.ToLower(repo.String()),
		Make: func(ctx context.Context) (hub.Made, error) {
			made, err := k.github.CreateIssue(ctx, repo, draft)
			if err != nil {
				return hub.Made{}, err
			}
			return hub.Made{Thing: linkedThing(made)}, nil
		},
		Since: func(ctx context.Context, since time.Time) (found []hub.Thing, err error) {
			login, err := k.github.Login(ctx)
			if err != nil {
				return nil, err
			}
			filter := github.IssueFilter{State: "all", Creator: login, Since: since, Sort: "created", Direction: "desc"}
			issues, err := k.github.Issues(upstream.Afresh(ctx), repo, filter, "")
			for _, i := range issues.Items {
				if !i.PullRequest && !i.CreatedAt.Before(since) && plaintext.Clean(i.Title) == plaintext.Clean(title) {
					found = append(found, linkedThing(i))
				}
			}
			return found, err
		},
	}, nil
}
