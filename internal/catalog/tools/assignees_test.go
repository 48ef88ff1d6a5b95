package tools

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/report/fault"
)

func TestPromote_TakesPeopleByTheirNamesInTheTargetSystem(t *testing.T) {
	inWorld(t, func(w *world) {
		jonas := fmt.Sprint("person:", w.basecamp.Person("Jonas Brandt").ID)
		to := map[string]input{
			"github":   {"to": "github", "repo": "fernhill-bikes/configurator"},
			"basecamp": {"to": "basecamp", "project": "Cargo Bike Launch", "list": "Launch checklist"},
		}
		for i, x := range []struct{ to, who, want, refused string }{
			{"github", "me", "ines-albrecht", ""},
			{"github", "@hanna-koivisto", "hanna-koivisto", ""},
			{"github", "hanna-koivisto", "hanna-koivisto", ""},
			{"github", "hanna", "", "assignees"},
			{"github", "Priya Raman", "", "assignees"},
			{"github", jonas, "", "assignees"},
			{"basecamp", "Jonas Brandt", "Jonas Brandt", ""},
			{"basecamp", jonas, "Jonas Brandt", ""},
			{"basecamp", "@hanna-koivisto", "", "assignees"},
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
		if preview := call[map[string]any](w, "preview", input{"tool": "promote", "arguments": in}); len(preview["writes"].([]any)) != 2 || preview["follow"] != 2.0 {
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
