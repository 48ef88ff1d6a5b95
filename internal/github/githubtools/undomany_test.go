package githubtools

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"basecamp-mcp/internal/proof/mcptest"
)

func issueRefs(numbers ...int) (refs []string) {
	for _, n := range numbers {
		refs = append(refs, fmt.Sprintf("%s#%d", configurator, n))
	}
	return refs
}

// partsOf is a call that writes several things.
type partsOf struct {
	what  string
	first []toolUse // prepare the world
	toolUse
	parts int    // that a preview shows; 0 for any
	never string // why an undo cannot be undone; empty if it can
}

// does makes calls, which must succeed.
func (d *toolEnv) does(calls ...toolUse) {
	d.Helper()
	for _, use := range calls {
		call[map[string]any](d, use.tool, use.with)
	}
}

// manyParts has calls that write several things.
var manyParts = []partsOf{
	{"new issues", nil, toolUse{"create_issue", args{
		"repo": configurator, "issues": []args{{"title": "a", "body": "A"}, {"title": "b"}}, "labels": []string{"bug"}, "milestone": "Someday",
		"assignees": []string{"me"}, "project": launch, "fields": threeFields,
	}}, 10, "a new item"},
	{"a new issue with a place", nil, toolUse{"create_issue", args{
		"repo": configurator, "title": "Bell", "project": launch, "fields": threeFields, "type": "Task",
	}}, 5, "a new item"},
	{"labels, people, milestone", nil, toolUse{"update_issue", args{
		"issues": issueRefs(2, 4, 5, 6), "add_labels": []string{"bug"}, "assignees": []string{"jonas-brandt"}, "milestone": "Someday",
	}}, 4, ""},
	{"lists that are cleared", nil, toolUse{"update_issue", args{"issues": issueRefs(1, 2, 4, 5), "labels": "none", "assignees": "none", "milestone": "none"}}, 4, ""},
	{"closed with a label", nil, toolUse{"update_issue", args{"issues": issueRefs(2, 6), "add_labels": []string{"hot"}, "state": "closed"}}, 3, ""},
	{"closed for another reason", []toolUse{{"update_issue", args{"issues": issueRefs(2, 5), "state": "closed"}}},
		toolUse{"update_issue", args{"issues": issueRefs(2, 5), "state_reason": "not_planned"}}, 2, ""},
	{"reopened", []toolUse{{"update_issue", args{"issues": issueRefs(2, 5), "state_reason": "completed"}}},
		toolUse{"update_issue", args{"issues": issueRefs(2, 5), "state": "open"}}, 2, ""},
	{"comments", nil, toolUse{"add_issue_comment", args{"issues": issueRefs(2, 4, 5), "body": "Seen."}}, 3, "permanently"},
	{"fields of items", nil, toolUse{"set_field_value", args{"project": launch, "items": issueRefs(2, 4, 5), "fields": append([]args{{"field": "Notes", "value": ""}}, threeFields...)}}, 0, ""},
	{"items, some of which were there", nil, toolUse{"add_project_item", args{"project": launch, "items": append(issueRefs(2, 4), manyIssues(138, 3)...), "fields": []args{{"field": "Estimate", "value": "3"}, {"field": "Notes", "value": "New"}}}}, 0, "a new item"},
	{"a type", []toolUse{{"update_issue", args{"issue": issueRefs(2)[0], "type": "Bug"}}}, toolUse{"update_issue", args{"issue": issueRefs(2)[0], "type": "Task"}}, 1, ""},
	{"the first type", nil, toolUse{"update_issue", args{"issue": issueRefs(2)[0], "type": "Task"}}, 1, ""},
	{"issue fields of several", []toolUse{{"update_issue", args{"issue": issueRefs(2)[0], "issue_fields": twoOwn}}},
		toolUse{"update_issue", args{"issues": issueRefs(2, 4), "issue_fields": []args{{"field": "Priority", "value": "Low"}, {"field": "Effort", "value": "none"}, {"field": "Contact", "value": "Hanna"}}}}, 3, ""},
	{"new issues with issue fields", nil, toolUse{"create_issue", args{"repo": configurator, "issues": manyTitles(2), "issue_fields": twoOwn}}, 4, ""},
	{"a new issue with issue fields", nil, toolUse{"create_issue", args{"repo": configurator, "title": "Bell", "issue_fields": twoOwn}}, 1, ""},
	{"a field that is cleared", nil, toolUse{"set_field_value", args{"project": launch, "items": issueRefs(2, 4, 5), "field": "Status", "value": nil}}, 0, ""},
	{"a status update", nil, toolUse{"update_project", onLaunch(args{"status_update": args{"status": "complete"}})}, 1, "permanently"},
	{"a title and a status update", nil, toolUse{"update_project", onLaunch(args{"title": "Spring", "status_update": args{"status": "at_risk", "body": "Late.", "target_date": "2027-03-01"}})}, 2, "permanently"},
}

