package work

import (
	"context"
	"encoding/json"
	"fmt"
)

// Call runs a tool and returns its answer.
func (u *Upstream) Call(ctx context.Context, tool string, arguments json.RawMessage) (any, error) {
	switch tool {
	case "list_tasks":
		return NoTasks(), nil
	case "get_me":
		return u.Me(ctx)
	case "list_todos":
		var in TodosInput
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, fmt.Errorf("decode the arguments of %s: %w", tool, err)
		}
		return u.Todos(ctx, in)
	}
	return nil, fmt.Errorf("the tool %q has only a definition here; call list_tasks, get_me or list_todos", tool)
}
