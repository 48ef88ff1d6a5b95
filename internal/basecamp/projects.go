package basecamp

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Project is a place where people work together; its dock lists its tools.
type Project struct {
	ID          int64      `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Status      string     `json:"status"`
	Purpose     string     `json:"purpose"`
	AppURL      string     `json:"app_url"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	Dock        []DockItem `json:"dock"`
}

func (p Project) key() int64 { return p.ID }

// DockItem is a tool of a project. Name says which (message_board, todoset, vault, chat, ...) and may repeat: a project
// can hold several of a kind (W-06). A disabled tool keeps its id.
type DockItem struct {
	ID       int64  `json:"id"`
	Title    string `json:"title"`
	Name     string `json:"name"`
	Enabled  bool   `json:"enabled"`
	Position int    `json:"position"` // 0 when disabled
	AppURL   string `json:"app_url"`
}

// Projects lists projects of a status: active (also for ""), archived or trashed; Basecamp never mixes them (W-01).
func (c *Client) Projects(ctx context.Context, status string, page int) (Page[Project], error) {
	return list[Project](ctx, c, request{path: "projects.json", query: byStatus(status)}, page)
}

// Project is one project with its dock.
func (c *Client) Project(ctx context.Context, id int64) (Project, error) {
	return get[Project](ctx, c, at("project", id, "projects/%d.json"))
}

// NewProject is what a project can be created with.
type NewProject struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // plain text
}

// CreateProject starts a project, with the caller on it. LIMIT_REACHED when the account's plan allows no more.
func (c *Client) CreateProject(ctx context.Context, project NewProject) (Project, error) {
	return send[Project](ctx, c, http.MethodPost, request{path: "projects.json"}, project)
}

// SetProjectStatus archives, trashes or restores a project: archived, trashed or active.
func (c *Client) SetProjectStatus(ctx context.Context, id int64, status string) error {
	r, method := at("project", id, "projects/%d.json"), http.MethodDelete // which trashes
	if status != "trashed" {
		r.path, method = fmt.Sprintf("projects/%d/status/%s.json", id, status), http.MethodPut
	}
	_, err := send[struct{}](ctx, c, method, r, nil)
	return err
}
