package githubtools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestGetIssue_NamesWhatClosesItInTheRequestThatReadsTheComments(t *testing.T) {
	d := newToolEnv(t)
	refs := func(all []relative) []string {
		return refsIn(all, func(r relative) string { return r.Ref + " " + r.State })
	}
	for _, x := range []struct {
		number          int
		requests        int
		closing, closes []string
	}{
		{2, 2, []string{configurator + "#3 closed"}, nil}, {9, 2, []string{configurator + "#10 open"}, nil}, {37, 2, []string{configurator + "#38 merged"}, nil}, {16, 2, []string{configurator + "#17 open"}, nil},
		{3, 2, nil, []string{configurator + "#2 open"}}, {10, 2, nil, []string{configurator + "#9 closed"}}, {77, 2, nil, nil}, {12, 2, nil, nil},
	} {
		var i issueDetails
		requests, _ := d.asked(func() {
			i = call[issueDetails](d, "get_issue", args{"issue": fmt.Sprintf("%s#%d", configurator, x.number)})
		})
		if !slices.Equal(refs(i.Closing), x.closing) || !slices.Equal(refs(i.Closes), x.closes) || len(requests) != x.requests || (i.State == "closed") != (i.ClosedBy != "") {
			t.Errorf("%d: %s: %+v, closed by %q", x.number, operations(requests), i.linked, i.ClosedBy)
		}
	}
	// An issue whose links cannot be read says so.
	d.sandbox.Inject(says("Thread", 200, complaint("RATE_LIMITED", "x")))
	if i := call[issueDetails](d, "get_issue", args{"issue": configurator + "#2"}); !strings.Contains(i.Unknown, "could not be read") {
		t.Errorf("%+v", i.linked)
	}
}

func TestIssueFields_OfTheOrganizationAreReadAndSet(t *testing.T) {
	d := newToolEnv(t)
	set := func(pairs ...string) args {
		var fields []args
		for i := 0; i < len(pairs); i += 2 {
			fields = append(fields, args{"field": pairs[i], "value": pairs[i+1]})
		}
		return args{"issue": second, "issue_fields": fields}
	}
	requests, _ := d.asked(func() {
		got := call[map[string]any](d, "update_issue", set("priority", "high", "Effort", "2.5", "Target date", "2027-03-01", "contact", "Hanna"))
		if has, _ := json.Marshal(got["issue_fields"]); string(has) != `{"Contact":"Hanna","Effort":2.5,"Priority":"High","Target date":"2027-03-01"}` {
			t.Errorf("%s", has)
		}
		if has, _ := json.Marshal(got["previous"]); string(has) != `{"issue_fields":{"Contact":null,"Effort":null,"Priority":null,"Target date":null}}` || len(got["not_applied"].([]any)) != 0 {
			t.Errorf("%s, %v", has, got["not_applied"])
		}
	})
	if len(requests) != 3 || len(writes(requests)) != 1 {
		t.Errorf("%s", operations(requests))
	}
	got := call[map[string]any](d, "update_issue", set("Priority", "Low", "Effort", "none", "Contact", "Hanna"))
	if has, _ := json.Marshal([]any{got["previous"], got["issue_fields"]}); string(has) != `[{"issue_fields":{"Effort":2.5,"Priority":"High"}},{"Effort":null,"Priority":"Low"}]` {
		t.Errorf("%s", has)
	}
	i := call[issueDetails](d, "get_issue", args{"issue": second})
	if has, _ := json.Marshal(i.Fields); string(has) != `[{"name":"Priority","type":"single_select","value":"Low"},{"name":"Target date","type":"date","value":"2027-03-01"},{"name":"Contact","type":"text","value":"Hanna"}]` {
		t.Errorf("%s", has)
	}
	for _, x := range []struct {
		with  args
		code  fault.Code
		words string
	}{
		{set("Priorty", "High"), fault.NotFound, "issue_fields[0].field"}, {set("Priority", "Higher"), fault.NotFound, "Urgent"}, {set("Effort", "much"), fault.InvalidInput, "number"},
		{set("Effort", "1", "effort", "2"), fault.InvalidInput, "twice"}, {set("Seasons", "Spring"), fault.InvalidInput, "cannot be changed here"},
		{args{"issue": configurator + "#3", "issue_fields": []args{{"field": "Effort", "value": "1"}}}, fault.InvalidInput, "pull request"},
		{args{"issue": "rijnstad-couriers/depot-map#1", "issue_fields": []args{{"field": "Effort", "value": "1"}}}, fault.InvalidInput, "no issue fields"},
		{args{"issues": []string{second, "rijnstad-couriers/depot-map#1"}, "issue_fields": []args{{"field": "Effort", "value": "1"}}}, fault.InvalidInput, "issues[1].issue_fields"},
		{args{"issues": []string{second}, "issue_fields": []args{{"field": "Effort", "value": "much"}}}, fault.InvalidInput, "issues[0].issue_fields[0]"},
	} {
		d.writesNothing(x.with, func() { d.fails(x.code, "update_issue", x.with, x.words) })
	}
	if shown, _ := d.caller().Raw("preview", args{"tool": "github_update_issue", "arguments": set("Priority", "High")}); !strings.Contains(shown, `"after":{"issue_fields":["Priority: High"]}`) || !strings.Contains(shown, `"Priority: Low"`) {
		t.Errorf("%s", shown)
	}
	// A lost answer is sent again, which changes nothing more; a clear is looked for.
	for _, method := range []string{"POST", "DELETE"} {
		d.sandbox.Inject(sandbox.Fault{Method: method, PathPrefix: "/repos", Drop: true, AfterEffect: true, Times: 1})
		if got := call[map[string]any](d, "update_issue", set("Priority", map[string]string{"POST": "Medium", "DELETE": "none"}[method])); len(got["not_applied"].([]any)) != 0 {
			t.Errorf("%s: %v", method, got["not_applied"])
		}
	}
	old := (&toolEnv{TB: t, sandbox: sandbox.New(sandbox.Options{Enterprise: true})}).as(ines, "repo project read:org")
	old.fails(fault.InvalidInput, "update_issue", args{"issues": []string{second}, "issue_fields": twoOwn}, "no issue fields")
	old.fails(fault.InvalidInput, "create_issue", args{"repo": configurator, "title": "Bell", "issue_fields": twoOwn}, "no issue fields")
	requests, _ = old.asked(func() { old.fails(fault.InvalidInput, "update_issue", set("Effort", "1"), "older than they are") })
	if len(requests) != 1 {
		t.Errorf("%s", operations(requests))
	}
}

