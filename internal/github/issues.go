package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

// Issue is an issue or a pull request, which share one numbering and one list.
type Issue struct {
	ID          string            `json:"node_id"`
	DatabaseID  int64             `json:"id"` // the ID by which REST nests issues
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
	Labels      []string          `json:"-"`
	Milestone   *Milestone        `json:"milestone"` // nil for none
	Comments    int               `json:"comments"`
	CreatedAt   time.Time         `json:"created_at"`
	UpdatedAt   time.Time         `json:"updated_at"`
	ClosedAt    *time.Time        `json:"closed_at"` // nil while it is open
	ClosedBy    string            `json:"-"`         // a login; empty while it is open
	URL         string            `json:"html_url"`
}

func (i Issue) valid() bool { return i.Number != 0 && i.ID != "" }

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

// UnmarshalJSON implements json.Unmarshaler.
func (i *Issue) UnmarshalJSON(data []byte) error {
	type plain Issue
	*i = Issue{}
	wire := struct {
		*plain
		Kind    json.RawMessage `json:"type"`
		Fields  json.RawMessage `json:"issue_field_values"`
		Depends struct {
			OpenBlocks
			BlockedBy int `json:"total_blocked_by"`
			Blocking  int `json:"total_blocking"`
		} `json:"issue_dependencies_summary"`
		Repository  string      `json:"repository_url"`
		Author      Login       `json:"user"`
		Assignees   []Login     `json:"assignees"`
		Labels      []labelName `json:"labels"`
		ClosedBy    *Login      `json:"closed_by"`
		PullRequest *struct {
			MergedAt *time.Time `json:"merged_at"`
		} `json:"pull_request"`
	}{plain: (*plain)(i)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	i.Repo, i.Author, i.Assignees, i.Labels = parseRepo(wire.Repository), string(wire.Author), texts(wire.Assignees), texts(wire.Labels)
	i.PullRequest, i.Merged = wire.PullRequest != nil, wire.PullRequest != nil && wire.PullRequest.MergedAt != nil
	i.BlockedBy, i.Blocking, i.OpenBlocks = wire.Depends.BlockedBy, wire.Depends.Blocking, wire.Depends.OpenBlocks
	if wire.ClosedBy != nil {
		i.ClosedBy = string(*wire.ClosedBy)
	}
	var kind struct{ Name string }
	if i.HasKinds = len(wire.Kind) > 0; i.HasKinds {
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

// NewIssue has the fields of a new issue. GitHub drops labels, assignees and the milestone without
// an error if the user may not set them.
type NewIssue struct {
	Title     string   `json:"title"`
	Body      string   `json:"body,omitempty"`
	Labels    []string `json:"labels,omitempty"`
	Assignees []string `json:"assignees,omitempty"`
	Milestone int      `json:"milestone,omitempty"` // its number
	Kind      string   `json:"type,omitempty"`      // an issue type

	Fields []FieldSetting `json:"issue_field_values,omitempty"`
}

// CreateIssue adds an issue to a repository.
func (c *Client) CreateIssue(ctx context.Context, repo Repo, issue NewIssue) (Issue, error) {
	r := c.requestBelow(repo, "issues")
	r.names = fieldNames
	return send[Issue](ctx, c, http.MethodPost, r, issue)
}

// IssueChange has what changes in an issue. What is nil stays. A list replaces the whole list.
type IssueChange struct {
	Title       *string   `json:"title,omitempty"`
	Body        *string   `json:"body,omitempty"`
	State       *string   `json:"state,omitempty"`        // open or closed
	StateReason *string   `json:"state_reason,omitempty"` // completed, not_planned or reopened
	Labels      *[]string `json:"labels,omitempty"`
	Assignees   *[]string `json:"assignees,omitempty"`
	Milestone   *int      `json:"-"` // its number; 0 for none
	Kind        *string   `json:"-"` // an issue type; empty for none
}

// MarshalJSON implements json.Marshaler. A milestone of 0 becomes null, and a nil list an empty
// one.
func (i IssueChange) MarshalJSON() ([]byte, error) {
	type fields IssueChange
	wire := struct {
		fields
		Milestone json.RawMessage `json:"milestone,omitempty"`
		Kind      json.RawMessage `json:"type,omitempty"`
	}{fields: fields(i)}
	if i.Kind != nil {
		kind, _ := encode(nullable(*i.Kind))
		wire.Kind = kind
	}
	wire.Labels, wire.Assignees = filled(i.Labels), filled(i.Assignees)
	switch {
	case i.Milestone == nil:
	case *i.Milestone == 0:
		wire.Milestone = json.RawMessage("null")
	default:
		wire.Milestone = json.RawMessage(strconv.Itoa(*i.Milestone))
	}
	return encode(wire)
}

func filled(list *[]string) *[]string {
	if list != nil && *list == nil {
		return &[]string{}
	}
	return list
}

// UpdateIssue changes an issue or a pull request.
func (c *Client) UpdateIssue(ctx context.Context, repo Repo, number int, change IssueChange) (Issue, error) {
	return send[Issue](ctx, c, http.MethodPatch, c.issue(repo, number), change)
}

// Comment is a comment on an issue or a pull request.
type Comment struct {
	ID       int64  `json:"id"`
	NodeID   string `json:"node_id"`
	Author   Login  `json:"user"`
	Withheld bool   `json:"-"` // the body is withheld, because the author is an outsider
	// Association is that of the author with the repository, such as MEMBER or NONE.
	Association string    `json:"author_association"`
	Body        string    `json:"body"` // Markdown as stored
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	URL         string    `json:"html_url"`
}

func (c Comment) valid() bool { return c.ID != 0 }

// AddComment adds a comment to an issue or a pull request.
func (c *Client) AddComment(ctx context.Context, repo Repo, number int, body string) (Comment, error) {
	return send[Comment](ctx, c, http.MethodPost, c.issue(repo, number, "comments"), map[string]string{"body": body})
}

// CommentsSince lists the first 100 comments of an issue that changed since a time.
func (c *Client) CommentsSince(ctx context.Context, repo Repo, number int, since time.Time) ([]Comment, error) {
	page, err := listed[Comment](ctx, c, c.issue(repo, number, "comments"), url.Values{"since": {since.UTC().Format(time.RFC3339)}}, "")
	return page.Items, err
}

// Label is a label that issues of a repository can have.
type Label struct {
	ID          int64  `json:"id"`
	NodeID      string `json:"node_id"`
	Name        string `json:"name"`
	Color       string `json:"color"` // six hexadecimal digits
	Description string `json:"description"`
}

func (l Label) valid() bool { return l.Name != "" }

// Labels lists all labels of a repository.
func (c *Client) Labels(ctx context.Context, repo Repo) ([]Label, error) {
	return all(func(next string) (Page[Label], error) {
		return listed[Label](ctx, c, c.requestBelow(repo, "labels"), url.Values{}, next)
	})
}

// Milestone is a goal that groups issues of a repository.
type Milestone struct {
	ID           string `json:"node_id"`
	Number       int    `json:"number"`
	Title        string `json:"title"`
	Description  string `json:"description"`
	DueOn        string `json:"-"`     // a date; empty for none
	State        string `json:"state"` // open or closed
	OpenIssues   int    `json:"open_issues"`
	ClosedIssues int    `json:"closed_issues"`
	URL          string `json:"html_url"`
}

func (m Milestone) valid() bool { return m.Number != 0 }

// UnmarshalJSON implements json.Unmarshaler.
func (m *Milestone) UnmarshalJSON(data []byte) error {
	type plain Milestone
	*m = Milestone{}
	wire := struct {
		*plain
		DueOn *time.Time `json:"due_on"`
	}{plain: (*plain)(m)}
	err := json.Unmarshal(data, &wire)
	m.DueOn = day(wire.DueOn)
	return err
}

// Milestones lists all milestones of a repository, open and closed.
func (c *Client) Milestones(ctx context.Context, repo Repo) ([]Milestone, error) {
	return all(func(next string) (Page[Milestone], error) {
		return listed[Milestone](ctx, c, c.requestBelow(repo, "milestones"), url.Values{"state": {"all"}}, next)
	})
}

// NewMilestone has the fields of a new milestone.
type NewMilestone struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	State       string `json:"state,omitempty"` // open or closed
	DueOn       string `json:"-"`               // a date; empty for none
}

// MarshalJSON implements json.Marshaler. GitHub stores a time. The date becomes its noon in UTC,
// which is the same date in most time zones.
func (m NewMilestone) MarshalJSON() ([]byte, error) {
	type fields NewMilestone
	wire := struct {
		fields
		DueOn string `json:"due_on,omitempty"`
	}{fields: fields(m)}
	if m.DueOn != "" {
		wire.DueOn = m.DueOn + "T12:00:00Z"
	}
	return encode(wire)
}

// CreateMilestone adds a milestone to a repository. A title that another milestone has is
// INVALID_INPUT with the code already_exists.
func (c *Client) CreateMilestone(ctx context.Context, repo Repo, milestone NewMilestone) (Milestone, error) {
	if _, err := time.Parse(time.DateOnly, milestone.DueOn); err != nil && milestone.DueOn != "" {
		return Milestone{}, fault.Invalid("due_on", "must be a date, such as 2026-11-22")
	}
	return send[Milestone](ctx, c, http.MethodPost, c.requestBelow(repo, "milestones"), milestone)
}

// IssueField is a field that an organization gives to all its issues (GitHub Docs, "REST API
// endpoints for issue fields").
type IssueField struct {
	ID      int64
	Name    string
	Type    string `json:"data_type"` // text, date, single_select, multi_select or number
	Options []struct{ Name string }
}

// Field returns the field as one of a project. The ID of an option is its name, because REST sets
// options by their names.
func (f IssueField) Field() Field {
	as := Field{ID: strconv.FormatInt(f.ID, 10), Name: f.Name, DataType: strings.ToUpper(f.Type)}
	for _, o := range f.Options {
		as.Options = append(as.Options, Option{o.Name, o.Name})
	}
	return as
}

type issueFields []IssueField

func (f issueFields) valid() bool { return f != nil }

// ofOrganization returns a request to a part of an organization.
func (c *Client) ofOrganization(owner, part string) request {
	about := fault.Resource{Type: "organization", ID: owner}
	return request{method: http.MethodGet, url: c.rest.JoinPath("orgs", url.PathEscape(owner), part), of: core, about: about}
}

// IssueFields returns the issue fields of an organization. It returns none if the owner is a user,
// or does not show them to the user.
func (c *Client) IssueFields(ctx context.Context, owner string) ([]IssueField, error) {
	all, err := get[issueFields](ctx, c, c.ofOrganization(owner, "issue-fields"))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return all, err
}

// IssueFieldValue is the value of an issue field, by the ID of the field.
type IssueFieldValue struct {
	FieldID int64  `json:"issue_field_id"`
	Type    string `json:"data_type"`
	Value   any    // a string, a number or a list of strings; an option by its name
}

// FieldSetting is what an issue field is set to.
type FieldSetting struct {
	FieldID int64 `json:"field_id"`
	Value   any   `json:"value"`
}

const fieldValues = "issue-field-values"

// fieldNames has the argument that sets issue fields, by its name in REST.
var fieldNames = map[string]string{"issue_field_values": "issue_fields"}

// SetIssueFields sets issue fields of an issue. Its other fields stay.
func (c *Client) SetIssueFields(ctx context.Context, repo Repo, number int, settings []FieldSetting) error {
	// An issue that a plan makes up has no number above zero.
	r := c.requestIn(repo, repo.about("issue", number), "issues", strconv.Itoa(number), fieldValues)
	r.again, r.names = true, fieldNames
	_, err := send[issueFieldValues](ctx, c, http.MethodPost, r, map[string]any{"issue_field_values": settings})
	return err
}

type issueFieldValues []IssueFieldValue

func (v issueFieldValues) valid() bool { return v != nil }

// ClearIssueField clears an issue field of an issue.
func (c *Client) ClearIssueField(ctx context.Context, repo Repo, number int, field int64) error {
	r := c.issue(repo, number, fieldValues, strconv.FormatInt(field, 10))
	r.method, r.writes = http.MethodDelete, true
	call, err := c.newCall(ctx, r)
	if err != nil {
		return err
	}
	_, err = upstream.Ask(ctx, c.upstream, call.request(), func(a upstream.Answer) (none struct{}, err error) {
		if len(a.Body) > 0 {
			err = errNotAnItem // GitHub answers nothing
		}
		return none, err
	})
	return err
}

// fieldValuesIn reads the values of the issue fields of an issue. They are nil if the issue does
// not say them: then this GitHub has no issue fields.
func fieldValuesIn(raw json.RawMessage) (values []IssueFieldValue, err error) {
	if len(raw) == 0 || isNull(raw) {
		return nil, nil
	}
	values = []IssueFieldValue{}
	err = json.Unmarshal(raw, &values)
	return values, err
}

// UnmarshalJSON implements json.Unmarshaler. An option is known by its name, whatever the value is.
func (v *IssueFieldValue) UnmarshalJSON(data []byte) error {
	type plain IssueFieldValue
	wire := struct {
		*plain
		Option *struct{ Name string } `json:"single_select_option"`
	}{plain: (*plain)(v)}
	err := json.Unmarshal(data, &wire)
	if wire.Option != nil {
		v.Value = wire.Option.Name
	}
	return err
}

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

// IssueTypes returns the names of an organization's issue types, none for a user. has is false if
// this GitHub has no issue types, or the user does not see those of the organization.
func (c *Client) IssueTypes(ctx context.Context, owner string) (names []string, has bool, err error) {
	types, err := get[issueTypes](ctx, c, c.ofOrganization(owner, "issue-types"))
	if fault.Is(err, fault.NotFound) {
		return nil, false, nil
	}
	for _, one := range types {
		names = append(names, one.Name)
	}
	return names, true, err
}

type issueTypes []struct{ Name string }

func (t issueTypes) valid() bool { return t != nil }
