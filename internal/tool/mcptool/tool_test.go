package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

func TestAround_CarriesOutACallByMeansOfTheToolsOwnFunction(t *testing.T) {
	for _, want := range []error{nil, errors.New("no")} {
		var ran int
		tool := define("greet", Updates, failWith(want)).Around(func(ctx context.Context, a toolargs.Accepted, run Run) (toolanswer.Answer, error) {
			ran++
			return run(ctx, a)
		})
		accepted, err := tool.checks.Accept(tool.schemas().in, json.RawMessage(`{"name":"Ada"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tool.run(t.Context(), accepted); !errors.Is(err, want) || ran != 1 {
			t.Errorf("ran %d times with %v", ran, err)
		}
	}
}

func TestDefine_PanicsOnADeclarationThatCannotBeServed(t *testing.T) {
	fine := Spec{Name: "a", Title: "A", Description: "Does a."}
	for name, define := range map[string]func() Tool{
		"a name with a dot":          func() Tool { return Define(Spec{Name: "a.b", Title: "A", Description: "A."}, nothing[noFields]) },
		"no description":             func() Tool { return Define(Spec{Name: "a", Title: "A"}, nothing[noFields]) },
		"an input that is no struct": func() Tool { return Define(fine, nothing[int]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: did not panic", name)
				}
			}()
			define().InputSchema()
		}()
	}
}

type noFields struct{}

func nothing[In any](context.Context, In) (noFields, error) { return noFields{}, nil }

type wordy struct {
	Word string `json:"word" jsonschema:"A word" limits:"minlen=2"`
}

func TestDefine_AToolMayDescribeMistakesInItsOwnWords(t *testing.T) {
	tool := Define(Spec{
		Name: "say", Title: "Say", Description: "Says a word.",
		Invalid: func(_ json.RawMessage, found []fault.Violation) *fault.Error {
			if found[0].Code != "too_short" {
				return nil
			}
			f := fault.New(fault.InvalidInput, "say more")
			f.Own = "too_quiet"
			return f
		},
	}, func(context.Context, wordy) (greeting, error) { return greeting{}, nil })
	if !strings.Contains(string(tool.InputSchema()), `"minLength":2`) {
		t.Errorf("schema %s", tool.InputSchema())
	}
	for arguments, want := range map[string]string{
		`{"word":"é"}`:  `{"error":{"code":"too_quiet","message":"say more"},"error_code":"TOO_QUIET","message":"say more"`,
		`{"word":[]}`:   `{"error_code":"INVALID_INPUT","message":"word: `,
		`{"word":"éé"}`: "",
	} {
		_, err := tool.checks.Accept(tool.schemas().in, json.RawMessage(arguments))
		if err != nil {
			err = tool.inOwnWords(json.RawMessage(arguments), err)
		}
		if (err == nil) != (want == "") {
			t.Fatalf("%s: %v", arguments, err)
		}
		if want == "" {
			continue
		}
		var f *fault.Error
		if !errors.As(err, &f) {
			t.Fatalf("%s: %v", arguments, err)
		}
		if text := string(failure("say", f).JSON); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}

type entry struct {
	OK    bool                  `json:"ok"`
	Error *toolanswer.ItemError `json:"error,omitempty"`
}

type batch struct {
	Results []entry `json:"results"`
}

// newBatch returns a server with a tool whose entries fail with those errors.
func newBatch(failures ...error) testServer {
	tool := Define(Spec{Name: "batch", Title: "Batch", Description: "Does several.", Effect: Creates}, func(context.Context, noFields) (batch, error) {
		done := batch{Results: []entry{{OK: true}}}
		for _, err := range failures {
			failed := toolanswer.Failure(err)
			done.Results = append(done.Results, entry{Error: &failed})
		}
		return done, nil
	})
	return serveTools(Options{Calls: newCalls(memory.New(nil))}, tool)
}

func TestFailure_LogsItsCauseWithTheCall(t *testing.T) {
	upstream := fault.New(fault.UpstreamError, "no answer").Because(errors.New("secret timeout"))
	for _, test := range []struct {
		failures []error
		level    string
		causes   []string
		entries  any
	}{
		{nil, "INFO", nil, nil},
		{[]error{fault.New(fault.NotFound, "gone").Because(errors.New("secret 404"))}, "INFO", nil, 1.0},
		{[]error{upstream}, "INFO", []string{"secret timeout"}, 1.0},
		{[]error{upstream, errors.New("secret defect")}, "ERROR", []string{"secret timeout", "secret defect"}, 2.0},
	} {
		s := newBatch(test.failures...)
		got := s.callAs(t, writer, "batch", `{"idempotency_key":"k"}`)
		if got.IsError || strings.Contains(got.Content[0].Text, "secret") {
			t.Errorf("told %s", got.Content[0].Text)
		}
		line := s.lines(t)[0]
		cause, _ := line["cause"].(string)
		if line["level"] != test.level || line["failed_entries"] != test.entries || line["outcome"] != "ok" {
			t.Errorf("%v: logged %s", test.failures, s.log)
		}
		if want := strings.Join(test.causes, "\n"); cause != want {
			t.Errorf("%v: logged %q, want %q", test.failures, cause, want)
		}
	}
}
