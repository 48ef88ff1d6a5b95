package tools

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

func TestLink_LearnsWhoIsWho(t *testing.T) {
	inWorld(t, func(w *world) {
		person := func(name string) string { return fmt.Sprint("person:", w.basecamp.Person(name).ID) }
		jonas, hanna, ines := person("Jonas Brandt"), person("Hanna Koivisto"), person("Ines Albrecht")
		in := input{"a": jonas, "b": "@Jonas-Brandt"}
		if got := call[map[string]any](w, "preview", input{"tool": "link", "arguments": in}); len(got["writes"].([]any)) != 1 {
			t.Errorf("%v", got)
		}
		for _, want := range []bool{true, false} {
			if got := call[linkAnswer](w, "link", in); got.Changed != want || !got.Linked || got.B.Ref != "@jonas-brandt" || got.A.Title != "Jonas Brandt" {
				t.Errorf("%+v", got)
			}
		}
		for _, x := range []struct {
			in    input
			code  fault.Code
			words string
		}{
			{input{"a": hanna, "b": "@jonas-brandt"}, fault.Conflict, `"Jonas Brandt" (` + jonas + `) is @jonas-brandt, so`},
			{input{"a": jonas, "b": "@hanna-koivisto"}, fault.Conflict, "take that away first"},
			{input{"a": "@ines-albrecht", "b": jonas}, fault.Conflict, "your own link to GitHub"},
			{input{"a": ines, "b": "@hanna-koivisto"}, fault.Conflict, "your own link to GitHub"},
			{input{"a": hanna, "b": "@nobody-here"}, fault.NotFound, "b: GitHub has no user"},
			{input{"a": "@fernhill-bikes", "b": hanna}, fault.NotFound, "a: GitHub has no user"},
			{input{"a": "person:17", "b": "@hanna-koivisto"}, fault.NotFound, "a: "},
			{input{"a": hanna, "b": jonas}, fault.InvalidInput, "b: a person is linked to a login"},
			{input{"a": hanna, "b": w.todo()}, fault.InvalidInput, "b: a person is linked to a login"},
			{input{"a": hanna, "b": "@hanna-koivisto", "visible": true}, fault.InvalidInput, "visible: "},
		} {
			w.Fails(x.code, "link", x.in, x.words)
		}
		if got := call[linkAnswer](w.as("Sam Lindqvist"), "link", input{"a": jonas, "b": "@hanna-koivisto"}); !got.Changed {
			t.Errorf("another person's map is in the way: %+v", got)
		}
		gone := call[map[string]any](w, "link", input{"a": jonas, "b": "@jonas-brandt", "remove": true})
		call[map[string]any](w, "undo", input{"id": gone["undo"]})
		if got := call[linkAnswer](w, "link", in); gone["changed"] != true || got.Changed {
			t.Errorf("%v, then %+v", gone, got)
		}
		// The to-do is assigned to Hanna Koivisto.
		call[map[string]any](w, "github_update_issue", input{"issue": privateIssue, "assignees": []string{"tomas-herrera"}})
		w.pause()
		if got := w.link(w.todo(), privateIssue); got.Learnt != `"Hanna Koivisto" (`+hanna+`) is @tomas-herrera` {
			t.Errorf("%+v", got)
		}
	})
}

