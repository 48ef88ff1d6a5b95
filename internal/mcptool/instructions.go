package mcptool

import "strings"

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
	return strings.Join(parts, "\n")
}
