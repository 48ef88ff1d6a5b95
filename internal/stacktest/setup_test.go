package stacktest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
)

// vault is a Secrets Manager with at most one secret, and an empty table.
type vault struct{ secret atomic.Pointer[string] }

func (v *vault) put(text string) { v.secret.Store(&text) }

func (v *vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := map[string]string{}
	if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.") {
		text := v.secret.Load()
		if text == nil {
			w.WriteHeader(http.StatusBadRequest)
			answer["__type"] = "ResourceNotFoundException"
		} else {
			answer["SecretString"] = *text
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// environmentAt returns the environment of a deployment whose services share one origin.
func environmentAt(origin string) map[string]string {
	return map[string]string{
		"PUBLIC_URL": "https://mcp.example.com", "ALLOWED_ACCOUNTS": "*", "TABLE_NAME": "fernhill-Table-1", "SECRET_PREFIX": "fernhill/",
		"LAUNCHPAD_SECRET": "ApplicationSecret", "AWS_ACCESS_KEY_ID": "ASIAFERNHILL", "AWS_SECRET_ACCESS_KEY": "key",
		"AWS_ENDPOINT_URL_DYNAMODB": origin, "AWS_ENDPOINT_URL_SECRETS_MANAGER": origin, "BASECAMP_API_URL": origin, "LAUNCHPAD_URL": origin,
	}
}

// The front page shows the operator the next step. The log says what is wrong with the stored
// credentials.
func TestOAuthFunction_ShowsTheNextStepUntilTheCredentialsAreStored(t *testing.T) {
	bootstrap := runtimetest.Build(t, root, sources["OAuthFunction"])
	for name, stored := range map[string]struct{ secret, why string }{
		"nothing":      {"", "ApplicationSecret is empty"},
		"garbage":      {"s3cret", "ApplicationSecret is not of the form"},
		"no secret":    {`{"client_id":"4711-s3cret","client_secret":" "}`, "ApplicationSecret has no client_secret yet"},
		"the template": {`{"client_id":"...","client_secret":"..."}`, "ApplicationSecret has no client_id yet"},
	} {
		t.Run(name, func(t *testing.T) {
			v := &vault{}
			v.put(stored.secret)
			server := httptest.NewServer(v)
			defer server.Close()
			f := runtimetest.Start(t, bootstrap, pairs(environmentAt(server.URL))...)
			promise{status: 200, page: true, has: []string{"put-secret-value", "https://mcp.example.com/oauth/callback"}, lacks: []string{"s3cret"}}.
				check(t, invoke(t, f, read(t, "landing-200")))
			promise{status: 503, page: true, has: []string{"not set up yet"}, lacks: []string{"s3cret"}}.
				check(t, invoke(t, f, read(t, "start-before-setup-503")))
			f.Stop()
			if logs := f.Logs(); !strings.Contains(logs, stored.why) || strings.Contains(logs, "s3cret") {
				t.Errorf("logged %s", logs)
			}
		})
	}
}
