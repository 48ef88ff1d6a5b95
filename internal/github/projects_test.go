package github

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

// variablesOf returns the variables of the only request.
func variablesOf(t *testing.T, all []sent) map[string]any {
	t.Helper()
	var body struct{ Variables map[string]any }
	if len(all) != 1 || json.Unmarshal([]byte(all[0].body), &body) != nil {
		t.Fatalf("sent %v", all)
	}
	return body.Variables
}

func TestProjects_AreListedByOwnerAndByReach(t *testing.T) {
	page := `"projectsV2": {"totalCount": 4, "pageInfo": {"hasNextPage": true, "endCursor": "c"}, "nodes": [` + projectJSON + `]}`
	owner := func(login, more string) string {
		return `{"__typename": "Organization", "id": "O_` + login + `", "login": "` + login + `", ` + page + more + `}`
	}
	c, all := recording(t, says(200, `{"data": {"repositoryOwner": `+owner("fernhill-bikes", "")+`}}`))
	got, err := c.OwnerProjects(t.Context(), "fernhill-bikes", "is:open sale", 25, "c0")
	if err != nil || got.Next != "c" || got.Total != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	p := got.Items[0]
	if p.Number != 7 || p.Owner != "fernhill-bikes" || p.Items.TotalCount != 3 || !p.Public || p.ShortDescription != "" {
		t.Errorf("%+v", p)
	}
	want := map[string]any{"login": "fernhill-bikes", "query": "is:open sale", "first": 25.0, "after": "c0"}
	if diff := cmp.Diff(want, variablesOf(t, *all)); diff != "" {
		t.Error(diff)
	}
	c, _ = recording(t, says(200, `{"data": {"viewer": `+owner("nora", "")+`}}`))
	if got, err := c.OwnerProjects(t.Context(), "", "", 1, ""); err != nil || len(got.Items) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	organizations := `, "organizations": {"totalCount": 2, "pageInfo": {"hasNextPage": false}, "nodes": [` + owner("fernhill-bikes", "") + `, null]}`
	c, _ = recording(t, says(200, `{"data": {"viewer": `+owner("nora", organizations)+`}, "errors": [{"type": "FORBIDDEN", "path": ["viewer", "organizations", "nodes", 1]}]}`))
	owners, err := c.ReachableProjects(t.Context(), "sale", 10)
	if err != nil || len(owners.Items) != 2 || owners.Incomplete == nil || owners.Incomplete.Count != 1 {
		t.Errorf("%+v, %v", owners, err)
	}
}

func TestProject_IsReadByNumberOfAnyOwnerOrByIDWithAllPagesOfItsFields(t *testing.T) {
	more := strings.Replace(projectJSON, `"hasNextPage": false, "endCursor": null`, `"hasNextPage": true, "endCursor": "f2"`, 1)
	rest := `{"data": {"node": {"__typename": "ProjectV2", "id": "PVT_7", "fields": {"totalCount": 3, "pageInfo": {"hasNextPage": false}, "nodes": [
		{"__typename": "ProjectV2MultiSelectField", "id": "F_9", "name": "Tags", "dataType": "MULTI_SELECT"}]}}}}`
	for body, ref := range map[string]ProjectRef{
		`{"data": {"node": ` + more + `}}`:                           {ID: "PVT_7"},
		`{"data": {"viewer": {"projectV2": ` + more + `}}}`:          {Number: 7},
		`{"data": {"repositoryOwner": {"projectV2": ` + more + `}}}`: {Owner: "fernhill-bikes", Number: 7},
	} {
		c, all := recording(t, says(200, body), says(200, rest))
		p, err := c.Project(t.Context(), ref)
		if err != nil || len(*all) != 2 || len(p.Fields.Items) != 3 || p.Readme != "Read me" || !p.CanUpdate || p.Creator != "ghost" || p.Incomplete != nil {
			t.Errorf("%+v: %+v, %v", ref, p, err)
			continue
		}
		open, completed := p.Fields.Items[1].Iterations()
		if diff := cmp.Diff([]Iteration{{ID: "i2", Title: "Two", StartDate: "2026-02-01", Duration: 14}}, open); diff != "" || completed == nil {
			t.Error(diff)
		}
		if diff := cmp.Diff([]Option{{ID: "o1", Name: "Todo"}}, p.Fields.Items[0].Options); diff != "" || p.Fields.Items[2].DataType != "MULTI_SELECT" {
			t.Error(diff)
		}
	}
}

