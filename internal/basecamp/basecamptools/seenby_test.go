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

// seenIn returns what a report says about who sees its projects.
func seenIn(answer record) map[string]string {
	seen := map[string]string{}
	for _, p := range answer["projects"].([]any) {
		project := p.(map[string]any)
		if words, ok := project["seen_by"].(string); ok {
			seen[project["project"].(map[string]any)["name"].(string)] = words
		}
	}
	return seen
}

var structured = args{"format": "structured"}

func TestReport_SaysWhoSeesEachProject(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		want := map[string]string{}
		for _, p := range call[record](d, "list_projects", args{"limit": 100})["items"].([]any) {
			project := p.(map[string]any)
			people := upstream[[]basecamp.Person](d, "/projects/"+digits(d.sandbox.ProjectID(project["name"].(string)))+"/people.json")
			want[project["name"].(string)] = lookup.SeenByWords(people)
		}
		seen := seenIn(call[record](d, "get_report", structured))
		if len(seen) == 0 {
			d.Fatal("it says of no project who sees it")
		}
		for name, words := range seen {
			if words != want[name] {
				d.Errorf("%s is seen by %s, not %s", name, words, want[name])
			}
		}
	})
}

func TestReport_ReadsThePeopleOnFewProjectsAtOnce(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		known, read := map[string]bool{}, 1
		var seen map[string]string
		for calls := 0; read > 0 && calls < 10; calls++ {
			requests := d.asked(func() { seen = seenIn(call[record](d, "get_report", structured)) })
			people := lookup.Matching(requests, func(r string) bool { return strings.HasSuffix(r, "/people.json") })
			for _, r := range people {
				known[r] = true
			}
			if read = len(people); read > 4 || len(seen) > len(known) { // a late answer shows in the next call
				d.Errorf("it reads the people on %d projects, and says it of %d", read, len(seen))
			}
		}
		if len(known) == 0 || read > 0 || len(seen) != len(known) {
			d.Errorf("it says it of %d projects of %d, and still reads the people on %d", len(seen), len(known), read)
		}
		requests := d.asked(func() { call[record](d.as(lieke), "get_report", structured) })
		if !strings.Contains(strings.Join(requests, " "), "/people.json") {
			d.Errorf("another person's people were taken: %v", requests)
		}
	})
}

func TestReport_NamesWhoSeesItAsMissing(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: http.MethodGet, PathPrefix: "/projects/" + digits(d.sandbox.ProjectID(fleet)) + "/people.json", Status: 403})
		got := call[record](d, "get_report", args{"format": "structured", "project": fleet})
		if _, seen := seenIn(got)[fleet]; seen {
			d.Error("it says who sees the fleet")
		}
		if left, _ := got["left_out"].([]any); len(left) != 1 || !strings.HasPrefix(left[0].(string), "seen_by: ") {
			d.Errorf("left out %v", left)
		}
	})
}

func TestSeenBy_StandsInPreviewsAndInNoList(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		got := call[struct {
			SeenBy map[string]string `json:"seen_by"`
		}](d, "preview", args{"tool": "create_message", "arguments": args{"project": fleet, "subject": "Prices", "body": "They rise."}})
		if !cmp.Equal(got.SeenBy, map[string]string{fleet: "9 people, client: yes"}) {
			d.Errorf("a preview: %v", got)
		}
		for tool, in := range map[string]args{"get_activity": {}, "list_work": {}, "get_my_work": {}} {
			requests := d.asked(func() {
				if text, _ := d.raw(tool, in); strings.Contains(text, "seen_by") {
					d.Errorf("%s says it", tool)
				}
			})
			if strings.Contains(strings.Join(requests, " "), "/people.json") {
				d.Errorf("%s reads it", tool)
			}
		}
	})
}
