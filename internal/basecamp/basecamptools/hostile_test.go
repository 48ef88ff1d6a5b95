package basecamptools

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptest"
)

// Each argument of each tool is set to names that nothing has, that several things have in part,
// and that are hostile, in a company in which every name is hostile.
func TestErrors_KeepHostileNamesInTheirQuotationMarks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, mcptest.HostileNames)
		calls := typical(newToolEnv(t, sandbox.Options{RateLimit: -1}))
		seen, named := map[fault.Code]int{}, map[string]bool{}
		for _, tool := range ofBasecamp() {
			var schema struct{ Properties map[string]any }
			if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
				t.Fatal(err)
			}
			for argument := range schema.Properties {
				for _, given := range []any{"a", "Zelda" + mcptest.Hostile, []any{"a", "Zelda" + mcptest.Hostile}, mcptest.Hostile + strings.Repeat("y", 10_000)} {
					in := maps.Clone(calls[tool.Name])
					if in == nil {
						in = args{}
					}
					in[argument] = given
					text, isError := d.raw(tool.Name, in)
					if !isError {
						continue
					}
					var f mcptest.Failure
					if err := json.Unmarshal([]byte(text), &f); err != nil {
						t.Fatal(err)
					}
					seen[f.ErrorCode]++
					about, _, _ := strings.Cut(f.Message, ": ")
					named[string(f.ErrorCode)+" "+about] = true
					sentences := []string{f.Message}
					for _, v := range f.Data.Validation {
						sentences = append(sentences, v.Path+": "+v.Message)
					}
					for _, sentence := range sentences {
						if mcptest.Escapes(sentence) {
							t.Errorf("%s %s = %.20v: %q", tool.Name, argument, given, sentence)
						}
					}
				}
			}
		}
		for _, one := range []string{
			"AMBIGUOUS project", "AMBIGUOUS person", "AMBIGUOUS column", "AMBIGUOUS board", "AMBIGUOUS item", "AMBIGUOUS question", "AMBIGUOUS category",
			"AMBIGUOUS list", "AMBIGUOUS folder", "AMBIGUOUS entry", "NOT_FOUND project", "NOT_FOUND person", "NOT_FOUND column", "NOT_FOUND board", "NOT_FOUND message_id", "NOT_FOUND document_id", "NOT_FOUND item",
			"NOT_FOUND todo_id", "NOT_FOUND question", "NOT_FOUND category", "NOT_FOUND todolist_id", "NOT_FOUND chat", "NOT_FOUND folder", "CONFLICT date",
		} {
			if !named[one] {
				t.Errorf("no error is %s", one)
			}
		}
		for _, code := range []fault.Code{fault.NotFound, fault.Ambiguous, fault.InvalidInput} {
			if seen[code] < 20 {
				t.Errorf("%d errors with %s", seen[code], code)
			}
		}
	})
}
