package githubtools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
)

// valueIn returns the value of a field in a row; nil for none.
func valueIn(i boards.Item, name string) any {
	at := slices.IndexFunc(i.Fields, func(f boards.FieldValue) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	return i.Fields[at].Value
}

// Every field that a list shows filters it: by what it is, by none, by any, and with comparisons.
func TestListProjectItems_FiltersByAnyField(t *testing.T) {
	d := newToolEnv(t)
	all := allItems(d, onLaunch(args{"limit": 100}))
	today := time.Now().UTC().Format(time.DateOnly)
	for filter, is := range map[string]func(i boards.Item) bool{
		"Sprint: @current":       func(i boards.Item) bool { return valueIn(i, "Sprint") == "Sprint 15" },
		"sprint: Sprint 12":      func(i boards.Item) bool { return valueIn(i, "Sprint") == "Sprint 12" },
		"Priority: low":          func(i boards.Item) bool { return valueIn(i, "Priority") == "Low" },
		"Priority: none":         func(i boards.Item) bool { return valueIn(i, "Priority") == nil && i.Type != "redacted" },
		"Notes: any":             func(i boards.Item) bool { return valueIn(i, "Notes") != nil },
		"Notes: in week":         func(i boards.Item) bool { return valueIn(i, "Notes") != nil },
		"Estimate: 2.5":          func(i boards.Item) bool { return valueIn(i, "Estimate") == 2.5 },
		"Estimate: >4":           func(i boards.Item) bool { n, ok := valueIn(i, "Estimate").(float64); return ok && n > 4 },
		"Estimate: 1..2":         func(i boards.Item) bool { n, ok := valueIn(i, "Estimate").(float64); return ok && n >= 1 && n <= 2 },
		"Ship by: >=@today":      func(i boards.Item) bool { day, ok := valueIn(i, "Ship by").(string); return ok && day >= today },
		"Milestone: summer":      func(i boards.Item) bool { return valueIn(i, "Milestone") == "Summer fleet" },
		"Repository: frame-draw": func(i boards.Item) bool { return valueIn(i, "Repository") == "fernhill-bikes/frame-drawings" },
		"Title: colour picker":   func(i boards.Item) bool { return strings.Contains(strings.ToLower(i.Title), "colour picker") },
		"Status: Ready":          func(i boards.Item) bool { return valueIn(i, "Status") == "Ready" },
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(i boards.Item) bool { return !is(i) })
		if got := allItems(d, onLaunch(args{"limit": 100, "fields": []string{filter}})); fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 || len(got) == len(all) {
			t.Errorf("%s: %d items, want %d of %d", filter, len(got), len(want), len(all))
		}
	}
	both := allItems(d, onLaunch(args{"fields": []string{"Sprint: any", "Priority: Low"}, "status": "Done"}))
	if len(both) == 0 || slices.ContainsFunc(both, func(i boards.Item) bool {
		return valueIn(i, "Sprint") == nil || valueIn(i, "Priority") != "Low" || valueIn(i, "Status") != "Done"
	}) {
		t.Errorf("%+v", both)
	}
	for filter, words := range map[string]string{
		"Sprint": "such as", "Sprint: ": "such as", "Colour: red": `"Sprint"`, "Sprint: @later": "@later", "Priority: urgent": "2 options", "Priority: huge": `"Low"`,
		"Estimate: many": "number", "Ship by: soonish": "date", "Labels: bug": "github_list_issues", "Assignees: me": "assignee", "Markets: any": "not in the list",
	} {
		if text, isError := d.caller().Raw("github_list_project_items", onLaunch(args{"fields": []string{filter}})); !isError || !strings.Contains(text, "fields[0]") || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), words) {
			t.Errorf("%s: %s", filter, text)
		}
	}
	d.fails(fault.InvalidInput, "list_project_items", onLaunch(args{"fields": []string{"Labels: bug", "Sprint"}}), "1 more problem")
}

func TestListProjectItems_HasACompactRow(t *testing.T) {
	d := newToolEnv(t)
	full := d.caller().Answer("github_list_project_items", onLaunch(args{"limit": 50}))
	compact := d.caller().Answer("github_list_project_items", onLaunch(args{"limit": 50, "detail": "compact"}))
	if len(compact) > len(full)/2 {
		t.Errorf("%d bytes of %d", len(compact), len(full))
	}
	got := call[parts.Page[boards.Item]](d, "list_project_items", onLaunch(args{"limit": 50, "detail": "compact"}))
	for i, want := range call[parts.Page[boards.Item]](d, "list_project_items", onLaunch(args{"limit": 50})).Items {
		row := got.Items[i]
		if row.Title != want.Title || row.Ref != want.Ref || row.Ref == "" && row.ID != want.ID || row.URL != "" || fmt.Sprint(row.Values["Status"]) != fmt.Sprint(valueIn(want, "Status")) {
			t.Errorf("%+v is shown as %+v", want, row)
		}
	}
	if !got.HasMore || got.NextCursor == nil {
		t.Errorf("%+v", got)
	}
}
