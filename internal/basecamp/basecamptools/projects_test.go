package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func names(projects []projects.ProjectItem) (names []string) {
	for _, p := range projects {
		names = append(names, p.Name)
	}
	return names
}

func TestListProjects_ReturnsActiveOnesWithTheirEnabledTools(t *testing.T) {
	at(t, func(d *toolEnv) {
		projects := all[projects.ProjectItem](d, "list_projects", args{})
		for _, p := range projects {
			if p.Status != "active" || p.Type != "project" || p.ID == 0 || p.URL == "" || p.CreatedAt.IsZero() {
				d.Errorf("got %+v", p)
			}
		}
		lab := projects[slices.Index(names(projects), "Frame Testing Lab")]
		if !slices.Equal(lab.Tools, []string{"todoset", "vault"}) {
			d.Errorf("tools of the lab: %v", lab.Tools)
		}
		bare := projects[slices.Index(names(projects), "Quiet Ideas")]
		if len(bare.Tools) != 0 {
			d.Errorf("tools of a project without a dock: %v", bare.Tools)
		}
		if fair := projects[slices.Index(names(projects), "Spring Trade Fair")]; fair.Description != "" {
			d.Errorf("a null description became %q", fair.Description)
		}
	})
}

func TestListProjects_AsksBasecampForTheStatus(t *testing.T) {
	at(t, func(d *toolEnv) {
		archived := names(all[projects.ProjectItem](d, "list_projects", args{"status": "archived"}))
		if len(archived) != 3 || !slices.Contains(archived, "Prototype Two") {
			d.Errorf("archived: %v", archived)
		}
		active, everything := all[projects.ProjectItem](d, "list_projects", args{}), all[projects.ProjectItem](d, "list_projects", args{"status": "all"})
		if len(everything) != len(active)+3 {
			d.Errorf("all has %d, active %d", len(everything), len(active))
		}
		if trashed := all[projects.ProjectItem](d, "list_projects", args{"status": "trashed"}); len(trashed) != 2 {
			d.Errorf("trashed: %v", names(trashed))
		}
	})
}

func TestListProjects_FindsAPartOfANameInAnyCase(t *testing.T) {
	at(t, func(d *toolEnv) {
		if got := names(all[projects.ProjectItem](d, "list_projects", args{"query": "web SHOP", "status": "all"})); !slices.Equal(got, []string{"Web Shop Rebuild", "Old Web Shop"}) {
			d.Errorf("got %v", got)
		}
		none := call[listing.Page[projects.ProjectItem]](d, "list_projects", args{"query": "zeppelin"})
		if len(none.Items) != 0 || none.HasMore {
			d.Errorf("got %+v", none)
		}
	})
}

func TestListProjects_ACursorIsValidOnlyForItsArguments(t *testing.T) {
	at(t, func(d *toolEnv) {
		first := call[listing.Page[projects.ProjectItem]](d, "list_projects", args{"limit": 2})
		d.fails(fault.InvalidInput, "list_projects", args{"status": "archived", "cursor": *first.NextCursor}, "cursor", "other arguments")
		for _, cursor := range []string{"x", "e30", "eyJwIjotMX0", "////"} {
			d.fails(fault.InvalidInput, "list_projects", args{"cursor": cursor}, "cursor")
		}
		d.fails(fault.InvalidInput, "list_projects", args{"cursor": *first.NextCursor, "page": 2}, "page")
	})
}

func TestGetProjectTools_NamesTheToolsOfTheDock(t *testing.T) {
	at(t, func(d *toolEnv) {
		launch := call[projects.ProjectTools](d, "get_project_tools", args{"project_id": "cargo bike launch"})
		if launch.Project != d.sandbox.ProjectID("Cargo Bike Launch") || *launch.PeopleCount != 12 || *launch.TodosetID != d.sandbox.ToolID("Cargo Bike Launch", "todoset") {
			d.Errorf("got %+v", launch)
		}
		if boards, ok := launch.Tools["kanban_board"].([]any); !ok || len(boards) != 2 {
			d.Errorf("two boards: %v", launch.Tools["kanban_board"])
		}
		if board, ok := launch.Tools["message_board"].(map[string]any); !ok || board["enabled"] != true || board["url"] == "" {
			d.Errorf("one message board: %v", launch.Tools["message_board"])
		}
		lab := call[projects.ProjectTools](d, "get_project_tools", args{"project_id": d.sandbox.ProjectID("Frame Testing Lab")})
		if lab.MessageBoardID != nil || lab.ChatID != nil || lab.VaultID == nil {
			d.Errorf("disabled tools have ids: %+v", lab)
		}
		if off, ok := lab.Tools["chat"].(map[string]any); ok && off["enabled"] != false {
			d.Errorf("a disabled chat: %v", off)
		}
	})
}

