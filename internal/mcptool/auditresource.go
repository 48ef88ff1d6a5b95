package mcptool

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/toolanswer"
)

const (
	callsURI      = "audit://calls"
	callsTemplate = callsURI + "{?cursor}"
	jsonType      = "application/json"
)

// addCalls adds the resources in which callers read their own calls, fifty per page.
func (s *Server) addCalls(m *server.MCPServer) {
	const about = "All your tool calls of the last 90 days, newest first: time, tool, IDs among the arguments, outcome, client. "
	m.AddResource(mcp.NewResource(callsURI, "calls",
		mcp.WithResourceTitle("Your calls"),
		mcp.WithResourceDescription(about+"Read next for the next page."),
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
	Next       string        `json:"next,omitempty"` // the URI of the next page
}

func (s *Server) readCalls(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	uri := request.Params.URI
	page, err := read(ctx, s, invocation{kind: "resource", name: "calls"}, true, func(ctx context.Context) (callsPage, error) {
		return s.callsAt(ctx, uri)
	})
	if err != nil {
		return nil, err
	}
	filled, _ := toolanswer.FillLists(page)
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: jsonType, Text: string(toolanswer.MustEncode(filled))}}, nil
}

// callsAt returns the page of the caller's own calls at a URI.
func (s *Server) callsAt(ctx context.Context, uri string) (callsPage, error) {
	cursor, ok := cursorIn(uri)
	if !ok {
		return callsPage{}, errCursor
	}
	caller, _ := identity.From(ctx)
	entries, next, err := s.options.Audit.Page(ctx, caller.Subject, cursor)
	if errors.Is(err, audit.ErrCursor) {
		return callsPage{}, errCursor
	}
	if err != nil {
		return callsPage{}, fault.New(fault.UpstreamError, "could not read the record of calls; try again in a moment").Because(err)
	}
	if caller.Fence.Hides() { // the calls of other clients name what this one must not see
		entries = slices.DeleteFunc(entries, func(e audit.Entry) bool { return e.Connection != caller.Connection })
	}
	page := callsPage{Calls: entries}
	if next != "" {
		page.HasMore, page.NextCursor, page.Next = true, &next, callsURI+"?cursor="+url.QueryEscape(next)
	}
	return page, nil
}

var errCursor = fault.New(fault.InvalidInput, "this server did not issue the cursor; read "+callsURI+" without a cursor")

// cursorIn returns the cursor in a URI, or "" for the first page. mcp-go also matches URIs that
// only resemble the template: a client that misspells the parameter must not read the first page
// again and again.
func cursorIn(uri string) (cursor string, ok bool) {
	if uri == callsURI {
		return "", true
	}
	query, found := strings.CutPrefix(uri, callsURI+"?")
	values, err := url.ParseQuery(query)
	cursor = values.Get("cursor")
	return cursor, found && err == nil && len(values) == 1 && cursor != ""
}
