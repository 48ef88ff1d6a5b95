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