// twoOwn are issue fields of the organization.
var twoOwn = []args{{"field": "Priority", "value": "High"}, {"field": "Effort", "value": "2.5"}}

// threeNested puts three issues into one, and one into another.
var threeNested = []toolUse{
	{"update_issue", args{"issue": issueRefs(1)[0], "add_sub_issues": issueRefs(2, 4, 5)}},
	{"update_issue", args{"issue": issueRefs(6)[0], "add_sub_issues": issueRefs(11, 12)}},
}

// notTakenBack has calls that undo leaves, with the reason.
var notTakenBack = []partsOf{
	{"a parent", nil, toolUse{"update_issue", args{"issue": issueRefs(2)[0], "parent": issueRefs(1)[0]}}, 1, "nesting is not taken back"},
	{"another parent, and a place", threeNested, toolUse{"update_issue", args{"issue": issueRefs(4)[0], "parent": issueRefs(6)[0], "after": issueRefs(11)[0]}}, 2, "nesting is not taken back"},
	{"no parent", threeNested, toolUse{"update_issue", args{"issue": issueRefs(2)[0], "parent": "none"}}, 1, "nesting is not taken back"},
	{"a place", threeNested, toolUse{"update_issue", args{"issue": issueRefs(2)[0], "after": issueRefs(5)[0]}}, 1, "nesting is not taken back"},
	{"sub-issues", threeNested, toolUse{"update_issue", args{"issue": issueRefs(1)[0], "add_sub_issues": issueRefs(8, 9, 11), "remove_sub_issues": issueRefs(4, 2)}}, 5, "nesting is not taken back"},
	{"what it waits for", []toolUse{{"update_issue", args{"issue": issueRefs(2)[0], "blocked_by": issueRefs(4, 5)}}},
		toolUse{"update_issue", args{"issue": issueRefs(2)[0], "blocked_by": issueRefs(5, 6, 8)}}, 3, "waits for is not taken back"},
	{"an item that was removed", nil, toolUse{"remove_project_item", onLaunch(args{"item": second})}, 1, "a new item"},
}

func TestUndo_SaysWhatIsNotTakenBack(t *testing.T) {
	for _, x := range notTakenBack {
		d := withUndo(t)
		d.elsewhere().does(x.first...)
		p := mcptest.Call[previewed](d.caller(), "preview", args{"tool": "github_" + x.tool, "arguments": x.with})
		got := call[map[string]any](d, x.tool, x.with)
		if p.Total != x.parts || !strings.Contains(fmt.Sprint(got["no_undo"]), x.never) {
			t.Errorf("%s: %d, %v", x.what, p.Total, got)
		}
	}
}

// Of which issue another one is a duplicate stays: GitHub says it only in the timeline.
func TestUndo_ReopensADuplicate(t *testing.T) {
	d := withUndo(t)
	call[map[string]any](d, "update_issue", args{"issue": issueRefs(46)[0], "duplicate_of": issueRefs(45)[0]})
	u := d.taken().Undone[0]
	if now := call[map[string]any](d, "get_issue", args{"issue": issueRefs(46)[0]}); now["state"] != "open" || u.Result != "undone" || !strings.Contains(u.Writes[0].Reason, "duplicate") {
		t.Errorf("%+v, %v", u, now["state"])
	}
}