func TestIssueFields_OfNewIssuesAreSet(t *testing.T) {
	for _, with := range []args{{"title": "Part"}, {"issues": manyTitles(2)}} {
		d := newToolEnv(t)
		with["repo"], with["issue_fields"] = configurator, twoOwn
		refusals := []struct{ field, value, path string }{{"Priorty", "High", "issue_fields[0].field"}, {"Priority", "Higher", "issue_fields[0].value"}}
		for _, x := range refusals {
			bad := maps.Clone(with)
			bad["issue_fields"] = []args{{"field": x.field, "value": x.value}}
			d.writesNothing(bad, func() { d.fails(fault.NotFound, "create_issue", bad, x.path) })
		}
		answer, _ := d.caller().Raw("github_create_issue", with)
		i := call[issueDetails](d, "get_issue", args{"issue": configurator + "#143"})
		if has, _ := json.Marshal(i.Fields); string(has) != `[{"name":"Priority","type":"single_select","value":"High"},{"name":"Effort","type":"number","value":2.5}]` || !whole(answer, false) || !strings.Contains(answer, `"issue_fields":{"Effort":2.5,"Priority":"High"}`) {
			t.Errorf("%v: %s, %s", with, has, answer)
		}
		if one := answers(201, `{"node_id": "I_x", "number": 144, "repository_url": "https://api.github.sandbox/repos/fernhill-bikes/configurator"}`); with["title"] != nil {
			one.Method, one.PathPrefix = "POST", "/repos" // as if the user must not set them
			d.sandbox.Inject(one)
		} else {
			limited("POST", 2)(d)
		}
		if answer, isError := d.caller().Raw("github_create_issue", with); isError || !strings.Contains(answer, `"not_applied":["issue_fields: `) {
			t.Errorf("%v: %s", with, answer)
		}
	}
}
