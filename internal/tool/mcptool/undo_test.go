package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/wire/writeplan"
)

// cut is a Store whose writes of records fail at one, counted from 1, and that counts them.
type cut struct {
	calls.Store
	at, count int
	lost      bool // the write that fails is carried out
	unread    bool // reads fail
}

var errDown = errors.New("the store is down")

func (c *cut) write(do func() error) error {
	c.count++
	if c.count != c.at && (c.at >= 0 || c.count < -c.at) { // a negative one fails from then on
		return do()
	}
	if c.lost {
		_ = do()
	}
	return errDown
}

func (c *cut) ClaimCall(ctx context.Context, subject string, r calls.Record, k *calls.Key) (found calls.Key, err error) {
	err = c.write(func() (err error) { found, err = c.Store.ClaimCall(ctx, subject, r, k); return err })
	return found, err
}

func (c *cut) ChangeCall(ctx context.Context, subject string, r calls.Record, opposite []byte, k *calls.Key) error {
	return c.write(func() error { return c.Store.ChangeCall(ctx, subject, r, opposite, k) })
}

func (c *cut) WritingCalls(ctx context.Context, subject, from, before string, limit int) ([]calls.Record, error) {
	if c.unread {
		return nil, errDown
	}
	return c.Store.WritingCalls(ctx, subject, from, before, limit)
}

// shelf is what the tool stack of the tests writes to, and its Restorer.
type shelf struct {
	bikes  int
	refuse string
	tried  string // opposites, in order
}

func (s *shelf) Restore(_ context.Context, step writeplan.Step) (writeplan.Restored, error) {
	if s.tried += string(step.Opposite); string(step.Opposite) == s.refuse {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "it was changed since"}, nil
	}
	s.bikes--
	return writeplan.Restored{Result: writeplan.Undone}, nil
}

func (s *shelf) ItemTitle(_ context.Context, _, id string) (title, within string) {
	return "Bike " + id, ""
}

func (s *shelf) server(store calls.Store) testServer {
	stack := Define(Spec{Name: "stack", Title: "Stack", Description: "Stacks bikes.", Effect: Creates}, func(ctx context.Context, in stackInput) (stacked, error) {
		for i := range in.Count {
			j := writeplan.JournalFrom(ctx)
			if err := j.Begin(ctx); err != nil {
				return stacked{}, err
			}
			if in.Text == "panic" && i > 0 {
				panic("cut")
			}
			s.bikes++
			opposite := json.RawMessage(fmt.Sprint(i))
			if in.Text == "large" {
				opposite = json.RawMessage(`"` + strings.Repeat("x", calls.MostBytes) + `"`)
			}
			j.Add(writeplan.Step{Provider: "shelf", What: "stack a bike", Type: "bike", ID: fmt.Sprint(i), Opposite: opposite})
		}
		return stacked{Notified: []string{}, Built: s.bikes}, nil
	})
	return serveTools(Options{
		Calls: newCalls(store), Restorers: map[string]undo.Restorer{"shelf": {Restore: undo.Each(s.Restore), Title: s.ItemTitle}},
	}, stack)
}

// text calls a tool and returns the text of its answer.
func (s testServer) text(t *testing.T, tool, arguments string) string {
	t.Helper()
	time.Sleep(time.Second) // of the test's own time
	return s.callAs(t, writer, tool, arguments).Content[0].Text
}

func TestUndo_TakesTwoStoreWritesACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, s := &cut{Store: memory.New(nil)}, &shelf{}
		server := s.server(store)
		answer := server.text(t, "stack", `{"count":50}`)
		if store.count != 2 || !strings.HasPrefix(answer, `{"undo":"u`) {
			t.Errorf("%d store writes: %s", store.count, answer)
		}
		if answer := server.text(t, "stack", `{"count":0}`); store.count != 2 || strings.Contains(answer, "undo") {
			t.Errorf("a call that writes nothing: %d store writes, %s", store.count, answer)
		}
		if list := server.text(t, "undo", `{}`); !strings.Contains(list, `"more":45`) {
			t.Errorf("of 50 bikes, it lists %s", list)
		}
		if answer := server.text(t, "undo", `{"last":1}`); s.bikes != 0 || !strings.Contains(answer, `"result":"undone"`) {
			t.Errorf("%d bikes: %s", s.bikes, answer)
		}
	})
}

func TestUndo_SaysWhatMayHaveHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			what, text   string
			at           int
			bikes        int
			answer, list string
		}{
			{"no intent is stored", "", 1, 0, "nothing was written", "Nothing was changed"},
			{"the end is stored at the second try", "", 2, 2, `{"undo":"u`, `"undoable":true`},
			{"the end is not stored", "", -2, 2, `{"id":0`, "may_have_happened"},
			{"the call is cut", "panic", 0, 1, "something went wrong", "may_have_happened"},
			{"the opposite is too large", "large", 0, 2, `{"no_undo":"what was there before is too large to keep"`, `"undoable":false,"reason":"what was there before is too large to keep"`},
		} {
			s := &shelf{}
			server := s.server(&cut{Store: memory.New(nil), at: test.at})
			answer := server.text(t, "stack", fmt.Sprintf(`{"count":2,"text":%q}`, test.text))
			list := server.text(t, "undo", `{}`)
			if s.bikes != test.bikes || !strings.Contains(answer, test.answer) || !strings.Contains(list, test.list) {
				t.Errorf("%s: %d bikes\n%s\n%s", test.what, s.bikes, answer, list)
			}
		}
	})
}

