package githubtools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
)

// formAnswer is the answer to a client that shows forms.
type formAnswer struct {
	mcptest.ToolResult
	ResultType    string
	RequestState  string
	InputRequests map[string]struct {
		Params struct {
			Mode, Message   string
			RequestedSchema struct {
				Type       string
				Required   []string
				Properties map[string]struct{ Type string }
			}
		}
	}
}

// withForms calls a tool as a client that shows forms. more are further params.
func (d *toolEnv) withForms(tool string, arguments args, more string) formAnswer {
	d.Helper()
	params := strings.TrimSuffix(mcptest.ToolCall(d, "github_"+tool, arguments), "}") + more + "," + mcptest.Meta(`{"elicitation":{"form":{}}}`) + "}"
	caller := d.caller().Caller
	caller.Key = []byte("the key of the connection")
	w := mcptest.Post(d.Context(), d.handler, caller, mcptest.Message("tools/call", params), mcptest.Header("tools/call", "github_"+tool))
	return mcptest.Result[formAnswer](d, w.Body.Bytes())
}

// confirms answers the form.
func (d *toolEnv) confirms(tool string, arguments args, asked formAnswer, answer string) formAnswer {
	d.Helper()
	return d.withForms(tool, arguments, fmt.Sprintf(`,"requestState":%q,"inputResponses":{"confirm":%s}`, asked.RequestState, answer))
}

func TestDeletes_AskByFormAndReadAgain(t *testing.T) {
	for tool, test := range map[string]struct {
		arguments func(d *toolEnv) args
		title     string
		facts     []string
	}{
		"delete_project": {func(d *toolEnv) args {
			return args{"project": call[boards.Project](d, "create_project", args{"title": "Autumn tour", "owner": "fernhill-bikes"}).ID}
		}, "Autumn tour", []string{`"Autumn tour"`, "fernhill-bikes/", "0 items"}},
		"remove_project_item": {func(*toolEnv) args {
			return args{"project": launch, "item": "book the photo ride"}
		}, "Book the photo ride", []string{`the draft "Book the photo ride"`, `"Season launch"`, "fernhill-bikes/1"}},
	} {
		d := newToolEnv(t)
		arguments := test.arguments(d)
		accept := func(title string) string {
			content, _ := json.Marshal(map[string]string{"confirm_title": title})
			return `{"action":"accept","content":` + string(content) + `}`
		}
		var asked formAnswer
		d.writesNothing(tool, func() {
			asked = d.withForms(tool, arguments, "")
			form := asked.InputRequests["confirm"].Params
			if asked.ResultType != "input_required" || form.Mode != "form" || form.RequestedSchema.Type != "object" ||
				len(form.RequestedSchema.Properties) != 1 || form.RequestedSchema.Properties["confirm_title"].Type != "string" {
				t.Fatalf("%s: %+v", tool, asked)
			}
			for _, fact := range test.facts {
				if !strings.Contains(form.Message, fact) {
					t.Errorf("%s: %q does not say %q", tool, form.Message, fact)
				}
			}
			for answer, code := range map[string]string{
				accept(strings.ToLower(test.title)): "confirmation_required", accept(""): "confirmation_required", `{"action":"decline"}`: "declined", `{"action":"cancel"}`: "declined",
			} {
				var f failed
				got := d.confirms(tool, arguments, asked, answer)
				if err := json.Unmarshal([]byte(got.Text()), &f); err != nil || !got.IsError || f.ErrorCode != fault.InvalidInput || f.Data.Validation[0].Code != code {
					t.Errorf("%s %s: %s", tool, answer, got.Text())
				}
			}
		})
		requests, _ := d.asked(func() {
			if done := d.confirms(tool, arguments, asked, accept(test.title)); done.IsError || done.ResultType != "complete" {
				t.Errorf("%s: %+v", tool, done)
			}
		})
		if w := writes(requests); len(w) != 1 || len(requests) < 2 {
			t.Errorf("%s after the confirmation: %v of %d requests", tool, w, len(requests))
		}
	}
}

func TestDeletes_ATitleThatChangedDuringTheFormIsNotConfirmed(t *testing.T) {
	d := newToolEnv(t)
	made := call[boards.Project](d, "create_project", args{"title": "Autumn tour", "owner": "fernhill-bikes"})
	arguments := args{"project": made.ID}
	asked := d.withForms("delete_project", arguments, "")
	call[boards.ChangedProject](d, "update_project", args{"project": made.ID, "title": "Winter tour"})
	got := d.confirms("delete_project", arguments, asked, `{"action":"accept","content":{"confirm_title":"Autumn tour"}}`)
	if !got.IsError || !strings.Contains(got.Text(), "Winter tour") {
		t.Errorf("got %s", got.Text())
	}
	call[boards.ProjectDetails](d, "get_project", args{"project": made.ID})
}
