package basecamptools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// Two people are called Sam. One of them is on the launch project, and the other one with the
// dealers.
func TestPerson_IsFoundByWhatTheirNameBeginsWith(t *testing.T) {
	at(t, func(d *toolEnv) {
		const okafor, lindqvist, hanna = "Sam Okafor", "Sam Lindqvist", "Hanna Koivisto"
		none, here, dealers := int64(0), d.sandbox.ProjectID(launchProject), d.sandbox.ProjectID("Dealer Network")
		for _, c := range []struct {
			caller  string
			who     toolargs.Ref
			project int64
			want    string // a name, or a part of the failure
			code    fault.Code
		}{
			{"", toolargs.Ref{Name: "Sam"}, here, okafor, ""}, {"", toolargs.Ref{Name: "sam okafor"}, here, okafor, ""}, {"", toolargs.Ref{Name: "OKAFOR"}, here, okafor, ""},
			{"", toolargs.Ref{Name: "Sam"}, dealers, "", fault.Ambiguous}, {"", toolargs.Ref{Name: "Sam"}, none, "", fault.Ambiguous},
			{"", toolargs.Ref{Name: "Sam O."}, none, okafor, ""}, {"", toolargs.Ref{Name: "sam l."}, none, lindqvist, ""}, {"", toolargs.Ref{Name: "Sam Okaf."}, none, okafor, ""},
			{"", toolargs.Ref{Name: "Sam K."}, none, "", fault.NotFound}, {"", toolargs.Ref{Name: "S. O."}, none, "", fault.NotFound}, {"", toolargs.Ref{Name: "Sa O."}, none, "", fault.NotFound},
			{"", toolargs.Ref{Name: "Sam ."}, none, "", fault.NotFound}, {"", toolargs.Ref{Name: "O."}, none, "", fault.NotFound}, {"", toolargs.Ref{Name: "ann"}, here, "", fault.NotFound},
			{"", toolargs.Ref{Name: "Koiv"}, here, hanna, ""}, {"", toolargs.Ref{Name: "hanna"}, here, hanna, ""}, {"", toolargs.Ref{Name: "Hanna K"}, here, hanna, ""},
			{"", toolargs.Ref{Name: "Sam L."}, here, `"Sam Lindqvist" is not on the project`, fault.InvalidInput}, {"", toolargs.Ref{Name: lindqvist}, here, `"Sam Lindqvist" is not on the project`, fault.InvalidInput},
			{"", toolargs.Ref{ID: 3140027751}, here, `"Sam Lindqvist" is not on the project`, fault.InvalidInput},
			{"", toolargs.Ref{Name: "Hana"}, here, "no person on the project is called", fault.NotFound}, {"", toolargs.Ref{Name: "Hana"}, none, hanna, fault.NotFound}, {"", toolargs.Ref{ID: 12}, here, "no person on the project", fault.NotFound},
			{"Ines Albrecht", toolargs.Ref{Name: "Me"}, none, "Ines Albrecht", ""}, {"Priya Raman", toolargs.Ref{Name: "Me"}, here, "Priya Raman", ""}, {lindqvist, toolargs.Ref{Name: "me"}, dealers, lindqvist, ""},
		} {
			rs, ctx := d.resolver()
			if c.caller != "" {
				rs, ctx = d.as(c.caller).resolver()
			}
			p, err := rs.Person(ctx, "assignee", c.who, c.project)
			f := fault.From(err)
			if c.code == "" && (err != nil || p.Name != c.want) || c.code != "" && (f.Code != c.code || !strings.Contains(f.Message, c.want)) {
				t.Errorf("%+v is %s, %v", c, p.Name, err)
			}
			if c.code == fault.Ambiguous && (len(f.Candidates) != 2 || f.Candidates[0].Where == "") || c.code != "" && c.project == here && c.who.Name != "ann" && len(f.Nearest) == 0 {
				t.Errorf("%+v: %v, %v", c, f.Candidates, f.Nearest)
			}
		}
	})
}