func TestProject_IsFoundByIDDigitsNamePartOrAnyURLInIt(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.ProjectID("Cargo Bike Launch")
		launch := call[projects.ProjectTools](d, "get_project_tools", args{"project_id": id})
		message := call[listing.Page[texts.MessageItem]](d, "list_messages", args{"project_id": id, "limit": 1}).Items[0]
		bare := strings.TrimPrefix(launch.URL, "https://")
		for _, reference := range []any{
			id, "2271403118", "Cargo Bike Launch", " CARGO bike  launch", "bike launch", launch.URL, message.URL,
			bare, " " + strings.Replace(bare, "3.basecamp.com", "app.basecamp.com", 1),
		} {
			if got := call[projects.ProjectTools](d, "get_project_tools", args{"project_id": reference}); got.Project != id {
				d.Errorf("%v: got %d", reference, got.Project)
			}
		}
		d.fails(fault.InvalidInput, "get_project_tools", args{"project_id": 0}, "project_id: must be a positive integer, a name or a Basecamp URL, got 0")
	})
}

func TestProject_AnAmbiguousNameReturnsTheCandidates(t *testing.T) {
	at(t, func(d *toolEnv) {
		f := d.fails(fault.Ambiguous, "list_messages", args{"project_id": "web shop"}, "project_id")
		if len(f.Data.Candidates) < 2 || f.Data.Candidates[0].ID == 0 || f.Data.Candidates[0].Where == "" {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestProject_IsFoundByItsDisplayedName(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("POST", "/projects.json", `{"name":"Evil \u202egnp.exe\u200b one"}`)
		d.meanwhile("POST", "/projects.json", `{"name":"2024-2025"}`)
		d.meanwhile("POST", "/projects.json", `{"name":"2025-2026"}`)
		shown := names(all[projects.ProjectItem](d, "list_projects", args{"query": "gnp"}))
		if len(shown) != 1 || strings.ContainsAny(shown[0], "\u202e\u200b") {
			d.Fatalf("shown as %q", shown)
		}
		call[projects.ProjectTools](d, "get_project_tools", args{"project_id": shown[0]})
		call[projects.ProjectTools](d, "get_project_tools", args{"project_id": "2024-2025"})
		f := d.fails(fault.NotFound, "get_project_tools", args{"project_id": "Evil gnp"[:4] + " twin"}, "Evil")
		if strings.ContainsAny(f.Message+f.Data.Nearest[0].Name, "\u202e\u200b") {
			d.Errorf("got %q", f.Message)
		}
	})
}

func TestProject_RefusesURLsOfOtherAccountsAndSites(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.fails(fault.InvalidInput, "get_project_tools", args{"project_id": "https://3.basecamp.com/1/projects/2"}, "another Basecamp account")
		d.fails(fault.InvalidInput, "get_project_tools", args{"project_id": "https://evil.example/1/projects/2"}, "must be the URL")
	})
}

func TestCreateProject_IsFoundByTheNextCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[listing.Page[projects.ProjectItem]](d, "list_projects", args{})
		d.fails(fault.NotFound, "get_project_tools", args{"project_id": "Rain test"}) // caches that there is no such project
		made := call[struct{ Result projects.ProjectItem }](d, "change_basecamp", args{"operation": "create_project", "name": " Rain test ", "description": "A week of it"}).Result
		if made.ID == 0 || made.Name != "Rain test" || made.Description != "A week of it" || made.Status != "active" || made.URL == "" {
			d.Errorf("got %+v", made)
		}
		if got := call[projects.ProjectTools](d, "get_project_tools", args{"project_id": "Rain test"}); got.Project != made.ID || got.Description != "A week of it" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestCreateProject_ReportsFailures(t *testing.T) {
	at(t, func(d *toolEnv) {
		requests := d.asked(func() {
			for _, name := range []string{"", "  ", "\u200b"} {
				d.fails(fault.InvalidInput, "change_basecamp", args{"operation": "create_project", "name": name}, "name")
			}
		})
		if len(requests) > 0 {
			d.Errorf("requests: %v", requests)
		}
		full := `{"error":"The project limit for this account has been reached."}`
		d.sandbox.Inject(sandbox.Fault{Method: "POST", PathPrefix: "/projects.json", Status: 507, Body: full})
		d.fails(fault.LimitReached, "change_basecamp", args{"operation": "create_project", "name": "One more"}, "limit")
	})
}

// winterKit is a project with few people.
const winterKit = "Winter Kit"

