package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/telemetry"
)

// unstored returns the failures that the line of a request counts.
func unstored(r *telemetry.Request) (n int64) {
	for _, attr := range (telemetry.Counts{Request: r}).Append(nil, "t") {
		if attr.Key == "StoreFailures" {
			n = attr.Value.Int64()
		}
	}
	return n
}

// request returns a request whose line is not written yet, and its context.
func request(t *testing.T) (*telemetry.Request, context.Context) {
	r := &telemetry.Request{}
	return r, telemetry.With(t.Context(), r)
}

// The trail writes its entries on its own time, also after the line of the request.
func TestStoreFailures_OfTheAuditTrailAreCountedWithTheNextRequest(t *testing.T) {
	down := true
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"__type":"AccessDeniedException"}`))
			return
		}
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(database.Close)
	c := deployment().AWS
	c.DynamoDB = database.URL
	s := must(inAWS(c, slog.New(slog.DiscardHandler), http.DefaultTransport))
	trail := s.trail(slog.New(slog.DiscardHandler))
	trail.Record("37s:1", audit.Entry{Time: time.Now(), Tool: "get_me"})
	if err := trail.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	down = false
	next, ctx := request(t)
	_, _ = s.Auth.Client(ctx, "c_1")
	if n := unstored(next); n != 2 { // the trail tries twice
		t.Errorf("the next request counts %d failures", n)
	}
	after, ctx := request(t)
	_, _ = s.Auth.Client(ctx, "c_1")
	if n := unstored(after); n != 0 {
		t.Errorf("the request after that counts %d failures", n)
	}
}

// Each failure is of a service that cannot be reached, or answers every request with one error.
func TestStoreFailures_OfBothServicesAreCounted(t *testing.T) {
	for _, answer := range []string{"", "ThrottlingException", "AccessDeniedException", "InternalServiceErrorException"} {
		s := must(inAWS(deployment().AWS, quiet, away{answer}))
		for service, ask := range map[string]func(ctx context.Context) error{
			"DynamoDB":        func(ctx context.Context) error { _, err := s.Auth.Code(ctx, "h"); return err },
			"Secrets Manager": func(ctx context.Context) error { _, err := s.grants("37signals").Load(ctx, "37s:1", ""); return err },
		} {
			r, ctx := request(t)
			if err := ask(ctx); err == nil || unstored(r) != 1 {
				t.Errorf("%s, %q: %d failures, %v", service, answer, unstored(r), err)
			}
		}
	}
}

// away is a service that cannot be reached, or that answers every request with one error.
type away struct{ answer string }

func (a away) RoundTrip(*http.Request) (*http.Response, error) {
	if a.answer == "" {
		return nil, context.DeadlineExceeded
	}
	said := httptest.NewRecorder()
	said.Header().Set("X-Amzn-ErrorType", a.answer)
	said.WriteHeader(http.StatusBadRequest)
	return said.Result(), nil
}

// A call with an idempotency key stores its result after its line was written.
func TestStoreFailures_AfterTheLineAreCountedWithTheNextRequest(t *testing.T) {
	s := must(inAWS(deployment().AWS, slog.New(slog.DiscardHandler), away{"AccessDeniedException"}))
	told, ctx := request(t)
	told.Tell()
	_, _ = s.Auth.Client(ctx, "c_1")
	open, ctx := request(t)
	_, _ = s.Auth.Client(ctx, "c_1")
	if late, n := unstored(told), unstored(open); late != 0 || n != 2 {
		t.Errorf("the written line counts %d failures, and the next one %d", late, n)
	}
}

// recorded is a call as its user reads it.
type recorded struct {
	Time, Tool, Outcome, Door, Client, Provider string
	Arguments                                   []struct{ Name, Value string }
}

type calls struct {
	Calls      []recorded
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor"`
	Next       string
}

// readCalls reads a page of the audit trail, and also returns its text.
func (a *agent) readCalls(uri string) (page calls, text string) {
	a.Helper()
	var r struct {
		Contents   []struct{ URI, MIMEType, Text string }
		CacheScope string
	}
	a.result("resources/read", uri, args{"uri": uri}, &r)
	if len(r.Contents) != 1 || r.Contents[0].URI != uri || r.Contents[0].MIMEType != "application/json" || a.way == stateless && r.CacheScope != "private" {
		a.Fatalf("%s is read as %+v", uri, r)
	}
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &page); err != nil {
		a.Fatal(err)
	}
	return page, r.Contents[0].Text
}

// bothEras runs a test for Ines Albrecht in each era of MCP. The bridge cannot read the audit
// trail.
func bothEras(t *testing.T, kept func(t *testing.T) []storage, test func(a *agent)) {
	t.Helper()
	hold(t, kept, []rule{{"read", test}}, handshake, stateless)
}

// told returns the calls of a page, one line each.
func (c calls) told() (lines []string) {
	for _, call := range c.Calls {
		line := call.Door + " " + call.Tool + " " + call.Outcome
		for _, argument := range call.Arguments {
			line += " " + argument.Name
			if argument.Value != "" {
				line += "=" + argument.Value
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// everyCallIsThere checks that the calls of both channels are in one trail, which only their user
// can read.
func everyCallIsThere(a *agent) {
	const secret = "fernhill-secret"
	door := a.by(bridged)
	id := a.add(secret)
	door.must("complete_task", args{"task_id": id})
	a.must("todolist__set", args{"todos": []args{step(secret, "pending", secret)}, "if_revision": 0})
	door.refuses("add_task", args{"title": "", "description": secret}, "INVALID_INPUT", "")
	a.refuses("list_tasks", args{"status": secret, "limit": 7}, "INVALID_INPUT", "")
	a.refuses("todolist__get", args{"list_id": secret}, "UNKNOWN_LIST", "")
	door.refuses("delete_task", args{"task_id": noTask, secret: secret}, "INVALID_INPUT", "")
	priya := a.agentOf("priya", a.way)
	priya.add("his")

	page, text := a.readCalls("audit://calls")
	want := []string{
		"bridge delete_task INVALID_INPUT task_id=" + noTask,
		"mcp todolist__get UNKNOWN_LIST list_id",
		"mcp list_tasks INVALID_INPUT status limit=7",
		"bridge add_task INVALID_INPUT title description",
		"mcp todolist__set ok todos if_revision=0",
		"bridge complete_task ok task_id=" + id,
		"mcp add_task ok title",
	}
	if diff := cmp.Diff(want, page.told()); diff != "" || page.HasMore {
		a.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(text, secret) {
		a.Errorf("what was said is kept: %s", text)
	}
	client := "Plumcot" // as it said at its login
	if a.way == stateless {
		client = "Plumcot/1" // as it says with every call
	}
	if got := page.Calls[1].Client; got != client {
		a.Errorf("client %q, want %q", got, client)
	}
	if page, _ := priya.readCalls("audit://calls"); !cmp.Equal([]string{"mcp add_task ok title"}, page.told()) {
		a.Errorf("his: %q", page.told())
	}
}

func TestCalls_OfBothChannelsAreReadOnlyByTheirUser(t *testing.T) {
	bothEras(t, twoInMemory, everyCallIsThere)
}
