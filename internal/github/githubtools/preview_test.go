package githubtools

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/wire/writeplan"
)

// previewed is the answer of preview.
type previewed struct {
	Tool   string
	Writes []struct {
		What          string
		On            *writeplan.Item
		Before, After map[string]any
	}
	Total, Follow int
}

// sentWrites records the writes that reach GitHub.
type sentWrites struct {
	to     http.RoundTripper
	writes []string
}

func (s *sentWrites) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !strings.HasSuffix(r.URL.Path, "/graphql") || bytes.Contains(body, []byte("mutation ")) {
			s.writes = append(s.writes, fmt.Sprint(r.Method, r.URL, string(body)))
		}
	}
	return s.to.RoundTrip(r)
}

// A preview plans the requests that the call sends, and sends none itself.
func TestPreview_PlansWhatTheCallSends(t *testing.T) {
	var sent sentWrites
	seen := map[string]bool{}
	for _, test := range costs {
		d := newToolEnvOn(t, func(to http.RoundTripper) http.RoundTripper { sent.to = to; return &sent })
		tool := effectOf(test.tool)
		if tool == mcptool.Reads {
			continue
		}
		reader := d.caller()
		reader.Caller.Scopes = []identity.Scope{identity.Read}
		p := mcptest.Call[previewed](reader, "preview", args{"tool": test.tool, "arguments": test.with}) // by its bare name
		ctx, plan := writeplan.With(t.Context())
		message := mcptest.Message("tools/call", mcptest.ToolCall(t, "github_"+test.tool, test.with))
		answer := mcptest.Post(ctx, d.handler, d.caller().Caller, message, nil).Body.String()
		if len(sent.writes) > 0 || strings.Contains(answer, `"isError":true`) {
			t.Fatalf("%s: a preview sent %v and answered %s", test.tool, sent.writes, answer)
		}
		var planned []string
		for _, w := range plan.Writes() {
			if w.Sent.Method == "" {
				continue // a request before carries it
			}
			planned = append(planned, fmt.Sprint(w.Sent.Method, w.Sent.URL, string(w.Sent.Body)))
		}
		total := len(plan.Writes())
		call[map[string]any](d, test.tool, test.with)
		same := len(planned) == len(sent.writes) || p.Follow > 0 && len(planned) < len(sent.writes)
		same = same && slices.Equal(planned, sent.writes[:len(planned)])
		if !same || p.Total != total || p.Total == 0 || p.Tool != "github_"+test.tool {
			t.Errorf("%s: previewed %+v, planned %v, sent %v", test.tool, p, planned, sent.writes)
		}
		sent.writes = nil
		seen["github_"+test.tool] = true
	}
	for _, tool := range Toolset(nil, nil).Tools {
		if tool.Effect != mcptool.Reads && !seen[tool.Name] {
			t.Errorf("%s was not previewed", tool.Name)
		}
	}
}

func effectOf(bare string) mcptool.Effect {
	for _, tool := range Toolset(nil, nil).Tools {
		if tool.Name == "github_"+bare {
			return tool.Effect
		}
	}
	return mcptool.Reads
}

func TestPreview_ShowsTheOldValue(t *testing.T) {
	d := newToolEnv(t)
	show := func(tool string, in args) (title string, before, after map[string]any) {
		p := mcptest.Call[previewed](d.caller(), "preview", args{"tool": tool, "arguments": in})
		if p.Total != 1 || p.Writes[0].On == nil {
			t.Fatalf("%s: %+v", tool, p)
		}
		return p.Writes[0].On.Title, p.Writes[0].Before, p.Writes[0].After
	}
	for _, test := range []struct {
		tool          string
		in            args
		before, after map[string]any
	}{
		{"set_field_value", onLaunch(args{"item": second, "field": "Status", "value": "Done"}), map[string]any{"Status": "Ready"}, map[string]any{"Status": "Done"}},
		{"update_issue", args{"issue": second, "state": "closed"}, map[string]any{"state": "open"}, map[string]any{"state": "closed"}},
		{"update_project", onLaunch(args{"title": "Autumn"}), map[string]any{"title": "Season launch"}, map[string]any{"title": "Autumn"}},
	} {
		title, before, after := show(test.tool, test.in)
		if title == "" || !maps.Equal(before, test.before) || !maps.Equal(after, test.after) {
			t.Errorf("%s: %q, %v, %v", test.tool, title, before, after)
		}
	}
}

func TestPreview_DoesNotConfirmADeletion(t *testing.T) {
	d := newToolEnv(t)
	text, isError := d.caller().Raw("preview", args{"tool": "delete_project", "arguments": args{"project": launch}})
	if !isError || !strings.Contains(text, "confirmation_required") {
		t.Error(text)
	}
}
