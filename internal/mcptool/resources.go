package mcptool

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/identity"
)

const (
	callsURI      = "audit://calls"
	callsTemplate = callsURI + "{?cursor}"
	jsonType      = "application/json"
)

// resourceOptions are those of a server that keeps an audit trail: every person reads their own calls, fifty
// at a time.
func (s *Server) resourceOptions() []server.ServerOption {
	if s.options.Audit == nil {
		return nil
	}
	return []server.ServerOption{
		server.WithResourceCapabilities(false, false),
		// The lists are the same for all; what is read is the reader's own, and grows with every call.
		server.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
	}
}

func (s *Server) addResources(m *server.MCPServer) {
	if s.options.Audit == nil {
		return
	}
	const about = "Every tool call of this person in the last 90 days, newest first: time, tool, ids among the arguments, outcome, client. "
	m.AddResource(mcp.NewResource(callsURI, "calls",
		mcp.WithResourceTitle("Your calls"),
		mcp.WithResourceDescription(about+"Read next for the page behind."),
		mcp.WithMIMEType(jsonType),
	), s.readCalls)
	m.AddResourceTemplate(mcp.NewResourceTemplate(callsTemplate, "calls page",
		mcp.WithTemplateTitle("Your calls, from a cursor"),
		mcp.WithTemplateDescription(about+"cursor is the next_cursor of a page."),
		mcp.WithTemplateMIMEType(jsonType),
	), s.readCalls)
}

type callsPage struct {
	Calls      []audit.Entry `json:"calls"`
	HasMore    bool          `json:"has_more"`
	NextCursor *string       `json:"next_cursor"`
	Next       string        `json:"next,omitempty"` // the URI of the page behind
}

// What a reader is told; mcp-go sends an error's text to the client.
var (
	errReader = errors.New("this connection may not read the record of calls: it needs the scope \"read\"")
	errCursor = errors.New("the cursor is none of ours; read " + callsURI + " without one")
	errCalls  = errors.New("the record of calls could not be read; try again in a moment")
)

func (s *Server) readCalls(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	caller, ok := identity.From(ctx)
	if !ok || !caller.Can(identity.Read) {
		return nil, errReader
	}
	cursor, ok := cursorIn(request.Params.URI)
	if !ok {
		return nil, errCursor
	}
	entries, next, err := s.options.Audit.Page(ctx, caller.Subject, cursor)
	if errors.Is(err, audit.ErrCursor) {
		return nil, errCursor
	}
	if err != nil {
		s.options.Log.ErrorContext(ctx, "read the audit trail", "err", err, "request_id", identity.RequestID(ctx))
		return nil, errCalls
	}
	page := callsPage{Calls: entries}
	if next != "" {
		page.HasMore, page.NextCursor, page.Next = true, &next, callsURI+"?cursor="+url.QueryEscape(next)
	}
	encoded, err := encode(listsFilled(page))
	if err != nil {
		return nil, errCalls
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: jsonType, Text: string(encoded)}}, nil
}

// cursorIn is the cursor of a URI, "" for the first page. mcp-go takes whatever looks a little like the template: who
// misspells the parameter must not read the first page again and again.
func cursorIn(uri string) (cursor string, ok bool) {
	if uri == callsURI {
		return "", true
	}
	query, found := strings.CutPrefix(uri, callsURI+"?")
	values, err := url.ParseQuery(query)
	cursor = values.Get("cursor")
	return cursor, found && err == nil && len(values) == 1 && cursor != ""
}
