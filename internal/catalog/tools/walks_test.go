package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/tool/mcptool"
)

// walk follows the cursor of a list to its end, and returns what its items are named by.
func (o *office) walk(tool string, in input) (names []string) {
	o.Helper()
	seen, empty := map[string]bool{}, false
	for range 300 {
		text, isError := o.Raw(tool, in)
		var answer struct {
			Items, Tasks []json.RawMessage
			HasMore      bool    `json:"has_more"`
			NextCursor   *string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(text), &answer); isError || err != nil {
			o.Fatalf("%s %v: %s", tool, in, text)
		}
		items := slices.Concat(answer.Items, answer.Tasks)
		for _, item := range items {
			var of struct {
				ID   json.RawMessage // can be larger than what a float64 holds
				List string          `json:"list_id"`
				Ref  string
			}
			_ = json.Unmarshal(item, &of)
			name := cmp.Or(string(of.ID), of.List, of.Ref, string(item))
			if seen[name] {
				o.Errorf("%s %v: twice: %s", tool, in, item)
			}
			seen[name], names = true, append(names, name)
		}
		switch {
		case answer.HasMore != (answer.NextCursor != nil) || len(items) > in["limit"].(int):
			o.Errorf("%s %v: %d items, has_more is %v: %v", tool, in, len(items), answer.HasMore, answer.NextCursor)
		case empty && answer.HasMore && len(items) == 0:
			o.Errorf("%s %v: two empty answers", tool, in)
		}
		if !answer.HasMore || answer.NextCursor == nil {
			return names
		}
		empty, in["cursor"] = len(items) == 0, *answer.NextCursor
	}
	o.Errorf("%s %v: no end", tool, in)
	return names
}

// Every list that is not a tool of Basecamp, and each listing of read_basecamp, ends, has each item
// once, and has the same items in parts and as a whole. Texts can differ: an answer shortens them
// until they fit into it.
func TestEveryList_EndsEachWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes three seconds")
	}
	o := newOffice(t)
	o.Schemas, _ = outputs(catalog())
	for i := range 8 {
		o.Raw("add_task", input{"title": fmt.Sprint("Task ", i)})
		o.Caller.Session = fmt.Sprint("session ", i)
		o.Raw("todolist__set", input{"todos": []any{input{"content": fmt.Sprint("Item ", i), "status": "pending", "activeForm": "Doing"}}})
	}
	walked := map[string]int{}
	compare := func(tool string, in input) {
		limited := func(limit int) input {
			with := input{"limit": limit}
			maps.Copy(with, in)
			return with
		}
		if whole, parts := o.walk(tool, limited(100)), o.walk(tool, limited(2)); !slices.Equal(whole, parts) {
			t.Errorf("%s %v: as a whole %d items, in parts %d: %v and %v", tool, in, len(whole), len(parts), whole, parts)
		} else if len(whole) > 2 {
			walked[tool]++
		}
	}
	needed := map[string]input{
		"github_list_projects": {"owner": "fernhill-bikes", "state": "all"}, "github_list_project_items": {"project": "fernhill-bikes/1"},
	}
	for _, set := range Catalog(Sources{GitHub: new(github.Client)}) {
		for _, tool := range set.Tools {
			var schema struct{ Properties map[string]any }
			if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
				t.Fatal(err)
			}
			basecamps := set.Name == basecamptools.Basecamp || set.Name == basecamptools.BasecampAdmin
			if schema.Properties["cursor"] != nil && schema.Properties["limit"] != nil && tool.Effect == mcptool.Reads && !basecamps {
				compare(tool.Name, needed[tool.Name])
			}
		}
	}
	for row := range operations.All {
		if row.Items == "" || row.Runner() != operations.Reader {
			continue
		}
		for _, given := range []input{{}, {"project": "Cargo Bike Launch"}, {"type": "Todo"}} {
			in := input{"operation": row.Name, "arguments": given}
			if _, isError := o.Raw(operations.Reader, in); !isError { // a compact answer, held against the schema
				in["detail"] = "full"
				compare(operations.Reader, in)
				break
			}
		}
	}
	if len(walked) != 5 || walked[operations.Reader] < 10 {
		t.Errorf("lists with parts: %v", walked)
	}
}
