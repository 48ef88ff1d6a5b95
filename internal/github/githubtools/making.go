package githubtools

import (
	"context"
	"maps"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
	"basecamp-mcp/internal/wire/upstream"
)

// Place is where an issue is made, and how.
type Place struct {
	Repo              string
	Labels, Assignees []string
	Board             toolargs.Ref
	Fields            []boards.FieldInput // of the board
}

// Making returns what makes issues. It resolves everything.
func (w *Wing) Making(ctx context.Context, p Place) (hub.Making, error) {
	k := w.kit
	repo, err := k.InRepo(ctx, p.Repo, writeIssues, parts.Logins("assignees", p.Assignees))
	if err != nil {
		return nil, err
	}
	draft, to, err := k.draft(ctx, repo, p)
	if err != nil {
		return nil, err
	}
	return func(title string) (hub.Maker, error) {
		draft := maps.Clone(draft)
		draft["title"] = title
		return k.maker(repo, draft, to), nil
	}, nil
}

func (k *kit) maker(repo github.Repo, draft github.Fields, to destination) hub.Maker {
	var set wishes
	set.labels, _ = draft["labels"].([]string)
	set.assignees, _ = draft["assignees"].([]string)
	finish := func(ctx context.Context, i github.Issue) hub.Made {
		v := hub.Made{Thing: linkedThing(i), NotApplied: set.missing(i)}
		if to.project != nil {
			_, v.NotApplied = putOn(k.PlaceAll(ctx, *to.project, []github.Issue{i}, to.settings)[0], v.NotApplied)
		}
		return v
	}
	return hub.Maker{
		Into: "repo/" + strings.ToLower(repo.String()),
		Make: func(ctx context.Context) (hub.Made, error) {
			made, err := k.GitHub.CreateIssue(ctx, repo, draft)
			if err != nil {
				return hub.Made{}, err
			}
			if made.Repo == (github.Repo{}) {
				made.Repo = repo // a plan's
			}
			return finish(ctx, made), nil
		},
		Finish: func(ctx context.Context, made hub.Thing) (hub.Made, error) {
			i, err := k.ReadIssue(ctx, parts.Addresses.ParseRef(made.Ref.ID), "")
			if err != nil {
				return hub.Made{}, err
			}
			return finish(ctx, i), nil
		},
		Since: func(ctx context.Context, since time.Time) (found []hub.Thing, err error) {
			login, err := k.GitHub.Login(ctx)
			if err != nil {
				return nil, err
			}
			filter := github.IssueFilter{State: "all", Creator: login, Since: since, Sort: "created", Direction: "desc"}
			issues, err := k.GitHub.Issues(upstream.Afresh(ctx), repo, filter, "")
			for _, i := range issues.Items {
				if !i.PullRequest && !i.CreatedAt.Before(since) && plaintext.Clean(i.Title) == plaintext.Clean(draft["title"].(string)) {
					found = append(found, linkedThing(i))
				}
			}
			return found, err
		},
	}
}

// draft returns the issue to make, without its title, and where it is put. It resolves everything.
func (k *kit) draft(ctx context.Context, repo github.Repo, p Place) (draft github.Fields, to destination, err error) {
	there, err := k.GitHub.Repository(ctx, repo)
	switch {
	case err != nil:
		return draft, to, err
	case there.Archived:
		return draft, to, fault.New(fault.PermissionDenied, "repo: %s is archived, so it can only be read; an owner can unarchive it on GitHub", repo)
	}
	labels, badLabels := k.labels(ctx, repo, "labels", p.Labels)
	assignees, badAssignees := k.Assignable(ctx, repo, "assignees", p.Assignees, nil)
	to, badBoard := k.destination(ctx, repo, createIssueInput{Project: p.Board, Fields: p.Fields})
	return github.Given(github.Fields{"labels": labels, "assignees": assignees}), to, fault.All(badLabels, badAssignees, parts.OfArgument(badBoard, "project", "board"))
}
