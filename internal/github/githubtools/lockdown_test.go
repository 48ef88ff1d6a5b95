package githubtools

import (
	"regexp"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
)

// foreignTexts has every field that carries a text of another person of GitHub, with what is
// planted in it by a person who does not work on the repository.
var foreignTexts = map[string]string{
	"the title of an issue":                "Harbour plantedtitle",
	"the body of an issue":                 "Harbour plantedbody",
	"a comment":                            "Harbour plantedcomment",
	"the title of a sub-issue":             "Harbour plantedsub",
	"the title of an issue that blocks":    "Harbour plantedblocker",
	"the title of an item of a project":    "Harbour plantedtitle",
	"the value of the field Title":         "Harbour plantedtitle",
	"what a preview says was there before": "Harbour plantedtitle",
	"the names that an error lists":        "Harbour plantedtitle",
	"what an update answers was there":     "Harbour plantedbody",

	"the title of a pull request that closes an issue": "Translate the bike name field",
	"the title of an issue that a pull request closes": "Translate the warranty text",
	"what an undo says stands there now":               "Harbour plantedlater",
}

// foreign finds them in an answer that must not have them.
var foreign = regexp.MustCompile(`(?i)planted|translate the (bike name field|warranty text)`)

// plant writes the foreign texts as an outsider, and puts them where every tool meets them.
func plant(d *toolEnv) (ref, sub, blocker string) {
	outside := d.as("lieke-vdmeer", "repo project read:org")
	write := func(title, body string) string {
		return call[writtenIssue](outside, "create_issue", args{"repo": configurator, "title": title, "body": body}).Ref
	}
	ref, sub, blocker = write("Harbour plantedtitle", "Harbour plantedbody"), write("Harbour plantedsub", ""), write("Harbour plantedblocker", "")
	write("Harbour plantedtitle", "again, so that the title is ambiguous")
	call[comment](outside, "add_issue_comment", args{"issue": ref, "body": "Harbour plantedcomment"})
	call[map[string]any](d, "update_issue", args{"issue": ref, "add_sub_issues": []string{sub}, "blocked_by": []string{blocker}})
	call[map[string]any](d, "add_project_item", args{"project": launch, "items": []string{ref, sub}, "fields": []args{{"field": "Status", "value": "Ready"}, {"field": "Sprint", "value": "@current"}}})
	return ref, sub, blocker
}

