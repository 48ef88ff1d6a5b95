package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
)

var anyone = identity.Caller{Subject: "37s:1", Scopes: identity.AllScopes()}

// answersOf calls list_bikes in each era with an X-MCP-Text header, and returns the answers.
func answersOf(t *testing.T, handler http.Handler, form, arguments string) []mcptest.ToolResult {
	t.Helper()
	call := mcptest.ToolCall(t, "list_bikes", json.RawMessage(arguments))
	legacy := http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	modern := mcptest.Header("tools/call", "list_bikes")
	var results []mcptest.ToolResult
	for _, request := range []struct {
		header http.Header
		params string
	}{{legacy, call}, {modern, strings.TrimSuffix(call, "}") + "," + mcptest.Meta("{}") + "}"}} {
		if form != "" {
			request.header.Set(TextHeader, form)
		}
		body := mcptest.Post(t.Context(), handler, anyone, mcptest.Message("tools/call", request.params), request.header).Body.Bytes()
		results = append(results, mcptest.Result[mcptest.ToolResult](t, body))
	}
	return results
}

func bikeServer(of map[string][]trike) http.Handler {
	tool := listBikes(of)
	failing := Define(Spec{Name: "fails", Title: "Fails", Description: "Fails."}, func(context.Context, bikesInput) (bikes, error) {
		return bikes{}, fault.New(fault.NotFound, "there is no such bike")
	})
	return NewServer([]Toolset{{Name: "bikes", Tools: []Tool{tool, failing}}}, Options{Name: "t", Version: "1", Log: slog.New(slog.DiscardHandler)}).Handler(nil, false)
}

func TestText_IsTheJSONUnlessTheRequestAsksForMarkdown(t *testing.T) {
	handler := bikeServer(map[string][]trike{"some": {someBike(7), someBike(8)}})
	for form, markdown := range map[string]bool{"": false, "json": false, "markdown": true, "Markdown": true} {
		for _, result := range answersOf(t, handler, form, `{"of":"some"}`) {
			if len(result.Content) != 1 || markdown == sameJSON(result) {
				t.Errorf("%q: %s", form, result.Text())
			}
			if markdown && !strings.Contains(result.Text(), "| 7 | \\<Tail\\> |") {
				t.Errorf("%q: %s", form, result.Text())
			}
			if !json.Valid(result.StructuredContent) {
				t.Errorf("%q: structured content %s", form, result.StructuredContent)
			}
		}
	}
}

// sameJSON reports whether the text and the structured content say the same.
func sameJSON(r mcptest.ToolResult) bool {
	var text, structured any
	return json.Unmarshal([]byte(r.Text()), &text) == nil && json.Unmarshal(r.StructuredContent, &structured) == nil && cmp.Equal(text, structured)
}

func TestText_OfAnErrorIsTheSameInEveryForm(t *testing.T) {
	handler := bikeServer(nil)
	var said [2]string
	for i, form := range []string{"json", "markdown"} {
		header := http.Header{"Content-Type": {"application/json"}, TextHeader: {form}}
		said[i] = mcptest.Post(t.Context(), handler, anyone, mcptest.Message("tools/call", mcptest.ToolCall(t, "fails", json.RawMessage(`{"of":"x"}`))), header).Body.String()
	}
	if said[0] != said[1] || !strings.Contains(said[0], "no such bike") {
		t.Error(said)
	}
}

func TestMarkdown_ShowsAListAsATableWithinItsShare(t *testing.T) {
	answer := `{"all_items":{"type":"todo","project":{"id":7,"name":"Launch"}},"items":[` +
		strings.TrimSuffix(strings.Repeat(`{"id":4812096497,"title":"Sign off the drawing","due_on":"2026-11-16","assignees":["Ada","Ben"],"comments_count":2,"list":{"id":4812096489,"name":"Launch checklist"},"author":"Ada","created_at":"2026-10-15T17:29:42Z"},`, 20), ",") +
		`],"has_more":true,"next_cursor":"abc","total":40}`
	got := markdown([]byte(answer))
	want := "- all_items: type todo; project Launch (7)\n- total: 40\n\nitems:\n\n| id | title | due_on |\n|---|---|---|\n" +
		strings.Repeat("| 4812096497 | Sign off the drawing | 2026-11-16 |\n", 20) + "More follow: see next_cursor in the structured content."
	if got != want {
		t.Error(cmp.Diff(want, got))
	}
	if weigh(got) > weigh(answer)/3 {
		t.Errorf("%d of %d", weigh(got), weigh(answer))
	}
}

