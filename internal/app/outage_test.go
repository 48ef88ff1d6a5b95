package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/checklist"
)

var errThrottled = errors.New("ProvisionedThroughputExceededException: arn:aws:dynamodb:eu-central-1:123456789012:table/fernhill")

// cutLists are checklists whose table does not delete.
type cutLists struct{ checklist.Store }

func (cutLists) DeleteChecklist(context.Context, string, string) error { return errThrottled }

// saysNothingOf checks that an answer does not name the storage.
func (a *agent) saysNothingOf(text string) {
	a.Helper()
	for _, vendor := range []string{"Provisioned", "dynamodb", "DynamoDB", "arn:", "123456789012", "table/"} {
		if strings.Contains(text, vendor) {
			a.Errorf("it says %s", text)
		}
	}
}

func TestOutage_OfTheChecklistsKeepsSessions(t *testing.T) {
	s := inMemory("", "")
	s.Lists = cutLists{s.Lists}
	a := openOn(t, config.Config{}, s).agentOf("ines", handshake)
	status, _, body := ask(t, http.MethodDelete, a.url+"/mcp", a.bearer, "", "Mcp-Session-Id", a.session)
	if status != http.StatusServiceUnavailable {
		t.Errorf("HTTP %d %s", status, body)
	}
	a.saysNothingOf(body)
	a.must("get_me", nil) // so that the client can end the session later
}

// A provider that does not answer must hold up neither the calls to it, nor those to the other
// provider.
func TestSickUpstream_CallsFailAtOnceAndSayWhenToComeBack(t *testing.T) {
	basecamp := func(n int) (tool, arguments string) { return "get_todo", fmt.Sprintf(`{"todo_id":"%d"}`, 4812096592+n) }
	github := func(n int) (tool, arguments string) {
		return "github_get_issue", fmt.Sprintf(`{"issue":"fernhill-bikes/configurator#%d"}`, 77+n)
	}
	for name, x := range map[string]struct {
		stop        func(local.Demo)
		sick, other func(n int) (tool, arguments string)
	}{
		"Basecamp": {func(d local.Demo) {
			d.Sandbox.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable, Header: atOnce})
		}, basecamp, github},
		"GitHub": {func(d local.Demo) { d.GitHub.Inject(githubsandbox.Fault{Status: http.StatusInternalServerError}) }, github, basecamp},
	} {
		t.Run(name, func(t *testing.T) {
			demo := local.NewDemo()
			w := openDemo(t, "fernhill", demo)
			x.stop(demo)
			for n := range 3 {
				tool, arguments := x.sick(n)
				w.tool("sandbox-ines", tool, arguments)
			}
			w.log.Reset()
			tool, arguments := x.sick(3)
			body := w.tool("sandbox-ines", tool, arguments)
			for _, want := range []string{"UPSTREAM_ERROR", name + " is not answering at present; try again in 5 s", `\"retryable\":true`, `\"retry_after_seconds\":5`} {
				if !strings.Contains(body, want) {
					t.Errorf("%s is missing from %s", want, body)
				}
			}
			if line := w.line(); line["upstream_calls"] != 0.0 {
				t.Errorf("logged %v", line)
			}
			tool, arguments = x.other(0)
			if body := w.tool("sandbox-ines", tool, arguments); strings.Contains(body, "UPSTREAM_ERROR") {
				t.Errorf("the other provider: %s", body)
			}
		})
	}
}
