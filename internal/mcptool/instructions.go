package mcptool

import (
	"fmt"
	"slices"
	"strings"
)

// instructions returns the text that a client's model reads at the start: what holds for every
// tool, then the instructions of the chosen toolsets.
func (s *Server) instructions(toolsets []string, readOnly bool) string {
	parts := []string{s.options.Instructions}
	for toolset := range s.chosen(toolsets) {
		if toolset.Instructions != "" {
			parts = append(parts, toolset.Instructions)
		}
		if toolset.Writing != "" && !readOnly {
			parts = append(parts, toolset.Writing)
		}
	}
	if len(toolsets) == 0 {
		parts = append(parts, s.moreTools(readOnly)...)
	}
	return strings.Join(parts, "\n")
}

// moreTools returns a line that names the tools of the optional toolsets and how to get them. Tools
// of a toolset with a Prefix are named together, because clients shorten long instructions. It
// returns nothing if there are none.
func (s *Server) moreTools(readOnly bool) []string {
	var optional []string
	for _, toolset := range s.toolsets {
		if toolset.Optional {
			optional = append(optional, toolset.Name)
		}
	}
	var names []string
	for toolset, tool := range s.selected(optional, readOnly) {
		name := tool.Name
		if tool.bare != "" {
			name = toolset.Prefix + "*"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(optional) == 0 || len(names) == 0 || s.options.MoreTools == "" {
		return nil
	}
	how := fmt.Sprintf(s.options.MoreTools, strings.Join(s.Toolsets(), ","))
	return []string{"Not served here: " + strings.Join(names, ", ") + ". To get them, " + how + "."}
}
