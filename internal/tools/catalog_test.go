package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/docstest"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptool"
)

// updateGolden rewrites what the tests would compare: UPDATE_GOLDEN=1 go test ./internal/tools
var updateGolden = os.Getenv("UPDATE_GOLDEN") != ""

// definitionBudget is what the default endpoint's tools may cost every conversation, in bytes of name, description and
// input schema; about 10,000 tokens.
const definitionBudget = 40_000

func catalog(t testing.TB) []mcptool.Tool {
	t.Helper()
	var tools []mcptool.Tool
	for _, toolset := range Catalog(Sources{}) {
		tools = append(tools, toolset.Tools...)
	}
	slices.SortFunc(tools, func(a, b mcptool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

func TestCatalog_HoldsWhatWasPromised(t *testing.T) { // B-01, B-02, T-01, K-01
	want := strings.Fields(`
		add_subtasks add_task answer_checkin complete_task create_card create_comment create_document create_message create_project
		create_schedule_entry create_todolist create_todos delete_task get_activity get_board get_by_url get_card get_document get_file
		get_history get_me get_message get_my_work get_notifications get_project_tools get_todo get_upcoming list_attachments
		list_campfire_lines list_checkin_answers list_checkins list_comments list_documents list_forwards list_messages list_people
		list_projects list_schedule_entries list_tasks list_todolists list_todos list_work mark_notifications_read move_card
		post_campfire_line reopen_task search set_completed set_item_status set_subscription todolist__get todolist__lists
		todolist__set update_card update_comment update_document update_message update_schedule_entry update_task update_todo
		upload_file`)
	var got []string
	for _, tool := range catalog(t) {
		got = append(got, tool.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestToolsets_AreThoseOfTheCatalogue(t *testing.T) {
	var got []string
	for _, toolset := range Catalog(Sources{}) {
		got = append(got, toolset.Name)
	}
	if !slices.Equal(got, Toolsets()) {
		t.Errorf("the catalogue has %v", got)
	}
}

func TestCatalog_EveryToolIsDescribedAndScoped(t *testing.T) { // B-03, A-11
	seen := map[string]bool{}
	for _, tool := range catalog(t) {
		if seen[tool.Name] {
			t.Errorf("%s is there twice", tool.Name)
		}
		seen[tool.Name] = true
		if !strings.HasSuffix(tool.Description, ".") || len(tool.Description) < 40 || len(tool.Description) > 400 {
			t.Errorf("%s: description of %d bytes: %s", tool.Name, len(tool.Description), tool.Description)
		}
		if tool.Scope != identity.Read && tool.Scope != identity.Write {
			t.Errorf("%s: scope %q", tool.Name, tool.Scope)
		}
		for _, schema := range []json.RawMessage{tool.InputSchema(), tool.OutputSchema()} {
			if !bytes.HasPrefix(schema, []byte(`{`)) || !bytes.Contains(schema, []byte(`"type":"object"`)) || bytes.Contains(schema, []byte(`$ref`)) {
				t.Errorf("%s: schema %s", tool.Name, schema)
			}
		}
	}
}

func TestCatalog_AsksForNoIDTheServerCanFindAndForNobodyElsesIdentity(t *testing.T) { // B-05..B-09
	wantRequired := map[string]string{
		"list_projects": "", "get_me": "", "get_project_tools": "project_id", "list_messages": "project_id",
		"list_todolists": "project_id", "list_todos": "project_id", "list_documents": "project_id",
		"list_campfire_lines": "project_id", "list_attachments": "project_id",
		"get_message": "message_id", "get_todo": "todo_id", "get_document": "document_id",
		"todolist__set": "todos", "add_task": "title", // T-03, K-03
		"complete_task": "task_id", "delete_task": "task_id", "reopen_task": "task_id", "update_task": "task_id",

		"get_by_url": "url", "search": "query", "get_board": "project", "get_card": "item", "get_file": "item", "get_history": "item",
		"list_comments": "item", "list_checkins": "project", "list_schedule_entries": "project", "list_forwards": "project",
		"create_message": "project subject body", "update_message": "message", "create_comment": "item body", "update_comment": "comment",
		"create_document": "project title body", "update_document": "document",
		"create_todolist": "project name", "create_todos": "todos", "update_todo": "todo", "set_completed": "item completed",
		"create_card": "project title", "update_card": "card", "move_card": "card column", "add_subtasks": "item steps",
		"post_campfire_line": "project text", "create_schedule_entry": "project summary starts_at", "update_schedule_entry": "entry",
		"answer_checkin": "question body", "set_item_status": "items status",
		"create_project": "name", "set_subscription": "item subscribed", "upload_file": "project",
	}
	for _, tool := range catalog(t) {
		var schema struct {
			Required   []string
			Properties map[string]json.RawMessage
		}
		if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
			t.Fatal(err)
		}
		if strings.Join(schema.Required, " ") != wantRequired[tool.Name] {
			t.Errorf("%s requires %v", tool.Name, schema.Required)
		}
		for _, never := range []string{"account_id", "user_id", "token", "person_id"} {
			if schema.Properties[never] != nil {
				t.Errorf("%s takes %s", tool.Name, never)
			}
		}
	}
}

func TestCatalog_StaysWithinItsBudget(t *testing.T) {
	weights, total := definitionWeights(t)
	t.Logf("%d bytes in all; the heaviest: %v", total, weights[:5])
	if total > definitionBudget {
		t.Errorf("definitions take %d bytes, of %d", total, definitionBudget)
	}
}

// definitionWeights weighs the definitions at the default endpoint, the heaviest first.
func definitionWeights(t testing.TB) (weights []weight, total int) {
	for _, toolset := range Catalog(Sources{}) {
		if toolset.Optional {
			continue
		}
		for _, tool := range toolset.Tools {
			w := len(tool.Name) + len(tool.Description) + len(tool.InputSchema())
			weights = append(weights, weight{tool.Name, w})
			total += w
		}
	}
	slices.SortFunc(weights, func(a, b weight) int { return b.bytes - a.bytes })
	return weights, total
}

// what clients are shown of a tool changes on purpose or not at all.
func TestCatalog_MatchesItsGoldenFiles(t *testing.T) {
	files := map[string]bool{}
	for name, definition := range listed(t) {
		path := filepath.Join("testdata", "golden", name+".json")
		files[path] = true
		got, err := json.MarshalIndent(definition, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		compareGolden(t, path, append(got, '\n'))
	}
	found, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	for _, path := range found {
		if !files[path] {
			t.Errorf("%s belongs to no tool", path)
		}
	}
}

// listed is what tools/list says of each tool.
func listed(t *testing.T) map[string]any {
	t.Helper()
	server := mcptool.NewServer(Catalog(Sources{}), mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	server.Handler(Toolsets(), false).ServeHTTP(w, r)
	var list struct {
		Result struct{ Tools []map[string]any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	definitions := map[string]any{}
	for _, tool := range list.Result.Tools {
		name := tool["name"].(string)
		scope, _ := server.Scope(Toolsets(), false, name)
		tool["scope, not shown"] = scope
		definitions[name] = tool
	}
	return definitions
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if updateGolden {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with UPDATE_GOLDEN=1", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs from the code; look at the change, and accept it with UPDATE_GOLDEN=1", path)
	}
}

func TestDocument_ListsTheTools(t *testing.T) {
	var b strings.Builder
	for _, toolset := range Catalog(Sources{}) {
		fmt.Fprintf(&b, "### %s\n\n| tool | scope | what it does |\n|---|---|---|\n", toolset.Name)
		tools := slices.SortedFunc(slices.Values(toolset.Tools), func(a, b mcptool.Tool) int { return strings.Compare(a.Name, b.Name) })
		for _, tool := range tools {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", tool.Name, tool.Scope, strings.ReplaceAll(tool.Description, "|", `\|`))
		}
		b.WriteByte('\n')
	}
	docstest.Section(t, "docs/tools.md", "tools", b.String())
}
