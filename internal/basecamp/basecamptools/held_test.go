package basecamptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
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
	store := memory.New(nil)
	d.held, d.marked = holding.New(store, undo.Unsealed{}, nil), &marks{}
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
		w.Sent = writeplan.Request{Method: w.Request.Method, URL: w.Request.URL, Body: []byte(w.Request.Body)}
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

// asking returns a fence that asks about kinds of writes.
func asking(kinds ...fence.Kind) fence.Fence { return fence.Fence{Ask: kinds} }

func TestHeld_OnlyWhatTheFenceAsksAbout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, sent := fenced(t, fence.Fence{})
		calls := typical(d)
		shown := d.room(true).message
		forClients := args{"item": fmt.Sprint("message:", shown), "body": "Thanks."}
		mention := args{"item": calls["create_comment"]["item"], "body": "Seen, @Priya."}
		manyNotified, outsiders := asking(fence.Notifies), fence.Fence{AskAfterOutsiders: true}
		manyNotified.AskAbove = 500
		for _, test := range []struct {
			what  string
			fence fence.Fence
			tool  string
			in    args
			holds bool
		}{
			{"nothing", fence.Fence{}, "create_message", calls["create_message"], false},
			{"a trash", asking(fence.Trashes), "set_item_status", calls["set_item_status"], true},
			{"a write that trashes nothing", asking(fence.Trashes), "create_folder", calls["create_folder"], false},
			{"what is reopened", asking(fence.Trashes), "set_completed", args{"item": calls["set_completed"]["item"], "completed": false}, false},
			{"a mention", asking(fence.Notifies), "create_comment", mention, true},
			{"fewer people than the number", manyNotified, "create_comment", mention, false},
			{"what notifies no one", asking(fence.Notifies), "create_folder", calls["create_folder"], false},
			{"an operation that may notify", asking(fence.Notifies), "change_basecamp", calls["change_basecamp"], true},
			{"a comment that clients see", asking(fence.SeenByClients), "create_comment", forClients, true},
			{"a comment that clients do not see", asking(fence.SeenByClients), "create_comment", calls["create_comment"], false},
			{"administration", asking(fence.Admin), "administer_basecamp", calls["administer_basecamp"], true},
			{"a change that administers nothing", asking(fence.Admin, fence.Public), "change_project", calls["change_project"], false},
			{"a reader of no outsiders", outsiders, "create_message", calls["create_message"], false},
		} {
			sent.writes = nil
			d.who.Fence = test.fence
			if test.holds {
				d.holds(test.tool, test.in)
			} else {
				d.raw(test.tool, test.in)
			}
			if (len(sent.writes) == 0) != test.holds && test.what != "what is reopened" {
				t.Errorf("%s: sent %v", test.what, sent.writes)
			}
		}
	})
}

func TestHeld_WhatChangedIsHeldAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, sent := fenced(t, asking(fence.Everything))
		todo := d.sandbox.Find("Todo", "Print the serial number plates")
		in := args{"items": thoseItems(fmt.Sprint("todo:", todo)), "title": "Print all plates"}
		id := d.holds("update_work", in)
		d.decide(id, true)
		free := d.as("Ines Albrecht")
		free.who.Fence = fence.Fence{}
		call[map[string]any](free, "update_work", args{"items": thoseItems(fmt.Sprint("todo:", todo)), "title": "Print some plates"})
		sent.writes = nil
		if d.holds("update_work", in) != id || len(sent.writes) > 0 {
			t.Fatalf("sent %v", sent.writes)
		}
		before := d.decide(id, false).Writes[0].Before
		if fmt.Sprint(before) != "map[content:Print some plates]" {
			t.Errorf("the new plan shows %v", before)
		}
		d.fails("PERMISSION_DENIED", "update_work", in, "refused")
		time.Sleep(holding.Life) // of the test's own time
		if d.holds("update_work", in) != id || len(sent.writes) > 0 {
			t.Errorf("after a day, sent %v", sent.writes)
		}
	})
}

