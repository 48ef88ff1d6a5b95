package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/toolargs"
)

// workshop is a server whose tools build bikes. Each bike has a number of its own.
type workshop struct {
	testServer
	built int
	err   error
	takes time.Duration
}

type bikeInput struct {
	Name  string       `json:"name,omitzero" jsonschema:"What to call it"`
	Wheel toolargs.Ref `json:"wheel,omitzero" jsonschema:"Which wheel"`
}

type bike struct {
	Number int `json:"number"`
}

func newWorkshop() *workshop {
	w := &workshop{}
	var tools []Tool
	for name, effect := range map[string]Effect{"build": Creates, "extend": Appends, "paint": Updates} {
		spec := Spec{Name: name, Title: "T", Description: "D.", Effect: effect}
		tools = append(tools, Define(spec, func(ctx context.Context, _ bikeInput) (bike, error) {
			w.built++
			number := w.built
			select {
			case <-time.After(w.takes):
			case <-ctx.Done():
				return bike{}, ctx.Err()
			}
			return bike{Number: number}, w.err
		}))
	}
	w.testServer = serveTools(Options{Calls: newCalls(memory.New(nil))}, tools...)
	return w
}

// want stops the test unless the call's answer contains the text, and this many bikes are built.
func (w *workshop) want(t *testing.T, tool, arguments, holds string, built int) mcptest.ToolResult {
	t.Helper()
	got := w.callAs(t, writer, tool, arguments)
	if !strings.Contains(got.Content[0].Text, holds) || w.built != built {
		t.Fatalf("%s %s: got %s, and %d built; want %s and %d", tool, arguments, got.Content[0].Text, w.built, holds, built)
	}
	return got
}

func TestDefine_AddsTheKeyOnlyToToolsThatRepeat(t *testing.T) {
	for _, toolset := range newWorkshop().toolsets {
		for _, tool := range toolset.Tools {
			var schema struct {
				Properties map[string]struct{ Type string }
				Required   []string
			}
			if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
				t.Fatal(err)
			}
			key, has := schema.Properties["idempotency_key"]
			if has != (tool.Name != "paint") || has && key.Type != "string" || schema.Required != nil {
				t.Errorf("%s: %s", tool.Name, tool.InputSchema())
			}
		}
	}
}

func TestKey_ARepeatGetsTheFirstResultByteForByte(t *testing.T) {
	for _, tool := range []string{"build", "extend"} {
		w := newWorkshop()
		first := w.want(t, tool, `{"name":"Ines","wheel":7,"idempotency_key":"k"}`, `{"number":1}`, 1)
		again := w.want(t, tool, `{ "idempotency_key":"\u006b", "wheel":7, "name":"In\u0065s"}`, `"number":1}`, 1)
		want := first.Content[0].Text
		if again.Content[0].Text != want || string(again.StructuredContent) != want || again.IsError {
			t.Errorf("first %+v, then %+v", first, again)
		}
	}
}

// A null means that the argument is absent, and an ID may be a number or digits.
func TestKey_SpellingsOfTheSameCallAreOneCall(t *testing.T) {
	w := newWorkshop()
	w.want(t, "build", `{"wheel":7,"idempotency_key":"k"}`, `{"number":1}`, 1)
	w.want(t, "build", `{"wheel":"7","name":null,"idempotency_key":"k"}`, `"number":1`, 1)
	w.want(t, "build", `{"wheel":" 7 ","idempotency_key":"k"}`, `"number":1`, 1)
	w.want(t, "build", `{"wheel":["7"],"idempotency_key":"k"}`, `"number":1`, 1)
	w.want(t, "build", `{"wheel":"todo:7","idempotency_key":"k"}`, `CONFLICT`, 1)
	w.want(t, "build", `{"wheel":7,"name":"7","idempotency_key":"k"}`, `CONFLICT`, 1)
	w.want(t, "build", `{"name":"7","idempotency_key":"l"}`, `{"number":2}`, 2)
	w.want(t, "build", `{"name":" 7","idempotency_key":"l"}`, `CONFLICT`, 2)
	w.want(t, "build", `{"name":"7","idempotency_key":"1"}`, `{"number":3}`, 3)
	w.want(t, "build", `{"title":7,"idempotency_key":1}`, `{"understood":["title -> name","name: 7 -> \"7\"","idempotency_key: 1 -> \"1\""],"number":3}`, 3)
	w.want(t, "build", `{"name":"7","idempotency_key":"1"}`, `{"number":3}`, 3)
}

