package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
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
