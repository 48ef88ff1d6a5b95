package mcptool

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/identity"
)

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
