package githubtools

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
)

// Each argument of each tool is set to names that nothing has, that several things have in part,
// and that are hostile, on a GitHub where every name is hostile.
func TestErrors_KeepHostileNamesInTheirQuotationMarks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	d, definitions := newToolEnvOn(t, mcptest.LongHostileNames), listed(t)
	seen, named := map[fault.Code]int{}, map[string]bool{}
	tried := map[string]bool{}
	for _, x := range costs {
		if tried[x.tool] {
			continue
		}
		tried[x.tool] = true
		var schema struct{ Properties map[string]any }
		encoded, _ := json.Marshal(definitions["github_"+x.tool]["inputSchema"])
		if err := json.Unmarshal(encoded, &schema); err != nil {
			t.Fatal(err)
		}
		for argument := range schema.Properties {
			for _, given := range []any{"a", "Zelda" + mcptest.Hostile, []any{"a", "Zelda" + mcptest.Hostile}, mcptest.Hostile + strings.Repeat("y", 10_000)} {
				in := maps.Clone(x.with)
				in[argument] = given
				text, isError := d.caller().Raw("github_"+x.tool, in)
				if !isError {
					continue
				}
				var f failed
				if err := json.Unmarshal([]byte(text), &f); err != nil {
					t.Fatal(err)
				}
				seen[f.ErrorCode]++
				about, _, _ := strings.Cut(f.Message, ": ")
				named[string(f.ErrorCode)+" "+about] = true
				for _, sentence := range f.Escaping() {
					t.Errorf("%s %s = %.20v: %q", x.tool, argument, given, sentence)
				}
			}
		}
	}
	for _, one := range []string{
		"AMBIGUOUS project", "AMBIGUOUS labels", "AMBIGUOUS milestone", "AMBIGUOUS field",
		"AMBIGUOUS status", "NOT_FOUND project", "NOT_FOUND milestone", "NOT_FOUND item",
		"NOT_FOUND assignee", "NOT_FOUND creator", "NOT_FOUND assignees[0]", "NOT_FOUND remove_assignees[0]",
	} {
		if !named[one] {
			t.Errorf("no error is %s", one)
		}
	}
	for _, code := range []fault.Code{fault.NotFound, fault.Ambiguous, fault.InvalidInput} {
		if seen[code] < 5 {
			t.Errorf("%d errors with %s", seen[code], code)
		}
	}
}