func TestItem_ReadsEveryKindOfValue(t *testing.T) {
	for wire, want := range map[string]any{
		`"text": "x"`: "x", `"text": null`: nil, `"number": 0`: 0.0, `"date": "2026-03-01"`: "2026-03-01", `"name": "Todo", "optionId": "o1"`: "Todo",
		`"milestone": {"number": 3, "title": "Spring"}`: "Spring", `"repository": {"nameWithOwner": "a/b"}`: "a/b",
		`"users": {"totalCount": 1, "nodes": [{"login": "nora"}]}`: []string{"nora"}, `"labels": {"nodes": []}`: []string{},
		`"labels": {"totalCount": 2, "nodes": [{"name": "bug"}]}`: []string{"bug"}, `"users": null`: nil,
		`"pullRequests": {"nodes": [{"number": 3, "repository": {"nameWithOwner": "a/b"}}]}`:                 []string{"a/b#3"},
		`"reviewers": {"nodes": [{"__typename": "Team", "combinedSlug": "fernhill/bikes"}, {"login": "x"}]}`: []string{"fernhill/bikes", "x"},
	} {
		value := `{"__typename": "V", "field": {"id": "F", "name": "N", "dataType": "T"}, ` + wire + `}`
		body := `{"data": {"node": ` + strings.Replace(itemJSON, `"id": "PVTI_1"`, `"id": "PVTI_1", "fieldValueByName": `+value, 1) + `}}`
		item, _, err := answering(t, says(200, body)).Item(t.Context(), "PVTI_1", "N")
		if err != nil || item.On.ProjectID != "PVT_7" {
			t.Fatal(err)
		}
		got := item.On.Value
		if diff := cmp.Diff(want, got.Value); diff != "" || got.Truncated != strings.Contains(wire, `"totalCount": 2`) {
			t.Errorf("%s: %s", wire, diff)
		}
	}
	value := `{"title": "Two", "iterationId": "i2", "startDate": "2026-02-01", "duration": 14, "field": {"id": "F", "name": "Sprint", "dataType": "ITERATION"}}`
	body := `{"data": {"node": ` + strings.Replace(itemJSON, `"id": "PVTI_1"`, `"id": "PVTI_1", "fieldValueByName": `+value, 1) + `}}`
	item, _, err := answering(t, says(200, body)).Item(t.Context(), "PVTI_1", "Sprint")
	got := item.On.Value
	if diff := cmp.Diff(&Iteration{ID: "i2", Title: "Two", StartDate: "2026-02-01", Duration: 14}, got.Iteration); diff != "" || err != nil || got.Value != "Two" {
		t.Error(err, diff)
	}
	item, _, err = answering(t, says(200, `{"data": {"node": `+itemJSON+`}}`)).Item(t.Context(), "PVTI_1", "N")
	if err != nil || item.On.Value != nil {
		t.Errorf("%+v, %v", item, err)
	}
	if item, missing, err := answering(t, says(200, `{"data": {"node": `+itemJSON+`}}`)).Item(t.Context(), "PVTI_1", ""); err != nil || item.ID != "PVTI_1" || missing != nil {
		t.Errorf("%+v, %v", item, err)
	}
}

func TestContent_NamesTheProjectsThatItIsIn(t *testing.T) {
	body := `{"data": {"repository": {"issueOrPullRequest": {"__typename": "Issue", "node_id": "I_12", "number": 12, "title": "Bell", "url": "u", "repository": {"nameWithOwner": "fernhill-bikes/shop"},
		"projectItems": {"totalCount": 2, "pageInfo": {}, "nodes": [{"id": "PVTI_1", "project": {"id": "PVT_7"}}, null]}}}},
		"errors": [{"type": "FORBIDDEN", "path": ["repository", "issueOrPullRequest", "projectItems", "nodes", 1]}]}`
	got, left, err := answering(t, says(200, body)).Content(t.Context(), shop, 12, "")
	on, _ := got.On(ProjectRef{ID: "PVT_7"})
	if err != nil || got.ID != "I_12" || got.Number != 12 || got.Title != "Bell" || got.Repo != shop || on.ID != "PVTI_1" || left == nil || left.Count != 1 {
		t.Errorf("%+v, %+v, %v", got, left, err)
	}
	missing := `{"data": {"repository": null}, "errors": [{"type": "NOT_FOUND", "path": ["repository"]}]}`
	_, _, err = answering(t, says(200, missing, "X-OAuth-Scopes", "project")).Content(t.Context(), shop, 12, "")
	f := wantFault(t, err, fault.NotFound)
	if f.Link == nil || f.Link.Scopes[0] != "repo" {
		t.Errorf("%+v", f)
	}
	f = wantFault(t, errOf(answering(t, says(200, `{"data": {"node": null}}`, "X-OAuth-Scopes", "project")).Items(t.Context(), "PVT_7", 5, "")), fault.NotFound)
	if f.Link != nil {
		t.Errorf("repo would not show a project: %+v", f.Link)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, x := range graphqlRefusals {
		f.Add([]byte(x.body))
	}
	f.Add([]byte(itemsAnswer(`{"path": ["node", "items", "edges", 0, "node"]}`, itemJSON, "null")))
	f.Add([]byte(`{"data": {"node": ` + projectJSON + `, "viewer": {"projectV2": ` + projectJSON + `}}}`))
	f.Add([]byte(`{"data": {"node": ` + itemJSON + `}, "errors": [{"path": ["node", "fieldValues", "nodes", 1e3]}, {"path": [7]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := fuzzed(t, 200, string(body), nil)
		ctx := withTimeout(t, answerTime)
		page, err := c.Items(ctx, "PVT_7", 5, "")
		if err == nil && page.Items == nil {
			t.Error("null became a list")
		}
		for _, item := range page.Items {
			if item.Type == "" || item.Type == RedactedItem && item.Title != "" {
				t.Errorf("%+v", item)
			}
		}
		p, err := c.Project(ctx, ProjectRef{ID: "PVT_7"})
		if err == nil && (p.ID == "" || p.Fields.Items == nil) {
			t.Errorf("%+v", p)
		}
		if _, _, err := c.Item(ctx, "PVTI_1", "Status"); err == nil && !json.Valid(body) {
			t.Error("invalid JSON is an item")
		}
		_, _ = c.ReachableProjects(ctx, "", 5)
		_, _, _ = c.Content(ctx, shop, 12, "")
		_ = c.DeleteProject(ctx, "PVT_7")
		for _, err := range []error{err, errOf(c.CreateProject(ctx, Fields{"ownerId": "O", "title": "x"}))} {
			if err != nil {
				wantSoundFault(t, fault.From(err))
			}
		}
	})
}
