package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// These tests check requirements of the MCP specification for which the conformance suite has no
// scenario.

func TestWire_ARequestWithoutAValidTokenIsChallenged(t *testing.T) {
	s := start(t)
	for name, header := range map[string]map[string]string{
		"none":  {"Authorization": ""},
		"wrong": {"Authorization": "Bearer not-a-token"},
		"basic": {"Authorization": "Basic c2FuZGJveC1pbmVzOg=="},
	} {
		for _, m := range []message{
			{method: "tools/list", header: header},
			{method: "initialize", version: legacy, header: header},
		} {
			a := m.post(t, s)
			a.wants(t, http.StatusUnauthorized, 0)
			if challenge := a.header.Get("WWW-Authenticate"); !strings.Contains(challenge, `resource_metadata="`) {
				t.Errorf("%s token, %s: challenge is %q", name, m.method, challenge)
			}
			if challenged := strings.Contains(a.header.Get("WWW-Authenticate"), `error="invalid_token"`); challenged != (name == "wrong") {
				t.Errorf("%s token, %s: invalid_token is %v", name, m.method, challenged)
			}
		}
	}
}

func TestWire_AForeignOriginIsRefused(t *testing.T) {
	s := start(t)
	message{method: "server/discover", header: map[string]string{"Origin": "https://evil.example"}}.post(t, s).
		wants(t, http.StatusForbidden, 0)
}

func TestWire_GetAndDeleteAreRefused(t *testing.T) {
	s := start(t)
	for _, version := range []string{modern, legacy} {
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			if version == legacy && method == http.MethodDelete {
				continue // ends a session
			}
			a := send(t, method, s.url, map[string]string{
				"Authorization": "Bearer " + ines, "Accept": "text/event-stream", "Mcp-Protocol-Version": version,
			}, nil)
			a.wants(t, http.StatusMethodNotAllowed, 0)
			if !strings.Contains(a.header.Get("Allow"), http.MethodPost) {
				t.Errorf("%s %s: Allow is %q", version, method, a.header.Get("Allow"))
			}
		}
	}
}

func TestWire_AnUnsupportedVersionIsAnsweredWithTheSupportedOnes(t *testing.T) {
	s := start(t)
	for _, version := range []string{"1900-01-01", "2099-01-01"} {
		a := message{method: "server/discover", version: version}.post(t, s)
		a.wants(t, http.StatusBadRequest, -32022)
		if a.Error == nil {
			continue
		}
		var data struct {
			Requested string
			Supported []string
		}
		if err := json.Unmarshal(a.Error.Data, &data); err != nil || data.Requested != version || !slices.Contains(data.Supported, modern) {
			t.Errorf("data is %s", a.Error.Data)
		}
	}
}

func TestWire_TheModernEraHasNoSessions(t *testing.T) {
	s := start(t)
	a := message{method: "server/discover", header: map[string]string{"Mcp-Session-Id": "x"}}.post(t, s)
	a.wants(t, http.StatusOK, 0)
	if a.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("answered with session %q", a.header.Get("Mcp-Session-Id"))
	}
}

func TestWire_TheListOfToolsIsStableAndItsSchemasPortable(t *testing.T) {
	s := start(t)
	first, second := message{method: "tools/list"}.post(t, s), message{method: "tools/list"}.post(t, s)
	if first.body != second.body {
		t.Error("two lists of the same tools differ")
	}
	var list struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema map[string]any
		}
	}
	if err := json.Unmarshal(first.Result, &list); err != nil || len(list.Tools) == 0 {
		t.Fatalf("%v: %.300s", err, first.body)
	}
	for _, tool := range list.Tools {
		if tool.InputSchema["additionalProperties"] != false || tool.InputSchema["properties"] == nil {
			t.Errorf("%s: the input schema is not strict or has no properties", tool.Name)
		}
		if manyTypes(tool.InputSchema) || manyTypes(tool.OutputSchema) {
			t.Errorf("%s: a schema has a list of types, which some clients cannot read", tool.Name)
		}
	}
}

// manyTypes reports whether a schema contains a list of types, such as ["null", "string"].
func manyTypes(schema any) bool {
	switch schema := schema.(type) {
	case map[string]any:
		if _, many := schema["type"].([]any); many {
			return true
		}
		for _, part := range schema {
			if manyTypes(part) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(schema, manyTypes)
	}
	return false
}

func TestWire_ACallersMistakeIsReportedWhereTheSpecificationSays(t *testing.T) {
	s := start(t)
	message{method: "tools/call", params: map[string]any{"name": "no_such_tool", "arguments": map[string]any{}}}.post(t, s).
		wants(t, http.StatusBadRequest, -32602)
	message{method: "server/discover", id: json.RawMessage("null")}.post(t, s).
		wants(t, http.StatusBadRequest, -32600)
	message{method: "server/discover", params: map[string]any{"pad": strings.Repeat("x", 8<<20)}}.post(t, s).
		wants(t, http.StatusRequestEntityTooLarge, 0)

	r := call(t, s, ines, "list_todos", map[string]any{"projct": 1})
	if !r.IsError || r.StructuredContent != nil || !strings.Contains(r.text(), "projct") || strings.Contains(r.text(), "&{") {
		t.Errorf("unknown argument: %s", r.text())
	}
}

func TestWire_AcceptsACancellationOfAnUnknownRequest(t *testing.T) {
	s := start(t)
	message{method: "notifications/cancelled", id: noID, params: map[string]any{"requestId": 1}}.post(t, s).
		wants(t, http.StatusAccepted, 0)
}

func TestWire_AReadOnlyTokenHasOnlyTheScopeRead(t *testing.T) {
	s := start(t)
	r := call(t, s, ines+"-readonly", "get_me", nil)
	var me struct {
		Scopes   []string `json:"scopes"`
		ReadOnly bool     `json:"read_only"`
	}
	if err := json.Unmarshal(r.StructuredContent, &me); err != nil || !slices.Equal(me.Scopes, []string{"read"}) || !me.ReadOnly {
		t.Errorf("the read-only token has: %s", r.text())
	}
}
