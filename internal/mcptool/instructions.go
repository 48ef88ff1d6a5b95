package mcptool

import "strings"

// instructions are what a client's model is told at the beginning: what holds for every tool here, and then what the chosen
// toolsets have to say.
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
