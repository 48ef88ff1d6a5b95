package basecamp

import (
	"context"
	"time"
)

// Project is a project. Its dock lists its tools.
type Project struct {
	ID          int64      `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Status      string     `json:"status"`
	Purpose     string     `json:"purpose"`
	StartDate   string     `json:"start_date"` // YYYY-MM-DD; empty without dates
	EndDate     string     `json:"end_date"`   // like StartDate
	AppURL      string     `json:"app_url"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	Dock        []DockItem `json:"dock"`

	ClientsEnabled *bool `json:"clients_enabled"` // false: no clients are on it; nil if Basecamp does not say
}

func (p Project) key() int64 { return p.ID }

// DockItem is a tool of a project. A disabled tool keeps its ID.
type DockItem struct {
	ID      int64  `json:"id"`
	Title   string `json:"title"`
	Name    string `json:"name"` // message_board, todoset, vault, chat, ...; a project can have several tools of one name
	Enabled bool   `json:"enabled"`
	AppURL  string `json:"app_url"`
}

// ProjectFields has the fields of a project to write. They are always sent, because it is not
// documented what an update does with missing ones.
type ProjectFields struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`                   // plain text
	Dates       *ProjectDates `json:"schedule_attributes,omitempty"` // nil for a project without dates
}

// ProjectDates are the first and the last day of a project, YYYY-MM-DD.
type ProjectDates struct {
	Start string `json:"start_date"`
	End   string `json:"end_date"`
}

// Fields returns the fields for an update that leaves the project as it is.
func (p Project) Fields() ProjectFields {
	f := ProjectFields{Name: p.Name, Description: p.Description}
	if p.StartDate != "" && p.EndDate != "" {
		f.Dates = &ProjectDates{p.StartDate, p.EndDate}
	}
	return f
}

// SetProjectStatus archives, trashes or restores a project. status is archived, trashed or active.
func (c *Client) SetProjectStatus(ctx context.Context, id int64, status string) error {
	if status == "trashed" {
		return ProjectAt.Delete(ctx, c, id)
	}
	return Endpoint[struct{}]{kind: "project", path: "projects/%d/status/" + status + ".json"}.Set(ctx, c, nil, id)
}
