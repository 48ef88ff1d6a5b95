package githubtools

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
)

// updateGolden rewrites the golden files: UPDATE_GOLDEN=1 go test ./internal/github/githubtools
var updateGolden = os.Getenv("UPDATE_GOLDEN") != ""

// listed returns what tools/list says about each tool.
func listed(t *testing.T) map[string]map[string]any {
	t.Helper()
	server := mcptool.NewServer([]mcptool.Toolset{Toolset(nil, nil)}, mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
	w := mcptest.Post(t.Context(), server.Handler(mcptool.Selection{Toolsets: []string{Name}}), identity.Caller{}, mcptest.Message("tools/list", ""), nil)
	all := map[string]map[string]any{}
	for _, tool := range mcptest.Result[struct{ Tools []map[string]any }](t, w.Body.Bytes()).Tools {
		all[tool["name"].(string)] = tool
	}
	delete(all, "preview") // the server's own
	return all
}

func TestTools_MatchTheirGoldenFiles(t *testing.T) {
	files := map[string]bool{}
	for name, definition := range listed(t) {
		path := filepath.Join("testdata", "golden", name+".json")
		files[path] = true
		got, err := json.MarshalIndent(definition, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		if updateGolden {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s differs from the code (%v); read the change, and accept it with UPDATE_GOLDEN=1", path, err)
		}
	}
	found, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	for _, path := range found {
		if !files[path] {
			t.Errorf("%s is the file of a tool that does not exist; delete it", path)
		}
	}
}

func TestTools_HaveTheHintsOfTheirEffects(t *testing.T) {
	reads, creates, updates := "read idempotent open", "open", "idempotent open"
	appends, deletes := "open", "destructive idempotent open"
	want := map[string]string{
		"github_list_projects": reads, "github_get_project": reads, "github_list_project_items": reads, "github_get_field_value": reads,
		"github_create_project": creates, "github_update_project": updates, "github_delete_project": deletes, "github_add_project_item": updates,
		"github_remove_project_item": deletes, "github_set_field_value": updates, "github_list_issues": reads, "github_get_issue": reads,
		"github_create_issue": creates, "github_update_issue": updates, "github_add_issue_comment": appends, "github_create_milestone": creates,
		"github_find": reads, "github_get_report": reads,
	}
	got := map[string]string{}
	for name, tool := range listed(t) {
		var words []string
		hints := tool["annotations"].(map[string]any)
		for _, hint := range [][2]string{{"readOnlyHint", "read"}, {"destructiveHint", "destructive"}, {"idempotentHint", "idempotent"}, {"openWorldHint", "open"}} {
			if hints[hint[0]].(bool) {
				words = append(words, hint[1])
			}
		}
		got[name] = strings.Join(words, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTools_OnlyThoseThatRepeatTakeAnIdempotencyKey(t *testing.T) {
	for _, tool := range Toolset(nil, nil).Tools {
		takes := strings.Contains(string(tool.InputSchema()), `"idempotency_key"`)
		if repeats := tool.Effect == mcptool.Creates || tool.Effect == mcptool.Appends; takes != repeats {
			t.Errorf("%s: takes a key: %v", tool.Name, takes)
		}
	}
}

func TestTools_TakeAtMost15000BytesAndHaveNoReferencesInTheirSchemas(t *testing.T) {
	total := 0
	for _, tool := range Toolset(nil, nil).Tools {
		size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema())
		total += size
		if strings.Contains(string(tool.OutputSchema())+string(tool.InputSchema()), "$ref") {
			t.Errorf("%s: a schema has a reference", tool.Name)
		}
	}
	if t.Logf("%d bytes", total); total > 15_000 {
		t.Errorf("%d bytes", total)
	}
}

// The server's own instructions describe detail, which Basecamp's lists have.
func TestToolset_SaysWhichOfItsListsHasDetail(t *testing.T) {
	set := Toolset(nil, nil)
	for _, tool := range set.Tools {
		if strings.Contains(string(tool.InputSchema()), `"detail"`) != (tool.Name == "github_list_project_items") {
			t.Errorf("%s: detail", tool.Name)
		}
	}
	if !strings.Contains(set.Instructions, "only github_list_project_items has detail") {
		t.Error(set.Instructions)
	}
}
