package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// client is a connected MCP client.
type client interface {
	// version returns the agreed protocol version, or "" if the client does not report it.
	version() string
	// tools returns the names of the tools.
	tools() ([]string, error)
	// call calls a tool. A failure that the tool reports is a result, not an error.
	call(tool string, arguments map[string]any) (result, error)
}

func TestClients(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		version string
		connect func(*testing.T, *server) client
	}{
		{"TypeScript SDK 1", legacy, script("sdk1.mjs")},
		{"TypeScript client 2, legacy", legacy, script("client2.mjs", "legacy")},
		{"TypeScript client 2, auto", modern, script("client2.mjs", "auto")},
		{"Inspector, legacy", "", inspect("legacy")},
		{"Inspector, modern", "", inspect("modern")},
		{"mcp-go", modern, mcpGo()},
		{"mcp-go, legacy", legacy, mcpGoLegacy()},
		{"go-sdk", modern, goSDK("")},
		{"go-sdk, legacy", legacy, goSDK(legacy)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := test.connect(t, start(t))
			if c.version() != test.version {
				t.Errorf("agreed on version %q, want %q", c.version(), test.version)
			}
			tools, err := c.tools()
			if err != nil || !slices.Contains(tools, "list_projects") || !slices.Contains(tools, "list_todos") {
				t.Fatalf("tools: %q, %v", tools, err)
			}
			travel(t, c)
		})
	}
}

// travel does what every client must be able to do: find the projects, read a whole list of to-dos
// by the names that users see, and receive an error.
func travel(t *testing.T, c client) {
	t.Helper()
	projects := list(t, c, "list_projects", nil)
	if len(projects.ids) != 17 || projects.more {
		t.Errorf("%d projects, more: %v", len(projects.ids), projects.more)
	}

	ids, pages := todos(t, c)
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) != 37 || len(distinct) != 37 || pages != 4 {
		t.Errorf("%d to-dos on %d pages, %d distinct", len(ids), pages, len(distinct))
	}
	if !slices.Contains(ids, "9007199254743107") {
		t.Errorf("an ID above 2^53 was rounded: %q", ids)
	}

	missing, err := c.call("list_todos", map[string]any{"project_id": "No Such Project"})
	if err != nil || !missing.IsError || !bytes.Contains([]byte(missing.text()), []byte("NOT_FOUND")) {
		t.Errorf("a failure arrives as %+v, %v", missing, err)
	}
}

// todos reads all open to-dos of a list, ten at a time.
func todos(t *testing.T, c client) (ids []string, pages int) {
	t.Helper()
	arguments := map[string]any{"project_id": "Cargo Bike Launch", "todolist_id": "Launch checklist", "limit": 10}
	for pages < 10 {
		p := list(t, c, "list_todos", arguments)
		ids = append(ids, p.ids...)
		pages++
		if !p.more {
			break
		}
		arguments["cursor"] = p.cursor
	}
	return ids, pages
}

// page is one page of a list.
type page struct {
	ids    []string
	more   bool
	cursor string
}

// list calls a tool and reads its text. The text has the numbers as the server wrote them, while
// JavaScript clients round those in structured content.
func list(t *testing.T, c client, tool string, arguments map[string]any) page {
	t.Helper()
	r, err := c.call(tool, arguments)
	if err != nil || r.IsError || len(r.StructuredContent) == 0 {
		t.Fatalf("%s: %v %s", tool, err, r.text())
	}
	var read struct {
		Items      []struct{ ID json.Number }
		HasMore    bool    `json:"has_more"`
		NextCursor *string `json:"next_cursor"`
	}
	if err := json.Unmarshal([]byte(r.text()), &read); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, r.text())
	}
	if read.HasMore != (read.NextCursor != nil) {
		t.Errorf("%s: has_more is %v and next_cursor %v", tool, read.HasMore, read.NextCursor)
	}
	p := page{more: read.HasMore}
	if read.NextCursor != nil {
		p.cursor = *read.NextCursor
	}
	for _, item := range read.Items {
		p.ids = append(p.ids, item.ID.String())
	}
	return p
}

// decode converts the result of any client library.
func decode(answer any) (result, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return result{}, err
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		return result{}, fmt.Errorf("%w: %.300s", err, text)
	}
	return r, nil
}
