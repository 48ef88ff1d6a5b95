package github

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
)

const statusFragment = `
fragment S on ProjectV2StatusUpdate { id status body startDate targetDate createdAt creator { login } }`

// Status updates are newer than some Enterprise Servers, so their documents stand alone.
var (
	statusDocument = document{thing: []string{"node"}, newer: true, text: `
query Status($id: ID!) {
  node(id: $id) {
    __typename
    ... on ProjectV2 { id statusUpdates(first: 1, orderBy: {field: CREATED_AT, direction: DESC}) { totalCount pageInfo { hasNextPage endCursor } nodes { ...S } } }
  }
}` + statusFragment}
	createStatusDocument = document{thing: []string{"createProjectV2StatusUpdate"}, newer: true, mutation: true, spoken: ofStatus, text: `
mutation CreateStatus($input: CreateProjectV2StatusUpdateInput!) { createProjectV2StatusUpdate(input: $input) { statusUpdate { ...S } } }` + statusFragment}
)

// ofStatus has the arguments of the tools by the words with which GitHub's sentences begin.
var ofStatus = map[string]string{"body": "status_update", "start date": "status_update", "target date": "status_update", "the date": "status_update"}

// StatusUpdate says where a project stands.
type StatusUpdate struct {
	ID         string
	Status     string // such as ON_TRACK; empty for none
	Body       string // Markdown
	StartDate  string // a date; empty for none
	TargetDate string
	CreatedAt  time.Time
	Creator    Login
}

type statusWire struct {
	ID            string
	StatusUpdates *connection[StatusUpdate]
}

func (s statusWire) check() error {
	if s.ID == "" {
		return errAbsent
	}
	return s.StatusUpdates.check()
}

func (s statusWire) hidden() int { return s.StatusUpdates.hidden() }

// LatestStatus returns the latest status update of a project, nil for none. has is false if this
// GitHub has no status updates.
func (c *Client) LatestStatus(ctx context.Context, project string) (latest *StatusUpdate, has bool, err error) {
	if c.lacks.knows(lacksStatus) {
		return nil, false, nil
	}
	got, _, err := ask[statusWire](ctx, c, statusDocument, fault.Resource{Type: "project", ID: project}, map[string]any{"id": project})
	if c.lacks.learns(lacksStatus, err) {
		return nil, false, nil
	}
	for _, one := range got.StatusUpdates.Entries() {
		return &one, true, nil
	}
	return nil, true, err
}

// NewStatus has the fields of a new status update.
type NewStatus struct {
	ProjectID  string `json:"projectId"`
	Status     string `json:"status,omitempty"`
	Body       string `json:"body,omitempty"`
	StartDate  string `json:"startDate,omitempty"`
	TargetDate string `json:"targetDate,omitempty"`
}

type madeStatus struct{ StatusUpdate *StatusUpdate }

func (m madeStatus) check() error {
	if m.StatusUpdate == nil || m.StatusUpdate.ID == "" {
		return errNotAnItem
	}
	return nil
}

// CreateStatus posts a status update of a project. has is false if this GitHub has no status
// updates.
func (c *Client) CreateStatus(ctx context.Context, status NewStatus) (made StatusUpdate, has bool, err error) {
	status.Status = strings.ToUpper(status.Status)
	got, err := mutate[madeStatus](ctx, c, createStatusDocument, fault.Resource{Type: "project", ID: status.ProjectID}, status)
	if c.lacks.learns(lacksStatus, err) {
		return StatusUpdate{}, false, nil
	}
	if err != nil {
		return StatusUpdate{}, true, err
	}
	return *got.StatusUpdate, true, nil
}
