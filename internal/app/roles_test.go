package app

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/provider"
)

// noSecretYet is a Secrets Manager without a secret. It records what it is asked for.
type noSecretYet struct{ asked []string }

func (n *noSecretYet) RoundTrip(r *http.Request) (*http.Response, error) {
	said := httptest.NewRecorder()
	operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.")
	if !ok { // the table has nothing either
		_, _ = said.WriteString("{}")
		return said.Result(), nil
	}
	n.asked = append(n.asked, operation)
	if operation != "CreateSecret" {
		said.WriteHeader(http.StatusBadRequest)
		_, _ = said.WriteString(`{"__type":"ResourceNotFoundException"}`)
	}
	return said.Result(), nil
}

// A request that a role denies would be logged as an error, and ring an alarm.
func TestDeployed_AsksSecretsManagerForWhatTheRoleOfTheFunctionAllows(t *testing.T) {
	for name, function := range map[string]struct {
		isEndpoint bool
		want       []string
	}{
		"the MCP function":   {true, []string{"PutSecretValue"}},
		"the OAuth function": {false, []string{"PutSecretValue", "CreateSecret", "DeleteSecret"}},
	} {
		for _, of := range []string{launchpad.ProviderID, "gh"} {
			synctest.Test(t, func(t *testing.T) {
				manager := &noSecretYet{}
				logins, _, err := deployed(deployment(), quiet, manager, function.isEndpoint)
				if err != nil {
					t.Fatal(err)
				}
				store := logins.grants(of)
				_, _ = store.Save(t.Context(), "37s:1", "writer", provider.Tokens{AccessToken: "a", Revision: 2})
				_ = store.Delete(t.Context(), "37s:1")
				if diff := cmp.Diff(function.want, slices.Compact(manager.asked)); diff != "" {
					t.Errorf("%s, %s: %s", name, of, diff)
				}
			})
		}
	}
}
