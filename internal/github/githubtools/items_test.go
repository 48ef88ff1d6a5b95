package githubtools

import (
	"testing"
	"time"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
)

func allItems(d *toolEnv, with args) []boards.Item {
	d.Helper()
	var items []boards.Item
	for range 20 {
		p := call[parts.Page[boards.Item]](d, "list_project_items", with)
		items = append(items, p.Items...)
		if !p.HasMore {
			return items
		}
		with["cursor"] = *p.NextCursor
	}
	d.Fatal("no end after 20 pages")
	return nil
}

func TestListProjectItems_PagesThroughTheBoard(t *testing.T) {
	d := newToolEnv(t)
	counts := map[string]int{}
	seen := map[string]bool{}
	for _, i := range allItems(d, args{"project": launch, "archived": true, "limit": 40}) {
		counts[i.Type]++
		counts[i.State]++
		if seen[i.ID] {
			t.Errorf("%s twice", i.ID)
		}
		seen[i.ID] = true
	}
	if len(seen) != 130 || counts["redacted"] != 6 || counts["draft_issue"] != 11 || counts["merged"] == 0 || counts["open"] == 0 || counts["closed"] == 0 {
		t.Errorf("%d items: %v", len(seen), counts)
	}
	if open := allItems(d, args{"project": launch}); len(open) != 127 {
		t.Errorf("%d items that are not archived", len(open))
	}
}

func TestListProjectItems_Filters(t *testing.T) {
	d := newToolEnv(t)
	for name, test := range map[string]struct {
		with args
		ok   func(boards.Item) bool
	}{
		"status":     {args{"status": "in progress"}, func(i boards.Item) bool { return valueIn(i, "Status") == "In progress" }},
		"no status":  {args{"status": "none"}, func(i boards.Item) bool { return valueIn(i, "Status") == nil && i.Type != "redacted" }},
		"status set": {args{"status": "any"}, func(i boards.Item) bool { return valueIn(i, "Status") != nil }},
		"unassigned": {args{"assignee": "none"}, func(i boards.Item) bool { return len(i.Assignees) == 0 && i.Type != "redacted" }},
		"assigned":   {args{"assignee": "Any"}, func(i boards.Item) bool { return len(i.Assignees) > 0 }},
		"me":         {args{"assignee": "me"}, func(i boards.Item) bool { return parts.HasName(i.Assignees, ines) }},
		"drafts":     {args{"type": "draft_issue"}, func(i boards.Item) bool { return i.Type == "draft_issue" && i.Ref == "" }},
	} {
		test.with["project"], test.with["limit"] = launch, 100
		only(d, "list_project_items", name, test.with, test.ok)
	}
	f := d.fails(fault.NotFound, "list_project_items", args{"project": launch, "status": "Blocked"}, "Backlog", "In review")
	if len(f.Data.Nearest) != 5 {
		t.Errorf("%+v", f.Data)
	}
	d.fails(fault.NotFound, "list_project_items", args{"project": launch, "assignee": "iness"}, `GitHub has no user "iness"; similar: "ines-albrecht"`)
	f = d.fails(fault.NotFound, "list_project_items", args{"project": launch, "assignee": "ines-albrect"}, `GitHub has no user "ines-albrect"; similar: "ines-albrecht"`)
	if len(f.Data.Nearest) != 1 || f.Data.Nearest[0].Ref != ines {
		t.Errorf("%+v", f.Data)
	}
	d.fails(fault.NotFound, "list_project_items", args{"project": launch, "assignee": "nobody"}, `no user "nobody"`)
	if items := allItems(d, args{"project": launch, "assignee": "lieke-vdmeer", "status": "none"}); len(items) != 0 {
		t.Errorf("%+v", items)
	}
	d.fails(fault.InvalidInput, "list_project_items", args{"project": launch, "cursor": "bogus"}, "cursor")
}

func TestProjectItems_AreAddedOnceAndRemoved(t *testing.T) {
	d := newToolEnv(t)
	with := args{"project": ines + "/1", "item": configurator + "#77"}
	first := call[boards.AddedItem](d, "add_project_item", with)
	if !first.Added || first.Item.Ref != configurator+"#77" || first.Project.Owner != ines {
		t.Fatalf("%+v", first)
	}
	d.writesNothing("an item that is there", func() {
		if again := call[boards.AddedItem](d, "add_project_item", with); again.Added || again.Item.ID != first.Item.ID {
			t.Errorf("%+v", again)
		}
	})
	if gone := call[boards.RemovedItem](d, "remove_project_item", with); !gone.Removed || gone.ID != first.Item.ID || gone.Ref != configurator+"#77" {
		t.Errorf("%+v", gone)
	}
	d.fails(fault.NotFound, "remove_project_item", with, "not on the project")
	d.fails(fault.NotFound, "remove_project_item", args{"project": ines + "/1", "item": "No such draft"})
	d.fails(fault.NotFound, "remove_project_item", args{"project": ines + "/1", "item": d.sandbox.ItemID("fernhill-bikes", 1, "Book the photo ride")}, "not on the project")
	d.fails(fault.InvalidInput, "add_project_item", args{"project": ines + "/1", "item": 77}, "owner/repo#12")
	d.fails(fault.InvalidInput, "remove_project_item", args{"project": ines + "/1", "item": 77}, "owner/repo#12")
	d.fails(fault.NotFound, "add_project_item", args{"project": ines + "/1", "item": configurator + "#999"})
}

