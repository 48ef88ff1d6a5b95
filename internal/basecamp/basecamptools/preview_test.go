package basecamptools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
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
		ClientsSee    any `json:"clients_see"`
		Notified      []string
	}
	Total      int
	ClientsSee any `json:"clients_see"`
	Notified   []string
	Note       string
}

// planAndCall makes a call whose writes are planned, as preview does, and then the call itself. It
// returns the planned writes and both answers.
func (d *toolEnv) planAndCall(sent *sentWrites, tool string, in args) (planned []writeplan.Write, wouldBe, is string) {
	d.Helper()
	message := mcptest.Message("tools/call", mcptest.ToolCall(d, tool, in))
	ctx, plan := writeplan.With(d.Context())
	wouldBe = mcptest.Post(ctx, d.handler(), d.who, message, nil).Body.String()
	if len(sent.writes) > 0 {
		d.Fatalf("%s %v: a plan sent %v", tool, in, sent.writes)
	}
	is = mcptest.Post(d.Context(), d.handler(), d.who, message, nil).Body.String()
	return plan.Writes(), wouldBe, is
}

// sentWrites records the writes that reach Basecamp, with the IDs and SGIDs that it answers.
type sentWrites struct {
	to     http.RoundTripper
	writes []sentWrite
}

// newSending returns an environment without Basecamp's rate limit, and the writes that reach
// Basecamp.
func newSending(t testing.TB) (*toolEnv, *sentWrites) {
	var sent sentWrites
	return newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(to http.RoundTripper) http.RoundTripper { sent.to = to; return &sent }), &sent
}

type sentWrite struct{ request, made string }

// line returns a write as both sides of a comparison show it.
func line(method, address, body string) string {
	_, below, _ := strings.Cut(address, "://")
	_, below, _ = strings.Cut(below, "/")
	return method + " /" + below + " " + body
}

func (s *sentWrites) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return s.to.RoundTrip(r)
	}
	body := ""
	if r.Body != nil {
		body = readAll(r)
	}
	response, err := s.to.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer := peek(response)
	var made struct {
		ID   json.Number
		SGID string `json:"attachable_sgid"`
		Room string `json:"room_url"`
	}
	_ = json.Unmarshal([]byte(answer), &made) // an answer may be empty
	id := made.ID.String()
	if made.SGID != "" && strings.Contains(r.URL.Path, "attachments") {
		id = made.SGID
	}
	if made.Room != "" { // a ping, whose lines go to its chat
		id = strings.TrimSuffix(path.Base(made.Room), ".json")
	}
	s.writes = append(s.writes, sentWrite{line(r.Method, r.URL.String(), body), id})
	return response, nil
}

// holdToPlan compares planned writes with those that were sent, in which the IDs that the call made
// replace those that the plan made up.
func holdToPlan(t testing.TB, what string, planned []writeplan.Write, sent []sentWrite) {
	t.Helper()
	ids := map[string]string{}
	var want, got []string
	for i, w := range planned {
		request := line(w.Sent.Method, w.Sent.URL, string(w.Sent.Body))
		for made, id := range ids {
			request = regexp.MustCompile("made-up"+made+`(\\?")`).ReplaceAllString(request, id+"${1}")
			request = regexp.MustCompile(`([/:\[, ])`+made+`\b`).ReplaceAllString(request, "${1}"+id)
		}
		want = append(want, request)
		if w.Made != "" && i < len(sent) {
			ids[w.Made] = sent[i].made
		}
	}
	for _, s := range sent {
		got = append(got, s.request)
	}
	if !slices.Equal(want, got) {
		t.Errorf("%s: planned\n%s\nsent\n%s", what, strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// writingTools returns Basecamp's tools that write.
func writingTools() []mcptool.Tool {
	return slices.DeleteFunc(ofBasecamp(), func(t mcptool.Tool) bool { return t.Effect == mcptool.Reads })
}

func TestPreview_ShowsEveryWriteAndSendsNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, sent := newSending(t)
		d.short = true
		calls := typical(d)
		for _, tool := range writingTools() {
			in := calls[tool.Name]
			reader := d.as("Ines Albrecht")
			reader.who.Scopes = []identity.Scope{identity.Read}
			p := call[previewed](reader, "preview", args{"tool": tool.Name, "arguments": in})
			if len(sent.writes) > 0 {
				t.Fatalf("%s: a preview sent %v", tool.Name, sent.writes)
			}
			for _, w := range p.Writes {
				if w.What == "" || strings.Contains(w.What, ": ") {
					t.Errorf("%s: no row has words for %+v", tool.Name, w)
				}
			}
			answer := call[map[string]any](d, tool.Name, in)
			if p.Total != len(sent.writes) || len(p.Writes) != p.Total || p.Total == 0 {
				t.Errorf("%s: shows %d writes of %d, and %d were sent", tool.Name, len(p.Writes), p.Total, len(sent.writes))
			}
			sent.writes = nil
			holdReached(t, tool.Name, p, answer)
		}
	})
}

