package githubtools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/proof/docstest"
)

// recipe is a request of docs/recipes.md with its calls.
type recipe struct {
	title, asked string
	calls        []recipeCall
}

type recipeCall struct{ tool, arguments string }

// recipes reads the recipes for GitHub. The document holds them once, so the tests make exactly the
// calls that it shows.
func recipes(t *testing.T) []recipe {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docstest.Root(t), "docs", "recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, begun := strings.Cut(string(text), "<!-- recipes for GitHub:")
	section, _, ended := strings.Cut(section, "<!-- end of recipes for GitHub -->")
	if !begun || !ended {
		t.Fatal("docs/recipes.md has no section of recipes for GitHub")
	}
	line := regexp.MustCompile("^\\* `github_([a-z_]+)` `(.+)`$")
	var found []recipe
	for row := range strings.Lines(section) {
		row = strings.TrimSpace(row)
		title, isTitle := strings.CutPrefix(row, "### ")
		if isTitle {
			found = append(found, recipe{title: title})
		}
		if isTitle || len(found) == 0 {
			continue
		}
		last := &found[len(found)-1]
		if m := line.FindStringSubmatch(row); m != nil {
			last.calls = append(last.calls, recipeCall{m[1], m[2]})
		} else if asked, ok := strings.CutPrefix(row, "> "); ok {
			last.asked = asked
		} else if row != "" {
			t.Errorf("%s: the line %q is not a call", last.title, row)
		}
	}
	return found
}

type record = map[string]any

// recipeChecks check that the work of a recipe is done. last is the answer of its last call.
var recipeChecks = map[string]func(d *toolEnv, last record){
	"See what is in progress on a board": func(d *toolEnv, last record) {
		items := last["items"].([]any)
		for _, item := range items {
			fields := item.(record)["fields"].([]any)
			if !slices.ContainsFunc(fields, func(f any) bool { return f.(record)["name"] == "Status" && f.(record)["value"] == "In progress" }) {
				d.Errorf("an item has the fields %v", fields)
			}
		}
		if len(items) < 10 {
			d.Errorf("%d items", len(items))
		}
	},
	"See what a milestone still needs": func(d *toolEnv, last record) {
		items := last["items"].([]any)
		for _, item := range items {
			if issue := item.(record); issue["milestone"] != "Spring launch" || issue["state"] != "open" {
				d.Errorf("%v is %v in %v", issue["ref"], issue["state"], issue["milestone"])
			}
		}
		if len(items) < 5 {
			d.Errorf("%d issues", len(items))
		}
	},
	"Report a bug and plan it": func(d *toolEnv, _ record) {
		if issue := storedIssue(d, 143); !slices.Equal(issue.Labels, []string{"bug"}) || !slices.Equal(issue.Assignees, []string{ines}) {
			d.Errorf("got %+v", issue)
		}
		for field, want := range map[string]string{"Priority": "Normal", "Sprint": "Sprint 16"} {
			if got := call[record](d, "get_field_value", args{"project": launch, "item": configurator + "#143", "field": field})["value"]; got != want {
				d.Errorf("%s is %v", field, got)
			}
		}
	},
	"Close a duplicate": func(d *toolEnv, _ record) {
		issue := call[issueDetails](d, "get_issue", args{"issue": configurator + "#45"})
		if issue.State != "closed" || *issue.StateReason != "not_planned" || len(issue.Comments) != 1 || issue.Comments[0].Body != "The same as #46." {
			d.Errorf("%s as %s with %v", issue.State, *issue.StateReason, issue.Comments)
		}
	},
	"Tick off one line of a checklist": func(d *toolEnv, _ record) {
		if body := stored(d, 83); body != "- [ ] photos\r\n- [x] prices\r\n- [x] translations\r\n" {
			d.Errorf("it says %q", body)
		}
	},
}

func TestRecipes_DoTheWorkThatTheyAreFor(t *testing.T) {
	all := recipes(t)
	if len(all) != len(recipeChecks) {
		t.Errorf("docs/recipes.md has %d recipes, and %d checks exist", len(all), len(recipeChecks))
	}
	for _, r := range all {
		t.Run(r.title, func(t *testing.T) {
			check := recipeChecks[r.title]
			if check == nil || r.asked == "" || len(r.calls) == 0 {
				t.Fatalf("%q has %d calls and no check", r.asked, len(r.calls))
			}
			d := newToolEnv(t)
			var last record
			for _, c := range r.calls {
				var arguments args
				if err := json.Unmarshal([]byte(c.arguments), &arguments); err != nil {
					t.Fatalf("%s: %v", c.arguments, err)
				}
				last = call[record](d, c.tool, arguments)
			}
			check(d, last)
		})
	}
}
