package basecamp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
)

func TestUpdateTodo_WithItsOwnFieldsChangesNothing(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
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
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
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
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
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
