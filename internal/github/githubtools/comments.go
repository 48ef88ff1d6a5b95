package githubtools

import (
	"context"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

type comment struct {
	ID        string    `json:"id"`
	Ref       string    `json:"ref"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	Truncated bool      `json:"truncated,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	URL       string    `json:"url"`
}

func viewComment(of string, c github.Comment, characters int) comment {
	v := comment{ID: c.NodeID, Ref: of, Author: string(c.Author), Body: shown(c.Body), CreatedAt: c.CreatedAt, URL: c.URL}
	listing.Excerpt(&v.Body, characters, &v.Truncated)
	return v
}

type addIssueCommentInput struct {
	Issue toolargs.Ref `json:"issue" jsonschema:"owner/repo#12 or URL; with repo a number or exact title"`
	Repo  string       `json:"repo,omitzero" jsonschema:"owner/name or URL" limits:"maxlen=1000"`
	Body  string       `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=65536"`
}

func (k *kit) addIssueComment() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_add_issue_comment",
		Title:       "Comment on a GitHub issue",
		Description: "Adds a comment to a GitHub issue or pull request.",
		Effect:      mcptool.Appends,
	}, func(ctx context.Context, in addIssueCommentInput) (comment, error) {
		if err := notBlank("body", in.Body); err != nil {
			return comment{}, err
		}
		if err := k.github.Require(ctx, writeIssues...); err != nil {
			return comment{}, err
		}
		named, err := k.located(ctx, in.Issue, in.Repo)
		if err != nil {
			return comment{}, err
		}
		made, err := k.github.AddComment(ctx, named.repo, named.number, sent(in.Body))
		if err != nil {
			return comment{}, unconfirmed(err, "added this comment", "look for it with github_get_issue before you retry")
		}
		return viewComment(itemRef(named.repo, named.number), made, maxWritten), nil
	})
}
