package mcptool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/signin/provider"
)

// latestLegacy is the newest protocol version with a handshake. The server offers it if an
// initialize asks for an unknown version.
const latestLegacy = mcp.ProtocolVersion20251125

var legacyVersions = []string{latestLegacy, mcp.ProtocolVersion20250618, mcp.ProtocolVersion20250326}

// agreedVersion returns the version that a handshake agrees on.
func agreedVersion(asked string) string {
	if slices.Contains(legacyVersions, asked) {
		return asked
	}
	return latestLegacy
}

// Options describe a server.
type Options struct {
	Name         string
	Title        string
	Version      string
	Instructions string
	// Description is a sentence that clients show about the server. It may be empty.
	Description string
	// Icon is shown by clients next to the server's name. It may be zero.
	Icon Icon
	// MoreTools says in the instructions how a client gets the optional toolsets: a format of the
	// names of all toolsets, separated by commas. If it is empty, the instructions do not name
	// their tools.
	MoreTools string
	Log       *slog.Logger
	// Table is the deployment's table, which names the metrics. If it is empty, there are none.
	Table string
	// Meter starts to count the upstream requests made under the returned context. It may be nil.
	Meter func(context.Context) (context.Context, func() int)
	// Waited returns how long the upstream requests under a context took, parallel ones added up,
	// and how many were answered 429. It may be nil.
	Waited func(context.Context) (time.Duration, int)
	// Providers are the upstream providers. Users sign in with the first; only its grants keep a
	// client connected.
	Providers []provider.Provider
	// ReconnectURL returns a link with which only the caller in ctx can connect to a provider, for
	// the first time or again, or "" if a link would not help. scopes are what the caller must
	// grant in addition to what the provider has granted. If it is nil, failures have no links.
	ReconnectURL func(ctx context.Context, providerID string, scopes []string) (string, error)
	// EndConnection ends the caller's connection after the failure of a provider's grant, if
	// nothing else can repair it, so that the client asks the user to sign in again. The failure of
	// a provider with which users do not sign in ends no connection. It may be nil with ReconnectURL.
	EndConnection func(ctx context.Context, providerID string) error
	// Calls keeps what happened to each call: callers read their own calls there, repeat them by
	// idempotency keys, and undo them. If nil, as in tests, keys are accepted and ignored.
	Calls *calls.Log
	// Views are the pages that tools name.
	Views []View
	// Restorers undo the writes of a provider, by its name in their steps.
	Restorers map[string]undo.Restorer
}

// Server serves a catalogue of tools over MCP, in every selection of its toolsets.
type Server struct {
	options  Options
	toolsets []Toolset
	builtIn  Toolset // its tools belong to every selection in which a tool writes
	tools    map[string]Tool
	digest   func() string // of the list of tools

	mu    sync.Mutex
	parts map[selectionKey]part
}

// NewServer returns a server of the toolsets that a deployment has enabled. It panics if two tools
// or two prompts have one name, if two resources have one URI, or if one of them cannot be served.
func NewServer(toolsets []Toolset, options Options) *Server {
	s := &Server{options: options, tools: map[string]Tool{}, parts: map[selectionKey]part{}}
	s.builtIn = s.ownTools()
	for _, tool := range s.builtIn.Tools {
		s.tools[tool.Name] = tool
	}
	for _, toolset := range toolsets {
		toolset = toolset.bind()
		s.toolsets = append(s.toolsets, toolset)
		for _, tool := range toolset.Tools {
			if _, taken := s.tools[tool.Name]; taken {
				panic("two tools are named " + tool.Name)
			}
			s.tools[tool.Name] = tool
		}
	}
	s.digest = sync.OnceValue(func() string {
		sum := sha256.Sum256(s.listJSON(Selection{}))
		return hex.EncodeToString(sum[:])
	})
	checkReadings(s.prompts(Selection{}), s.resources(nil))
	return s
}

