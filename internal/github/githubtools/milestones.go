package githubtools

import (
	"context"
	"strconv"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type createMilestoneInput struct {
	Repo        string `json:"repo" jsonschema:"owner/name or URL" limits:"minlen=1 maxlen=1000"`
	Title       string `json:"title" jsonschema:"Name" limits:"minlen=1 maxlen=256"`
	Description string `json:"description,omitzero" jsonschema:"Markdown" limits:"maxlen=65536"`
	DueOn       string `json:"due_on,omitzero" jsonschema:"Date" limits:"maxlen=40"`
	State       string `json:"state,omitzero" jsonschema:"State" limits:"enum=open|closed default=open"`
}

type milestone struct {
	Number       int     `json:"number"`
	Title        string  `json:"title"`
	Description  string  `json:"description"`
	DueOn        *string `json:"due_on"`
	State        string  `json:"state"`
	OpenIssues   int     `json:"open_issues"`
	ClosedIssues int     `json:"closed_issues"`
	URL          string  `json:"url"`
}

func (k *kit) createMilestone() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_create_milestone",
		Title:       "Create a GitHub milestone",
		Description: "Creates a milestone in a GitHub repository.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createMilestoneInput) (milestone, error) {
		repo, err := k.repo("repo", in.Repo)
		due, badDate := k.dayOrNone("due_on", in.DueOn)
		if err := fault.All(err, notBlank("title", in.Title), badDate); err != nil {
			return milestone{}, err
		}
		if err := k.github.Require(ctx, writeIssues...); err != nil {
			return milestone{}, err
		}
		if repo, err = k.found(ctx, repo); err != nil {
			return milestone{}, err
		}
		made, err := k.github.CreateMilestone(ctx, repo, github.Given(github.Fields{"title": in.Title, "description": sent(in.Description), "due_on": due, "state": in.State}))
		if err != nil {
			return milestone{}, unconfirmed(err, "created this milestone", "if you retry, GitHub refuses a title that exists")
		}
		v := milestone{
			Number: made.Number, Title: plaintext.Clean(made.Title), Description: shown(made.Description), State: made.State,
			OpenIssues: made.OpenIssues, ClosedIssues: made.ClosedIssues, URL: made.URL,
		}
		if made.DueOn != "" {
			v.DueOn = &made.DueOn
		}
		return v, nil
	})
}

// milestone finds a milestone of a repository by its number or title.
func (k *kit) milestone(ctx context.Context, repo github.Repo, ref toolargs.Ref) (github.Milestone, error) {
	all, err := k.github.Milestones(ctx, repo)
	if err != nil {
		return github.Milestone{}, err
	}
	c := choice[github.Milestone]{
		argument: "milestone", noun: "milestones", items: all, partly: ref.ID == 0, look: looking(ctx),
		name:  func(m github.Milestone) string { return m.Title },
		ref:   func(m github.Milestone) string { return strconv.Itoa(m.Number) },
		where: func(m github.Milestone) string { return m.State },
	}
	for _, m := range all {
		if int64(m.Number) == ref.ID {
			return m, nil
		}
	}
	return c.pick(ref.String())
}