func TestUndo_WithoutTheStoreUndoesNothingAndCanBeRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, store := range []*cut{{unread: true}, {at: 3}, {at: 3, lost: true}} {
			s := &shelf{}
			store.Store = memory.New(nil)
			unread := store.unread
			store.unread = false
			server := s.server(store)
			id := server.text(t, "stack", `{"count":1}`)[9:23]
			store.unread = unread
			answer := server.text(t, "undo", fmt.Sprintf(`{"ids":[%q]}`, id))
			for _, says := range []string{"UPSTREAM_ERROR", "nothing was undone", `"retryable":true`} {
				if s.bikes != 1 || !strings.Contains(answer, says) || strings.Contains(answer, "may_have_happened") {
					t.Errorf("%+v: %d bikes, %s", store, s.bikes, answer)
				}
			}
			store.unread = false
			if answer = server.text(t, "undo", fmt.Sprintf(`{"ids":[%q]}`, id)); s.bikes != 0 {
				t.Errorf("%+v: %d bikes, %s", store, s.bikes, answer)
			}
		}
	})
}

func TestUndo_IsToldByARepeatOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := (&shelf{}).server(memory.New(nil))
		const stack = `{"count":1,"idempotency_key":"k"}`
		first := server.text(t, "stack", stack)
		if again := server.text(t, "stack", stack); again != first {
			t.Errorf("%s\n%s", first, again)
		}
		server.text(t, "undo", `{"last":1}`)
		if again := server.text(t, "stack", stack); !strings.Contains(again, "nothing was done now; "+first[9:23]+" was undone already") {
			t.Error(again)
		}
	})
}

func TestUndo_TellsWhichWritesWereRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{refuse: "1"}
		server := s.server(memory.New(nil))
		server.text(t, "stack", `{"count":3}`)
		if answer := server.text(t, "undo", `{"last":1}`); s.bikes != 1 || s.tried != "210" || !strings.Contains(answer, `"result":"undone","except":["bike:1"]`) || !strings.Contains(answer, `"result":"refused"`) {
			t.Errorf("%d bikes: %s", s.bikes, answer)
		}
		s.refuse = ""
		// the one that was refused
		if answer := server.text(t, "undo", `{"last":1}`); s.bikes != 0 || !strings.Contains(answer, `"result":"undone"`) {
			t.Errorf("%d bikes: %s", s.bikes, answer)
		}
		s.refuse, s.bikes = "0", 1
		server.text(t, "stack", `{"count":1}`)
		for range 2 { // what was refused can be tried again
			if answer := server.text(t, "undo", `{"last":1}`); s.bikes != 2 || !strings.Contains(answer, `"result":"refused"`) {
				t.Errorf("%d bikes: %s", s.bikes, answer)
			}
		}
		s.refuse = ""
		if answer := server.text(t, "undo", `{"last":1}`); s.bikes != 1 || !strings.Contains(answer, `"result":"undone"`) {
			t.Errorf("%d bikes: %s", s.bikes, answer)
		}
	})
}

func TestUndo_GoesAsFarAsACallMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		server := s.server(memory.New(nil))
		for range 3 {
			server.text(t, "stack", `{"count":30}`)
		}
		for _, x := range []struct {
			last, bikes int
			says        string
		}{{3, 30, `"left":1`}, {1, 0, `"result":"undone"`}} {
			if answer := server.text(t, "undo", fmt.Sprintf(`{"last":%d}`, x.last)); s.bikes != x.bikes || !strings.Contains(answer, x.says) {
				t.Errorf("%d bikes: %s", s.bikes, answer)
			}
		}
	})
}

func TestUndo_HasASmallDefinitionAndNeedsTheScopeToWrite(t *testing.T) {
	s := (&shelf{}).server(memory.New(nil))
	tool := s.BuiltIn().Tools[1]
	if size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema()); size > 420 {
		t.Errorf("the definition takes %d bytes: %s", size, tool.InputSchema())
	}
	if scope, known := s.Scope(Selection{}, undo.Tool); !known || scope != identity.Write {
		t.Errorf("scope %s, %v", scope, known)
	}
	if _, known := s.Scope(Selection{ReadOnly: true}, undo.Tool); known {
		t.Error("a read-only endpoint undoes")
	}
	if _, known := newTestServer().Scope(Selection{}, undo.Tool); known {
		t.Error("there is undo without records")
	}
}
