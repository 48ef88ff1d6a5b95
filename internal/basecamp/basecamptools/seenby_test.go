package basecamptools

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
)

// seenIn returns what an answer says about who sees its projects, in any of its forms.
func seenIn(answer record) map[string]string {
	seen := map[string]string{}
	if all, ok := answer["seen_by"].(map[string]any); ok {
		for name, words := range all {
			seen[name] = words.(string)
		}
	}
	projects, _ := answer["projects"].([]any)
	for _, p := range projects {
		project := p.(map[string]any)
		if words, ok := project["seen_by"].(string); ok {
			seen[project["project"].(map[string]any)["name"].(string)] = words
		}
	}
	return seen
}

// acrossProjects are calls of the tools whose answers mix projects.
var acrossProjects = []struct {
	tool string
	in   args
}{
	{"get_report", args{"format": "structured"}}, {"get_activity", args{"since": "last_30_days"}},
	{"get_activity", args{"since": "last_30_days", "detail": "full"}}, {"list_work", args{"limit": 100}}, {"get_my_work", args{"limit": 100}},
}

func TestAnswersAcrossProjects_SayWhoSeesEach(t *testing.T) {
	for _, x := range acrossProjects {
		unlimited(t, func(d *toolEnv) {
			want := map[string]string{}
			for _, p := range call[record](d, "list_projects", args{"limit": 100})["items"].([]any) {
				project := p.(map[string]any)
				people := upstream[[]basecamp.Person](d, "/projects/"+digits(d.sandbox.ProjectID(project["name"].(string)))+"/people.json")
				want[project["name"].(string)] = lookup.SeenByWords(people)
			}
			call[record](d, x.tool, x.in)
			seen := seenIn(call[record](d, x.tool, x.in))
			if len(seen) == 0 {
				d.Fatalf("%s says of no project who sees it", x.tool)
			}
			for name, words := range seen {
				if words != want[name] {
					d.Errorf("%s: %s is seen by %s, not %s", x.tool, name, words, want[name])
				}
			}
		})
	}
}

func TestAnswersAcrossProjects_ReadThePeopleOnFewProjectsAtOnce(t *testing.T) {
	for _, x := range acrossProjects {
		unlimited(t, func(d *toolEnv) {
			known, read := map[string]bool{}, 1
			var seen map[string]string
			for calls := 0; read > 0 && calls < 10; calls++ {
				requests := d.asked(func() { seen = seenIn(call[record](d, x.tool, x.in)) })
				people := lookup.Matching(requests, func(r string) bool { return strings.HasSuffix(r, "/people.json") })
				for _, r := range people {
					known[r] = true
				}
				if read = len(people); read > 4 || len(seen) > len(known) { // a late answer shows in the next call
					d.Errorf("%s reads the people on %d projects, and says it of %d", x.tool, read, len(seen))
				}
			}
			if len(known) == 0 || read > 0 || len(seen) != len(known) {
				d.Errorf("%s says it of %d projects of %d, and still reads the people on %d", x.tool, len(seen), len(known), read)
			}
		})
	}
}

func TestAnswersAcrossProjects_SayItWithoutAFurtherRoundOfANamedProject(t *testing.T) {
	for _, tool := range []string{"get_activity", "list_work"} {
		unlimited(t, func(d *toolEnv) {
			in := args{"project": d.sandbox.ProjectID(fleet)}
			cold, _ := d.chain(tool, in)
			warm, _ := d.chain(tool, in)
			got := seenIn(call[record](d, tool, in))
			if cold.length > warm.length || !cmp.Equal(got, map[string]string{fleet: "9 people, client: yes"}) {
				d.Errorf("%s: chains of %d and %d, seen by %v", tool, cold.length, warm.length, got)
			}
		})
	}
}

func TestAnswersAcrossProjects_OfTwoPeopleDoNotShareWhoSeesThem(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		call[record](d, "list_work", args{"limit": 100})
		requests := d.asked(func() { call[record](d.as(lieke), "list_work", args{"limit": 100}) })
		if !strings.Contains(strings.Join(requests, " "), "/people.json") {
			d.Errorf("another person's people were taken: %v", requests)
		}
	})
}

func TestAnswersAcrossProjects_NameWhoSeesThemAsMissing(t *testing.T) {
	for _, x := range acrossProjects {
		unlimited(t, func(d *toolEnv) {
			d.sandbox.Inject(sandbox.Fault{Method: http.MethodGet, PathPrefix: "/projects/" + digits(d.sandbox.ProjectID(fleet)) + "/people.json", Status: 403})
			in := clone(x.in)
			if x.tool != "get_my_work" {
				in["project"] = fleet
			}
			got := call[record](d, x.tool, in)
			if _, seen := seenIn(got)[fleet]; seen {
				d.Errorf("%s says who sees the fleet", x.tool)
			}
			if left, _ := got["left_out"].([]any); x.tool != "get_my_work" && (len(left) != 1 || !strings.HasPrefix(left[0].(string), "seen_by: ")) {
				d.Errorf("%s: left out %v", x.tool, left)
			}
		})
	}
}
