package mcptool

import (
	"fmt"
	"slices"
	"strings"
)

// instructions returns the text that a client's model reads at the start: what holds for every
// tool, then the instructions of the chosen toolsets.
func (s *Server) instructions(chosen Selection) string {
	parts := []string{s.options.Instructions}
	for toolset := range s.chosenToolsets(chosen.Toolsets) {
		if toolset.Instructions != "" {
			parts = append(parts, toolset.Instructions)
		}
		if toolset.Writing != "" && !chosen.ReadOnly {
			parts = append(parts, toolset.Writing)
		}
	}
	return strings.Join(append(parts, s.moreTools(chosen)...), "\n")
}

// moreTools returns a line that says what a selection does not serve and how to get it. It returns
// nothing if that is nothing.
func (s *Server) moreTools(chosen Selection) []string {
	missing := slices.DeleteFunc(s.Toolsets(), func(name string) bool {
		return slices.ContainsFunc(slices.Collect(s.chosenToolsets(chosen.Toolsets)), func(t Toolset) bool { return t.Name == name })
	})
	names := s.toolNames(Selection{Toolsets: missing, ReadOnly: chosen.ReadOnly})
	if len(names) == 0 || s.options.MoreTools == "" {
		return nil
	}
	what := strings.Join(names, ", ")
	if len(chosen.Toolsets) > 0 { // the other toolsets may have many tools
		what = "toolsets " + strings.Join(missing, ", ")
	}
	how := fmt.Sprintf(s.options.MoreTools, strings.Join(s.Toolsets(), ","))
	return []string{"Not served here: " + what + ". To get them, " + how + "."}
}

// toolNames returns the names of the tools of some toolsets. Tools of a toolset with a Prefix are
// named together, because clients shorten long instructions.
func (s *Server) toolNames(chosen Selection) (names []string) {
	if len(chosen.Toolsets) == 0 {
		return nil
	}
	for toolset, tool := range s.selectedTools(chosen) {
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
