package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/memory"
)

// audited returns a server that keeps a trail, and the trail.
func audited(toolsets []Toolset, store audit.Store) (testServer, *audit.Trail) {
	options := new(mender).options()
	options.Audit = audit.NewTrail(&remembering{Store: store}, slog.New(slog.DiscardHandler))
	return serve(options, toolsets...), options.Audit
}

// remembering is a Store that returns also whether entries are of reads, which no store keeps.
type remembering struct {
	audit.Store
	reads sync.Map // by ID
}

func (r *remembering) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	r.reads.Store(e.ID, e.Reads)
	return r.Store.AddEntry(ctx, subject, e)
}

func (r *remembering) Entries(ctx context.Context, subject, before string, limit int) ([]audit.Entry, error) {
	entries, err := r.Store.Entries(ctx, subject, before, limit)
	for i, e := range entries {
		reads, _ := r.reads.Load(e.ID)
		entries[i].Reads = reads == true
	}
	return entries, err
}

func wantTrail(t *testing.T, trail *audit.Trail, subject string, want ...audit.Entry) {
	t.Helper()
	if err := trail.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := trail.Recent(t.Context(), subject, 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(audit.Entry{}, "ID", "Time"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAudit_EveryCallIsWrittenDownForThePersonWhoMadeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, trail := audited(outcomes(), memory.New(nil))
		caller := writer
		caller.Connection = "c1"
		named := []audit.Argument{{Name: "name"}}
		want := func(tool, outcome string, ms int64) audit.Entry {
			return audit.Entry{
				Tool: tool, Arguments: named, Outcome: outcome, Milliseconds: ms, Client: "t/1", Door: audit.MCP, RequestID: "req-1",
				Connection: "c1", Reads: true,
			}
		}
		for _, tool := range []string{"greet", "missing", "panics", "waits"} {
			s.callAs(t, caller, tool, `{"name":"x"}`)
			time.Sleep(time.Nanosecond) // in a bubble nothing else takes time
		}
		wantTrail(t, trail, caller.Subject,
			want("waits", "UPSTREAM_ERROR", 25_000), want("panics", "INTERNAL_ERROR", 0), want("missing", "NOT_FOUND", 0), want("greet", "ok", 0))
		wantTrail(t, trail, "37s:2")
	})
}

func TestAudit_KnowsTheDoorAndTheToolsOwnCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where no time passes by itself
		own := fault.New(fault.InvalidInput, "one at a time")
		own.Own = "multiple_in_progress"
		tool := Define(Spec{Name: "plan", Title: "T", Description: "D."}, func(context.Context, greetInput) (greeting, error) {
			return greeting{}, own
		})
		s, trail := audited([]Toolset{{Name: "t", Tools: []Tool{tool}}}, memory.New(nil))
		s.bridged(t, writer, "plan", `{"name":"x"}`)
		wantTrail(t, trail, writer.Subject, audit.Entry{
			Tool: "plan", Arguments: []audit.Argument{{Name: "name"}}, Outcome: "MULTIPLE_IN_PROGRESS", Door: audit.Bridge, RequestID: "req-1", Reads: true,
		})
	})
}

func TestAudit_ACallThatAsksToReconnectHasFailedSoFar(t *testing.T) {
	connected := false
	store := &remembering{Store: memory.New(nil)}
	s := deadUntil(&connected, &mender{})
	trail := audit.NewTrail(store, s.options.Log)
	s.options.Audit = trail
	if got := s.ask(t, keyed, opens, readIt); got.ResultType != "input_required" {
		t.Fatalf("got %+v", got)
	}
	connected = true
	s.ask(t, keyed, "", readIt) // in the legacy era no call says who the client is
	want := audit.Entry{Tool: "read", Arguments: []audit.Argument{{Name: "name"}}, Outcome: "TOKEN_EXPIRED", Client: "t/1", Door: audit.MCP, Connection: "c1", Reads: true}
	done := want
	done.Outcome, done.Client = audit.OK, ""
	entries, err := trail.Recent(t.Context(), keyed.Subject, 10)
	if diff := cmp.Diff([]audit.Entry{done, want}, entries, cmpopts.IgnoreFields(audit.Entry{}, "ID", "Time", "Milliseconds")); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

// stuck is a Store that never answers and ignores cancellation.
type stuck struct{ *memory.Store }

func (stuck) AddEntry(context.Context, string, audit.Entry) error {
	time.Sleep(time.Hour)
	return errors.New("too late")
}

func TestAudit_AStoreThatHangsCostsACallThirtyMillisecondsAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, trail := audited(outcomes(), stuck{})
		for i := range 70 { // more than may hang at once
			start := time.Now()
			got := s.callAs(t, writer, "greet", `{"name":"Ines"}`)
			if took := time.Since(start); got.IsError || took > 30*time.Millisecond {
				t.Fatalf("call %d: %v after %v", i, got, took)
			}
		}
		_ = trail.Flush(t.Context())
	})
}

func TestAudit_ACallWhoseTimeIsUpIsWrittenDown(t *testing.T) {
	s, trail := audited(outcomes(), memory.New(nil))
	ctx, cancel := context.WithCancel(identity.With(t.Context(), writer))
	cancel()
	run, _ := s.Tool(Selection{}, "waits")
	run(ctx, json.RawMessage(`{"name":"x"}`))
	if err := trail.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if entries, err := trail.Recent(t.Context(), writer.Subject, 1); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func BenchmarkCall_Audited(b *testing.B) {
	s, _ := audited(outcomes(), memory.New(nil))
	b.ReportAllocs()
	for b.Loop() {
		s.callAs(b, writer, "greet", `{"name":"x"}`)
	}
}
