package github

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// Issue is an issue or a pull request, which share one numbering and one list.
type Issue struct {
	ID          string            `json:"node_id"`
	DatabaseID  int64             `json:"-"` // the ID by which REST nests issues; 0 in GraphQL
	Number      int               `json:"number"`
	Repo        Repo              `json:"-"` // as GitHub names it now; a repository may have been renamed
	PullRequest bool              `json:"-"`
	Merged      bool              `json:"-"` // of a pull request
	Title       string            `json:"title"`
	Body        string            `json:"body"`               // Markdown as stored
	State       string            `json:"state"`              // open or closed
	StateReason string            `json:"state_reason"`       // completed, not_planned, reopened or empty
	Author      string            `json:"-"`                  // a login
	Withheld    bool              `json:"-"`                  // the texts are withheld, because the author is an outsider
	Association string            `json:"author_association"` // of the author with the repository, such as MEMBER or NONE
	Draft       bool              `json:"draft"`              // of a pull request
	Kind        string            `json:"-"`                  // its issue type; empty for none
	HasKinds    bool              `json:"-"`                  // this GitHub has issue types
	Fields      []IssueFieldValue `json:"-"`                  // nil if this GitHub has no issue fields
	SubIssues   *Progress         `json:"sub_issues_summary"` // nil if this GitHub has no sub-issues
	BlockedBy   int               `json:"-"`                  // issues by which it is blocked
	Blocking    int               `json:"-"`                  // issues that it blocks
	OpenBlocks  OpenBlocks        `json:"-"`
	Parent      string            `json:"parent_issue_url"` // address of its parent in the API; empty for none
	Assignees   []string          `json:"-"`
	AssigneeIDs []string          `json:"-"` // node IDs, in the same order
	Labels      []string          `json:"-"`
	Milestone   *Milestone        `json:"milestone"` // nil for none
	Comments    int               `json:"comments"`
	CreatedAt   time.Time         `json:"created_at"`
	UpdatedAt   time.Time         `json:"updated_at"`
	ClosedAt    *time.Time        `json:"closed_at"` // nil while it is open
	ClosedBy    string            `json:"-"`         // a login; empty while it is open
	URL         string            `json:"html_url"`
	Items       *Page[Item]       `json:"projectItems"` // of projects, without their contents; not in REST
}

func (i Issue) check() (hidden int, err error) {
	if i.Items != nil {
		hidden = i.Items.null
	}
	_, err = identified(i.Number != 0 && i.ID != "")
	return hidden, err
}

// Stands returns the state, which of a pull request may also be merged.
func (i Issue) Stands() string {
	if i.Merged {
		return "merged"
	}
	return i.State
}

// On returns the item of a project that holds the issue, without an ID if it was not found. Then,
// if more is true, the issue is on further projects, which were not read.
func (i Issue) On(project ProjectRef) (at Item, more bool) {
	if i.Items == nil {
		return at, false
	}
	for _, one := range i.Items.Items {
		if one.On.In(project) {
			return one, false
		}
	}
	return at, i.Items.Next != ""
}

// OpenBlocks counts the open issues that block an issue, and those that it blocks.
type OpenBlocks struct {
	By    int `json:"blocked_by"`
	Other int `json:"blocking"`
}

// Progress counts the sub-issues of an issue.
type Progress struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
}

// Outsider reports whether an association is not one of those who work on a repository.
func Outsider(association string) bool {
	return association != "OWNER" && association != "MEMBER" && association != "COLLABORATOR"
}

type account struct {
	Login  string
	NodeID string `json:"node_id"`
}

