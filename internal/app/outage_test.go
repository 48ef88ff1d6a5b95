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
	"basecamp-mcp/internal/proof/mcptest"
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
	status, _, body := mcptest.Ask(t, http.MethodDelete, a.URL+"/mcp", a.bearer, "", "Mcp-Session-Id", a.session)
	if status != http.StatusServiceUnavailable {
		t.Errorf("HTTP %d %s", status, body)
	}
	a.saysNothingOf(body)
	a.must("get_me", nil) // so that the client can end the session later
}

func TestOutage_OfAProviderHoldsUpNoCallToTheOther(t *testing.T) {
	for _, sick := range []string{"Basecamp", "GitHub"} {
		demo := local.NewDemo()
		p := openDemo(t, "fernhill", demo)
		if sick == "Basecamp" {
			demo.Sandbox.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"0"}}})
		} else {
			demo.GitHub.Inject(githubsandbox.Fault{Status: http.StatusInternalServerError})
		}
		for n := range 4 {
			for provider, call := range map[string]string{
				"Basecamp": fmt.Sprintf(`{"name":"get_todo","arguments":{"todo_id":"%d"}}`, 4812096592+n),
				"GitHub":   fmt.Sprintf(`{"name":"github_get_issue","arguments":{"issue":"fernhill-bikes/configurator#%d"}}`, 77+n),
			} {
				_, _, body := send(t, p.URL+"/mcp/all", "sandbox-ines", "tools/call", call)
				if failed := strings.Contains(body, "UPSTREAM_ERROR"); failed != (provider == sick) {
					t.Errorf("%s is down, %s: %s", sick, provider, body)
				}
				if n == 3 && provider == sick && !strings.Contains(body, sick+" is not answering at present; try again in ") {
					t.Errorf("the fourth call is sent: %s", body)
				}
			}
		}
	}
}
