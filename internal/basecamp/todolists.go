package basecamp

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// Todolist is a list of to-dos, or a group in a list. The Parent of a group is a Todolist.
type Todolist struct {
	Recording
	Name           string       `json:"name"`
	Description    HTML         `json:"description"`
	Attachments    []Attachment `json:"description_attachments"`
	Completed      bool         `json:"completed"`
	CompletedRatio string       `json:"completed_ratio"`
	Color          string       `json:"color"` // of a group; empty for none
}

// State returns whether the list is completed, as items do that can be completed themselves.
func (l Todolist) State() Completable { return Completable{Completed: l.Completed} }

// Progress returns how many to-dos of the list are completed, and how many it has. Both are 0 if
// Basecamp does not say.
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

// Todolists lists the lists of a to-do set with a status: active, archived or trashed. An empty
// status means active.
func (c *Client) Todolists(ctx context.Context, todoset int64, status string, page int) (Page[Todolist], error) {
	r := requestAt("todoset", todoset, "todosets/%d/todolists.json")
	r.query = byStatus(status)
	return list[Todolist](ctx, c, r, page)
}

// Todolist returns one list or one group.
func (c *Client) Todolist(ctx context.Context, id int64) (Todolist, error) {
	return get[Todolist](ctx, c, requestAt("todolist", id, "todolists/%d.json"))
}

// TodolistGroups lists the groups of a list. The to-dos of a list do not include those of its
// groups.
func (c *Client) TodolistGroups(ctx context.Context, todolist int64, page int) (Page[Todolist], error) {
	return list[Todolist](ctx, c, requestAt("todolist", todolist, "todolists/%d/groups.json"), page)
}

// ProjectTodolists lists the lists and groups of a project with a status, in all its to-do sets,
// the first created first.
func (c *Client) ProjectTodolists(ctx context.Context, project int64, status string, page int) (Page[Todolist], error) {
	return list[Todolist](ctx, c, recordings("Todolist", project, sorted("created_at", "asc")).ofStatus(status), page)
}

// NewTodolist has the fields for a new to-do list.
type NewTodolist struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // HTML
	Color       string `json:"color,omitempty"`       // of a group
	Visibility
}

// TodolistFields has all fields of a list or a group that an update can write. Both are always
// sent, because Basecamp clears missing fields.
type TodolistFields struct {
	Name        string `json:"name"`
	Description string `json:"description"` // HTML
}

// UpdateTodolist replaces the name and the description of a list or a group.
func (c *Client) UpdateTodolist(ctx context.Context, id int64, fields TodolistFields) (Todolist, error) {
	return send[Todolist](ctx, c, http.MethodPut, requestAt("todolist", id, "todolists/%d.json"), fields)
}

// MoveTodolist moves a list to a position among the lists of its set that are not completed.
// Positions count from 1.
func (c *Client) MoveTodolist(ctx context.Context, id int64, position int) error {
	return c.place(ctx, requestAt("todolist", id, "todosets/todolists/%d/position.json"), position)
}

// MoveTodolistGroup moves a group to a position among the groups of its list. Positions count
// from 1.
func (c *Client) MoveTodolistGroup(ctx context.Context, id int64, position int) error {
	return c.place(ctx, requestAt("todolist", id, "todolists/groups/%d/position.json"), position)
}

// CreateTodolist adds a list to a to-do set.
func (c *Client) CreateTodolist(ctx context.Context, todoset int64, todolist NewTodolist) (Todolist, error) {
	return send[Todolist](ctx, c, http.MethodPost, requestAt("todoset", todoset, "todosets/%d/todolists.json"), todolist)
}

// CreateTodolistGroup adds a group, which has a name and a color, to a list. A group has no groups.
func (c *Client) CreateTodolistGroup(ctx context.Context, todolist int64, group NewTodolist) (Todolist, error) {
	return send[Todolist](ctx, c, http.MethodPost, requestAt("todolist", todolist, "todolists/%d/groups.json"), group)
}

// Todoset returns the common fields of a to-do set, which holds lists and to-dos outside any list.
func (c *Client) Todoset(ctx context.Context, id int64) (Recording, error) {
	return get[Recording](ctx, c, requestAt("todoset", id, "todosets/%d.json"))
}
