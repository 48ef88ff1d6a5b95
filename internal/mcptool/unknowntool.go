package mcptool

import (
	"cmp"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// unknownTool returns the fault for a name that none of the tools has, with the tools that have a
// similar one.
func unknownTool(tools map[string]Tool, name string) *fault.Error {
	f := fault.New(fault.NotFound, "Unknown tool: %s", plaintext.Word(name))
	f.Nearest = nearestTools(tools, name)
	if len(f.Nearest) > 0 {
		f.Message += "; data.nearest has tools with similar names"
	}
	return f
}

// NearestTools returns the tools of a selection (see [Server.Handler]) whose names are similar to a
// name that none of them has.
func (s *Server) NearestTools(toolsets []string, readOnly bool, name string) []fault.Candidate {
	return nearestTools(s.callable(toolsets, readOnly), name)
}

// nearestTools returns up to three tools whose names differ from a name in a third of its
// characters at most, each once.
func nearestTools(tools map[string]Tool, name string) []fault.Candidate {
	const most = 3
	name = strings.ToLower(name)
	least := map[string]int{}
	for called, tool := range tools {
		changes := toolargs.Distance(strings.ToLower(called), name)
		if before, known := least[tool.Name]; changes <= len(name)/3 && (!known || changes < before) {
			least[tool.Name] = changes
		}
	}
	var found []fault.Candidate
	for tool := range least {
		found = append(found, fault.Candidate{Type: "tool", Name: tool})
	}
	slices.SortFunc(found, func(a, b fault.Candidate) int {
		return cmp.Or(least[a.Name]-least[b.Name], strings.Compare(a.Name, b.Name))
	})
	return found[:min(len(found), most)]
}