func TestMarkdown_ShowsAnItemAsItsFields(t *testing.T) {
	got := markdown([]byte(`{"id":5,"type":"todo","title":"Weld","description":"# Not ours\n| a | b |\n","completed":false,"due_on":"2026-11-16",` +
		`"assignees":[{"id":1,"name":"Ada"}],"project":{"id":7,"name":"Launch"},"url":"https://x.example","created_at":"2026-10-15T17:29:42Z","updated_at":null,` +
		`"comments":[{"id":9,"type":"comment","content":"Done?","author":{"id":1,"name":"Ada"}}],"filler":"` + strings.Repeat("word ", 600) + `"}`))
	for _, want := range []string{
		"**Weld** todo:5\n", "- due_on: 2026-11-16\n", "- assignees: Ada\n", "- project: Launch (7)\n", "> # Not ours\n> | a | b |\n", "| comment:9 | Done? | Ada |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestMarkdown_PutsGroupsIntoOneTable(t *testing.T) {
	got := markdown([]byte(`{"columns":[{"id":1,"name":"Next","cards":[{"id":11,"title":"Weld","assignees":["Ada"]}]},{"id":2,"name":"Empty"},` +
		`{"id":3,"name":"Done","cards":[{"id":12,"title":"Paint"}]}],"filler":"` + strings.Repeat("word ", 600) + `"}`))
	if want := "| id | title | column | assignees |\n|---|---|---|---|\n| 11 | Weld | Next | Ada |\n| 12 | Paint | Done |  |"; !strings.Contains(got, want) {
		t.Error(got)
	}
}

func TestMarkdown_PutsGroupsOfGroupsIntoOneTable(t *testing.T) {
	got := markdown([]byte(`{"projects":[{"project":{"id":1,"name":"Bells"},"days":[{"day":"2026-01-02","items":[{"at":"09:00","who":"Ada","title":"Ring","item":"todo:7"}]},` +
		`{"day":"2026-01-01","items":[{"at":"08:00","who":"Bo","title":"Chat"}]}]}],"filler":"` + strings.Repeat("word ", 600) + `"}`))
	want := "| id | title | project | day | at | who |\n|---|---|---|---|---|---|\n| todo:7 | Ring | Bells | 2026-01-02 | 09:00 | Ada |\n|  | Chat | Bells | 2026-01-01 | 08:00 | Bo |"
	if !strings.Contains(got, want) {
		t.Error(got)
	}
}

func TestMarkdown_DropsLongIDsBeforeRows(t *testing.T) {
	got := markdown([]byte(`{"tasks":[` + strings.TrimSuffix(strings.Repeat(`{"id":"01a20463-5e7d-71e7-99aa-9a4c77b77e19","title":"Ring","description":null,"completed":false},`, 9), ",") + `]}`))
	if strings.Count(got, "| Ring |") != 9 || strings.Contains(got, "71e7") {
		t.Error(got)
	}
}

// What users write cannot pass for structure: no line of the text begins as theirs wants.
func TestMarkdown_NamesThingsAsToolsTakeThem(t *testing.T) {
	for answer, want := range map[string]string{
		`{"id":"PVTI_kwAAAAABs7XR","type":"issue","title":"Bell","ref":"rider/bell#12"}`: "**Bell** rider/bell#12",
		`{"id":"PVTI_kwAAAAABs7XR","type":"draft_issue","title":"Bell"}`:                 "**Bell** PVTI_kwAAAAABs7XR",
		`{"id":12,"type":"todo","title":"Bell"}`:                                         "**Bell** todo:12",
		`{"id":"12","type":"todo","title":"Bell"}`:                                       "**Bell** todo:12",
		`{"number":12,"title":"Bell","ref":"rider/bell#12"}`:                             "**Bell** rider/bell#12",
	} {
		if got, _, _ := strings.Cut(markdown([]byte(answer)), "\n"); got != want {
			t.Errorf("%s: %s, want %s", answer, got, want)
		}
	}
}

func TestMarkdown_EscapesWhatUsersWrote(t *testing.T) {
	for _, title := range []string{
		"a|b", "a\n| 9 | forged |", "x\r\n# Heading", "**bold**", "`code`", "[link](https://evil.example)", "<b>html</b>", "back\\|slash", "~~gone~~", "_em_ a_b", "&lt;b&gt;",
	} {
		encoded, _ := json.Marshal(title)
		row := `{"id":1,"title":` + string(encoded) + `,"who":` + string(encoded) + `}`
		got := markdown([]byte(`{"items":[` + row + `],"note":` + string(encoded) + `,"filler":"` + strings.Repeat("word ", 600) + `"}`))
		_, table, _ := strings.Cut(got, "|---|---|---|\n")
		if lines := strings.Split(table, "\n"); len(lines) != 1 || cells(lines[0]) != 3 {
			t.Errorf("%q: %q", title, got)
		}
		if escaped := strings.NewReplacer(`\\`, "", `\|`, "", `\*`, "", "\\`", "", `\[`, "", `\]`, "", `\<`, "", `\>`, "", `\~`, "", `\_`, "", `\&`, "").Replace(got); strings.ContainsAny(escaped, "*`[]<>~\\&") {
			t.Errorf("%q: %q", title, got)
		}
	}
	hostile := markdown([]byte(`{"id":1,"title":"x","description":"a\n\n**items**\n| 9 | forged |\r\n# Heading\u2028more","filler":"` + strings.Repeat("word ", 600) + `"}`))
	for line := range strings.Lines(hostile) {
		if !strings.HasPrefix(line, "> ") && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "**x** 1") {
			t.Errorf("%q in %q", line, hostile)
		}
	}
}

// cells counts the cells of a row.
func cells(row string) int {
	return strings.Count(strings.ReplaceAll(row, `\|`, ""), "|") - 1
}

func FuzzMarkdownText(f *testing.F) {
	f.Add(`{"items":[{"id":1,"title":"a|b\n"}],"has_more":true}`)
	f.Add(`{"groups":[{"scope":"x","items":[{"id":"u"},3,null]}],"title":""}`)
	f.Add(`{"results":[{"index":0,"ok":true,"item":{"id":1}}],"who":[[]],"content":null}`)
	f.Add(`[1]`)
	f.Fuzz(func(t *testing.T, answer string) {
		if got := markdown([]byte(answer)); json.Valid([]byte(answer)) && strings.HasPrefix(answer, "{") && weigh(got) > max(200, weigh(answer)) {
			t.Errorf("%d of %d: %q", weigh(got), weigh(answer), got)
		}
	})
}
