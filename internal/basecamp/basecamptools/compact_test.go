package basecamptools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/proof/mcptest"
)

// mustShow are the fields that every item of a compact list shows, even if they are empty.
var mustShow = map[string][]string{
	"list_projects":       {"id", "name", "description", "status", "tools", "created_at", "updated_at"},
	"list_messages":       {"id", "subject", "content", "replies_count", "author.name", "author.email", "created_at", "url"},
	"list_todolists":      {"id", "name", "description", "done", "total"},
	"list_todos":          {"id", "title", "description", "completed", "completed_at", "due_on", "assignees", "comments_count"},
	"list_documents":      {"id", "title", "content"},
	"list_campfire_lines": {"id", "author.name", "content", "created_at"},
	"list_attachments":    {"id", "filename", "content_type", "byte_size", "download_url", "creator", "created_at"},
	"get_notifications":   {"id", "url", "updated_at"},
	"list_work":           {"id", "title"},
	"search":              {"title", "url"},
}

// mayBeEmpty are fields of compact lists that are shown even if they are empty, besides mustShow.
var mayBeEmpty = []string{"has_more", "next_page", "total", "cards_count", "done", "groups", "items", "left_out"}

func TestCompactLists_ShowWhatTheyMustAndNothingEmpty(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.short = true
		calls := typical(d)
		for tool := range lists() {
			if !lists()[tool] {
				continue
			}
			text, isError := d.raw(tool, calls[tool])
			var answer map[string]any
			if json.Unmarshal([]byte(text), &answer) != nil || isError {
				d.Errorf("%s: %s", tool, text)
			}
			items, _ := answer["items"].([]any)
			if len(items) == 0 && mustShow[tool] != nil {
				d.Errorf("%s: no items", tool)
			}
			for _, item := range items {
				for _, path := range mustShow[tool] {
					if !hasMember(item, path) {
						d.Errorf("%s: no %s in %v", tool, path, item)
					}
				}
			}
			for _, path := range superfluous("", answer) {
				name := path[strings.LastIndex(path, ".")+1:]
				if !slices.Contains(mustShow[tool], name) && !slices.Contains(mayBeEmpty, name) && !strings.HasSuffix(path, "author.email") && !strings.HasSuffix(path, "assignees.email") {
					d.Errorf("%s: %s", tool, path)
				}
			}
		}
	})
}

func hasMember(value any, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		if value, _ = object[name]; object == nil {
			return false
		}
		if _, ok := object[name]; !ok {
			return false
		}
	}
	return true
}

// superfluous returns the paths of what a compact answer leaves out.
func superfluous(path string, value any) (found []string) {
	name := path[strings.LastIndex(path, ".")+1:]
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			found = append(found, superfluous(path+"."+name, member)...)
		}
		if path != "" && v["id"] != nil && v["url"] != nil {
			found = append(found, path+".url")
		}
		return found
	case []any:
		for _, element := range v {
			found = append(found, superfluous(path, element)...)
		}
		if len(v) > 0 {
			return found
		}
	case string:
		if v != "" && name != "email" && name != "updated_at" {
			return nil
		}
	case float64:
		if v != 0 || !strings.HasSuffix(name, "_count") {
			return nil
		}
	case bool:
		if v {
			return nil
		}
	}
	return []string{path}
}

// A page may be compact and the next one full: detail does not select items.
func TestCompactLists_ContinueInFull(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.short = true
		first := call[struct {
			NextCursor string `json:"next_cursor"`
		}](d, "list_todos", args{"project_id": launchProject, "limit": 2})
		next := call[todos.TodoPage](d, "list_todos", args{"project_id": launchProject, "limit": 2, "cursor": first.NextCursor, "detail": "full"})
		if len(next.Items) != 2 || next.Items[0].URL == "" {
			d.Errorf("the second page: %+v", next.Items)
		}
	})
}

func TestEveryList_TakesDetail(t *testing.T) {
	for _, tool := range ofBasecamp() {
		pages := strings.Contains(string(tool.OutputSchema()), `"next_cursor":`)
		if pages != mcptest.IsList(tool.InputSchema()) && tool.Name != "get_report" { // whose detail leaves items out
			t.Errorf("%s: has pages: %t", tool.Name, pages)
		}
	}
}