func TestKey_IsSharedByMCPAndTheBridge(t *testing.T) {
	w := newWorkshop()
	first := w.want(t, "build", `{"name":"a","idempotency_key":"k"}`, `"number":1`, 1)
	got := w.bridged(t, writer, "build", `{"name":"a","idempotency_key":"k"}`)
	if want := `{"is_error":false,"result":` + first.Content[0].Text + `}`; got != want || w.built != 1 {
		t.Errorf("got %s, want %s; %d built", got, want, w.built)
	}
}

func TestKey_AnotherKeyRunsTheToolAgain(t *testing.T) {
	w := newWorkshop()
	w.want(t, "build", `{"name":"a"}`, `"number":1`, 1)
	w.want(t, "build", `{"name":"a"}`, `"number":2`, 2)
	w.want(t, "build", `{"name":"a","idempotency_key":null}`, `"number":3`, 3)
	w.want(t, "build", `{"name":"a","idempotency_key":""}`, `"number":4`, 4)
	w.want(t, "build", `{"name":"a","idempotency_key":"`+strings.Repeat("🚲", 64)+`"}`, `"number":5`, 5)
	w.want(t, "build", `{"name":"a","idempotency_key":"`+strings.Repeat("🚲", 64)+`"}`, `"number":5`, 5)
	w.want(t, "build", `{"name":"a","idempotency_key":"l"}`, `"number":6`, 6)
	w.want(t, "extend", `{"name":"a","idempotency_key":"l"}`, `"number":7`, 7)
	w.want(t, "paint", `{"name":"a","idempotency_key":"l"}`, `idempotency_key: is not an argument`, 7)
	other := writer
	other.Subject = "37s:2"
	if got := w.callAs(t, other, "build", `{"name":"a","idempotency_key":"l"}`); !strings.Contains(got.Content[0].Text, `"number":8`) {
		t.Errorf("another person: %s", got.Content[0].Text)
	}
}

func TestKey_OfAnotherAccountIsAConflict(t *testing.T) {
	w := newWorkshop()
	w.want(t, "build", `{"name":"a","idempotency_key":"k"}`, `"number":1`, 1)
	elsewhere := writer
	elsewhere.Account = 2
	if got := w.callAs(t, elsewhere, "build", `{"name":"a","idempotency_key":"k"}`); !strings.Contains(got.Content[0].Text, "use a new key") {
		t.Errorf("for another account: %s", got.Content[0].Text)
	}
}

func TestKey_OfTheWrongFormIsInvalid(t *testing.T) {
	w := newWorkshop()
	w.want(t, "build", `{"idempotency_key":true}`, `idempotency_key: must be a string`, 0)
	w.want(t, "build", `{"idempotency_key":"`+strings.Repeat("x", 65)+`"}`, `idempotency_key: must be at most 64 characters`, 0)
}

func TestKey_OfAFailedCallIsFree(t *testing.T) {
	w := newWorkshop()
	w.want(t, "build", `{"name":true,"idempotency_key":"k"}`, "INVALID_INPUT", 0)
	for i, code := range []fault.Code{fault.TokenExpired, fault.PermissionDenied, fault.Ambiguous, fault.RateLimited} {
		w.err = fault.New(code, "not done")
		w.want(t, "build", `{"name":"a","idempotency_key":"k"}`, string(code), i+1)
	}
	w.err = nil
	w.want(t, "build", `{"name":"a","idempotency_key":"k"}`, `"number":5`, 5)
	w.err = fault.New(fault.InternalError, "known to be not done")
	got := w.want(t, "build", `{"name":"a","idempotency_key":"l"}`, "INTERNAL_ERROR", 6)
	if strings.Contains(got.Content[0].Text, "may_have_happened") {
		t.Errorf("got %s", got.Content[0].Text)
	}
}

func TestKey_OfACallThatMayHaveHappenedIsAConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop()
		w.takes = time.Hour
		got := w.want(t, "build", `{"name":"a","idempotency_key":"k"}`, `"may_have_happened":true`, 1)
		if !strings.Contains(got.Content[0].Text, `"retryable":false`) || !strings.Contains(got.Content[0].Text, "look before") {
			t.Errorf("got %s", got.Content[0].Text)
		}
		w.takes = 0
		got = w.want(t, "build", `{"name":"a","idempotency_key":"k"}`, `"error_code":"CONFLICT"`, 1)
		if !strings.Contains(got.Content[0].Text, "look whether it did") {
			t.Errorf("got %s", got.Content[0].Text)
		}
	})
}

func TestKey_ReturnsNoResultWithoutTheWriteScope(t *testing.T) {
	w := newWorkshop()
	w.want(t, "build", `{"name":"a","idempotency_key":"k"}`, `"number":1`, 1)
	reader := writer
	reader.Scopes = []identity.Scope{identity.Read}
	if got := w.callAs(t, reader, "build", `{"name":"a","idempotency_key":"k"}`); !strings.Contains(got.Content[0].Text, "PERMISSION_DENIED") {
		t.Errorf("got %s", got.Content[0].Text)
	}
}

