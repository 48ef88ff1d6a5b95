package basecamptools

import (
	"encoding/json"

	"basecamp-mcp/internal/mcptool"
)

// former are the tools that others replace.
var former = []mcptool.Former{
	{Name: "post_campfire_line", Tool: "post_chat_line", Rewrite: renamed("project", "to")},
}

// renamed returns a function that gives an argument of a former tool its new name.
func renamed(old, now string) func(map[string]json.RawMessage) {
	return func(arguments map[string]json.RawMessage) {
		if value, given := arguments[old]; given && arguments[now] == nil {
			arguments[now] = value
			delete(arguments, old)
		}
	}
}
