package mcptool

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
)

// latestLegacy is the newest protocol version with a handshake; an initialize that asks for one we do not serve gets it.
const latestLegacy = mcp.ProtocolVersion20251125

var legacyVersions = []string{latestLegacy, mcp.ProtocolVersion20250618, mcp.ProtocolVersion20250326}

// agreedVersion is the version of a handshake.
func agreedVersion(asked string) string {
	if slices.Contains(legacyVersions, asked) {
		return asked
	}
	return latestLegacy
}

// Options describe a server. Function is the Lambda function that calls are counted for; empty: none. Meter, when set, starts
// counting the upstream requests made under the returned context, and Waited tells of that context how long they took, those
// at one time added up, and how often they were answered 429.
// Reconnector, when set, mends connections whose tools fail with TOKEN_EXPIRED. Once keeps what idempotency keys stand for;
// without it they are taken and mean nothing. Audit, when set, is told of every call, and people read their own there.
type Options struct {
	Name         string
	Title        string
	Version      string
	Instructions string
	Log          *slog.Logger
	Function     string
	Meter        func(context.Context) (context.Context, func() int)
	Waited       func(context.Context) (time.Duration, int)
	Reconnector  Reconnector
	Idempotency  *idempotency.Runner
	Audit        *audit.Trail
}

// Server serves a catalogue of tools over MCP, in every selection of its toolsets.
type Server struct {
	options  Options
	toolsets []Toolset
	tools    map[string]Tool

	mu       sync.Mutex
	handlers map[string]http.Handler
}

// NewServer makes a server of the toolsets a deployment has switched on. Two tools of one name panic, at start, and so do two
// prompts, two resources at one URI, and whichever of these cannot be served.
func NewServer(toolsets []Toolset, options Options) *Server {
	s := &Server{options: options, toolsets: toolsets, tools: map[string]Tool{}, handlers: map[string]http.Handler{}}
	for _, toolset := range toolsets {
		for _, tool := range toolset.Tools {
			if _, taken := s.tools[tool.Name]; taken {
				panic("two tools are named " + tool.Name)
			}
			s.tools[tool.Name] = tool
		}
	}
	checkReadings(s.prompts(nil, false), s.resources(nil))
	return s
}

// Toolsets are the names this server serves, in the order it was given them.
func (s *Server) Toolsets() []string {
	names := make([]string, len(s.toolsets))
	for i, toolset := range s.toolsets {
		names[i] = toolset.Name
	}
	return names
}

// Scope is what a caller must hold to use a tool; false when there is no such tool among those of the named toolsets, or of
// all when none is named.
func (s *Server) Scope(toolsets []string, readOnly bool, tool string) (identity.Scope, bool) {
	for _, t := range s.selected(toolsets, readOnly) {
		if t.Name == tool {
			return t.Scope, true
		}
	}
	return "", false
}

// Handler answers one POSTed JSON-RPC message with one JSON body, for the named toolsets (all when none is named), reads
// only if asked. Handlers are made once for each selection.
func (s *Server) Handler(toolsets []string, readOnly bool) http.Handler {
	key := fmt.Sprint(strings.Join(toolsets, ","), readOnly)
	s.mu.Lock()
	defer s.mu.Unlock()
	handler := s.handlers[key]
	if handler == nil {
		handler = s.newHandler(toolsets, readOnly)
		s.handlers[key] = handler
	}
	return handler
}

func (s *Server) newHandler(toolsets []string, readOnly bool) http.Handler {
	hooks := &server.Hooks{}
	hooks.AddAfterInitialize(func(_ context.Context, _ any, request *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.ProtocolVersion = agreedVersion(request.Params.ProtocolVersion)
	})
	hooks.AddOnError(refuse)
	others := readings{server: s, prompts: s.prompts(toolsets, readOnly), resources: s.resources(toolsets), readOnly: readOnly}
	m := server.NewMCPServer(s.options.Name, s.options.Version, append(others.options(),
		server.WithTitle(s.options.Title),
		server.WithInstructions(s.instructions(toolsets, readOnly)),
		server.WithToolCapabilities(false),
		// What an endpoint lists depends on its URL and headers alone, never on who asks.
		server.WithCacheHints(listTTL, mcp.CacheScopePublic),
		server.WithHooks(hooks),
	)...)
	for toolset, tool := range s.selected(toolsets, readOnly) {
		m.AddTool(tool.mcp(toolset), s.toolHandler(tool, readOnly))
	}
	others.addTo(m)
	transport := server.NewStreamableHTTPServer(m,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),
		server.WithDisableLocalhostProtection(true), // the guard checks Origin, and every request has a bearer
		server.WithStreamableHTTPProtocolVersions(append([]string{mcp.ProtocolVersion20260728}, legacyVersions...)...),
		server.WithStreamableHTTPLogger(s.options.Log),
	)
	return &endpoint{s, transport, s.newLists(toolsets, readOnly)}
}

func (s *Server) toolHandler(tool Tool, readOnly bool) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := toolCall{
			tool: tool, arguments: argumentsOf(ctx, request), channel: audit.MCP, readOnly: readOnly,
			params: request.Params.MultiRoundTripParams,
		}
		return s.call(ctx, c).result(), nil
	}
}

// mcp is the tool's definition for tools/list.
func (t Tool) mcp(toolset Toolset) mcp.Tool {
	hints := t.Effect.annotations(toolset.ClosedWorld)
	definition := mcp.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema())
	definition.Title = t.Title
	definition.RawOutputSchema = t.OutputSchema()
	definition.Annotations = mcp.ToolAnnotation{
		Title:           t.Title,
		ReadOnlyHint:    &hints.readOnly,
		DestructiveHint: &hints.destructive,
		IdempotentHint:  &hints.idempotent,
		OpenWorldHint:   &hints.openWorld,
	}
	return definition
}