// Of calls at once, one sends what was approved. The approval of a call that was cut is not used
// again.
func TestHeld_AnApprovalIsUsedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, sent := fenced(t, asking(fence.Everything))
		in := typical(d)["create_todos"]
		id := d.holds("create_todos", in)
		d.decide(id, true)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { d.raw("create_todos", in) })
		}
		all.Wait()
		if len(sent.writes) != 2 {
			t.Errorf("sent %d writes", len(sent.writes))
		}
		d.decide(d.holds("create_todos", in), true)
		c, err := d.held.Find(d.Context(), d.who.Subject, id)
		if err == nil {
			_, err = d.held.Claim(d.Context(), d.who.Subject, c.Record) // by a call that is cut
		}
		if err != nil {
			t.Fatal(err)
		}
		if f := d.fails("CONFLICT", "create_todos", in, "may have happened"); !f.Data.MayHaveHappened || len(sent.writes) != 2 {
			t.Errorf("%+v, %d writes", f, len(sent.writes))
		}
	})
}

func TestHeld_AtMostTwentyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, _ := fenced(t, asking(fence.Everything))
		comment := func(i int) args {
			return args{"item": typical(d)["create_comment"]["item"], "body": fmt.Sprint("Number ", i)}
		}
		for i := range holding.Most {
			d.holds("create_comment", comment(i))
		}
		d.fails("LIMIT_REACHED", "create_comment", comment(99), "20 calls wait", "/account")
		d.decide(d.holds("create_comment", comment(0)), false)
		d.holds("create_comment", comment(99))
	})
}

func TestFence_LimitsTheWritesOfAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, sent := fenced(t, fence.Fence{WritesAnHour: 3})
		in := typical(d)
		call[map[string]any](d, "create_comment", in["create_comment"])
		sent.writes = nil
		call[map[string]any](d, "create_todos", in["create_todos"])
		f := d.fails("RATE_LIMITED", "create_comment", in["create_comment"], "3 writes an hour")
		if len(sent.writes) != 2 || !f.Retryable || f.RetryAfterSeconds < 3500 || f.RetryAfterSeconds > 3600 {
			t.Errorf("%d writes, %+v", len(sent.writes), f)
		}
		call[map[string]any](d, "preview", args{"tool": "create_comment", "arguments": in["create_comment"]})
		time.Sleep(time.Hour) // of the test's own time
		call[map[string]any](d, "create_comment", in["create_comment"])
	})
}

// A client that has read a text by an outsider is marked once, and then asks before it publishes.
func TestFence_AsksAfterOutsidersTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, sent := fenced(t, fence.Fence{AskAfterOutsiders: true})
		calls := typical(d)
		call[map[string]any](d, "list_todos", calls["list_todos"])
		if len(d.marked.until) != 0 {
			t.Fatal("marked by texts of colleagues")
		}
		call[map[string]any](d, "read_basecamp", calls["read_basecamp"]) // e-mails that were forwarded
		if len(d.marked.until) != 1 {
			t.Fatalf("marked %v", d.marked.until)
		}
		d.who.OutsidersUntil = d.marked.until[0]
		call[map[string]any](d, "read_basecamp", calls["read_basecamp"])
		d.holds("create_comment", args{"item": calls["create_comment"]["item"], "body": "Seen, @Priya."})
		d.holds("create_folder", args{"project": launchProject, "title": "See https://evil.example"})
		if len(d.marked.until) != 1 || len(sent.writes) > 0 {
			t.Errorf("marked %v, sent %v", d.marked.until, sent.writes)
		}
		call[map[string]any](d, "create_folder", calls["create_folder"])
		d.who.OutsidersUntil = time.Time{}
		d.marked.fails = true
		d.fails("UPSTREAM_ERROR", "read_basecamp", calls["read_basecamp"], "could not store")
	})
}

// marks are what fences know about one connection.
type marks struct {
	until  []time.Time
	fails  bool
	hour   time.Time
	writes int
}

func (m *marks) CountWrite(_ context.Context, _ string, at time.Time, most int) (time.Time, error) {
	if !at.Before(m.hour.Add(time.Hour)) {
		m.hour, m.writes = at, 0
	}
	if m.writes >= most {
		return m.hour.Add(time.Hour), nil
	}
	m.writes++
	return time.Time{}, nil
}

func (m *marks) MarkOutsiders(_ context.Context, _ string, until time.Time) error {
	if m.fails {
		return errors.New("the store is down")
	}
	m.until = append(m.until, until)
	return nil
}
