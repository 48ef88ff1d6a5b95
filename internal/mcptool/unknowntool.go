package mcptool

import (
	"cmp"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// unknownTool returns the fault for a name that no tool of a selection has.
func (s *Server) unknownTool(chosen Selection, name string) *fault.Error {
	f := fault.New(fault.NotFound, "Unknown tool: %s", plaintext.Word(name))
	var how string
	how, f.Nearest = s.Unknown(chosen, name)
	switch {
	case how != "":
		f.Message += "; " + how
	case len(f.Nearest) > 0:
		f.Message += "; data.nearest has tools with similar names"
	}
	return f
}

// Unknown returns what helps with a name that no tool of a selection has (see [Server.Handler]):
// how to do what the name says, if a toolset knows, or else the tools that have a similar name.
func (s *Server) Unknown(chosen Selection, name string) (how string, nearest []fault.Candidate) {
	for toolset := range s.chosenToolsets(chosen.Toolsets) {
		if toolset.Unknown == nil {
			continue
		}
		if how := toolset.Unknown(name); how != "" {
			return how, nil
		}
	}
	return "", nearestTools(s.cachedTools(chosen), name)
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
