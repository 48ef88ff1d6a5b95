package tools

import (
	"slices"
	"strings"
	"testing"
)

func TestPrompts_SayWhatWasFilledInAndReadWellWithout(t *testing.T) {
	names := map[string]bool{}
	for _, tool := range catalog(t) {
		names[tool.Name] = true
	}
	var got []string
	for _, p := range prompts(newWorkspace(nil, nil)) {
		got = append(got, p.Name)
		filled, required := map[string]string{}, map[string]string{}
		for _, a := range p.Arguments {
			filled[a.Name] = "«" + a.Name + "» {goal}"
			if a.Required {
				required[a.Name] = filled[a.Name]
			}
		}
		for _, arguments := range []map[string]string{filled, required} {
			text, err := p.Text(t.Context(), arguments)
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range arguments {
				if strings.Count(text, value) != 1 {
					t.Errorf("%s: %s is not there once: %s", p.Name, name, text)
				}
			}
			if strings.ContainsAny(strings.ReplaceAll(text, "{goal}", ""), "{}|") || strings.Contains(text, "  ") {
				t.Errorf("%s: not filled in: %s", p.Name, text)
			}
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
				if strings.Contains(word, "_") && !names[word] {
					t.Errorf("%s: there is no tool %s", p.Name, word)
				}
			}
		}
	}
	want := []string{"catch_up", "weekly_recap", "plan_project", "draft_checkin", "prepare_meeting", "triage_my_work"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestCompleteProject_GoesOnFromWhatWasTyped(t *testing.T) {
	at(t, func(d *desk) {
		ws, ctx := d.workspace()
		for prefix, want := range map[string][]string{
			"carg":  {"Cargo Bike Launch"},
			"NEWS":  {"Newsletter Refresh"},
			"deal":  {"Dealer Network"},
			"in":    {"Supplier Audits"},
			"zebra": nil,
		} {
			got, err := ws.completeProject(ctx, prefix)
			if err != nil || prefix != "in" && !slices.Equal(got, want) {
				t.Errorf("%q: %v, %v", prefix, got, err)
			}
			if prefix == "in" && (len(got) < 2 || slices.ContainsFunc(got, func(name string) bool { return !strings.Contains(fold(name), "in") })) {
				t.Errorf("%q: %v", prefix, got)
			}
		}
		all, err := ws.completeProject(ctx, "")
		if err != nil || len(all) != 17 {
			t.Errorf("%d projects, %v", len(all), err)
		}
		_, other := d.as("Priya Raman").workspace()
		if names, err := ws.completeProject(other, "Payroll"); err != nil || len(names) != 0 {
			t.Errorf("Priya is proposed %v, %v", names, err)
		}
	})
}