// A call that takes one of two people called Sam says so, wherever the name stands.
func TestTools_SayWhoElseHasTheNameThatTheyTook(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := fmt.Sprint("todo:", d.sandbox.Find("Todo", "Print the serial number plates"))
		call[any](d, "post_chat_line", args{"to": "Sam Okafor", "text": "x"})
		create := func(more args) args {
			more["content"] = "x"
			return args{"project": launch, "list": "Parking lot", "todos": []args{more}}
		}
		for _, c := range []struct {
			tool     string
			in       func(name string) args
			argument string
		}{
			{"create_todos", func(name string) args { return create(args{"assignees": name}) }, "assignees[0]"},
			{"create_todos", func(name string) args { return create(args{"notes": "x", "mentions": name}) }, "mentions[0]"},
			{"create_message", func(name string) args { return args{"project": launch, "subject": "x", "body": "x", "notify": name} }, "notify[0]"},
			{"create_comment", func(name string) args { return args{"item": todo, "body": "Look, @" + name + "."} }, "body"},
			{"create_comment", func(name string) args { return args{"item": todo, "body": "Look, [@" + name + "]."} }, "body"},
			{"update_work", func(name string) args { return args{"items": []args{{"item": todo, "add_assignees": name}}} }, "add_assignees[0]"},
			{"update_work", func(name string) args { return args{"items": []args{{"item": todo, "remove_assignees": name}}} }, "remove_assignees[0]"},
			{"list_todos", func(name string) args { return args{"project_id": launch, "assignee": name} }, "assignee"},
			{"post_chat_line", func(name string) args { return args{"to": "ping:" + name, "text": "x"} }, "to"},
		} {
			for _, name := range []string{"Sam", "Sam Okafor"} {
				text, failed := d.raw(c.tool, c.in(name))
				var told struct{ Understood []string }
				if err := json.Unmarshal([]byte(text), &told); err != nil || failed {
					d.Fatalf("%s: %s", c.tool, text)
				}
				want := []string{c.argument + `: "Sam" -> "Sam Okafor"; the name also fits "Sam Lindqvist"`}
				if name != "Sam" {
					want = nil
				}
				told.Understood = slices.DeleteFunc(told.Understood, func(note string) bool { return !strings.Contains(note, "fits") })
				if !slices.Equal(told.Understood, want) {
					d.Errorf("%s %v: %q", c.tool, c.in(name), told.Understood)
				}
			}
		}
		for _, name := range []string{"Priya", "sam okafor"} {
			if text, _ := d.raw("create_todos", create(args{"assignees": name})); strings.Contains(text, "also fits") {
				d.Error(text)
			}
		}
	})
}

// A call of one caller never returns what another caller has read.
func TestPeople_AreCachedPerCaller(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		payroll := d.sandbox.ProjectID("Payroll & Contracts")
		if people, err := rs.People(ctx, payroll, memo.Life); err != nil || len(people) != 2 {
			t.Fatalf("%d people, %v", len(people), err)
		}
		_, other := d.as("Priya Raman").resolver()
		if people, err := rs.People(other, payroll, memo.Life); !fault.Is(err, fault.NotFound) {
			t.Errorf("Priya sees %d people, %v", len(people), err)
		}
		asked := d.asked(func() { _, _ = rs.People(ctx, payroll, memo.Life) })
		if len(asked) != 0 {
			t.Errorf("requests of the second call: %v", asked)
		}
	})
}

// Sam Okafor's whole name is the beginning of another person's name. A first name may match
// partly.
func TestPerson_AWholeNameDoesNotMatchAnotherPersonPartly(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("PUT", "/my/profile.json", `{"name":"Sam Okafor-Albrecht"}`) // Ines has a new name
		rs, ctx := d.resolver()
		_, err := rs.Person(ctx, "mentions", toolargs.Ref{Name: "Sam Okafor"}, d.sandbox.ProjectID("Winter Kit"))
		if f := fault.From(err); f.Code != fault.InvalidInput || !strings.Contains(f.Message, `"Sam Okafor" is not on the project`) {
			t.Errorf("got %v", err)
		}
		made := call[work.WrittenCard](d, "create_card", args{"project": launch, "board": "Frame design", "title": "Bell", "assignees": "me"})
		if got := d.update(fmt.Sprint("card:", made.ID), args{"remove_assignees": "Sam Okafor", "title": "Bells"}); got.Previous.Assignees != nil {
			t.Errorf("removed Sam Okafor, left are %+v", got.Item.Assignees)
		}
	})
}
