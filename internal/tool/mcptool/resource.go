package mcptool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resource is a template of URIs, such as orchard://trees/{id}. A caller with the read scope
// reads Markdown there. A variable is one part of a path, unescaped and never empty.
type Resource struct {
	Name, Title, Description, URITemplate string
	Read                                  func(ctx context.Context, variables map[string]string) (text string, err error)
	Complete                              map[string]Complete // proposes values, by variable

	provider string // of its toolset
}

const markdownType = "text/markdown"

var (
	// uriTemplate matches the simplest kind of template. If several templates of another kind match
	// a URI, mcp-go takes any of them.
	uriTemplate = lazyregexp.New(`^[a-z][a-z0-9]*://[a-z0-9_-]+(/([a-z0-9_-]+|\{[a-z0-9_]+\}))+$`)
	uriVariable = lazyregexp.New(`\{([a-z0-9_]+)\}`)
)

// check panics if the resource cannot be served.
func (r Resource) check() {
	if r.Name == "" || r.Title == "" || r.Description == "" || r.Read == nil || !uriTemplate.MatchString(r.URITemplate) {
		panic(fmt.Sprintf("resource %q: needs a name, a title, a description, a reader and a template that matches %s", r.Name, uriTemplate))
	}
	for name := range r.Complete {
		if !slices.Contains(r.variables(), name) {
			panic(fmt.Sprintf("resource %s: completes %s, which is not in its template", r.Name, name))
		}
	}
}

// variables returns the variables of the template.
func (r Resource) variables() []string {
	var names []string
	for _, match := range uriVariable.FindAllStringSubmatch(r.URITemplate, -1) {
		names = append(names, match[1])
	}
	return names
}

// resources returns the resources of a selection; see [Server.Handler].
func (s *Server) resources(toolsets []string) []Resource {
	var resources []Resource
	for toolset := range s.chosenToolsets(toolsets) {
		resources = append(resources, toolset.Resources...)
	}
	return resources
}

// mcp returns the resource's definition for resources/templates/list.
func (r Resource) mcp() mcp.ResourceTemplate {
	return mcp.NewResourceTemplate(r.URITemplate, r.Name,
		mcp.WithTemplateTitle(r.Title), mcp.WithTemplateDescription(r.Description), mcp.WithTemplateMIMEType(markdownType))
}

func (s *Server) resourceHandler(r Resource, readOnly bool) server.ResourceTemplateHandlerFunc {
	return func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		uri := request.Params.URI
		variables, ok := variablesIn(request.Params.Arguments)
		i := invocation{kind: "resource", name: r.Name, provider: r.provider, channel: calls.MCP, arguments: func() []calls.Argument { return auditableVariables(variables) }}
		text, err := read(ctx, s, i, readOnly, func(ctx context.Context) (string, error) {
			if !ok {
				return "", unknownResource(uri)
			}
			return r.Read(ctx, variables)
		})
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: markdownType, Text: text}}, nil
	}
}

// variablesIn returns the variables that mcp-go found. ok is false if one is empty, is not a text,
// or is longer than any name.
func variablesIn(arguments map[string]any) (variables map[string]string, ok bool) {
	variables = make(map[string]string, len(arguments))
	for name, found := range arguments {
		value := fmt.Sprint(found)
		if parts, isList := found.([]string); isList && len(parts) > 0 {
			value = parts[0]
		}
		if value == "" || !utf8.ValidString(value) || utf8.RuneCountInString(value) > maxFilledIn {
			return nil, false
		}
		variables[name] = value
	}
	return variables, true
}

// auditableVariables returns the names of the variables, with the values that are IDs.
func auditableVariables(variables map[string]string) []calls.Argument {
	named := []calls.Argument{}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		argument := calls.Argument{Name: name}
		if toolargs.IsInteger(variables[name]) {
			argument.Value = variables[name]
		}
		named = append(named, argument)
	}
	return named
}

// mostURI is the maximum length of a URI in bytes. A project's name of 255 characters takes 3,060
// bytes if each is escaped.
const mostURI = 4096

// isReadable reports whether one of the server's templates can match a URI. mcp-go's matching takes
// time that grows with the URI and with the square of its commas, outside every time budget, so
// other URIs must not reach it. A comma separates the values of a list (RFC 6570 section 3.2.2);
// these templates have no list, and a comma in a name is escaped.
func isReadable(uri string) bool { return len(uri) <= mostURI && !strings.Contains(uri, ",") }

func unknownResource(uri string) *fault.Error {
	return fault.New(fault.NotFound, "there is no resource at %s; resources/templates/list returns what can be read", plaintext.Quote(uri))
}

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
	Calls      []calls.Entry `json:"calls"`
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
	entries, next, err := s.options.Calls.Page(ctx, caller.Subject, cursor)
	if errors.Is(err, calls.ErrCursor) {
		return callsPage{}, errCursor
	}
	if err != nil {
		return callsPage{}, fault.New(fault.UpstreamError, "could not read the record of calls; try again in a moment").Because(err)
	}
	if caller.Fence.Hides() { // the calls of other clients name what this one must not see
		entries = slices.DeleteFunc(entries, func(e calls.Entry) bool { return e.Connection != caller.Connection })
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
