package mcptool

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/signin/identity"
)

const (
	viewsExtension = "io.modelcontextprotocol/ui"
	viewType       = "text/html;profile=mcp-app"
)

// View is a page that a client may show beside the answers of some tools (MCP Apps). It is the same
// for everyone, so it is on every endpoint, and clients may cache it.
type View struct {
	URI, Name, Title, Description string
	Tools                         []string // whose answers it shows
	Calls                         []string // the tools that it calls
	HTML                          func() string
}

// viewMeta returns what a client must know of a page. No domain is named: the page asks none, and
// a wrong one keeps some clients from showing it.
func viewMeta() map[string]any {
	return map[string]any{"ui": map[string]any{"csp": map[string]any{"connectDomains": []string{}, "resourceDomains": []string{}}, "prefersBorder": true}}
}

// addViews adds the pages.
func (s *Server) addViews(m *server.MCPServer, hooks *server.Hooks) {
	for _, v := range s.options.Views {
		m.AddResource(mcp.Resource{
			URI: v.URI, Name: v.Name, Title: v.Title, Description: v.Description, MIMEType: viewType, Meta: &mcp.Meta{AdditionalFields: viewMeta()},
		}, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: v.URI, MIMEType: viewType, Text: v.HTML(), Meta: viewMeta()}}, nil
		})
	}
	hooks.AddAfterReadResource(func(_ context.Context, _ any, request *mcp.ReadResourceRequest, result *mcp.ReadResourceResult) {
		if slices.ContainsFunc(s.options.Views, func(v View) bool { return v.URI == request.Params.URI }) {
			result.SetCacheHints(listTTL, mcp.CacheScopePublic)
		}
	})
}

// viewOf returns the page that shows the answers of a tool, or the zero View.
func (s *Server) viewOf(tool string) View {
	for _, v := range s.options.Views {
		if slices.Contains(v.Tools, tool) {
			return v
		}
	}
	return View{}
}

// callableKey is the member of an answer's _meta that names the tools which its page may call.
const callableKey = "basecamp-mcp/tools"

// viewFacts returns what the page of an answer must know: the tools that it can call, of those that
// the endpoint offers and the caller's scopes allow. It returns nil if there is no page.
func (s *Server) viewFacts(ctx context.Context, c toolCall) *mcp.Meta {
	v := s.viewOf(c.tool.Name)
	if v.URI == "" || c.offered == nil {
		return nil
	}
	caller, _ := identity.From(ctx)
	callable := slices.DeleteFunc(slices.Clone(v.Calls), func(name string) bool {
		tool, ok := c.offered[name]
		return !ok || !caller.Can(tool.Scope)
	})
	return &mcp.Meta{AdditionalFields: map[string]any{callableKey: callable}}
}

// toolMeta returns the _meta of a tool with a page, or nil.
func toolMeta(uri string) map[string]any {
	if uri == "" {
		return nil
	}
	return map[string]any{"ui": map[string]any{"resourceUri": uri}}
}