func TestLockdown_NoWordOfAnOutsiderArrives(t *testing.T) {
	for _, by := range []string{"", "the operator", "the fence"} {
		d := withUndo(t)
		ref, sub, _ := plant(d)
		locked := by != ""
		d.locked = by == "the operator"
		d = d.as(ines, "repo project read:org")
		d.fence.Lockdown = by == "the fence"
		seen, tools := "", map[string]bool{}
		for _, x := range []toolUse{
			{"list_issues", args{"repo": configurator, "state": "all"}}, {"list_issues", args{"query": "harbour", "repo": configurator}},
			{"get_issue", args{"issue": ref}}, {"get_issue", args{"issue": sub}}, {"get_issue", args{"issue": ref, "include_comments": false}},
			{"get_issue", args{"issue": configurator + "#135"}}, {"get_issue", args{"issue": configurator + "#136"}},
			{"list_issues", args{"author": "lieke-vdmeer", "type": "any", "state": "all"}}, {"list_issues", args{"labels": []string{"no such"}, "author": "lieke-vdmeer"}},
			{"list_project_items", args{"project": launch, "limit": 100, "status": "Ready"}}, {"get_field_value", args{"project": launch, "item": ref, "field": "Title"}},
			{"get_field_value", args{"project": launch, "item": ref, "field": "Status"}}, {"get_report", args{"project": launch}}, {"get_report", args{"repo": configurator}},
			{"get_project", args{"project": launch}}, {"list_projects", args{}}, {"find", args{"kind": "repo"}},
			{"get_issue", args{"issue": "Harbour planted", "repo": configurator}}, {"get_issue", args{"issue": "harbour PLANTEDTITLE", "repo": configurator}},
			{"get_field_value", args{"project": launch, "item": "no such title", "field": "Status"}},
			{"set_field_value", args{"project": launch, "items": []string{ref, sub}, "fields": []args{{"field": "Notes", "value": "x"}}}},
			{"set_field_value", args{"project": launch, "item": ref, "field": "Notes", "value": "y"}},
			{"update_issue", args{"issues": []string{ref, sub}, "add_labels": []string{"bug"}}}, {"update_issue", args{"issue": ref, "add_labels": []string{"design"}}},
			{"add_issue_comment", args{"issues": []string{ref, sub}, "body": "Seen"}}, {"add_project_item", args{"project": ines + "/1", "item": ref}},
			{"remove_project_item", args{"project": ines + "/1", "item": ref}},
			{"update_issue", args{"issue": sub, "body": "Ours", "title": "Ours"}},
		} {
			tools["github_"+x.tool] = true
			if effectOf(x.tool) != mcptool.Reads {
				text, _ := d.caller().Raw("preview", args{"tool": "github_" + x.tool, "arguments": x.with})
				seen += text
			}
			text, _ := d.caller().Raw("github_"+x.tool, x.with)
			if echo := strings.Contains(text, "PLANTEDTITLE"); locked && foreign.MatchString(text) && !echo && x.with["issue"] != "Harbour planted" {
				t.Errorf("%s %v: %.2000s", x.tool, x.with, text)
			}
			seen += text
		}
		call[map[string]any](d.as("lieke-vdmeer", "repo project read:org"), "update_issue", args{"issue": sub, "title": "Harbour plantedlater"})
		text, _ := d.caller().Raw("undo", args{"last": 1})
		seen += text
		for what, text := range foreignTexts {
			if arrived := strings.Contains(seen, text); arrived == locked {
				t.Errorf("lockdown %t: %s arrived: %t", locked, what, arrived)
			}
		}
		for _, tool := range Toolset(nil, nil).Tools {
			if tool.Effect == mcptool.Reads && !tools[tool.Name] {
				t.Errorf("%s was not called", tool.Name)
			}
		}
	}
}

// A client without lockdown added to a text of an outsider, who changed it since.
func TestLockdown_HoldsInWhatAnUndoRefuses(t *testing.T) {
	for _, by := range []string{"", "the operator", "the fence"} {
		d := withUndo(t)
		ref, _, _ := plant(d)
		call[map[string]any](d, "update_issue", args{"issue": ref, "append": "And ours."})
		call[map[string]any](d.as("lieke-vdmeer", "repo project read:org"), "update_issue", args{"issue": ref, "body": "Harbour plantedlater", "title": "Harbour plantedtoo"})
		d.locked = by == "the operator"
		d = d.as(ines, "repo project read:org")
		d.fence.Lockdown = by == "the fence"
		for _, with := range []args{{"last": 1}, nil} {
			answer, _ := d.caller().Raw("undo", with)
			refused := strings.Contains(answer, `"result":"refused"`) == (with != nil)
			if !refused || foreign.MatchString(answer) == (by != "") {
				t.Errorf("%q: %s", by, answer)
			}
		}
	}
}

func TestLockdown_SaysHowManyAndEditsNothingThatItWithholds(t *testing.T) {
	d := newToolEnv(t)
	ref, _, _ := plant(d)
	d.locked = true
	d = d.as(ines, "repo project read:org")
	i := call[issueDetails](d, "get_issue", args{"issue": ref})
	if i.WithheldCount != 4 || i.Author != "lieke-vdmeer" || i.Number == 0 || i.Title != "[withheld]" || len(i.Comments) != 1 || i.Comments[0].Author != "lieke-vdmeer" {
		t.Errorf("%+v", i)
	}
	if p := call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "limit": 10}); p.Withheld != 4 {
		t.Errorf("%d", p.Withheld)
	}
	d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "append": "x"}, "withheld")
	d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "find": "Harbour", "replace": "x"}, "withheld")
}
