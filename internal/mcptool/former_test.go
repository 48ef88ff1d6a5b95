package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
)

// renamed returns a server whose tool greet was called salute, with another argument.
func renamed(former ...Former) testServer {
	greet := define("greet", Creates, func(_ context.Context, in greetInput) (greeting, error) {
		return greeting{Text: "Hello " + in.Name}, nil
	})
	var log bytes.Buffer
	return testServer{log: &log, Server: NewServer([]Toolset{{Name: "company", Tools: []Tool{greet}, Former: former}},
		Options{Name: "test", Version: "1", Log: slog.New(slog.NewJSONHandler(&log, nil))})}
}

var salute = Former{Name: "salute", Tool: "greet", Rewrite: func(arguments map[string]json.RawMessage) {
	arguments["name"] = arguments["whom"]
	delete(arguments, "whom")
}}

func TestFormer_RunsTheToolAndIsNotListed(t *testing.T) {
	s := renamed(salute)
	handler := s.Handler(Selection{})
	for _, era := range eras {
		answer := s.readIn(t, handler, writer, era, "tools/call", `"name":"salute","arguments":{"whom":"Ann"}`)
		if !strings.Contains(answer.body, `Hello Ann`) || !strings.Contains(answer.body, `["salute -`) {
			t.Errorf("%s: %s", era, answer.body)
		}
		for _, wrong := range []string{`{}`, `[]`, `null`, `"Ann"`} {
			answer := s.readIn(t, handler, writer, era, "tools/call", `"name":"salute","arguments":`+wrong)
			if !strings.Contains(answer.body, "INVALID_INPUT") && answer.Error == nil {
				t.Errorf("%s, %s: %s", era, wrong, answer.body)
			}
		}
	}
	run, ok := s.Tool(Selection{}, "salute")
	if !ok || !strings.Contains(string(run(identity.With(t.Context(), writer), json.RawMessage(`{"whom":"Ann"}`))), "Hello Ann") {
		t.Error("the bridge does not know the former name")
	}
	if scope, known := s.Scope(Selection{}, "salute"); !known || scope != identity.Write {
		t.Errorf("scope %q, known %v", scope, known)
	}
	if _, known := s.Scope(Selection{ReadOnly: true}, "salute"); known {
		t.Error("an endpoint that only reads serves a former name of a tool that writes")
	}
	for _, list := range []string{mcptest.Message("tools/list", ""), `{"jsonrpc":"2.0","id":"a\u0062","method":"tools/list","params":{"cursor":""}}`} {
		if body := mcptest.Post(t.Context(), handler, writer, list, nil).Body.String(); strings.Contains(body, "salute") || !strings.Contains(body, "greet") {
			t.Errorf("the list is %s", body)
		}
	}
}

func TestFormer_NamesAToolAndHasNoToolsName(t *testing.T) {
	for _, wrong := range []Former{{Name: "greet", Tool: "greet"}, {Name: "salute", Tool: "bow"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was accepted", wrong)
				}
			}()
			renamed(wrong)
		}()
	}
}