// UnmarshalJSON implements json.Unmarshaler. It reads what both APIs answer.
func (i *Issue) UnmarshalJSON(data []byte) error {
	type plain Issue
	*i = Issue{}
	wire := struct {
		*plain
		DatabaseID json.RawMessage `json:"id"`
		Kind       json.RawMessage `json:"type"`
		Fields     json.RawMessage `json:"issue_field_values"`
		Depends    struct {
			OpenBlocks
			BlockedBy int `json:"total_blocked_by"`
			Blocking  int `json:"total_blocking"`
		} `json:"issue_dependencies_summary"`
		Repository  string                         `json:"repository_url"`
		Within      struct{ NameWithOwner string } `json:"repository"`
		TypeName    string                         `json:"__typename"`
		PRState     string
		Author      Login           `json:"user"`
		Assignees   Page[*account]  `json:"assignees"`
		Labels      Page[labelName] `json:"labels"`
		ClosedBy    *Login          `json:"closed_by"`
		PullRequest *struct {
			MergedAt *time.Time `json:"merged_at"`
		} `json:"pull_request"`
	}{plain: (*plain)(i)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	i.Repo, i.Author, i.Labels = parseRepo(cmp.Or(wire.Repository, wire.Within.NameWithOwner)), string(wire.Author), texts(wire.Labels.Items)
	_ = json.Unmarshal(wire.DatabaseID, &i.DatabaseID) // GraphQL has a text there
	i.Assignees = []string{}
	for _, who := range wire.Assignees.Items {
		who = cmp.Or(who, &account{Login: ghost})
		i.Assignees, i.AssigneeIDs = append(i.Assignees, who.Login), append(i.AssigneeIDs, who.NodeID)
	}
	// One of the states is empty.
	i.State, i.StateReason = strings.ToLower(i.State+wire.PRState), strings.ToLower(i.StateReason)
	i.PullRequest = wire.PullRequest != nil || wire.TypeName == "PullRequest"
	if i.Merged = i.State == "merged" || wire.PullRequest != nil && wire.PullRequest.MergedAt != nil; i.Merged {
		i.State = "closed"
	}
	i.BlockedBy, i.Blocking, i.OpenBlocks = wire.Depends.BlockedBy, wire.Depends.Blocking, wire.Depends.OpenBlocks
	if wire.ClosedBy != nil {
		i.ClosedBy = string(*wire.ClosedBy)
	}
	var kind struct{ Name string }
	if i.HasKinds = len(wire.Kind) > 0; i.HasKinds && wire.Kind[0] == '{' {
		if err := json.Unmarshal(wire.Kind, &kind); err != nil {
			return err
		}
	}
	i.Kind = kind.Name
	var err error
	i.Fields, err = fieldValuesIn(wire.Fields)
	return err
}

// IssueFilter selects issues. Empty fields select nothing, so GitHub's defaults hold.
type IssueFilter struct {
	State     string   // open, closed or all
	Labels    []string // all of them
	Assignee  string   // a login, none or *
	Creator   string   // a login
	Milestone string   // a number, none or *
	Since     time.Time
	Sort      string // created, updated or comments
	Direction string // asc or desc

	MilestoneTitle                  string // of a milestone that was named by its title
	Mentions, Involves, ReviewAsked string // logins, only for the search
}

func (f IssueFilter) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"state": f.State, "labels": strings.Join(f.Labels, ","), "assignee": f.Assignee, "creator": f.Creator,
		"milestone": f.Milestone, "sort": f.Sort, "direction": f.Direction,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if !f.Since.IsZero() {
		query.Set("since", f.Since.UTC().Format(time.RFC3339))
	}
	return query
}

// Issues lists one page of a repository's issues and pull requests, 100 at most. next is the Next
// of the page before; empty for the first page. It repeats the filter itself.
func (c *Client) Issues(ctx context.Context, repo Repo, filter IssueFilter, next string) (Page[Issue], error) {
	return listed[Issue](ctx, c, c.requestBelow(repo, "issues"), filter.query(), next)
}

// Issue returns an issue or a pull request. The answer may come from another repository, if the
// issue was transferred.
func (c *Client) Issue(ctx context.Context, repo Repo, number int) (Issue, error) {
	return get[Issue](ctx, c, c.issue(repo, number))
}

// issue returns a request to an issue or to a part of it.
func (c *Client) issue(repo Repo, number int, part ...string) request {
	r := c.requestIn(repo, repo.about("issue", number), append([]string{"issues", strconv.Itoa(number)}, part...)...)
	if number <= 0 {
		r.wrong = fault.Invalid("issue", "must be at least 1, got %d", number)
	}
	return r
}

// CreateIssue adds an issue to a repository. GitHub drops labels, assignees and the milestone
// without an error if the user may not set them.
func (c *Client) CreateIssue(ctx context.Context, repo Repo, issue Fields) (Issue, error) {
	r := c.requestBelow(repo, "issues")
	r.names = fieldNames
	return send[Issue](ctx, c, http.MethodPost, r, issue)
}

// UpdateIssue changes an issue or a pull request. Its milestone is a number. names has the caller's
// arguments by the fields, where they differ.
func (c *Client) UpdateIssue(ctx context.Context, repo Repo, number int, change Fields, names map[string]string) (Issue, error) {
	r := c.issue(repo, number)
	r.names = names
	return send[Issue](ctx, c, http.MethodPatch, r, change)
}

// Label is a label that issues of a repository can have.
type Label struct {
	ID          int64  `json:"id"`
	NodeID      string `json:"node_id"`
	Name        string `json:"name"`
	Color       string `json:"color"` // six hexadecimal digits
	Description string `json:"description"`
}

func (l Label) check() (hidden int, err error) { return identified(l.Name != "") }

// Labels lists all labels of a repository.
func (c *Client) Labels(ctx context.Context, repo Repo) ([]Label, error) {
	return all(func(next string) (Page[Label], error) {
		return listed[Label](ctx, c, c.requestBelow(repo, "labels"), url.Values{}, next)
	})
}

// IssueTypes returns the names of an organization's issue types, none for a user. has is false if
// this GitHub has no issue types, or the user does not see those of the organization.
func (c *Client) IssueTypes(ctx context.Context, owner string) (names []string, has bool, err error) {
	types, err := get[Page[struct{ Name string }]](ctx, c, c.ofOrganization(owner, "issue-types"))
	if fault.Is(err, fault.NotFound) {
		return nil, false, nil
	}
	for _, one := range types.Items {
		names = append(names, one.Name)
	}
	return names, true, err
}
