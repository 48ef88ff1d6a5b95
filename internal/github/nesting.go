package github

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Relation is a list of issues that have to do with one.
type Relation []string

// The relations of an issue, as paths below it.
var (
	SubIssues = Relation{"sub_issues"}
	BlockedBy = Relation{"dependencies", "blocked_by"}
	Blocking  = Relation{"dependencies", "blocking"}
)

// Related returns the first 100 issues of a relation, in their order.
func (c *Client) Related(ctx context.Context, repo Repo, number int, of Relation) ([]Issue, error) {
	page, err := listed[Issue](ctx, c, c.issue(repo, number, of...), url.Values{}, "")
	return page.Items, err
}

// ParentOf returns the parent of an issue.
func (c *Client) ParentOf(ctx context.Context, repo Repo, number int) (Issue, error) {
	return get[Issue](ctx, c, c.issue(repo, number, "parent"))
}

// AddSubIssue nests an issue in another one, whatever its parent was. sub is its database ID.
// Repeated, it changes nothing, but GitHub refuses it.
func (c *Client) AddSubIssue(ctx context.Context, parent Issue, sub int64) error {
	return c.nest(ctx, parent, http.MethodPost, map[string]any{"sub_issue_id": sub, "replace_parent": true}, "sub_issues")
}

// RemoveSubIssue takes an issue out of its parent.
func (c *Client) RemoveSubIssue(ctx context.Context, parent Issue, sub int64) error {
	return c.nest(ctx, parent, http.MethodDelete, map[string]any{"sub_issue_id": sub}, "sub_issue")
}

// MoveSubIssue puts a sub-issue after another one.
func (c *Client) MoveSubIssue(ctx context.Context, parent Issue, sub, after int64) error {
	return c.nest(ctx, parent, http.MethodPatch, map[string]any{"sub_issue_id": sub, "after_id": after}, "sub_issues", "priority")
}

// AddBlocker makes an issue wait for another one.
func (c *Client) AddBlocker(ctx context.Context, i Issue, blocker int64) error {
	return c.nest(ctx, i, http.MethodPost, map[string]any{"issue_id": blocker}, "dependencies", "blocked_by")
}

// RemoveBlocker ends that an issue waits for another one.
func (c *Client) RemoveBlocker(ctx context.Context, i Issue, blocker int64) error {
	return c.nest(ctx, i, http.MethodDelete, nil, "dependencies", "blocked_by", strconv.FormatInt(blocker, 10))
}

func (c *Client) nest(ctx context.Context, i Issue, method string, body any, part ...string) error {
	_, err := send[Issue](ctx, c, method, c.issue(i.Repo, i.Number, part...), body)
	return err
}
