package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/wire/writeplan"
)

type stackInput struct {
	Count int    `json:"count" jsonschema:"How many" limits:"min=0 max=200"`
	Text  string `json:"text,omitzero" jsonschema:"On each"`
}

type stacked struct {
	ID       int      `json:"id"`
	Notified []string `json:"notified"`
	Built    int      `json:"built"`
}

// previewServer returns a server with a tool that writes as often as it is told, and counts the
// writes that it carried out.
func previewServer(built *int) testServer {
	stack := Define(Spec{Name: "stack", Title: "Stack", Description: "Stacks bikes.", Effect: Creates}, func(ctx context.Context, in stackInput) (stacked, error) {
		for range in.Count {
			if plan := writeplan.From(ctx); plan != nil {
				plan.Record(writeplan.Write{What: "stack a bike", After: map[string]any{"text": in.Text}, Made: plan.MakeUp().String()})
			} else {
				*built++
			}
		}
		if in.Text == "fail" {
			f := fault.New(fault.UpstreamError, "no answer")
			f.MayHaveHappened = true
			return stacked{}, f
		}
		return stacked{ID: -1, Notified: []string{"Ann"}, Built: *built}, nil
	})
	look := define("look", Reads, failWith(nil))
	return serve(Options{Calls: newCalls(memory.New(nil))}, Toolset{
		Name: "company", Tools: []Tool{stack, look},
	})
}

func (s testServer) preview(t *testing.T, arguments string) (preview, mcptest.ToolResult) {
	t.Helper()
	reader := identity.Caller{Subject: "37s:1", Scopes: []identity.Scope{identity.Read}}
	answer := s.callAs(t, reader, "preview", arguments)
	var p preview
	if err := json.Unmarshal([]byte(answer.Content[0].Text), &p); err != nil {
		t.Fatal(err)
	}
	return p, answer
}

func TestPreview_WritesNothingAndNeedsNoScopeToWrite(t *testing.T) {
	built := 0
	s := previewServer(&built)
	for range 2 { // the key is not used up
		p, _ := s.preview(t, `{"tool":"stack","arguments":{"count":2,"text":"x","idempotency_key":"k"}}`)
		if p.Total != 2 || len(p.Writes) != 2 || p.Writes[0].What != "stack a bike" || p.Writes[1].After["text"] != "x" {
			t.Errorf("%+v", p)
		}
		if len(p.Writes[0].Notified) != 1 || p.Writes[1].Notified != nil || p.Notified != nil {
			t.Errorf("the first write, which the answer is about, notifies: %+v", p)
		}
	}
	s.callAs(t, writer, "stack", `{"count":2,"idempotency_key":"k"}`)
	if built != 2 {
		t.Errorf("built %d", built)
	}
}

func TestPreview_UnderstandsWhatTheCallUnderstands(t *testing.T) {
	s := previewServer(new(int))
	p, answer := s.preview(t, `{"tool":"stack","arguments":{"count":"3"}}`)
	if p.Total != 3 || p.Tool != "stack" || !strings.Contains(answer.Content[0].Text, "understood") {
		t.Errorf("%+v", p)
	}
	for arguments, words := range map[string]string{
		`{"tool":"stack","arguments":{"count":201}}`:         "between 0 and 200",
		`{"tool":"stack","arguments":{"count":1,"wheel":2}}`: "wheel",
		`{"tool":"stack"}`:                                       "count",
		`{"tool":"stack","arguments":[]}`:                        "must be an object",
		`{"tool":"look","arguments":{"name":"x"}}`:               "nothing would be written",
		`{"tool":"preview","arguments":{"tool":"stack"}}`:        "nothing would be written",
		`{"tool":"stak"}`:                                        "stack",
		`{"tool":"stack","arguments":{"count":1,"text":"fail"}}`: "no answer",
	} {
		if _, answer := s.preview(t, arguments); !answer.IsError || !strings.Contains(answer.Content[0].Text, words) || strings.Contains(answer.Content[0].Text, "may_have_happened") {
			t.Errorf("%s: %+v", arguments, answer)
		}
	}
	if p, _ := s.preview(t, `{"tool":"stack","arguments":{"count":0}}`); p.Total != 0 || p.Note != noteNothing {
		t.Errorf("%+v", p)
	}
}

func TestPreview_StaysSmallWithExactCounts(t *testing.T) {
	s := previewServer(new(int))
	for _, test := range []struct {
		count, length, shown int
	}{{200, 10, 0}, {200, 900, 0}, {20, 900, 20}, {3, 900, 3}} {
		text := strings.Repeat("word ", test.length/5)
		p, answer := s.preview(t, fmt.Sprintf(`{"tool":"stack","arguments":{"count":%d,"text":%q}}`, test.count, text))
		if size := len(answer.Content[0].Text); size > maxPreview || p.Total != test.count || test.shown > 0 && len(p.Writes) != test.shown || len(p.Writes) == 0 {
			t.Errorf("%+v: %d bytes, %d of %d", test, size, len(p.Writes), p.Total)
		}
		if left := len(p.Writes) < p.Total; left != (p.Counts["stack a bike"] == test.count) {
			t.Errorf("%+v: counts %v", test, p.Counts)
		}
	}
}

func TestPreview_IsListedWhereAToolWrites(t *testing.T) {
	s := previewServer(new(int))
	for _, readOnly := range []bool{false, true} {
		if _, known := s.Scope(Selection{ReadOnly: readOnly}, "preview"); known == readOnly {
			t.Errorf("read-only %v: known %v", readOnly, known)
		}
	}
	tool := s.BuiltIn().Tools[0]
	if size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema()); size > 480 {
		t.Errorf("the definition takes %d bytes: %s", size, tool.InputSchema())
	}
	run, ok := s.Tool(Selection{}, "preview")
	if !ok || !strings.Contains(string(run(identity.With(t.Context(), writer), json.RawMessage(`{"tool":"stack","arguments":{"count":1}}`))), "stack a bike") {
		t.Error("the bridge does not preview")
	}
}
