package githubtools

import (
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolanswer"
)

func TestListProjects_ByOwnerStateAndWords(t *testing.T) {
	d := newToolEnv(t)
	titles := func(with args) []string {
		var all []string
		for _, p := range call[parts.Page[boards.Project]](d, "list_projects", with).Items {
			all = append(all, p.Title)
		}
		slices.Sort(all)
		return all
	}
	for want, with := range map[string]args{
		"Public roadmap,Season launch":                  {"owner": "fernhill-bikes"},
		"Workshop backlog":                              {"owner": "fernhill-bikes", "state": "closed"},
		"Public roadmap,Season launch,Workshop backlog": {"owner": "@fernhill-bikes", "state": "all"},
		"Season launch":                                 {},
		"Public roadmap":                                {"owner": "fernhill-bikes", "query": "roadmap"},
	} {
		if got := titles(with); strings.Join(got, ",") != want {
			t.Errorf("%v: %q, want %q", with, got, want)
		}
	}
	d.fails(fault.InvalidInput, "list_projects", args{"owner": "no/login"}, "login")
	d.fails(fault.NotFound, "list_projects", args{"owner": "no-such-login"})
}

func TestGetProject_FindsItByEveryReference(t *testing.T) {
	d := newToolEnv(t)
	id := d.sandbox.ProjectID("fernhill-bikes", 1)
	for _, with := range []args{
		{"project": launch}, {"project": 1, "owner": "fernhill-bikes"}, {"project": id},
		{"project": sandbox.URL + "/orgs/fernhill-bikes/projects/1/views/2?pane=info"}, {"project": "season LAUNCH", "owner": "fernhill-bikes"}, {"project": "launch", "owner": "fernhill-bikes"},
	} {
		p := call[boards.ProjectDetails](d, "get_project", with)
		if p.ID != id || len(p.Fields) != 16 || p.ItemsCount != 130 || p.Owner != "fernhill-bikes" || p.Creator != ines {
			t.Errorf("%v: %+v", with, p)
		}
	}
	if p := call[boards.ProjectDetails](d, "get_project", args{"project": sandbox.URL + "/users/" + ines + "/projects/1"}); p.Owner != ines {
		t.Errorf("the URL of a user's project leads to one of %s", p.Owner)
	}
	if p := call[boards.ProjectDetails](d, "get_project", args{"project": 1}); p.Owner != ines {
		t.Errorf("a number without owner is of %s", p.Owner)
	}
	f := d.fails(fault.Ambiguous, "get_project", args{"project": "Season launch"}, "2 projects")
	if len(f.Data.Candidates) != 2 || f.Data.Candidates[0].Ref != ines+"/1" || f.Data.Candidates[1].Ref != launch {
		t.Errorf("%+v", f.Data.Candidates)
	}
}

func TestIterations_SayWhetherTheyAreCompleted(t *testing.T) {
	d := newToolEnv(t)
	text, _ := d.caller().Raw("github_get_project", onLaunch(nil))
	if n := strings.Count(text, `"duration_days"`); n < 4 || strings.Count(text, `"completed":false`)+strings.Count(text, `"completed":true`) != n ||
		!strings.Contains(text, `"completed":true`) || !strings.Contains(text, `"completed":false`) {
		t.Errorf("%s", text)
	}
	for given, want := range map[string]string{"@current": `"completed":false`, "@previous": `"completed":true`} {
		call[boards.SetValue](d, "set_field_value", onLaunch(args{"item": second, "field": "Sprint", "value": given}))
		if text, _ := d.caller().Raw("github_get_field_value", onLaunch(args{"item": second, "field": "Sprint"})); !strings.Contains(text, want) {
			t.Errorf("%s: %s", given, text)
		}
	}
	// A compact item keeps false, which is one byte longer than true.
	if sizes := toolanswer.ItemSizes([]boards.Iteration{{}, {Completed: true}}, true); sizes[0] != sizes[1]+1 {
		t.Errorf("%v", sizes)
	}
}

func TestProjects_LiveFromCreationToDeletion(t *testing.T) {
	d := newToolEnv(t)
	made := call[boards.Project](d, "create_project", args{"title": "Autumn ride", "owner": "fernhill-bikes", "repo": configurator})
	if made.Title != "Autumn ride" || made.Owner != "fernhill-bikes" || made.State != "open" {
		t.Fatalf("%+v", made)
	}
	change := args{"project": made.ID, "title": "Autumn tour", "readme": "# Hi <!-- x -->\r\n", "closed": true, "public": false}
	changed := call[boards.ChangedProject](d, "update_project", change)
	if changed.State != "closed" || changed.Title != "Autumn tour" || !slices.Equal(changed.Changed, []string{"title", "readme", "closed"}) {
		t.Errorf("%+v", changed)
	}
	d.writesNothing("a change and a deletion that are refused", func() {
		if again := call[boards.ChangedProject](d, "update_project", change); len(again.Changed) != 0 {
			t.Errorf("%+v", again)
		}
		d.fails(fault.InvalidInput, "delete_project", args{"project": made.ID}, "Autumn tour", "fernhill-bikes", "0 items", "ask the user")
	})
	gone := call[boards.DeletedProject](d, "delete_project", args{"project": made.ID, "confirm_title": " Autumn tour "})
	if !gone.Deleted || gone.ID != made.ID || gone.Number != made.Number {
		t.Errorf("%+v", gone)
	}
	d.fails(fault.NotFound, "delete_project", args{"project": made.ID, "confirm_title": "Autumn tour"})
}