func TestPromote_TranslatesAssignees(t *testing.T) {
	inWorld(t, func(w *world) {
		jonas := fmt.Sprint("person:", w.basecamp.Person("Jonas Brandt").ID)
		w.link(jonas, "@jonas-brandt")
		to := map[string]input{
			"github":   {"to": "github", "repo": "fernhill-bikes/configurator"},
			"basecamp": {"to": "basecamp", "project": "Cargo Bike Launch", "list": "Launch checklist"},
		}
		for i, x := range []struct{ to, who, want, refused string }{
			{"github", "Jonas Brandt", "jonas-brandt", ""},
			{"github", jonas, "jonas-brandt", ""},
			{"github", "me", "ines-albrecht", ""},
			{"github", "Ines Albrecht", "ines-albrecht", ""},
			{"github", "@hanna-koivisto", "hanna-koivisto", ""},
			{"github", "hanna-koivisto", "hanna-koivisto", ""},
			{"github", "Hanna", "", `known: "Ines Albrecht"`},
			{"github", "Priya Raman", "", "assignees[0]: it is not known who Priya Raman"},
			{"github", "No Such Person", "", "assignees[0]"},
			{"basecamp", "@jonas-brandt", "Jonas Brandt", ""},
			{"basecamp", "@ines-albrecht", "Ines Albrecht", ""},
			{"basecamp", "@hanna-koivisto", "", "assignees[0]: it is not known who @hanna-koivisto"},
		} {
			in := input{"from": []any{input{"item": w.task(fmt.Sprint("Job ", i))}}, "assignees": []string{x.who}}
			maps.Copy(in, to[x.to])
			if text, failed := w.Raw("promote", in); x.refused != "" {
				if !failed || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), x.refused) {
					t.Errorf("%v: %s", x, text)
				}
				continue
			}
			made := w.promote(in).Results[0]
			if !made.OK || made.Item.NotApplied != nil {
				t.Fatalf("%v: %+v", x, made)
			}
			text, _ := w.Raw(map[string]string{"github": "github_get_issue", "basecamp": "get_item"}[x.to], input{map[string]string{"github": "issue", "basecamp": "item"}[x.to]: made.Item.Ref})
			if !strings.Contains(text, `"assignees":["`+x.want) && !strings.Contains(text, `"name":"`+x.want) {
				t.Errorf("%v: %s", x, text)
			}
			w.pause()
		}
	})
}

func TestPromote_PutsIssuesOnABoard(t *testing.T) {
	inWorld(t, func(w *world) {
		in := input{
			"from": []any{input{"item": w.todo()}}, "to": "github", "repo": "fernhill-bikes/configurator", "labels": []string{"bug"}, "board": "fernhill-bikes/1",
			"fields": []any{input{"field": "Status", "value": "In Progress"}},
		}
		if preview := call[map[string]any](w, "preview", input{"tool": "promote", "arguments": in}); len(preview["writes"].([]any)) != 4 {
			t.Errorf("%v", preview)
		}
		undone := w.promote(in)
		call[map[string]any](w, "undo", input{"last": 1})
		made := w.promote(in).Results[0]
		if old := undone.Results[0].Item.Ref; made.Item.Already || old == made.Item.Ref || w.link(old, w.todo(), "remove", true).Changed {
			t.Errorf("%+v after the undo of %s", made, old)
		}
		if !made.OK || made.Item.NotApplied != nil || made.Item.URL == "" || made.Item.Title != hubTodo || made.Item.Notified == nil {
			t.Fatalf("%+v", made)
		}
		w.pause()
		if text, _ := w.Raw("github_get_field_value", input{"project": "fernhill-bikes/1", "item": made.Item.Ref, "field": "Status"}); !strings.Contains(text, `"value":"In progress"`) {
			t.Error(text)
		}
		if again := w.promote(in).Results[0]; !again.Item.Already || again.Item.Ref != made.Item.Ref {
			t.Errorf("%+v", again)
		}
		for _, x := range []struct {
			change input
			code   fault.Code
			words  string
		}{
			{input{"board": "No such board"}, fault.NotFound, "board: "},
			{input{"fields": []any{input{"field": "Status", "value": "Nowhere"}}}, fault.NotFound, ""},
			{input{"fields": []any{input{"field": "Statos", "value": "Done"}}}, fault.NotFound, ""},
			{input{"board": nil}, fault.InvalidInput, "fields: need the board"},
			{input{"repo": "fernhill-bikes/old-shop", "labels": nil}, fault.PermissionDenied, "archived"},
			{input{"to": "task"}, fault.InvalidInput, "does not go with to: task"},
		} {
			one := input{"from": []any{input{"item": w.task("Not made")}}}
			for name, value := range in {
				if name != "from" {
					one[name] = value
				}
			}
			for name, value := range x.change {
				if one[name] = value; value == nil {
					delete(one, name)
				}
			}
			w.Fails(x.code, "promote", one, x.words)
		}
	})
}
