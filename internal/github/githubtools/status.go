package githubtools

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
)

const noStatus = "this GitHub has no status updates of projects: the server is older than they are"

// statusInput is a new status update.
type statusInput struct {
	Status     string `json:"status,omitzero" jsonschema:"State" limits:"enum=on_track|at_risk|off_track|complete|inactive"`
	Body       string `json:"body,omitzero" jsonschema:"Markdown" limits:"maxlen=65536"`
	StartDate  string `json:"start_date,omitzero" jsonschema:"Date" limits:"maxlen=40"`
	TargetDate string `json:"target_date,omitzero" jsonschema:"Date" limits:"maxlen=40"`
}

// statusUpdate says where a project stands.
type statusUpdate struct {
	ID         string    `json:"id"`
	Status     string    `json:"status,omitempty"`
	Body       string    `json:"body,omitempty"`
	Truncated  bool      `json:"truncated,omitempty"`
	StartDate  string    `json:"start_date,omitempty"`
	TargetDate string    `json:"target_date,omitempty"`
	Author     string    `json:"author"`
	CreatedAt  time.Time `json:"created_at"`
}

func viewStatus(u github.StatusUpdate) *statusUpdate {
	v := &statusUpdate{
		ID: u.ID, Status: strings.ToLower(u.Status), Body: shown(u.Body), StartDate: u.StartDate, TargetDate: u.TargetDate,
		Author: string(u.Creator), CreatedAt: u.CreatedAt,
	}
	listing.Excerpt(&v.Body, maxWritten, &v.Truncated)
	return v
}

// newStatus reads a status update. It needs no request.
func (k *kit) newStatus(in statusInput) (github.NewStatus, error) {
	if in == (statusInput{}) {
		return github.NewStatus{}, nil
	}
	start, badStart := k.dayOrNone("status_update.start_date", in.StartDate)
	target, badTarget := k.dayOrNone("status_update.target_date", in.TargetDate)
	var empty, order error
	if in.Status == "" && in.Body == "" {
		empty = fault.Invalid("status_update", "needs a status or a body")
	}
	if badStart == nil && badTarget == nil && start != "" && target != "" && target < start {
		order = fault.Invalid("status_update.target_date", "must not be before start_date")
	}
	return github.NewStatus{Status: in.Status, Body: sent(in.Body), StartDate: start, TargetDate: target}, fault.All(badStart, badTarget, empty, order)
}

func (k *kit) postStatus(ctx context.Context, project string, status github.NewStatus) (*statusUpdate, error) {
	status.ProjectID = project
	made, has, err := k.github.CreateStatus(ctx, status)
	switch {
	case err != nil:
		return nil, unconfirmed(err, "posted this status update", "look for it with github_get_project before you retry")
	case !has:
		return nil, fault.Invalid("status_update", "%s", noStatus)
	}
	return viewStatus(made), nil
}
