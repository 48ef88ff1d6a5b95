package basecamp

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// Todolist is a list of to-dos, or a group inside a list: then its Parent is a Todolist too.
type Todolist struct {
	Recording
	Name           string       `json:"name"`
	Description    HTML         `json:"description"`
	Attachments    []Attachment `json:"description_attachments"`
	Completed      bool         `json:"completed"`
	CompletedRatio string       `json:"completed_ratio"`
	Position       int          `json:"position"` // among its siblings, from 1
}

// Progress is how many of the list's to-dos are done, of how many; both zero when Basecamp does not say (W-13).
func (l Todolist) Progress() (done, total int) {
	first, second, _ := strings.Cut(l.CompletedRatio, "/")
	done, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, 0
	}
	total, err = strconv.Atoi(strings.TrimSpace(second))
	if err != nil {
		return 0, 0
	}
	return done, total
}

// Todolists lists the lists of a to-do set that have a status: active (also for ""), archived or trashed.
func (c *Client) Todolists(ctx context.Context, todoset int64, status string, page int) (Page[Todolist], error) {
	r := at("todoset", todoset, "todosets/%d/todolists.json")
	r.query = byStatus(status)
	return list[Todolist](ctx, c, r, page)
}

// Todolist is one list, or one group.
func (c *Client) Todolist(ctx context.Context, id int64) (Todolist, error) {
	return get[Todolist](ctx, c, at("todolist", id, "todolists/%d.json"))
}

// TodolistGroups lists the groups of a list. To-dos of a group are not among the list's own.
func (c *Client) TodolistGroups(ctx context.Context, todolist int64, page int) (Page[Todolist], error) {
	return list[Todolist](ctx, c, at("todolist", todolist, "todolists/%d/groups.json"), page)
}

// ProjectTodolists lists the lists of a project together with their groups, those created first first: of all its to-do sets,
// and of a status.
func (c *Client) ProjectTodolists(ctx context.Context, project int64, status string, page int) (Page[Todolist], error) {
	return list[Todolist](ctx, c, recordings("Todolist", project, sorted("created_at", "asc")).ofStatus(status), page)
}

// NewTodolist is what a to-do list can be created with.
type NewTodolist struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // HTML
}

// CreateTodolist adds a list to a to-do set.
func (c *Client) CreateTodolist(ctx context.Context, todoset int64, todolist NewTodolist) (Todolist, error) {
	return send[Todolist](ctx, c, http.MethodPost, at("todoset", todoset, "todosets/%d/todolists.json"), todolist)
}
