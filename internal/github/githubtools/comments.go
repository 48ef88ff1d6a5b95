package githubtools

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

type comment struct {
	ID        string    `json:"id"`
	Ref       string    `json:"ref"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	Truncated bool      `json:"truncated,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	URL       string    `json:"url"`
	Outsider  bool      `json:"outsider,omitempty"`
	Withheld  bool      `json:"withheld,omitempty"`
}

func viewComment(of string, c github.Comment, characters int) comment {
	v := comment{ID: c.NodeID, Ref: of, Author: string(c.Author), Body: parts.Shown(c.Body), CreatedAt: c.CreatedAt, URL: c.URL, Outsider: github.Outsider(c.Association), Withheld: c.Withheld}
	listing.Excerpt(&v.Body, characters, &v.Truncated)
	return v
}

type addIssueCommentInput struct {
	Issue  toolargs.Ref  `json:"issue,omitzero" jsonschema:"This or issues: owner/repo#12 or URL; with repo a number or exact title"`
	Issues toolargs.Refs `json:"issues,omitzero" jsonschema:"Several" limits:"maxitems=25"`
	Repo   string        `json:"repo,omitzero" jsonschema:"Name or owner/name" limits:"maxlen=1000"`
	Body   string        `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=65536"`
}

func (k *kit) addIssueComment(ctx context.Context, in addIssueCommentInput) (addedComments, error) {
	if err := fault.All(parts.NotBlank("body", in.Body), parts.OneOf("issue", !in.Issue.IsZero(), len(in.Issues) > 0)); err != nil {
		return addedComments{}, err
	}
	if err := k.GitHub.Require(ctx, writeIssues...); err != nil {
		return addedComments{}, err
	}
	if len(in.Issues) > 0 {
		all, err := k.addComments(ctx, in)
		return addedComments{nil, all}, err
	}
	named, err := k.Located(ctx, in.Issue, in.Repo)
	if err != nil {
		return addedComments{}, err
	}
	made, err := k.GitHub.AddComment(ctx, named.Repo, named.Number, parts.Sent(in.Body))
	v := viewComment(parts.ItemRef(named.Repo, named.Number), made, parts.MaxWritten)
	return addedComments{&v, nil}, parts.Unconfirmed(err, "added this comment", "look for it with github_get_issue before you retry")
}

// addedComments is the answer for one issue, or for several.
type addedComments struct {
	*comment
	*listing.Applied[comment]
}

// addComments adds the same comment to several issues. After a lost answer, it looks for the
// comments that were made.
func (k *kit) addComments(ctx context.Context, in addIssueCommentInput) (*listing.Applied[comment], error) {
	found, err := k.Subjects(ctx, "issues", in.Issues, in.Repo, false)
	if err != nil {
		return nil, err
	}
	body, begin := parts.Sent(in.Body), k.GitHub.Now()
	inputs := parts.Mapped(found, func(s github.Issue) github.Fields { return github.Fields{"subjectId": s.ID, "body": body} })
	done := make([]github.Outcome[comment], len(found))
	for i, one := range k.GitHub.AddComments(ctx, inputs) {
		ref := parts.RefOf(found[i])
		made := one.Value
		if fault.From(one.Err).MayHaveHappened && one.Err != nil {
			made, one.Err = k.madeComment(ctx, found[i], body, begin, one.Err)
		}
		done[i] = github.Outcome[comment]{Value: viewComment(ref, made, parts.MaxComment), Err: one.Err, Tried: one.Tried}
	}
	return parts.Applied("issues", parts.Mapped(found, parts.RefOf), done)
}

// madeComment returns the comment that a lost write made, or the error of that write.
func (k *kit) madeComment(ctx context.Context, of github.Issue, body string, since time.Time, lost error) (github.Comment, error) {
	lost = parts.Unconfirmed(lost, "added this comment", "look for it with github_get_issue before you retry")
	me, err := k.GitHub.Login(ctx)
	if err != nil {
		return github.Comment{}, lost
	}
	latest, err := k.GitHub.CommentsSince(ctx, of.Repo, of.Number, since)
	if err != nil {
		return github.Comment{}, lost
	}
	for _, c := range latest {
		if strings.EqualFold(string(c.Author), me) && !c.CreatedAt.Before(since) && parts.WithLF(c.Body) == parts.WithLF(body) {
			return c, nil
		}
	}
	return github.Comment{}, lost
}
