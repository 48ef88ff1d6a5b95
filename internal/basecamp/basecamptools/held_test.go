package basecamptools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fence"
	holding "basecamp-mcp/internal/held"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

// fenced returns an environment whose caller has a fence, and the writes that reach Basecamp.
func fenced(t *testing.T, f fence.Fence) (*toolEnv, *sentWrites) {
	var sent sentWrites
	d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(to http.RoundTripper) http.RoundTripper { sent.to = to; return &sent })
	d.short = true
	store := memory.NewUndo(nil)
	d.held = holding.New(store, undo.Unsealed{}, nil)
	d.server = d.serverWith(undo.New(store, undo.Unsealed{}, 7*24*time.Hour, nil))
	d.who.Fence = f
	return d, &sent
}

// holds makes a call that must be held, and returns its ID.
func (d *toolEnv) holds(tool string, in args) (id string) {
	d.Helper()
	text, isError := d.raw(tool, in)
	var failure struct {
		ErrorCode string `json:"error_code"`
		Retryable bool
		Data      struct {
			Code int
			Held struct {
				ID, URL string
				Expires time.Time `json:"expires_at"`
			}
		}
	}
	err := json.Unmarshal([]byte(text), &failure)
	kept := failure.Data.Held
	if err != nil || !isError || failure.ErrorCode != "HELD" || !failure.Retryable || failure.Data.Code != -31013 ||
		!strings.HasSuffix(kept.URL, "/account?held="+kept.ID) || !strings.Contains(text, kept.URL) || !kept.Expires.After(time.Now()) {
		d.Fatalf("%s: %.600s", tool, text)
	}
	return kept.ID
}

// decide does what the page of a held call does, and returns its plan.
func (d *toolEnv) decide(id string, approve bool) holding.Plan {
	d.Helper()
	c, err := d.held.Find(d.Context(), d.who.Subject, id)
	if err == nil {
		err = d.held.Decide(d.Context(), d.who.Subject, c.Record, approve)
	}
	if err != nil {
		d.Fatal(err)
	}
	return c.Plan
}

// planned returns the writes of a plan as they would be sent.
func planned(p holding.Plan) (writes []writeplan.Write) {
	for _, w := range p.Writes {
		w.Write.Sent = writeplan.Request{Method: w.Request.Method, URL: w.Request.URL, Body: []byte(w.Request.Body)}
		w.Write.Made = w.Made
		writes = append(writes, w.Write)
	}
	return writes
}

// A client that repeats its call, uses another connection or changes arguments writes nothing
// without the person's approval. With it, what was approved is sent once.
func TestHeld_EveryToolSendsWhatWasApprovedAndOnce(t *testing.T) {
	t.Parallel()
	for _, tool := range namesThatWrite() {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, sent := fenced(t, fence.Fence{})
				in := typical(d)[tool]
				if tool == "undo" {
					call[map[string]any](d, "set_completed", typical(d)["set_completed"])
					in = args{"last": 1}
				}
				sent.writes = nil
				d.who.Fence.Ask = []fence.Kind{fence.Everything}
				id := d.holds(tool, in)
				other := d.as("Ines Albrecht")
				other.who.Fence, other.who.Connection = d.who.Fence, "another client"
				for range 3 {
					if again := d.holds(tool, in); again != id {
						t.Errorf("held again as %s", again)
					}
				}
				if of := other.holds(tool, in); of == id {
					t.Error("another client shares the approval")
				}
				plan := d.decide(id, true)
				other.holds(tool, in)
				if len(sent.writes) > 0 || len(plan.Writes) == 0 {
					t.Fatalf("%d writes planned, sent %v", len(plan.Writes), sent.writes)
				}
				call[map[string]any](d, tool, in)
				for i, w := range plan.Writes {
					if w.Request.Body == "" && i < len(sent.writes) && w.Request.Size > 0 { // of a file: its sum was compared
						_, body, _ := strings.Cut(sent.writes[i].request, " /")
						_, body, _ = strings.Cut(body, " ")
						plan.Writes[i].Request.Body = body
					}
				}
				holdToPlan(t, tool, planned(plan), sent.writes)
				count := len(sent.writes)
				d.raw(tool, in)
				if len(sent.writes) != count {
					t.Errorf("sent again: %v", sent.writes[count:])
				}
			})
		})
	}
}

// namesThatWrite returns the names of the tools that write, undo among them.
func namesThatWrite() (names []string) {
	for _, tool := range writingTools() {
		names = append(names, tool.Name)
	}
	return append(names, "undo")
}

func TestHeld_OnlyWhatTheFenceAsksAbout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tool  string
		in    args
		holds []fence.Kind
	}{} {
		_ = slices.Contains(test.holds, "")
		_ = fmt.Sprint(test)
	}
}