func TestRemoveProjectItem_ADraftNeedsItsTitle(t *testing.T) {
	d := newToolEnv(t)
	with := args{"project": launch, "item": "book the photo ride"}
	d.writesNothing("a draft without its title", func() {
		f := d.fails(fault.InvalidInput, "remove_project_item", with, "Book the photo ride", "ask the user")
		if f.Data.Validation[0].Code != "confirmation_required" {
			t.Errorf("%+v", f.Data.Validation)
		}
	})
	with["confirm_title"] = "Book the photo ride"
	if gone := call[boards.RemovedItem](d, "remove_project_item", with); !gone.Removed {
		t.Errorf("%+v", gone)
	}
}

func TestSetFieldValue_SetsEveryKindAndReadsItBack(t *testing.T) {
	d := newToolEnv(t)
	on := func(field string, value any) args {
		return args{"project": launch, "item": configurator + "#2", "field": field, "value": value}
	}
	read := func(field string) boards.Value {
		return call[boards.Value](d, "get_field_value", args{"project": launch, "item": configurator + "#2", "field": field})
	}
	today := time.Now().UTC()
	for _, test := range []struct {
		field string
		given any
		want  any
	}{
		{"notes", "A <b> & *c*\r\n", "A <b> & *c*\r\n"},
		{"Estimate", 2.5, 2.5},
		{"Estimate", "3", 3.0},
		{"Ship by", "2026-12-24", "2026-12-24"},
		{"Ship by", "tomorrow", today.AddDate(0, 0, 1).Format(time.DateOnly)},
		{"Status", "done", "Done"},
		{"Priority", "🟠 Urgent", "🟠 Urgent"},
		{"Sprint", "@previous", "Sprint 14"},
		{"Sprint", "@current", "Sprint 15"},
		{"Sprint", "@next", "Sprint 16"},
		{"Sprint", "sprint 12", "Sprint 12"},
		{"Sprint", today.AddDate(0, 0, 30).Format(time.DateOnly), "Sprint 17"},
	} {
		set := call[boards.SetValue](d, "set_field_value", on(test.field, test.given))
		if set.Value != test.want || !set.Changed {
			t.Errorf("%s = %v: %+v", test.field, test.given, set)
		}
		if got := read(test.field); got.Value != test.want {
			t.Errorf("%s = %v: reads %+v", test.field, test.given, got)
		}
		d.writesNothing(test.field, func() {
			if again := call[boards.SetValue](d, "set_field_value", on(test.field, test.given)); again.Changed || again.Previous != test.want {
				t.Errorf("%s = %v again: %+v", test.field, test.given, again)
			}
		})
	}
	if i := read("Sprint").Iteration; i == nil || i.Title != "Sprint 17" || i.DurationDays != 14 {
		t.Errorf("%+v", i)
	}
	for field, clear := range map[string]any{"Notes": "", "Estimate": nil, "Sprint": "none"} {
		if set := call[boards.SetValue](d, "set_field_value", on(field, clear)); set.Value != nil || set.Previous == nil || !set.Changed {
			t.Errorf("%s: %+v", field, set)
		}
		if got := read(field); got.Value != nil {
			t.Errorf("%s: %+v", field, got)
		}
	}
}

func TestGetFieldValue_ReadsListsAndWhatIsUnset(t *testing.T) {
	d := newToolEnv(t)
	read := func(item, field string) boards.Value {
		return call[boards.Value](d, "get_field_value", args{"project": launch, "item": item, "field": field})
	}
	if v := read(configurator+"#2", "Labels"); v.Type != "labels" || len(v.Value.([]any)) == 0 {
		t.Errorf("%+v", v)
	}
	if v := read(configurator+"#3", "Reviewers"); v.Type != "reviewers" || len(v.Value.([]any)) != 2 {
		t.Errorf("%+v", v)
	}
	if v := read(configurator+"#2", "Ship by"); v.Type != "date" {
		t.Errorf("%+v", v)
	}
	f := d.fails(fault.NotFound, "get_field_value", args{"project": launch, "item": configurator + "#2", "field": "Colour"}, `"Notes", "Markets", "Title"`)
	if len(f.Data.Nearest) != 16 {
		t.Errorf("%d are listed", len(f.Data.Nearest))
	}
}

func TestGetFieldValue_SaysWhichFieldsGitHubDoesNotReturnInsteadOfCallingThemUnset(t *testing.T) {
	d := newToolEnv(t)
	fields := call[boards.ProjectDetails](d, "get_project", args{"project": launch}).Fields
	refused := map[string]string{"Markets": "/orgs/fernhill-bikes/projects/1", "Parent issue": "github_get_issue", "Sub-issues progress": "github_get_issue"}
	for _, f := range fields {
		arguments := args{"project": launch, "item": configurator + "#2", "field": f.Name}
		if where := refused[f.Name]; where != "" {
			d.fails(fault.InvalidInput, "get_field_value", arguments, f.Name, f.Type, "cannot be read here", where)
			continue
		}
		if v := call[boards.Value](d, "get_field_value", arguments); v.Type != f.Type {
			t.Errorf("%+v", v)
		}
	}
}
