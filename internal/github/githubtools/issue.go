package githubtools

import (
	"cmp"
	"context"
	"slices"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

type getIssueInput struct {
	Issue    toolargs.Ref `json:"issue" jsonschema:"owner/repo#12 or URL; with repo a number or exact title"`
	Repo     string       `json:"repo,omitzero" jsonschema:"owner/name or URL" limits:"maxlen=1000"`
	Comments bool         `json:"include_comments,omitzero" jsonschema:"The first ones" limits:"default=true"`
	Offset   int          `json:"offset,omitzero" jsonschema:"next_offset of the body" limits:"min=0"`
	Cursor   string       `json:"cursor,omitzero" jsonschema:"next_cursor of the comments" limits:"maxlen=2000"`
}

type issueDetails struct {
	issue
	Type         string             `json:"type"`
	Body         string             `json:"body"`
	Truncated    bool               `json:"truncated,omitempty"`
	NextOffset   int                `json:"next_offset,omitempty"`
	Comments     []comment          `json:"comments"`
	MoreComments bool               `json:"more_comments"`
	NextCursor   *string            `json:"next_cursor"`
	Incomplete   *github.Incomplete `json:"incomplete,omitempty"`
	nested
	Fields   []boards.FieldValue `json:"issue_fields,omitempty"`
	ClosedBy string              `json:"closed_by,omitempty"` // a login
	linked
	WithheldCount int   `json:"withheld_count,omitempty"` // texts of outsiders that are left out
	Public        *bool `json:"public,omitempty"`         // the repository; only told with something of an outsider
}

func (k *kit) getIssue(ctx context.Context, in getIssueInput) (issueDetails, error) {
	i, err := k.ReadIssue(ctx, in.Issue, in.Repo)
	if err != nil {
		return issueDetails{}, err
	}
	v := issueDetails{issue: viewIssue(i), Type: "issue", ClosedBy: i.ClosedBy, Body: parts.Shown(i.Body), MoreComments: i.Comments > 0 && !in.Comments}
	if i.PullRequest {
		v.Type = "pull_request"
	}
	if v.nested, err = k.nested(ctx, i); err != nil {
		return v, err
	}
	if v.Fields, err = k.viewIssueFields(ctx, i); err != nil {
		return v, err
	}
	if v.NextOffset, err = parts.Part(&v.Body, in.Offset, &v.Truncated); err != nil {
		return v, err
	}
	if err := k.addThread(ctx, i, in, &v); err != nil {
		return v, err
	}
	v.countWithheld()
	err = k.tellPublic(ctx, i.Repo, &v)
	return v, err
}

// addThread adds the comments, and what closes the issue or what the pull request closes. One
// request reads both.
func (k *kit) addThread(ctx context.Context, i github.Issue, in getIssueInput, v *issueDetails) error {
	read := func(next string) (github.Page[github.Comment], error) {
		t, err := k.GitHub.Thread(ctx, i, in.Comments && i.Comments > 0, next)
		if err != nil {
			return github.Page[github.Comment]{}, err
		}
		if v.linked = viewLinked(i, t); i.PullRequest {
			v.PullRequest = viewPull(t.Pull)
		}
		return *cmp.Or(t.Comments, &github.Page[github.Comment]{}), nil
	}
	comments := parts.List[github.Comment, comment]{
		Of: listing.Digest("comments", i.ID), Read: read,
		View: func(c github.Comment) (comment, bool) { return viewComment(v.Ref, c, parts.MaxComment), true },
		Size: max(1, listing.MaxAnswer-maxLinks-toolanswer.Size(v)),
	}
	if !in.Comments || i.Comments == 0 {
		_, err := read("")
		if fault.Is(err, fault.RateLimited) || fault.Is(err, fault.UpstreamError) {
			v.Unknown, err = "what is linked to it, and how a pull request stands, could not be read: "+fault.From(err).Message, nil
		}
		if err != nil || !in.Comments {
			return err
		}
		_, err = parts.Start(parts.PageInput{Cursor: in.Cursor}, comments.Of)
		v.Comments = []comment{}
		return err
	}
	found, err := comments.Collect(parts.PageInput{Limit: parts.PageSize, Cursor: in.Cursor})
	v.Comments, v.MoreComments, v.NextCursor, v.Incomplete = found.Items, found.HasMore, found.NextCursor, found.Incomplete
	return err
}

// countWithheld counts the texts that are left out.
func (v *issueDetails) countWithheld() {
	if v.Withheld {
		v.WithheldCount++
	}
	all := slices.Concat(v.Closing, v.Closes, v.BlockedBy, v.Blocking)
	if v.Parent != nil {
		all = append(all, *v.Parent)
	}
	if v.SubIssues != nil {
		all = append(all, v.SubIssues.Items...)
	}
	for _, r := range all {
		if r.Withheld {
			v.WithheldCount++
		}
	}
	for _, c := range v.Comments {
		if c.Withheld {
			v.WithheldCount++
		}
	}
}

// tellPublic says whether the repository is public, if the answer has something of an outsider.
func (k *kit) tellPublic(ctx context.Context, repo github.Repo, v *issueDetails) error {
	if !v.Outsider && !slices.ContainsFunc(v.Comments, func(c comment) bool { return c.Outsider }) {
		return nil
	}
	r, err := k.GitHub.Repository(ctx, repo)
	public := !r.Private
	v.Public = &public
	return err
}

// relative is an issue that has to do with another one.
type relative struct {
	Ref      string `json:"ref"`
	Title    string `json:"title"`
	State    string `json:"state"`
	Withheld bool   `json:"withheld,omitempty"`
}

// linked is what closes an issue, or what a pull request closes.
type linked struct {
	Closing []relative `json:"closed_by_pull_requests,omitempty"` // open, closed or merged
	Closes  []relative `json:"closes,omitempty"`
	More    int        `json:"more_linked,omitempty"` // how many others there are
	Unknown string     `json:"unavailable,omitempty"`
}

const (
	maxLinks  = 8000 // bytes that what is linked may take in an answer
	noClosing = "this GitHub does not say which pull requests close an issue: the server is older than that"
)

func viewLinked(i github.Issue, t github.Thread) (v linked) {
	all := parts.Mapped(slices.Concat(t.ClosedBy.Items, t.Closes.Items), viewRelative)
	if v.Closing = all; i.PullRequest {
		v.Closing, v.Closes = nil, all
	}
	v.More = max(0, t.ClosedBy.Total+t.Closes.Total-len(all))
	if t.LacksClosing {
		v.Unknown = noClosing
	}
	return v
}

// nested is where an issue stands among others.
type nested struct {
	IssueType string     `json:"issue_type,omitempty"`
	Parent    *relative  `json:"parent,omitempty"`
	SubIssues *subIssues `json:"sub_issues,omitempty"`
	BlockedBy []relative `json:"blocked_by,omitempty"`
	Blocking  []relative `json:"blocking,omitempty"`
}

// subIssues are the sub-issues in their order, with how many of them are closed.
type subIssues struct {
	Total     int        `json:"total"`
	Completed int        `json:"completed"`
	Items     []relative `json:"items"`
}

func viewRelative(i github.Issue) relative {
	return relative{parts.ItemRef(i.Repo, i.Number), plaintext.Clean(i.Title), i.Stands(), i.Withheld}
}

// nested reads where an issue stands. It asks only for what the issue says it has.
func (k *kit) nested(ctx context.Context, i github.Issue) (v nested, err error) {
	v.IssueType = plaintext.Clean(i.Kind)
	if i.Parent != "" {
		parent, err := k.GitHub.ParentOf(ctx, i.Repo, i.Number)
		if err != nil && !fault.Is(err, fault.NotFound) { // the user may not see it
			return v, err
		} else if err == nil {
			one := viewRelative(parent)
			v.Parent = &one
		}
	}
	read := func(count int, of github.Relation) (all []relative) {
		if count == 0 || err != nil {
			return nil
		}
		var issues []github.Issue
		issues, err = k.GitHub.Related(ctx, i.Repo, i.Number, of)
		return parts.Mapped(issues, viewRelative)
	}
	if i.SubIssues != nil && i.SubIssues.Total > 0 {
		v.SubIssues = &subIssues{i.SubIssues.Total, i.SubIssues.Completed, read(i.SubIssues.Total, github.SubIssues)}
	}
	v.BlockedBy, v.Blocking = read(i.BlockedBy, github.BlockedBy), read(i.Blocking, github.Blocking)
	return v, err
}

// labels returns the labels of a repository that the caller names, as GitHub writes them.
func (k *kit) labels(ctx context.Context, repo github.Repo, argument string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	all, err := k.GitHub.Labels(ctx, repo)
	if err != nil {
		return nil, err
	}
	return labelsOf(ctx, all, argument, names)
}

func labelsOf(ctx context.Context, all []github.Label, argument string, names []string) ([]string, error) {
	c := parts.Choice[github.Label]{Argument: argument, Noun: "labels", Items: all, Partly: true, Name: func(l github.Label) string { return l.Name }, Look: parts.Looking(ctx)}
	var found, unknown []string
	for _, name := range names {
		label, known, err := c.Find(name)
		switch {
		case err != nil:
			return nil, err
		case !known:
			unknown = append(unknown, name)
		case !parts.HasName(found, label.Name):
			found = append(found, label.Name)
		}
	}
	if len(unknown) > 0 {
		return nil, c.Unknown(unknown...)
	}
	return found, nil
}
