package githubtools

import (
	"context"
	"strconv"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
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

func (k *kit) createMilestone(ctx context.Context, in createMilestoneInput) (milestone, error) {
	due, badDate := k.DayOrNone("due_on", in.DueOn)
	repo, err := k.InRepo(ctx, in.Repo, writeIssues, parts.NotBlank("title", in.Title), badDate)
	if err != nil {
		return milestone{}, err
	}
	made, err := k.GitHub.CreateMilestone(ctx, repo, github.Given(github.Fields{"title": in.Title, "description": parts.Sent(in.Description), "due_on": due, "state": in.State}))
	if err != nil {
		return milestone{}, parts.Unconfirmed(err, "created this milestone", "if you retry, GitHub refuses a title that exists")
	}
	v := milestone{
		Number: made.Number, Title: plaintext.Clean(made.Title), Description: parts.Shown(made.Description), State: made.State,
		OpenIssues: made.OpenIssues, ClosedIssues: made.ClosedIssues, URL: made.URL,
	}
	if made.DueOn != "" {
		v.DueOn = &made.DueOn
	}
	return v, nil
}

// milestone finds a milestone of a repository by its number or title.
func (k *kit) milestone(ctx context.Context, repo github.Repo, ref toolargs.Ref) (github.Milestone, error) {
	all, err := k.GitHub.Milestones(ctx, repo)
	if err != nil {
		return github.Milestone{}, err
	}
	c := parts.Choice[github.Milestone]{
		Argument: "milestone", Noun: "milestones", Items: all, Partly: ref.ID == 0, Look: parts.Looking(ctx),
		Name:  func(m github.Milestone) string { return m.Title },
		Ref:   func(m github.Milestone) string { return strconv.Itoa(m.Number) },
		Where: func(m github.Milestone) string { return m.State },
	}
	for _, m := range all {
		if int64(m.Number) == ref.ID {
			return m, nil
		}
	}
	return c.Pick(ref.String())
}
