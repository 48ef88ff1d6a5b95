package documented

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func find(t *testing.T, method, path string) *Route {
	t.Helper()
	r := Read().Find(method, strings.Split(path, "/"))
	if r == nil {
		t.Fatalf("%s /%s is not in the table", method, path)
	}
	return r
}

func TestTable_EveryLineIsAHeadingOrARoute(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 2 {
			t.Fatalf("%q has no path", line)
		}
		route := words[0] + " " + words[1]
		method, path, _ := strings.Cut(route, " ")
		if !slices.Contains([]string{"GET", "POST", "PUT", "DELETE"}, method) || !strings.HasPrefix(strings.TrimPrefix(path, "~"), "/") || seen[route] {
			t.Errorf("%q is not a route, or is a duplicate", strings.TrimSpace(line))
		}
		seen[route] = true
		for _, name := range words[2:] {
			if (method == "GET" || method == "DELETE") && !strings.HasPrefix(name, "?") {
				t.Errorf("%q has a body", strings.TrimSpace(line))
			}
		}
	}
}

func TestRoutes_HaveTheDocumentedForms(t *testing.T) {
	table := Read()
	for route, want := range map[string]bool{
		"GET todos/7": true, "GET buckets/1/todos/7": true, "GET todos/open": true, "GET todos/opened": false, "PATCH todos/7": false,
		"GET buckets/1/categories": true, "GET categories": false, "GET buckets/1/projects": false, "GET projects/recordings": true,
		"GET inboxes/7/inbox_forwards": true, "GET inboxes/7/forwards": false,
		"GET schedule_entries/7/occurrences/20260102": true, "GET recordings/7": false,
	} {
		method, path, _ := strings.Cut(route, " ")
		if got := table.Find(method, strings.Split(path, "/")) != nil; got != want {
			t.Errorf("%s: documented = %t", route, got)
		}
	}
}

func TestQuery_RemovesUndocumentedParameters(t *testing.T) {
	query := url.Values{"page": {"2"}, "limit": {"5"}, "completed": {"true"}}
	if diff := cmp.Diff([]string{"limit"}, find(t, "GET", "todolists/7/todos").Query(query)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(url.Values{"page": {"2"}, "completed": {"true"}}, query); diff != "" {
		t.Error(diff)
	}
}

func TestFields_RemovesUndocumentedFieldsAtEveryDepth(t *testing.T) {
	for sent, want := range map[string]struct {
		path, kept string
		unknown    []string
	}{
		`{"content":"a","color":"red"}`:                                {"todolists/7/todos", `{"content":"a"}`, []string{"color"}},
		`{"todo":{"content":"a"}}`:                                     {"todolists/7/todos", `{}`, []string{"todo"}},
		`{"recurrence_schedule":{"frequency":"every_day","hour":9}}`:   {"schedules/7/entries", `{"recurrence_schedule":{"frequency":"every_day"}}`, []string{"recurrence_schedule.hour"}},
		`{"recurrence_schedule":null}`:                                 {"schedules/7/entries", `{"recurrence_schedule":null}`, nil},
		`{"question":{"schedule":{"days":[1],"zone":"x"},"paused":1}}`: {"questionnaires/7/questions", `{"question":{"schedule":{"days":[1]}}}`, []string{"question.paused", "question.schedule.zone"}},
	} {
		var body map[string]json.RawMessage
		if err := json.Unmarshal([]byte(sent), &body); err != nil {
			t.Fatal(err)
		}
		unknown := find(t, "POST", want.path).Fields(body)
		if diff := cmp.Diff(want.unknown, unknown); diff != "" {
			t.Errorf("%s: %s", sent, diff)
		}
		if kept := string(encode(body)); kept != want.kept {
			t.Errorf("%s: kept %s", sent, kept)
		}
	}
}

func TestParams_LeaveOutTheProject(t *testing.T) {
	for path, want := range map[string][]string{"buckets/1/chats/7/lines/8": {"7", "8"}, "projects/7": {"7"}, "chats": nil} {
		r := find(t, "GET", path)
		if diff := cmp.Diff(want, r.Params(strings.Split(path, "/"))); diff != "" || r.IsFile() {
			t.Errorf("%s is %s: %s", path, r.Name, diff)
		}
	}
	if r := find(t, "POST", "attachments"); !r.IsFile() || r.Name != "POST /attachments" {
		t.Errorf("%+v", r)
	}
}
