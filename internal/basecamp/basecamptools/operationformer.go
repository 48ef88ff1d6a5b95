package basecamptools

import (
	"encoding/json"
	"slices"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolanswer"
)

// formerOperations are the names of tools that are operations now.
var formerOperations = []mcptool.Former{
	{Name: "list_forwards", Tool: operations.Reader, Rewrite: asOperation("list_forwards", "limit", "cursor", "detail")},
	{Name: "create_project", Tool: operations.Changer, Rewrite: asOperation("create_project", "idempotency_key")},
	{Name: "set_subscription", Tool: operations.Changer, Rewrite: func(arguments map[string]json.RawMessage) {
		operation := "subscribed must be true, for follow, or false, for unfollow"
		switch string(arguments["subscribed"]) {
		case "true", `"true"`:
			operation = "follow"
		case "false", `"false"`:
			operation = "unfollow"
		}
		delete(arguments, "subscribed")
		asOperation(operation)(arguments)
	}},
}

// asOperation returns a function that makes the arguments of a former tool those of an operation.
// The names in kept are arguments of the tool that runs it.
func asOperation(operation string, kept ...string) func(arguments map[string]json.RawMessage) {
	return func(arguments map[string]json.RawMessage) {
		inner := map[string]json.RawMessage{}
		for name, value := range arguments {
			if !slices.Contains(kept, name) {
				inner[name] = value
				delete(arguments, name)
			}
		}
		arguments["operation"], arguments["arguments"] = toolanswer.MustEncode(operation), toolanswer.MustEncode(inner)
	}
}
