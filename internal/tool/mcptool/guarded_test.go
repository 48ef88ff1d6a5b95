package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
)

// readers accepts every token, with the read scope.
type readers struct{ mcphttp.MemorySessions }

func (*readers) Authenticate(context.Context, string, string) (identity.Caller, bool, error) {
	return identity.Caller{Subject: "37s:1", Connection: "c1", Scopes: []identity.Scope{identity.Read}, Key: []byte("key")}, false, nil
}

// shelf returns a toolset with prompts and resources.
func shelf() []mcptool.Toolset {
	say := func(_ context.Context, said map[string]string) (string, error) { return fmt.Sprint(said), nil }
	propose := func(_ context.Context, prefix string) ([]string, error) { return []string{prefix + " bike"}, nil }
	return []mcptool.Toolset{{
		Name: "shelf",
		Prompts: []mcptool.Prompt{{
			Name: "review", Title: "Review", Description: "Reviews.", Text: say,
			Arguments: []mcptool.PromptArgument{{Name: "bike", Description: "Which", Complete: propose}},
		}},
		Resources: []mcptool.Resource{{
			Name: "bike", Title: "Bike", Description: "A bike.", URITemplate: "basecamp://bikes/{id}", Read: say,
		}},
	}}
}

func newGuard(tools ...mcptool.Tool) *mcphttp.Guard {
	log := slog.New(slog.DiscardHandler)
	toolsets := shelf()
	toolsets[0].Tools = tools
	server := mcptool.NewServer(toolsets, mcptool.Options{Name: "test", Version: "1", Log: log, Calls: calls.New(memory.New(nil), log, nil)})
	return &mcphttp.Guard{
		Catalog: server, Authenticator: &readers{},
		Origin: func(*http.Request) string { return "https://mcp.fernhill.example" },
	}
}

// bearer are the headers of a request that passes the guard.
var bearer = http.Header{"Authorization": {"Bearer x"}, "Content-Type": {"application/json"}}

// send posts a message through a guard. name is for the header of the stateless era.
func send(guard http.Handler, version, method, name, params string) *httptest.ResponseRecorder {
	const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	header := bearer.Clone()
	header.Set("Mcp-Protocol-Version", version)
	if version == "2026-07-28" {
		params = strings.TrimPrefix(params+","+stateless, ",")
		header.Set("Mcp-Method", method)
		if name != "" {
			header.Set("Mcp-Name", name)
		}
	}
	return mcptest.Post(context.Background(), guard, identity.Caller{}, mcptest.Message(method, "{"+params+"}"), header)
}

func TestReadings_PassTheGuardInBothEras(t *testing.T) {
	for _, test := range []struct{ method, name, params, want string }{
		{"prompts/list", "", "", `"name":"review"`},
		{"prompts/get", "review", `"name":"review","arguments":{"bike":"Red"}`, `"text":"map[bike:Red]"`},
		{"resources/list", "", "", `"uri":"audit://calls"`},
		{"resources/templates/list", "", "", `"uriTemplate":"basecamp://bikes/{id}"`},
		{"resources/read", "audit://calls", `"uri":"audit://calls"`, `\"has_more\":false`},
		{"resources/read", "basecamp://bikes/7", `"uri":"basecamp://bikes/7"`, `"text":"map[id:7]"`},
		{"completion/complete", "", `"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"bike","value":"Red"}`, `"values":["Red bike"]`},
	} {
		for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
			w := send(newGuard(), version, test.method, test.name, test.params)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s %s: HTTP %d %s", version, test.method, w.Code, w.Body)
			}
		}
	}
}

func TestReadings_WithAnotherNameInTheHeaderAreAMismatch(t *testing.T) {
	for _, name := range []string{"", "another"} {
		for method, params := range map[string]string{"prompts/get": `"name":"review"`, "resources/read": `"uri":"basecamp://bikes/7"`} {
			if w := send(newGuard(), "2026-07-28", method, name, params); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "-32020") {
				t.Errorf("%s named %q: HTTP %d %s", method, name, w.Code, w.Body)
			}
		}
	}
}

func TestReadings_RefusedAfterADisconnectWriteNothing(t *testing.T) {
	for _, test := range []struct{ method, params string }{
		{"resources/read", `"uri":"basecamp://wheels/7"`}, {"prompts/get", `"name":"another"`}, {"resources/read", `"uri":7`}, {"completion/complete", `"ref":7`},
	} {
		ctx, gone := context.WithCancel(t.Context())
		gone()
		// It does not panic.
		mcptest.Post(ctx, newGuard(), identity.Caller{}, mcptest.Message(test.method, "{"+test.params+"}"), bearer)
	}
}

// A function on Lambda is frozen once it has answered: work that still ran would be frozen too.
func TestInBackground_EndsBeforeTheCallAnswers(t *testing.T) {
	for name, err := range map[string]error{"answers": nil, "fails": fault.New(fault.NotFound, "no such bike")} {
		synctest.Test(t, func(t *testing.T) {
			var running, cancelled atomic.Int64
			work := func(ctx context.Context) {
				<-ctx.Done()
				cancelled.Add(1)
				time.Sleep(time.Second) // a slow end
				running.Add(-1)
			}
			tool := mcptool.Define(mcptool.Spec{Name: "ride", Title: "Ride", Description: "Rides."}, func(ctx context.Context, _ struct{}) (struct{}, error) {
				running.Store(2)
				mcptool.InBackground(ctx, func(ctx context.Context) {
					mcptool.InBackground(ctx, work)
					work(ctx)
				})
				time.Sleep(time.Second)
				return struct{}{}, err
			})
			server := mcptool.NewServer([]mcptool.Toolset{{Name: "bikes", Tools: []mcptool.Tool{tool}}}, mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
			client := mcptest.Client{
				TB: t, Handler: server.Handler(mcptool.Selection{Toolsets: []string{"bikes"}}), Caller: identity.Caller{Subject: "37s:1", Scopes: []identity.Scope{identity.Read}},
				Schemas: map[string]*jsonschema.Resolved{"ride": mcptest.Schema(tool.OutputSchema())},
			}
			if _, isError := client.Raw("ride", nil); isError != (err != nil) || running.Load() != 0 || cancelled.Load() != 2 {
				t.Errorf("%s: error %v; %d cancelled, %d still running", name, isError, cancelled.Load(), running.Load())
			}
		})
	}
}

func TestInBackground_WithoutACallEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	mcptool.InBackground(ctx, func(ctx context.Context) { <-ctx.Done(); close(ended) })
	cancel()
	<-ended
}

func TestValidation_ByMCPGoFailsEveryCallWhereItIsSwitchedOn(t *testing.T) {
	for check, on := range map[string]server.ServerOption{"input": server.WithInputSchemaValidation(), "output": server.WithOutputSchemaValidation()} {
		m := server.NewMCPServer("test", "1", on)
		tool := mcp.NewToolWithRawSchema("try", "Tries.", json.RawMessage(`{"type":"object"}`))
		tool.RawOutputSchema = json.RawMessage(`{"type":"object"}`)
		m.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(map[string]any{"a": 1}, `{"a":1}`), nil
		})
		answer := m.HandleMessage(t.Context(), json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"try","arguments":{"a":1}}}`))
		said := string(must(json.Marshal(answer)))
		if !strings.Contains(said, check+" schema validation failed: no JSON Schema validator is linked in") {
			t.Errorf("%s: %s", check, said)
		}
	}
}
