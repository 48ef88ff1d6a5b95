package basecamp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
)

func TestTodoWrites_SendTheGivenFields(t *testing.T) {
	bare := Todo{Content: "True the wheels"}
	whole := Todo{
		Content: "True the wheels", Description: "<div>Both</div>", DueOn: "2031-05-20", StartsOn: "2031-05-18",
		Assignees: []Person{{ID: 501}, {ID: 502}}, Subscribers: []Person{{ID: 503}},
	}
	for want, write := range map[string]func(context.Context, *Client) error{
		`POST /77001/todolists/7/todos.json {"content":"True the wheels"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateTodo(ctx, 7, NewTodo{Content: "True the wheels"}))
		},
		`POST /77001/todolists/7/todos.json {"content":"True the wheels","description":"\u003cdiv\u003eBoth\u003c/div\u003e","due_on":"2031-05-20","starts_on":"2031-05-18","assignee_ids":[501],"notify":true}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateTodo(ctx, 7, NewTodo{
				Content: "True the wheels", Description: "<div>Both</div>", DueOn: "2031-05-20", StartsOn: "2031-05-18", AssigneeIDs: []int64{501}, Notify: true,
			}))
		},
		// Basecamp would clear a missing field.
		`PUT /77001/todos/7.json {"content":"True the wheels","description":"\u003cdiv\u003eBoth\u003c/div\u003e","due_on":"2031-05-20","starts_on":"2031-05-18","assignee_ids":[501,502],"completion_subscriber_ids":[503]}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateTodo(ctx, 7, whole.Fields()))
		},
		`PUT /77001/todos/7.json {"content":"True the wheels","description":"","due_on":"","starts_on":"","assignee_ids":[],"completion_subscriber_ids":[]}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateTodo(ctx, 7, bare.Fields()))
		},
		`PUT /77001/todos/7/position.json {"position":2,"parent_id":8}`: func(ctx context.Context, c *Client) error { return c.MoveTodo(ctx, 7, 8, 2) },
		`PUT /77001/todos/7/position.json {"position":1}`:               func(ctx context.Context, c *Client) error { return c.MoveTodo(ctx, 7, 0, 1) },
		`PUT /77001/todolists/7.json {"name":"Later","description":""}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateTodolist(ctx, 7, TodolistFields{Name: "Later"}))
		},
		`PUT /77001/todosets/todolists/7/position.json {"position":2}`: func(ctx context.Context, c *Client) error { return c.MoveTodolist(ctx, 7, 2) },
		`PUT /77001/todolists/groups/7/position.json {"position":2}`:   func(ctx context.Context, c *Client) error { return c.MoveTodolistGroup(ctx, 7, 2) },
		`PUT /77001/subtasks/7/position.json {"position":2}`:           func(ctx context.Context, c *Client) error { return c.MoveSubtask(ctx, 7, 2) },
		`PUT /77001/subtasks/7.json {"due_on":"","assignee_ids":[]}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateSubtask(ctx, 7, SubtaskChange{DueOn: new(string), AssigneeIDs: &[]int64{}}))
		},
		`PUT /77001/vaults/7.json {"title":"Frames"}`: func(ctx context.Context, c *Client) error { return errOf(c.RenameVault(ctx, 7, "Frames")) },
		`PUT /77001/uploads/7.json {"description":""}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateUpload(ctx, 7, UploadChange{Description: new(string)}))
		},
		`POST /77001/recordings/7/filing.json {"parent_id":8}`:              func(ctx context.Context, c *Client) error { return c.File(ctx, 7, 8, 0) },
		`POST /77001/recordings/7/filing.json {"parent_id":8,"position":2}`: func(ctx context.Context, c *Client) error { return c.File(ctx, 7, 8, 2) },
		`PUT /77001/recordings/7/client_visibility.json {"visible_to_clients":false}`: func(ctx context.Context, c *Client) error {
			return c.SetVisibleToClients(ctx, 7, false)
		},
		`POST /77001/buckets/5/todosets/7/todos.json {"content":"Find the key","due_on":"2031-05-20"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateLooseTodo(ctx, 5, 7, NewTodo{Content: "Find the key", DueOn: "2031-05-20"}))
		},
		`POST /77001/todosets/7/todolists.json {"name":"Later"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateTodolist(ctx, 7, NewTodolist{Name: "Later"}))
		},
		`POST /77001/todosets/7/todolists.json {"name":"Later","description":"\u003cdiv\u003eNot now\u003c/div\u003e"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateTodolist(ctx, 7, NewTodolist{Name: "Later", Description: "<div>Not now</div>"}))
		},
	} {
		var got string
		c := answering(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = fmt.Sprintf("%s %s %s", r.Method, r.URL.RequestURI(), body)
			w.WriteHeader(http.StatusNoContent)
		})
		if err := write(t.Context(), c); err != nil || got != want {
			t.Errorf("%v: sent %s, want %s", err, got, want)
		}
	}
}

func TestUpdateTodo_WithItsOwnFieldsChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		id := s.Find("Todo", "Book the photographer for the launch pictures")
		before, err := c.Todo(t.Context(), id)
		if err != nil || len(before.Attachments) != 1 || len(before.Subscribers) != 2 || len(before.Assignees) != 1 || before.DueOn == "" {
			t.Fatalf("%v: %+v", err, before)
		}
		answered, err := c.UpdateTodo(t.Context(), id, before.Fields())
		if err != nil {
			t.Fatal(err)
		}
		after, err := c.Todo(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answered, after); diff != "" {
			t.Error(diff)
		}
		before.UpdatedAt = after.UpdatedAt
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMoveTodo_MovesTheTodoToTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		id, lot := s.Find("Todo", "Print the serial number plates"), s.TodolistID("Cargo Bike Launch", "Parking lot")
		if err := c.MoveTodo(t.Context(), id, lot, 1); err != nil {
			t.Fatal(err)
		}
		moved, err := c.Todo(t.Context(), id)
		if err != nil || moved.Parent.ID != lot {
			t.Errorf("%v: %+v", err, moved.Parent)
		}
	})
}

func TestCreateTodolist_AddsAListToTheSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		set := s.ToolID("Cargo Bike Launch", "todoset")
		list, err := c.CreateTodolist(t.Context(), set, NewTodolist{Name: "Later", Description: "<div>Not <strong>now</strong></div>"})
		if err != nil || list.Name != "Later" || list.Description != "<div>Not <strong>now</strong></div>" || list.Parent.ID != set {
			t.Fatalf("%v: %+v", err, list)
		}
		todo, err := c.CreateTodo(t.Context(), list.ID, NewTodo{Content: "Paint the gate"})
		if err != nil || todo.ID == 0 || todo.Parent.ID != list.ID || todo.Assignees == nil || len(todo.Assignees) != 0 {
			t.Errorf("%v: %+v", err, todo)
		}
	})
}
