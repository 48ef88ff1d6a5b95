package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

// bridged calls a tool over the bridge.
func (s testServer) bridged(t testing.TB, caller identity.Caller, tool, arguments string) string {
	t.Helper()
	run, ok := s.Tool(Selection{}, tool)
	if !ok {
		t.Fatalf("%s is not offered", tool)
	}
	ctx := identity.WithRequestID(identity.With(t.Context(), caller), "req-1")
	return string(run(identity.WithOrigin(ctx, "https://mcp.fernhill.example"), json.RawMessage(arguments)))
}

func TestDefinitions_AreToolsListInTheFormOfTheMessagesAPI(t *testing.T) {
	s := newTestServer()
	for _, selection := range []Selection{{}, {ReadOnly: true}, {Toolsets: []string{"closed"}}, {Toolsets: []string{"closed"}, ReadOnly: true}} {
		list := mcptest.Result[struct {
			Tools []struct {
				Name, Description string
				InputSchema       json.RawMessage
			}
		}](t, post(t.Context(), t, s.Handler(selection), "tools/list", "", "").Body.Bytes())
		want := []definition{}
		for _, tool := range list.Tools {
			want = append(want, definition(tool))
		}
		var got []definition
		if err := json.Unmarshal(s.Definitions(selection), &got); err != nil {
			t.Fatal(err)
		}
		sameJSON := cmp.Transformer("JSON", func(raw json.RawMessage) (v any) { _ = json.Unmarshal(raw, &v); return v })
		if diff := cmp.Diff(want, got, sameJSON); diff != "" {
			t.Errorf("%+v (-tools/list +definitions):\n%s", selection, diff)
		}
	}
	if got := s.Definitions(Selection{Toolsets: []string{"closed"}, ReadOnly: true}); string(got) != "[]" {
		t.Errorf("an empty selection is %s", got)
	}
}

func TestBridged_EveryCallAnswersInTheFormOfTheBridge(t *testing.T) {
	for _, test := range []struct{ tool, arguments, want string }{
		{"greet", `{"name":"Ines & Sam"}`, `{"is_error":false,"result":{"text":"<Ines & Sam>","marks":[],"next":null}}`},
		{"missing", `{"name":"x"}`, `{"is_error":true,"error":"there is no such bike","error_code":"NOT_FOUND","retryable":false,"data":{"tool":"missing","code":-31002,"resource":{"type":"bike","id":"7"}}}`},
		{"limited", `{"name":"x"}`, `{"is_error":true,"error":"too fast","error_code":"RATE_LIMITED","retryable":true,"retry_after_seconds":2,"data":{"tool":"limited","code":-31001}}`},
		{"greet", `{}`, `{"is_error":true,"error":"name: is required","error_code":"INVALID_INPUT","retryable":false,"data":{"tool":"greet","code":-31005,"validation":[{"path":"name","message":"is required","code":"required"}]}}`},
	} {
		if got := newTestServer().bridged(t, writer, test.tool, test.arguments); got != test.want {
			t.Errorf("%s %s:\n got %s\nwant %s", test.tool, test.arguments, got, test.want)
		}
	}
}

func TestBridged_AFailureWithACodeOfItsOwnHasItsMessageAsTheError(t *testing.T) {
	own := fault.New(fault.InvalidInput, "only one item may be <in_progress>")
	own.Own = "multiple_in_progress"
	o := failure("todolist__set", own)
	const want = `{"is_error":true,"error":"only one item may be <in_progress>","error_code":"MULTIPLE_IN_PROGRESS","retryable":false,"data":{"tool":"todolist__set","code":-31005}}`
	if got := string(o.bridgeJSON()); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

type mode struct {
	ReadOnly bool `json:"read_only"`
}

func TestBridged_AToolKnowsThatOnlyReadsAreServed(t *testing.T) {
	tell := func(ctx context.Context, _ struct{}) (mode, error) { return mode{ReadOnly(ctx)}, nil }
	tool := Define(Spec{Name: "mode", Title: "Mode", Description: "Tells."}, tell)
	s := serveTools(Options{}, tool)
	for _, readOnly := range []bool{true, false} {
		run, _ := s.Tool(Selection{ReadOnly: readOnly}, "mode")
		want := fmt.Sprintf(`{"is_error":false,"result":{"read_only":%v}}`, readOnly)
		if got := run(identity.With(t.Context(), writer), json.RawMessage("{}")); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
