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
	for toolset := range s.chosenToolsets(toolsets) {
		if toolset.Instructions != "" {
			parts = append(parts, toolset.Instructions)
		}
		if toolset.Writing != "" && !readOnly {
			parts = append(parts, toolset.Writing)
		}
	}
	return strings.Join(append(parts, s.moreTools(toolsets, readOnly)...), "\n")
}

// moreTools returns a line that says what a selection does not serve and how to get it. It returns
// nothing if that is nothing.
func (s *Server) moreTools(toolsets []string, readOnly bool) []string {
	missing := slices.DeleteFunc(s.Toolsets(), func(name string) bool {
		return slices.ContainsFunc(slices.Collect(s.chosenToolsets(toolsets)), func(t Toolset) bool { return t.Name == name })
	})
	names := s.toolNames(missing, readOnly)
	if len(names) == 0 || s.options.MoreTools == "" {
		return nil
	}
	what := strings.Join(names, ", ")
	if len(toolsets) > 0 { // the other toolsets may have many tools
		what = "toolsets " + strings.Join(missing, ", ")
	}
	how := fmt.Sprintf(s.options.MoreTools, strings.Join(s.Toolsets(), ","))
	return []string{"Not served here: " + what + ". To get them, " + how + "."}
}

// toolNames returns the names of the tools of some toolsets. Tools of a toolset with a Prefix are
// named together, because clients shorten long instructions.
func (s *Server) toolNames(toolsets []string, readOnly bool) (names []string) {
	if len(toolsets) == 0 {
		return nil
	}
	for toolset, tool := range s.selectedTools(toolsets, readOnly) {
		name := tool.Name
		if tool.previews != nil { // every selection has it
			continue
		}
		if tool.bare != "" {
			name = toolset.Prefix + "*"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
