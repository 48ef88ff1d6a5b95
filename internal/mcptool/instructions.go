package mcptool

import (
	"slices"
	"strings"
)

// instructions are what a client's model is told at the beginning: what holds for every tool here, and then what the chosen
// toolsets have to say. Where only reads are served, those of a closed world say nothing: they tell how to write.
func (s *Server) instructions(toolsets []string, readOnly bool) string {
	parts := []string{s.options.Instructions}
	for _, toolset := range s.toolsets {
		chosen := len(toolsets) == 0 || slices.Contains(toolsets, toolset.Name)
		if toolset.Instructions != "" && chosen && !(readOnly && toolset.ClosedWorld) {
			parts = append(parts, toolset.Instructions)
		}
	}
	return strings.Join(parts, "\n")
}