// Toolsets returns the names of the toolsets, in the order of NewServer's argument.
func (s *Server) Toolsets() []string {
	names := make([]string, len(s.toolsets))
	for i, toolset := range s.toolsets {
		names[i] = toolset.Name
	}
	return names
}

// BuiltIn returns the toolset of the server's own tools, which belong to every selection in which a
// tool writes.
func (s *Server) BuiltIn() Toolset { return s.builtIn }

// newHandler returns the handler of a selection with tools.
func (s *Server) newHandler(chosen Selection, tools map[string]Tool) http.Handler {
	hooks := &server.Hooks{}
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, request *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.ProtocolVersion = agreedVersion(request.Params.ProtocolVersion)
		result.ServerInfo = s.introduction(ctx)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.EnsureResultMeta().SetServerInfo(s.introduction(ctx))
	})
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, request any, err error) {
		s.refuse(ctx, chosen, method, request, err)
	})
	others := readings{server: s, prompts: s.prompts(chosen), resources: s.resources(chosen.Toolsets), readOnly: chosen.ReadOnly}
	m := server.NewMCPServer(s.options.Name, s.options.Version, append(others.options(),
		server.WithTitle(s.options.Title),
		server.WithInstructions(s.instructions(chosen)),
		server.WithToolCapabilities(false),
		// The lists of an endpoint depend only on its URL and headers, never on the caller.
		server.WithCacheHints(listTTL, mcp.CacheScopePublic),
		server.WithHooks(hooks),
	)...)
	addTools(m, hooks, tools, s.viewOf, func(tool Tool) server.ToolHandlerFunc { return s.toolHandler(tool, tools, chosen.ReadOnly) })
	others.addTo(m)
	s.addViews(m, hooks)
	transport := server.NewStreamableHTTPServer(m,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),
		server.WithDisableLocalhostProtection(true), // the guard checks Origin, and every request has a bearer
		server.WithStreamableHTTPProtocolVersions(append([]string{mcp.ProtocolVersion20260728}, legacyVersions...)...),
		server.WithStreamableHTTPLogger(s.options.Log),
	)
	return &endpoint{
		server: s, mcp: transport, lists: s.newLists(chosen), readOnly: chosen.ReadOnly,
		tools: tools, about: map[string]any{mcp.MetaKeyServerInfo: s.brief()},
	}
}

// addTools adds tools to mcp-go by each name that a call can use. mcp-go lists whatever it can
// call, so a hook removes the names that are not the tools' own from its lists.
func addTools(m *server.MCPServer, hooks *server.Hooks, tools map[string]Tool, view func(string) View, handler func(Tool) server.ToolHandlerFunc) {
	for name, tool := range tools {
		definition := tool.mcp()
		definition.Name = name
		if meta := toolMeta(view(tool.Name).URI); meta != nil {
			definition.Meta = &mcp.Meta{AdditionalFields: meta}
		}
		m.AddTool(definition, handler(tool))
	}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, list *mcp.ListToolsResult) {
		list.Tools = slices.DeleteFunc(list.Tools, func(tool mcp.Tool) bool { return tools[tool.Name].Name != tool.Name })
	})
}

func (s *Server) toolHandler(tool Tool, offered map[string]Tool, readOnly bool) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := answerIn(ctx)
		if answer != nil && answer.called != nil {
			return answer.called.result(ctx)
		}
		c := toolCall{tool: tool, offered: offered, arguments: request.Params.RawArguments, channel: calls.MCP, readOnly: readOnly}
		if modern(ctx) { // the legacy era ignores unknown parameters
			c.params = request.Params.MultiRoundTripParams
		}
		if answer != nil && answer.arguments != nil {
			c.arguments = answer.arguments
		}
		return s.call(ctx, c).result(ctx)
	}
}

// mcp returns the tool's definition for tools/list.
func (t Tool) mcp() mcp.Tool {
	definition := mcp.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema())
	definition.Title = t.Title
	definition.RawOutputSchema = t.OutputSchema()
	definition.Annotations = t.annotations()
	return definition
}
