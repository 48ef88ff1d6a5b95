package mcptool

import (
	"slices"
	"strings"
)

// instructions are what a client's model is told at the beginning: what holds for every tool here, and then what the chosen
// toolsets have to say.
func (s *Server) instructions(toolsets []string) string {
	parts := []string{s.options.Instructions}
	for _, toolset := range s.toolsets {
		if toolset.Instructions != "" && (len(toolsets) == 0 || slices.Contains(toolsets, toolset.Name)) {
			parts = append(parts, toolset.Instructions)
		}
	}
	return strings.Join(parts, "\n")
}
