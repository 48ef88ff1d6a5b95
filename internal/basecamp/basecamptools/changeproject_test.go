package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// winterKit is a project with few people.
const winterKit = "Winter Kit"

func TestChangeProject_KeepsWhatItDoesNotName(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.ProjectID(winterKit)
		before := upstream[record](d, fmt.Sprintf("/projects/%d.json", id))
		dated := call[changedProject](d, "change_project", args{"project": winterKit, "dates": args{"starts_on": "2031-01-06", "ends_on": "January 31 2031"}})
		if dated.Name != winterKit || *dated.StartsOn != "2031-01-06" || *dated.EndsOn != "2031-01-31" || dated.Description != before["description"] {
			d.Errorf("got %+v", dated)
		}
		if diff := cmp.Diff(map[string]any{"starts_on": nil, "ends_on": nil}, dated.Previous); diff != "" {
			d.Error(diff)
		}
		longer := call[changedProject](d, "change_project", args{"project": id, "dates": args{"ends_on": "2031-02-28"}, "description": "Gloves and lights."})
		if *longer.StartsOn != "2031-01-06" || longer.Previous["ends_on"] != "2031-01-31" || longer.Description != "Gloves and lights." || longer.Previous["description"] != before["description"] {
			d.Errorf("got %+v", longer)
		}
		named := call[changedProject](d, "change_project", args{"project": id, "name": "Winter Kit 2031"})
		if named.Name != "Winter Kit 2031" || *named.EndsOn != "2031-02-28" || named.Description != "Gloves and lights." || named.Previous["name"] != winterKit || len(named.Previous) != 1 {
			d.Errorf("got %+v", named)
		}
		call[projectTools](d, "get_project_tools", args{"project_id": "Winter Kit 2031"})
		if same := call[changedProject](d, "change_project", args{"project": id, "name": "Winter Kit 2031"}); !same.Unchanged || len(same.Previous) > 0 {
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
		got := call[changedProject](d, "change_project", args{"project": winterKit, "add_people": []string{missing[0], missing[1], "me"}})
		if len(got.Added) != 2 || got.PeopleCount != len(before)+2 || got.Previous["people_count"] != float64(len(before)) || len(got.NotAsAsked) > 0 || got.Name != winterKit {
			d.Errorf("got %+v", got)
		}
		got = call[changedProject](d, "change_project", args{"project": winterKit, "remove_people": missing[0]})
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
