package github

import (
	"context"
	"time"

	"basecamp-mcp/internal/report/fault"
)

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
	StatusUpdates Page[StatusUpdate]
}

func (s statusWire) check() (hidden int, err error) { return together(there(s.ID), s.StatusUpdates) }

// LatestStatus returns the latest status update of a project, nil for none. has is false if this
// GitHub has no status updates.
func (c *Client) LatestStatus(ctx context.Context, project string) (latest *StatusUpdate, has bool, err error) {
	if c.lacks.status.Load() {
		return nil, false, nil
	}
	got, _, err := ask[statusWire](ctx, c, "Status", fault.Resource{Type: "project", ID: project}, map[string]any{"id": project})
	if learns(&c.lacks.status, err) {
		return nil, false, nil
	}
	for _, one := range got.StatusUpdates.Items {
		return &one, true, nil
	}
	return nil, true, err
}

type madeStatus struct{ StatusUpdate *StatusUpdate }

func (m madeStatus) check() (hidden int, err error) {
	return identified(m.StatusUpdate != nil && m.StatusUpdate.ID != "")
}

// CreateStatus posts a status update of a project. has is false if this GitHub has no status
// updates.
func (c *Client) CreateStatus(ctx context.Context, project string, status Fields) (made StatusUpdate, has bool, err error) {
	status["projectId"] = project
	got, err := mutate[madeStatus](ctx, c, "CreateStatus", fault.Resource{Type: "project", ID: project}, status)
	if learns(&c.lacks.status, err) {
		return StatusUpdate{}, false, nil
	}
	if err != nil {
		return StatusUpdate{}, true, err
	}
	return *got.StatusUpdate, true, nil
}
