package basecamptools

import (
	"encoding/json"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

// former are the tools that others replace.
var former = []mcptool.Former{
	{Name: "post_campfire_line", Tool: "post_chat_line", Rewrite: projectAs("to")},
}

// projectAs returns a function that gives the project of a former tool to an argument that also
// takes other things.
func projectAs(argument string) func(map[string]json.RawMessage) {
	return func(arguments map[string]json.RawMessage) {
		var ref toolargs.Ref
		given, ok := arguments["project"]
		if !ok || json.Unmarshal(given, &ref) != nil {
			return
		}
		delete(arguments, "project")
		text := ref.String()
		if word, _ := lookup.CutType(text); word == "" && ref.URL == "" {
			text = lookup.ProjectKind.Kind + ":" + text
		}
		arguments[argument], _ = json.Marshal(text) // a string always has JSON
	}
}
