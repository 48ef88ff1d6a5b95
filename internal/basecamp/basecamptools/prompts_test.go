package basecamptools

import (
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/tool/mcptool"
)

func TestPrompts_ContainTheGivenArguments(t *testing.T) {
	names := map[string]bool{}
	for _, tool := range ofBasecamp() {
		names[tool.Name] = true
	}
	var got []string
	for _, p := range prompts(newResolver(nil, nil)) {
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
					t.Errorf("%s: %s must occur exactly once: %s", p.Name, name, text)
				}
			}
			if strings.ContainsAny(strings.ReplaceAll(text, "{goal}", ""), "{}|") || strings.Contains(text, "  ") {
				t.Errorf("%s: not filled in: %s", p.Name, text)
			}
			for _, word := range toolWords(text) {
				if !names[word] {
					t.Errorf("%s: no tool is named %s", p.Name, word)
				}
			}
		}
	}
	want := []string{"catch_up", "weekly_recap", "plan_project", "draft_checkin", "prepare_meeting", "triage_my_work"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestPrompts_ThatWriteNothingNameToolsThatRead(t *testing.T) {
	effects := map[string]mcptool.Effect{}
	for _, tool := range ofBasecamp() {
		effects[tool.Name] = tool.Effect
	}
	for _, p := range prompts(newResolver(nil, nil)) {
		text, err := p.Text(t.Context(), map[string]string{})
		if err != nil {
			t.Fatal(err)
		}
		writes := false
		for _, word := range toolWords(text) {
			writes = writes || effects[word] != mcptool.Reads
		}
		if writes != p.Writes {
			t.Errorf("%s: Writes is %v, but whether it names a tool that writes is %v", p.Name, p.Writes, writes)
		}
	}
}

func TestPrompts_DescribeSinceInValuesThatTheToolAccepts(t *testing.T) {
	at(t, func(d *toolEnv) {
		_, ctx := d.resolver()
		summer := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
		rs := newResolver(d.client, func() time.Time { return summer })
		for _, p := range prompts(rs) {
			for _, a := range p.Arguments {
				if a.Name != "since" {
					continue
				}
				_, said, _ := strings.Cut(a.Description, "such as ")
				said, _, _ = strings.Cut(said, ";")
				for example := range strings.SplitSeq(strings.ReplaceAll(said, " or ", ", "), ", ") {
					if begin, err := rs.Since(ctx, "since", example); err != nil || begin.After(summer) {
						d.Errorf("%s: %q is %v, %v", p.Name, example, begin, err)
					}
				}
			}
		}
	})
}

// toolWords returns the words of a text that look like tool names.
func toolWords(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
	return lookup.Matching(words, func(word string) bool { return strings.Contains(word, "_") })
}

func TestCompleteProject_ProposesNamesThatContinueThePrefix(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		for prefix, want := range map[string][]string{
			"carg":  {"Cargo Bike Launch"},
			"NEWS":  {"Newsletter Refresh"},
			"deal":  {"Dealer Network"},
			"in":    {"Supplier Audits"},
			"zebra": nil,
		} {
			got, err := rs.completeProject(ctx, prefix)
			if err != nil || prefix != "in" && !slices.Equal(got, want) {
				t.Errorf("%q: %v, %v", prefix, got, err)
			}
			if prefix == "in" && (len(got) < 2 || slices.ContainsFunc(got, func(name string) bool { return !strings.Contains(naming.Fold(name), "in") })) {
				t.Errorf("%q: %v", prefix, got)
			}
		}
		all, err := rs.completeProject(ctx, "")
		if err != nil || len(all) != 17 {
			t.Errorf("%d projects, %v", len(all), err)
		}
		_, other := d.as("Priya Raman").resolver()
		if names, err := rs.completeProject(other, "Payroll"); err != nil || len(names) != 0 {
			t.Errorf("proposals for Priya: %v, %v", names, err)
		}
	})
}
