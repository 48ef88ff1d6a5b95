package mcptool

import (
	"cmp"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// Selection is the part of the catalogue that a request asks for. No toolsets means every toolset
// that is not optional; ReadOnly leaves out what writes.
type Selection = mcphttp.Selection

// selectionKey is a selection whose toolsets are joined by commas.
type selectionKey struct {
	toolsets string
	readOnly bool
}

// part is what the server has made for a selection.
type part struct {
	tools   map[string]Tool // by each name that a call can use
	handler func() http.Handler
}

// mostSelections limits the memory that clients can fill with selections. A handler holds up to 0.3
// MB, and a client that tries all selections would need a hundred of them.
const mostSelections = 16

// part returns what belongs to a selection. The server keeps that of mostSelections selections.
func (s *Server) part(chosen Selection) part {
	key := selectionKey{strings.Join(chosen.Toolsets, ","), chosen.ReadOnly}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.parts[key]
	if !ok {
		tools := s.callable(chosen)
		p = part{tools, sync.OnceValue(func() http.Handler { return s.newHandler(chosen, tools) })}
		if len(s.parts) >= mostSelections {
			clear(s.parts)
		}
		s.parts[key] = p
	}
	return p
}

// Handler returns a handler that answers one POSTed JSON-RPC message with one JSON body.
func (s *Server) Handler(chosen Selection) http.Handler { return s.part(chosen).handler() }

// Scope returns the scope that a tool needs, and false if the selection has no such tool.
func (s *Server) Scope(chosen Selection, tool string) (identity.Scope, bool) {
	found, ok := s.part(chosen).tools[tool]
	return found.Scope, ok
}

// callable returns the tools of a selection by each name that a call can use: their own, and a bare
// name that only one of them has.
func (s *Server) callable(chosen Selection) map[string]Tool {
	tools, bare := map[string]Tool{}, map[string][]Tool{}
	for _, tool := range s.selectedTools(chosen) {
		if tool.previews != nil {
			tool.previews = &chosen.Toolsets
		}
		tools[tool.Name] = tool
		if tool.bare != "" {
			bare[tool.bare] = append(bare[tool.bare], tool)
		}
	}
	for name, all := range bare {
		if _, taken := tools[name]; !taken && len(all) == 1 {
			tools[name] = all[0]
		}
	}
	return tools
}

// chosenToolsets iterates over the toolsets of a selection.
func (s *Server) chosenToolsets(toolsets []string) iter.Seq[Toolset] {
	return func(yield func(Toolset) bool) {
		for _, toolset := range s.toolsets {
			chosen := slices.Contains(toolsets, toolset.Name) || len(toolsets) == 0 && !toolset.Optional
			if chosen && !yield(toolset) {
				return
			}
		}
	}
}

// served returns the names of the toolsets of a selection.
func (s *Server) served(toolsets []string) map[string]bool {
	served := map[string]bool{}
	for toolset := range s.chosenToolsets(toolsets) {
		served[toolset.Name] = true
	}
	return served
}

// selectedTools iterates over the tools of a selection, with their toolsets. If one of them writes,
// the server's own tools follow.
func (s *Server) selectedTools(chosen Selection) iter.Seq2[Toolset, Tool] {
	return func(yield func(Toolset, Tool) bool) {
		writing, served := false, s.served(chosen.Toolsets)
		for toolset := range s.chosenToolsets(chosen.Toolsets) {
			for _, tool := range toolset.Tools {
				if tool.Effect != Reads && chosen.ReadOnly {
					continue
				}
				writing = writing || tool.Effect != Reads
				if !served[tool.beside.toolset] {
					tool.hides = tool.beside.argument
				}
				if !yield(toolset, tool) {
					return
				}
			}
		}
		for _, tool := range s.builtIn.Tools {
			if writing && !yield(s.builtIn, tool) {
				return
			}
		}
	}
}

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
	return "", nearestTools(s.part(chosen).tools, name)
}

// nearestTools returns up to three tools whose names differ from a name in a third of its
// characters at most, or are its first words, each once.
func nearestTools(tools map[string]Tool, name string) []fault.Candidate {
	const most = 3
	name = strings.ToLower(name)
	least := map[string]int{}
	for called, tool := range tools {
		changes := naming.Distance(strings.ToLower(called), name)
		if before, known := least[tool.Name]; (changes <= len(name)/3 || strings.HasPrefix(name, strings.ToLower(called)+"_")) && (!known || changes < before) {
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
