package basecamptools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/memo"
	"basecamp-mcp/internal/toolargs"
)

// Two people are called Sam. One of them is on the launch project.
func TestPerson_AFirstNameMeansThePersonOnTheProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		launch, dealers := d.sandbox.ProjectID(launchProject), d.sandbox.ProjectID("Dealer Network")
		for _, name := range []string{"Sam", "sam okafor", "OKAFOR"} {
			if p, err := rs.Person(ctx, "assignee", toolargs.Ref{Name: name}, launch); err != nil || p.Name != "Sam Okafor" {
				t.Errorf("%s is %s, %v", name, p.Name, err)
			}
		}
		for _, project := range []int64{dealers, 0} {
			_, err := rs.Person(ctx, "assignee", toolargs.Ref{Name: "Sam"}, project)
			f := fault.From(err)
			if f.Code != fault.Ambiguous || len(f.Candidates) != 2 || f.Candidates[0].Where == "" {
				t.Errorf("got %v, %v", err, f.Candidates)
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

func TestPerson_AShortenedLastNameMeansTheOnlyPersonItBegins(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		for name, want := range map[string]string{"Sam O.": "Sam Okafor", "sam l.": "Sam Lindqvist", "Sam Okaf.": "Sam Okafor"} {
			if p, err := rs.Person(ctx, "person", toolargs.Ref{Name: name}, 0); err != nil || p.Name != want {
				t.Errorf("%s is %s, %v", name, p.Name, err)
			}
		}
		for _, name := range []string{"Sam K.", "S. O.", "Sa O.", "Sam .", "O."} {
			if p, err := rs.Person(ctx, "person", toolargs.Ref{Name: name}, 0); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s is %s, %v", name, p.Name, err)
			}
		}
		_, err := rs.Person(ctx, "assignee", toolargs.Ref{Name: "Sam L."}, d.sandbox.ProjectID(launchProject))
		if err == nil || !strings.Contains(err.Error(), `"Sam Lindqvist" is not on the project`) {
			t.Error(err)
		}
	})
}

func TestPerson_DistinguishesNotOnTheProjectFromUnknown(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		launch := d.sandbox.ProjectID(launchProject)
		lindqvist := toolargs.Ref{ID: 3140027751}
		for _, c := range []struct {
			who  toolargs.Ref
			says string
			code fault.Code
		}{
			{toolargs.Ref{Name: "Sam Lindqvist"}, `"Sam Lindqvist" is not on the project`, fault.InvalidInput},
			{lindqvist, `"Sam Lindqvist" is not on the project`, fault.InvalidInput},
			{toolargs.Ref{Name: "Hana"}, "no person on the project is called", fault.NotFound},
			{toolargs.Ref{ID: 12}, "no person on the project", fault.NotFound},
		} {
			_, err := rs.Person(ctx, "assignee", c.who, launch)
			f := fault.From(err)
			if f.Code != c.code || !strings.Contains(f.Message, c.says) || len(f.Nearest) == 0 {
				t.Errorf("%v: %v, %v", c.who, err, f.Nearest)
			}
		}
		_, err := rs.Person(ctx, "person", toolargs.Ref{Name: "Hana"}, 0)
		if f := fault.From(err); f.Code != fault.NotFound || !strings.Contains(f.Message, "Hanna Koivisto") {
			t.Errorf("got %v", err)
		}
	})
}

func TestPerson_MeIsTheCaller(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, name := range []string{"Ines Albrecht", "Priya Raman"} {
			rs, ctx := d.as(name).resolver()
			for _, project := range []int64{0, d.sandbox.ProjectID(launchProject)} {
				if p, err := rs.Person(ctx, "assignee", toolargs.Ref{Name: "Me"}, project); err != nil || p.Name != name {
					t.Errorf("%s is %s, %v", name, p.Name, err)
				}
			}
		}
		rs, ctx := d.as("Sam Lindqvist").resolver()
		if _, err := rs.Person(ctx, "assignee", toolargs.Ref{Name: "me"}, d.sandbox.ProjectID("Dealer Network")); err != nil {
			t.Error(err)
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