// holdReached compares whom a preview says a call reaches with what the answer of the call says.
func holdReached(t *testing.T, tool string, p previewed, answer map[string]any) {
	t.Helper()
	notified, clients := slices.Clone(p.Notified), p.ClientsSee
	for _, w := range p.Writes {
		notified = append(notified, w.Notified...)
		if clients == nil {
			clients = w.ClientsSee
		}
	}
	var names []string
	told, _ := answer["notified"].([]any)
	for _, name := range told {
		names = append(names, fmt.Sprint(name))
	}
	if !slices.Equal(notified, names) || fmt.Sprint(clients) != fmt.Sprint(answer["clients_see"]) {
		t.Errorf("%s: the preview says %v and %v, the call %v and %v", tool, notified, clients, names, answer["clients_see"])
	}
}

func TestPreview(t *testing.T) {
	const plates = "{Todo:Print the serial number plates}"
	of := func(tool string, arguments args) args { return args{"tool": tool, "arguments": arguments} }
	done := of("set_completed", args{"item": "todo:" + plates, "completed": true})
	cases(t, "preview", nil,
		invalid("a read writes nothing", args{"tool": "list_projects"}, "nothing would be written"), invalid("nor a preview", of("preview", args{"tool": "create_message"}), "nothing would be written"),
		row{fact: "a tool must exist", in: args{"tool": "create_mesage"}, fails: fault.NotFound, says: says{"Unknown tool"}},
		invalid("a call must be right", of("create_message", args{"project": launchProject}), "subject"),
		row{fact: "only what changes is shown", in: done, holds: holds{"writes.0.what": "complete a to-do", "writes.0.on.title": "Print the serial number plates", "writes.0.on.url": some, "writes.0.before": args{"completed": false}, "writes.0.after": args{"completed": true}}},
		row{fact: "nothing of what is done already", tool: "set_completed", in: args{"item": "todo:" + plates, "completed": true}, then: []row{{in: done, holds: holds{"total": nil, "note": has("Nothing would be written")}}}},
		row{fact: "people are named in a text", in: of("create_message", args{"project": launchProject, "subject": "Doors", "body": "At ten, @Priya and @Hanna."}), holds: holds{"writes.0.after.content": "At ten, [@Priya Raman] and [@Hanna Koivisto]."}},
		row{fact: "and as assignees", in: of("update_work", args{"project": launchProject, "items": thoseItems("Print the serial number plates"), "assignees": []string{"Hanna"}}), holds: holds{"writes.0.after.assignees": []string{"Hanna Koivisto"}}},
	)
}

// Starting a ping and its line are two writes. Only the answer to the first says where the second
// goes.
func TestPreview_OfAPingThatHasToBeStarted(t *testing.T) {
	for _, to := range []any{"Aoife Brennan", []string{"Sam Okafor", "Priya Raman"}} {
		d, sent := newSending(t)
		in := args{"to": to, "text": "Psst."}
		p := call[previewed](d, "preview", args{"tool": "post_chat_line", "arguments": in})
		if p.Total != 2 || p.Writes[0].What != "start a ping, or find it" || p.Writes[1].After["content"] != "Psst." || len(sent.writes) > 0 {
			t.Errorf("to %v: %+v", to, p)
		}
		planned, _, is := d.planAndCall(sent, "post_chat_line", in)
		holdToPlan(t, is, planned, sent.writes)
		holdReached(t, "post_chat_line", p, call[map[string]any](d, "post_chat_line", in))
	}
}

// The plan of a call answers what the call does, people who come and go included.
func TestPreview_OfPeopleOnAProjectAnswersAsTheCall(t *testing.T) {
	d, sent := newSending(t)
	on := peopleIn(d, winterKit)
	off := slices.DeleteFunc([]string{"Aoife Brennan", "Dele Adeyemi", "Hanna Koivisto", "Priya Raman", "Noémie Laurent", "Jonas Brandt"}, func(name string) bool {
		return slices.Contains(on, name)
	})
	call[map[string]any](d, "change_project", args{"project": winterKit, "add_people": off[0]})
	sent.writes = nil
	in := args{"project": winterKit, "name": "Summer Kit", "add_people": off[1:2], "remove_people": off[:1]}
	shown := call[previewed](d, "preview", args{"tool": "change_project", "arguments": in}).Writes[1]
	if fmt.Sprint(shown.After) != fmt.Sprintf("map[granted:[%s] revoked:[%s]]", off[1], off[0]) {
		t.Errorf("%+v", shown.After)
	}
	planned, wouldBe, is := d.planAndCall(sent, "change_project", in)
	if wouldBe != is {
		t.Errorf("planned %s\nanswered %s", wouldBe, is)
	}
	holdToPlan(t, "change_project", planned, sent.writes)
}

func readAll(r *http.Request) string {
	b, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(b))
	return string(b)
}

func peek(r *http.Response) string {
	b, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(b))
	return string(b)
}
