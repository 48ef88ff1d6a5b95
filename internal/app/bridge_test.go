package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ask sends a request to the bridge like a program without MCP.
func ask(t testing.TB, method, url, bearer, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	r := must(http.NewRequest(method, url, strings.NewReader(body)))
	r.Header.Set("Authorization", "Bearer "+bearer)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response := must(http.DefaultClient.Do(r))
	defer response.Body.Close()
	text := must(io.ReadAll(response.Body))
	return response.StatusCode, response.Header, string(text)
}

type definition struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"input_schema"`
}

// The Messages API rejects a whole request because of one invalid tool.
var (
	toolName     = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// TestBridge_ListsOnlyWhatTheMessagesAPITakes looks at the whole catalogue.
func TestBridge_ListsOnlyWhatTheMessagesAPITakes(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL
	status, _, body := ask(t, http.MethodGet, url+"/tools", "sandbox-ines", "")
	var definitions []definition
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&definitions); status != http.StatusOK || err != nil {
		t.Fatalf("HTTP %d %s: %v", status, body, err)
	}
	if len(definitions) == 0 {
		t.Error("there are no tools")
	}
	for _, d := range definitions {
		if !toolName.MatchString(d.Name) || d.Description == "" || d.InputSchema["type"] != "object" {
			t.Errorf("%+v", d)
		}
		for _, exotic := range []string{"oneOf", "anyOf", "allOf", "not", "$ref", "$defs", "if"} {
			if _, ok := d.InputSchema[exotic]; ok {
				t.Errorf("the schema of %s has %s on top", d.Name, exotic)
			}
		}
		properties, _ := d.InputSchema["properties"].(map[string]any)
		for name := range properties {
			if !propertyName.MatchString(name) || name == "user_id" {
				t.Errorf("%s has an argument %q", d.Name, name)
			}
		}
	}
}

// exceptCursor compares answers without their cursors, which say when they were made.
var exceptCursor = cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "next_cursor" })

func TestBridge_ReturnsTheSameResultAsMCP(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL
	for _, test := range []struct{ tool, arguments, says string }{
		{"get_me", `{}`, "Ines Albrecht"},
		{"list_projects", `{"limit":2}`, "has_more"},
		{"list_todos", `{"project_id":"Cargo Bike Launch","todolist_id":"Launch checklist"}`, "items"},
		{"get_me", `{"user_id":"37s:2"}`, "user_id: is not an argument"},
		{"get_todo", `{}`, "todo_id: is required"},
		{"list_todos", `{"project_id":"No such project"}`, "NOT_FOUND"},
		{"list_projects", `{"limit":"many"}`, "limit: must be an integer"},
	} {
		status, _, text := send(t, url+"/mcp", "sandbox-ines", "tools/call", `{"name":"`+test.tool+`","arguments":`+test.arguments+`}`)
		var direct struct {
			Result struct {
				IsError           bool
				StructuredContent json.RawMessage
				Content           []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(text), &direct); err != nil || status != http.StatusOK {
			t.Fatalf("HTTP %d %s", status, text)
		}
		want := map[string]any{"is_error": false, "result": decoded(direct.Result.StructuredContent)}
		if direct.Result.IsError {
			want = decoded([]byte(direct.Result.Content[0].Text)).(map[string]any)
			want["is_error"], want["error"] = true, want["message"]
			delete(want, "message")
		}
		status, _, text = ask(t, http.MethodPost, url+"/tools/"+test.tool, "sandbox-ines", test.arguments)
		if diff := cmp.Diff(any(want), decoded([]byte(text)), exceptCursor); diff != "" || status != http.StatusOK || !strings.Contains(text, test.says) {
			t.Errorf("%s %s: HTTP %d %s (-direct +bridged):\n%s", test.tool, test.arguments, status, text, diff)
		}
	}
}

func decoded(text []byte) (v any) {
	_ = json.Unmarshal(text, &v)
	return v
}

// BenchmarkBridge makes the same call through the bridge and through MCP.
func BenchmarkBridge(b *testing.B) {
	handler := must(MCP(sandboxed(), quiet))
	arguments := `{"project_id":"Cargo Bike Launch","todolist_id":"Launch checklist"}`
	for _, door := range []struct{ name, method, path, body string }{
		{"tools_call", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_todos","arguments":` + arguments + `}}`},
		{"bridged", "POST", "/tools/list_todos", arguments},
		{"definitions", "GET", "/tools", ""},
	} {
		b.Run(door.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(door.method, door.path, strings.NewReader(door.body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer sandbox-ines")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("HTTP %d %s", w.Code, w.Body)
				}
			}
		})
	}
}