// A call with a key leaves one line: that of its record.
func TestKey_TheAnswerAndTheLineAreInOneRecord(t *testing.T) {
	w := newWorkshop()
	w.want(t, "build", `{"idempotency_key":"k"}`, `{"number":1}`, 1)
	w.err = fault.New(fault.NotFound, "no such wheel")
	w.want(t, "build", `{"idempotency_key":"l"}`, "no such wheel", 2)
	w.want(t, "build", `{}`, "no such wheel", 3)
	w.want(t, "build", `{"idempotency_key":"k"}`, `{"number":1}`, 3)
	kept, err := w.options.Calls.Recent(t.Context(), writer.Subject, 9)
	if err != nil || len(kept) != 4 {
		t.Fatalf("%d lines, %v", len(kept), err)
	}
	for i, outcome := range []string{calls.OK, "NOT_FOUND", "NOT_FOUND", calls.OK} {
		if kept[i].Outcome != outcome || kept[i].Tool != "build" {
			t.Errorf("line %d: %+v", i, kept[i])
		}
	}
	if changes, err := w.options.Calls.Latest(identity.With(t.Context(), writer), 9); err != nil || len(changes) > 0 {
		t.Errorf("calls that wrote nothing can be undone: %+v, %v", changes, err)
	}
}

// A client gets no answer of one with other limits, and does not learn that there is one.
func TestKey_TellsApartClientsWithOtherLimits(t *testing.T) {
	w := newWorkshop()
	for i, f := range []fence.Fence{
		{}, {NoPings: true}, {Lockdown: true}, {Read: &fence.Places{Projects: []int64{7}}}, {Write: &fence.Places{Projects: []int64{7}}}, {Accounts: []fence.Account{{ID: 1}}},
	} {
		held := writer
		held.Fence = f
		want := fmt.Sprintf(`"number":%d`, min(i, 4)+1)
		if len(f.Accounts) > 0 {
			want = `"number":1`
		}
		for range 2 {
			if got := w.callAs(t, held, "build", `{"name":"a","idempotency_key":"k"}`); !strings.Contains(got.Content[0].Text, want) {
				t.Errorf("%+v: %s, want %s", f, got.Content[0].Text, want)
			}
		}
	}
}

func TestUnderstood_StandsInAnswersAndTheirSchemas(t *testing.T) {
	w := newWorkshop()
	w.want(t, "paint", `{"name":7}`, `{"understood":["name: 7 -> \"7\""],`, 1)
	for _, toolset := range w.toolsets {
		for _, tool := range toolset.Tools {
			if !strings.Contains(string(tool.OutputSchema()), `"understood":{"type":"array","items":{"type":"string"}}`) {
				t.Errorf("%s: %s", tool.Name, tool.OutputSchema())
			}
		}
	}
}

type parts struct {
	Done         int      `json:"done"`
	NotAttempted []string `json:"not_attempted,omitempty"`
}

// A tool that makes a part of its work in each call.
func TestKey_OfAnUnfinishedCallGoesOn(t *testing.T) {
	ran := 0
	var failure error
	tool := Define(Spec{Name: "build", Title: "T", Description: "D.", Effect: Creates, Resumes: true}, func(ctx context.Context, _ bikeInput) (parts, error) {
		ran++
		var p parts
		resumed, keyed, err := Earlier(ctx, &p)
		if err != nil || resumed != (p.Done > 0) || !keyed {
			t.Errorf("resumed %v, keyed %v, %v", resumed, keyed, err)
		}
		if failure != nil {
			return p, failure
		}
		if p.Done++; p.Done < 3 {
			p.NotAttempted = []string{"wheel"}
		} else {
			p.NotAttempted = nil
		}
		return p, nil
	})
	s := serveTools(Options{Calls: newCalls(memory.New(nil))}, tool)
	call := func(key, want string, times int) {
		t.Helper()
		got := s.ask(t, writer, "", `"name":"build","arguments":{"name":"a","idempotency_key":"`+key+`"}`)
		if text := got.Content[0].Text; !strings.Contains(text, want) || ran != times {
			t.Errorf("got %s after %d calls", text, ran)
		}
	}
	call("k", `{"done":1,"not_attempted":["wheel"]}`, 1)
	failure = fault.New(fault.RateLimited, "not now")
	call("k", "RATE_LIMITED", 2)
	failure = nil
	call("k", `{"done":2,"not_attempted":["wheel"]}`, 3)
	call("k", `{"done":3}`, 4)
	call("k", `{"done":3}`, 4)
	call("l", `{"done":1,"not_attempted":["wheel"]}`, 5)
}