func TestChangeProject_KeepsWhatItDoesNotName(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.ProjectID(winterKit)
		before := upstream[record](d, fmt.Sprintf("/projects/%d.json", id))
		dated := call[projects.ChangedProject](d, "change_project", args{"project": winterKit, "dates": args{"starts_on": "2031-01-06", "ends_on": "January 31 2031"}})
		if dated.Name != winterKit || *dated.StartsOn != "2031-01-06" || *dated.EndsOn != "2031-01-31" || dated.Description != before["description"] {
			d.Errorf("got %+v", dated)
		}
		if diff := cmp.Diff(map[string]any{"starts_on": nil, "ends_on": nil}, dated.Previous); diff != "" {
			d.Error(diff)
		}
		longer := call[projects.ChangedProject](d, "change_project", args{"project": id, "dates": args{"ends_on": "2031-02-28"}, "description": "Gloves and lights."})
		if *longer.StartsOn != "2031-01-06" || longer.Previous["ends_on"] != "2031-01-31" || longer.Description != "Gloves and lights." || longer.Previous["description"] != before["description"] {
			d.Errorf("got %+v", longer)
		}
		named := call[projects.ChangedProject](d, "change_project", args{"project": id, "name": "Winter Kit 2031"})
		if named.Name != "Winter Kit 2031" || *named.EndsOn != "2031-02-28" || named.Description != "Gloves and lights." || named.Previous["name"] != winterKit || len(named.Previous) != 1 {
			d.Errorf("got %+v", named)
		}
		call[projects.ProjectTools](d, "get_project_tools", args{"project_id": "Winter Kit 2031"})
		if same := call[projects.ChangedProject](d, "change_project", args{"project": id, "name": "Winter Kit 2031"}); !same.Unchanged || len(same.Previous) > 0 {
			d.Errorf("got %+v", same)
		}
	})
}

func TestChangeProject_AddsAndRemovesPeopleOfTheAccount(t *testing.T) {
	at(t, func(d *toolEnv) {
		people := func() []string {
			return peopleIn(d, winterKit)
		}
		before := people()
		missing := slices.DeleteFunc([]string{"Aoife Brennan", "Dele Adeyemi", "Hanna Koivisto", "Priya Raman", "Noémie Laurent", "Jonas Brandt"}, func(name string) bool { return slices.Contains(before, name) })
		if len(missing) < 2 {
			d.Fatalf("on the project are %v", before)
		}
		got := call[projects.ChangedProject](d, "change_project", args{"project": winterKit, "add_people": []string{missing[0], missing[1], "me"}})
		if len(got.Added) != 2 || got.PeopleCount != len(before)+2 || got.Previous["people_count"] != float64(len(before)) || got.Name != winterKit {
			d.Errorf("got %+v", got)
		}
		got = call[projects.ChangedProject](d, "change_project", args{"project": winterKit, "remove_people": missing[0]})
		if len(got.Removed) != 1 || got.Removed[0].Name != missing[0] || slices.Contains(people(), missing[0]) || !slices.Contains(people(), missing[1]) {
			d.Errorf("got %+v", got)
		}
		d.refuses(fault.InvalidInput, "change_project", args{"project": winterKit, "remove_people": missing[0]}, "remove_people[0]", "not on the project")
		d.refuses(fault.NotFound, "change_project", args{"project": winterKit, "name": "x", "add_people": "Zebulon"}, "add_people[0]")
		d.refuses(fault.InvalidInput, "change_project", args{"project": winterKit, "remove_people": "me"}, "is you")
		d.refuses(fault.InvalidInput, "change_project", args{"project": winterKit, "add_people": missing[1], "remove_people": missing[1]}, "names")
		d.refuses(fault.InvalidInput, "change_project", args{"project": winterKit, "add_people": lieke}, "client")
	})
}

// peopleIn returns the names of the people on a project.
func peopleIn(d *toolEnv, project string) (names []string) {
	for _, p := range upstream[[]struct{ Name string }](d, fmt.Sprintf("/projects/%d/people.json", d.sandbox.ProjectID(project))) {
		names = append(names, p.Name)
	}
	return names
}

func TestChangeProject_RefusesWhatIsWrongAndWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, x := range []struct {
			in    args
			words []string
		}{
			{args{}, []string{"nothing to change"}}, {args{"name": " \u200b"}, []string{"name"}}, {args{"dates": args{"starts_on": "2031-01-06"}}, []string{"dates", "both"}},
			{args{"dates": args{}}, []string{"dates"}}, {args{"dates": args{"starts_on": "2031-01-06", "ends_on": "2031-01-05"}}, []string{"ends_on", "before"}},
			{args{"name": "x", "dates": args{"starts_on": "soon", "ends_on": "later"}}, []string{"starts_on", "ends_on"}},
		} {
			x.in["project"] = winterKit
			d.refuses(fault.InvalidInput, "change_project", x.in, x.words...)
		}
		for _, p := range call[struct{ Items []lookup.ProjectRef }](d, "list_projects", args{"status": "archived"}).Items {
			d.refuses(fault.InvalidInput, "change_project", args{"project": p.ID, "name": "x"}, "archived")
		}
	})
}

func TestChangeProject_SaysWhatIsDoneIfOnlyThePeopleFail(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: http.MethodPut, PathPrefix: fmt.Sprintf("/projects/%d/people", d.sandbox.ProjectID(winterKit)), Status: http.StatusForbidden})
		added := "Aoife Brennan"
		if slices.Contains(peopleIn(d, winterKit), added) {
			added = "Dele Adeyemi"
		}
		d.fails(fault.PermissionDenied, "change_project", args{"project": winterKit, "name": "Summer Kit", "add_people": added}, "name", "people are not changed")
	})
}
