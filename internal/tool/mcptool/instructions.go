package mcptool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/signin/identity"
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
		if toolset.Name == "" { // every selection has the server's own tools
			continue
		}
		name := tool.Name
		if tool.bare != "" {
			name = toolset.Prefix + "*"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Icon is an image of the server.
type Icon struct {
	Source string // an https or data URI; empty for no icon
	Type   string // media type
}

// brief returns the name of the server, which every result of the stateless era carries.
func (s *Server) brief() mcp.Implementation {
	return mcp.Implementation{Name: s.options.Name, Version: s.options.Version, Title: s.options.Title}
}

// introduction returns what initialize and server/discover say about the server. Only these two
// carry its description, its website and its icon: in every other result they would be repeated.
// The website is the front page, at the origin of the request.
func (s *Server) introduction(ctx context.Context) mcp.Implementation {
	about := s.brief()
	about.Description = s.options.Description
	if origin := identity.Origin(ctx); origin != "" {
		about.WebsiteURL = origin + "/"
	}
	if s.options.Icon.Source != "" {
		about.Icons = []mcp.Icon{{Src: s.options.Icon.Source, MIMEType: s.options.Icon.Type, Sizes: []string{"any"}}}
	}
	return about
}
