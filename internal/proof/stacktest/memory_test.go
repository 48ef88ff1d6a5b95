package stacktest_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/proof/mcptest"
)

// session is an agent in a session of the endpoint.
type session struct {
	*deployed
	access, id string
}

// remembers uses everything that is stored for an agent: its checklist, the person's tasks,
// idempotency keys and the record of calls.
func (d *deployed) remembers(access string) {
	d.Helper()
	s := d.begin(access)
	s.keepsAChecklist()
	s.keepsTasks()
	s.wantCalls("todolist__set", "add_task", "delete_task")
	s.end()
	s.crosses()
}

func (d *deployed) begin(access string) session {
	d.Helper()
	status, header, body := d.ask(http.MethodPost, "/mcp", access, "", mcptest.Message("initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Plumcot","version":"1"}}`))
	s := session{d, access, header.Get("Mcp-Session-Id")}
	if s.id == "" {
		d.Fatalf("no session: HTTP %d %s", status, body)
	}
	return s
}

// end ends the session, which also deletes its checklist.
func (s session) end() {
	s.Helper()
	for _, want := range []int{http.StatusNoContent, http.StatusNotFound} {
		if status, _, body := s.ask(http.MethodDelete, "/mcp", s.access, s.id, ""); status != want {
			s.Errorf("ending session %q: HTTP %d %s", s.id, status, body)
		}
	}
	outside := session{s.deployed, s.access, ""}
	if left := outside.wantSaid("todolist__get", `{"lists":true}`, `"doing":"Greasing the chain"`); strings.Count(left, `"doing"`) != 1 {
		s.Errorf("the remaining lists: %s", left)
	}
}

func (s session) keepsAChecklist() {
	s.Helper()
	s.wantSaid("todolist__set", `{"todos":[{"content":"True the wheels","status":"in_progress","activeForm":"Truing the wheels"}]}`, `"revision":1`)
	s.wantSaid("todolist__get", `{}`, `True the wheels`)
	s.wantSaid("todolist__get", `{"lists":true}`, `"doing":"Truing the wheels"`)
	outside := session{s.deployed, s.access, ""}
	outside.wantSaid("todolist__get", `{}`, `"todos":[]`)
	outside.wantSaid("todolist__set", `{"todos":[{"content":"Grease the chain","status":"in_progress","activeForm":"Greasing the chain"}]}`, `"revision":1`)
	outside.wantSaid("todolist__get", `{}`, `Grease the chain`) // the latest list of the connection
}

func (s session) keepsTasks() {
	s.Helper()
	const order = `{"title":"Order brake pads","idempotency_key":"pads"}`
	added := s.wantSaid("add_task", order, `"completed":false`)
	id := taskID.FindStringSubmatch(added)
	if id == nil {
		s.Fatalf("a task without an id: %s", added)
	}
	if again := s.wantSaid("add_task", order, id[1]); again != added {
		s.Errorf("the same key adds %s, then %s", added, again)
	}
	// A failed call frees its key.
	s.wantSaid("create_todolist", `{"project":"None such","name":"x","idempotency_key":"none"}`, `"isError":true`)
	s.wantSaid("list_tasks", `{}`, `"total":1`)
	this := `{"task_id":"` + id[1] + `"`
	s.wantSaid("complete_task", this+`}`, `"completed":true`)
	s.wantSaid("update_task", this+`,"title":"Order brake shoes"}`, `"completed":true`)
	s.wantSaid("complete_task", this+`,"completed":false}`, `"completed":false`)
	s.wantSaid("delete_task", this+`}`, `Order brake shoes`)
	s.wantSaid("list_tasks", `{}`, `"total":0`)
	s.start() // an instance that has read nothing undoes it
	s.wantSaid("undo", `{"last":1}`, `"result":"undone"`)
	s.wantSaid("list_tasks", `{}`, `"total":1`)
	s.wantSaid("delete_task", this+`}`, `Order brake shoes`)
	s.wantSaid("undo", `{}`, `delete_task`)
}

var taskID = regexp.MustCompile(`"structuredContent":{"id":"([^"]+)"`)

// wantCalls waits until the person's record of calls has these tools. A call does not wait when the
// table is slow to store its entry.
func (s session) wantCalls(tools ...string) {
	s.Helper()
	deadline := time.After(time.Minute)
	for again := time.NewTicker(50 * time.Millisecond); ; {
		noted := s.calls()
		lacks := slices.DeleteFunc(slices.Clone(tools), func(tool string) bool { return slices.Contains(noted, tool+" ok") })
		if len(lacks) == 0 {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			s.Fatalf("no call of %v in %v", lacks, noted)
		}
	}
}

// calls returns the recorded calls, each with its outcome.
func (s session) calls() (noted []string) {
	s.Helper()
	_, _, body := s.ask(http.MethodPost, "/mcp", s.access, s.id, mcptest.Message("resources/read", `{"uri":"audit://calls"}`))
	var read struct {
		Result struct{ Contents []struct{ Text string } }
	}
	var page struct {
		Calls []struct{ Tool, Outcome string }
	}
	if err := json.Unmarshal([]byte(body), &read); err != nil || len(read.Result.Contents) != 1 {
		s.Fatalf("the calls: %s", body)
	}
	if err := json.Unmarshal([]byte(read.Result.Contents[0].Text), &page); err != nil {
		s.Fatal(err)
	}
	for _, c := range page.Calls {
		noted = append(noted, c.Tool+" "+c.Outcome)
	}
	return noted
}

// crosses makes calls through the bridge.
func (s session) crosses() {
	s.Helper()
	for path, want := range map[string]string{"/tools/get_me": `{"is_error":false,"result":{`, "/tools/list_tasks": `"total":0`} {
		if status, _, body := s.ask(http.MethodPost, path, s.access, "", `{}`); status != http.StatusOK || !strings.Contains(body, want) {
			s.Errorf("%s: HTTP %d %s", path, status, body)
		}
	}
}

// wantSaid calls a tool and returns the answer, which must contain part.
func (s session) wantSaid(tool, arguments, part string) string {
	s.Helper()
	body := s.Call("/mcp", s.access, tool, arguments, "Mcp-Session-Id", s.id)
	if !strings.Contains(body, part) {
		s.Errorf("%s %s lacks %s: %s", tool, arguments, part, body)
	}
	return body
}