// A preview shows each part and writes nothing. Undo puts the world back, and undoing that puts
// back what the call wrote, or says why not.
func TestUndo_OfManyPartsGoesBackAndForth(t *testing.T) {
	for _, x := range manyParts {
		t.Run(x.what, func(t *testing.T) {
			d := withUndo(t)
			d.elsewhere().does(x.first...)
			before := d.sandbox.World()
			p := mcptest.Call[previewed](d.caller(), "preview", args{"tool": "github_" + x.tool, "arguments": x.with})
			if lines := differences(before, d.sandbox.World()); len(lines) > 0 || p.Total+p.Follow != x.parts && x.parts > 0 || p.Total == 0 {
				t.Errorf("previewed %d and %d: %v; %v", p.Total, p.Follow, p.Writes, lines)
			}
			for _, w := range p.Writes {
				hasNodeID := strings.Contains(fmt.Sprint(w.Before, w.After), "_kw")
				if hasNodeID || w.On == nil || w.On.Type == "issue" && !strings.Contains(w.On.ID, "#") {
					t.Errorf("previewed %+v on %+v", w, w.On)
				}
			}
			call[map[string]any](d, x.tool, x.with)
			written := d.sandbox.World()
			if len(differences(before, written)) == 0 {
				t.Error("the call changed nothing")
			}
			u := d.taken().Undone[0]
			if lines := differences(before, d.sandbox.World()); len(lines) > 0 || u.Result != "undone" {
				t.Errorf("undone: %+v\n%s", u, strings.Join(lines, "\n"))
			}
			u = undoes(d, args{"ids": d.codes(1)}).Undone[0]
			lines := differences(written, d.sandbox.World())
			if x.never == "" && (len(lines) > 0 || u.Result != "undone") || x.never != "" && !strings.Contains(fmt.Sprint(u), x.never) {
				t.Errorf("undone twice: %+v\n%s", u, strings.Join(lines, "\n"))
			}
		})
	}
}

// What colleagues changed since stays and is named, in random worlds. The rest of a batch goes
// back.
func TestUndo_NeverOverwritesAnotherPersonsChange(t *testing.T) {
	for _, x := range []struct {
		refs           []string
		fields         int // the first of those that a call changes
		worlds, rounds int
		others         int // one in so many is changed by a colleague
		results        []string
	}{
		{issueRefs(2), 0, 4, 250, 5, []string{"undone", "refused"}}, {issueRefs(2, 4, 6), 2, 1, 80, 8, []string{"undone", "in part"}},
	} {
		if testing.Short() {
			x.worlds, x.rounds = 1, x.rounds/6
		}
		r, results := rand.New(rand.NewPCG(3, 4)), map[string]int{}
		for range x.worlds {
			d := withUndo(t)
			for range x.rounds {
				d.changeAndUndo(r, x.refs, x.fields, x.others, results)
			}
		}
		for _, result := range x.results {
			if results[result] == 0 {
				t.Errorf("%d issues: %v", len(x.refs), results)
			}
		}
	}
}

// changeAndUndo changes issues, lets a colleague change some of them, and takes the first change
// back.
func (d *toolEnv) changeAndUndo(r *rand.Rand, refs []string, from, others int, results map[string]int) {
	fields := issueFields[from:]
	look := func() map[string]string {
		found := map[string]string{}
		for _, ref := range refs {
			all := call[map[string]any](d, "get_issue", args{"issue": ref, "include_comments": false})
			for _, f := range fields {
				found[ref+" "+f.argument] = fmt.Sprint(all[f.argument])
			}
		}
		return found
	}
	mine := args{"issues": refs}
	if len(refs) == 1 {
		mine = args{"issue": refs[0]}
	}
	for _, f := range fields {
		if r.IntN(2) == 0 {
			mine[f.argument] = f.mine
		}
	}
	if len(mine) == 1 {
		return
	}
	before := look()
	code, kept := call[map[string]any](d, "update_issue", mine)["undo"].(string)
	written := look()
	for _, ref := range refs {
		theirs := args{"issue": ref}
		for _, f := range fields {
			if r.IntN(others) == 0 {
				theirs[f.argument] = f.theirs
			}
		}
		if len(theirs) > 1 {
			call[map[string]any](d.elsewhere(), "update_issue", theirs)
		}
	}
	then := look()
	if !kept {
		return
	}
	u := undoes(d, args{"ids": []string{code}}).Undone[0]
	if results[u.Result]++; len(u.Except) > 0 {
		results["in part"]++
	}
	refused := map[string]bool{}
	for _, w := range u.Writes {
		refused[w.ID] = refused[w.ID] || w.Result == "refused"
		if w.Result == "refused" && (len(w.Now) == 0 || w.At == "" || strings.Contains(fmt.Sprint(w), "_kw")) { // a node ID
			d.Errorf("%+v", w)
		}
	}
	for field, is := range look() {
		ref, _, _ := strings.Cut(field, " ")
		was, left, meanwhile := before[field], written[field], then[field]
		switch {
		case meanwhile != left && is != meanwhile, !refused[ref] && meanwhile == left && is != was, len(refs) == 1 && refused[ref] && is != meanwhile:
			d.Fatalf("%s: %s, %s, %s, %s: %+v", field, was, left, meanwhile, is, u)
		case meanwhile != left && meanwhile != was && was != left && !refused[ref]:
			d.Fatalf("%s is not named: %+v", field, u)
		}
	}
}
