package github

import (
	"context"
	"time"

	"basecamp-mcp/internal/fault"
)

// Node is a thing of which an answer has only the ID.
type Node struct{ ID string }

func (n Node) check() error {
	if n.ID == "" {
		return errNotAnItem
	}
	return nil
}

// Placement is an issue or a pull request for a project, both by node ID.
type Placement struct {
	ProjectID string `json:"projectId"`
	ContentID string `json:"contentId"`
}

// AddItems adds issues and pull requests to projects. One that is there already comes back.
func (c *Client) AddItems(ctx context.Context, all []Placement) []Outcome[Node] {
	return batch[Node](ctx, c, "AddItems", fault.Resource{Type: "project"}, partsWith("input", all))
}

// NewValue is a value of a field of an item, all by node ID. A value without parts clears the
// field.
type NewValue struct {
	ProjectID string `json:"projectId"`
	ItemID    string `json:"itemId"`
	FieldID   string `json:"fieldId"`
	Value     *Value `json:"value,omitempty"`
}

// SetValues sets fields of items, all of them or, without values, clears them.
func (c *Client) SetValues(ctx context.Context, all []NewValue) []Outcome[struct{}] {
	kinds := map[bool]string{true: "ClearValues", false: "SetValues"}
	done := make([]Outcome[struct{}], len(all))
	for _, clears := range []bool{false, true} {
		var of []int
		var sent []NewValue
		for i, v := range all {
			if (v.Value == nil) == clears {
				of, sent = append(of, i), append(sent, v)
			}
		}
		for k, one := range batch[happened](ctx, c, kinds[clears], fault.Resource{Type: "project_item"}, partsWith("input", sent)) {
			done[of[k]] = Outcome[struct{}]{Err: one.Err, Tried: one.Tried}
		}
	}
	return done
}

// IssueInput has the fields of a new issue, or with an ID what changes in one. All IDs are node
// IDs. What is nil stays.
type IssueInput struct {
	ID           string    `json:"id,omitempty"`
	RepositoryID string    `json:"repositoryId,omitempty"`
	ParentID     string    `json:"parentIssueId,omitempty"`
	Title        *string   `json:"title,omitempty"`
	Body         *string   `json:"body,omitempty"`
	State        string    `json:"state,omitempty"` // OPEN or CLOSED
	LabelIDs     *[]string `json:"labelIds,omitempty"`
	AssigneeIDs  *[]string `json:"assigneeIds,omitempty"`
	MilestoneID  any       `json:"milestoneId,omitzero"` // a string, or [None]
}

// None clears a field of an input.
type None struct{}

// MarshalJSON implements json.Marshaler.
func (None) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// CreateIssues adds issues to repositories.
func (c *Client) CreateIssues(ctx context.Context, all []IssueInput) []Outcome[Subject] {
	return batch[Subject](ctx, c, "CreateIssues", fault.Resource{Type: "repository"}, partsWith("input", all))
}

// UpdateIssues changes issues.
func (c *Client) UpdateIssues(ctx context.Context, all []IssueInput) []Outcome[Subject] {
	return batch[Subject](ctx, c, "UpdateIssues", fault.Resource{Type: "issue"}, partsWith("input", all))
}

// Closing closes an issue for a reason.
type Closing struct {
	ID          string `json:"issueId"`
	Reason      string `json:"stateReason"`                // COMPLETED, NOT_PLANNED or DUPLICATE
	DuplicateOf string `json:"duplicateIssueId,omitempty"` // node ID of the issue that stays
}

// CloseIssues closes issues.
func (c *Client) CloseIssues(ctx context.Context, all []Closing) []Outcome[Subject] {
	return batch[Subject](ctx, c, "CloseIssues", fault.Resource{Type: "issue"}, partsWith("input", all))
}

// NewComment is a comment for an issue or a pull request, by node ID.
type NewComment struct {
	SubjectID string `json:"subjectId"`
	Body      string `json:"body"`
}

// AddComments adds comments.
func (c *Client) AddComments(ctx context.Context, all []NewComment) []Outcome[MadeComment] {
	return batch[MadeComment](ctx, c, "AddComments", fault.Resource{Type: "issue"}, partsWith("input", all))
}

// MadeComment is a comment as GraphQL has it.
type MadeComment struct {
	ID                string
	Body              string
	URL               string
	CreatedAt         time.Time
	Author            Login
	AuthorAssociation string
	Withheld          bool `json:"-"` // the body is withheld, because the author is an outsider
}

// Comment returns the comment as REST has it, without the ID of REST.
func (m MadeComment) Comment() Comment {
	return Comment{NodeID: m.ID, Author: m.Author, Association: m.AuthorAssociation, Body: m.Body, CreatedAt: m.CreatedAt, URL: m.URL, Withheld: m.Withheld}
}

func (m MadeComment) check() error { return Node{m.ID}.check() }
