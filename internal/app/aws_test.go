package app

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
	"basecamp-mcp/internal/store/secrets/secretstest"
)

// inStandIns returns the configuration of stores in DynamoDB Local and moto.
func inStandIns(t *testing.T) config.AWS {
	t.Helper()
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("set INTEGRATION=1: make integration does")
	}
	local := must(dynamotest.Start(t.Context(), "../.."))
	t.Cleanup(local.Stop)
	return config.AWS{
		Table: local.Table(t), SecretPrefix: "fernhill/", LaunchpadSecret: "fernhill/launchpad",
		// DynamoDB Local separates tables by region and key ID; dynamotest uses these.
		Region: "eu-central-1", AccessKeyID: "fernhill", SecretAccessKey: "bikes",
		DynamoDB: local.Endpoint, SecretsManager: secretstest.Moto(t, "../.."),
	}
}

// closed fails once, like a connection that was closed while the function was frozen. Then it
// answers that nothing exists.
type closed struct{ asked int }

func (c *closed) RoundTrip(*http.Request) (*http.Response, error) {
	if c.asked++; c.asked == 1 {
		return nil, io.EOF
	}
	return says(http.StatusOK, "{}"), nil
}

// says returns the answer of a service.
func says(status int, body string) *http.Response {
	said := httptest.NewRecorder()
	said.WriteHeader(status)
	_, _ = said.WriteString(body)
	return said.Result()
}

func TestInAWS_AClosedConnectionIsRetriedImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connection := &closed{}
		s := must(inAWS(deployment().AWS, quiet, connection, nil))
		start := time.Now()
		_, err := s.Auth.Client(t.Context(), "c_1")
		if took := time.Since(start); connection.asked != 2 || !errors.Is(err, authserver.ErrNotFound) || took >= 100*time.Millisecond {
			t.Errorf("asked %d times for %v, %s", connection.asked, err, took)
		}
	})
}

func TestInAWS_AnOutageOfSecretsManagerTakesNoRetriesFromDynamoDB(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int // Secrets Manager, which is unavailable
		var table closed
		s := must(inAWS(deployment().AWS, quiet, roundTrip(func(r *http.Request) (*http.Response, error) {
			if !strings.HasPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.") {
				return table.RoundTrip(r)
			}
			asked++
			return says(http.StatusInternalServerError, ""), nil
		}), nil))
		const loads = 200
		for range loads {
			if _, err := s.grants(launchpad.ProviderID).Load(t.Context(), "37s:1", "7d1b7a08-5f2b-5c55-9d5f-2d0a3f1c9f10"); err == nil {
				t.Fatal("tokens came from nowhere")
			}
		}
		if asked == 3*loads {
			t.Fatal("the quota of Secrets Manager is not used up")
		}
		if _, err := s.Auth.Client(t.Context(), "c_1"); table.asked != 2 || !errors.Is(err, authserver.ErrNotFound) {
			t.Errorf("DynamoDB was asked %d times: %v", table.asked, err)
		}
	})
}

func TestNewLocal_ReportsUnreachableCredentials(t *testing.T) {
	stopped := httptest.NewServer(http.NotFoundHandler())
	stopped.Close()
	for _, half := range []string{"", "id"} { // one of the two credentials replaces nothing
		c := deployment()
		c.ClientID, c.AWS.SecretsManager = half, stopped.URL
		_, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:8787", InAWS)
		if err == nil || !strings.Contains(err.Error(), "read the application's credentials") {
			t.Errorf("%q: %v", half, err)
		}
	}
}

func TestNewLocal_InAWSNeedsTheSecretOrTheCredentials(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*config.Config)
		want   string // in the error; "" for none
	}{
		"nothing":                   {func(*config.Config) {}, "LAUNCHPAD_SECRET must be set, or BASECAMP_CLIENT_ID and BASECAMP_CLIENT_SECRET instead"},
		"half of the credentials":   {func(c *config.Config) { c.ClientID = "id" }, "LAUNCHPAD_SECRET"},
		"the credentials":           {func(c *config.Config) { c.ClientID, c.ClientSecret = "id", "secret" }, ""},
		"the demo":                  {func(c *config.Config) { c.BasecampURL = config.Sandbox }, ""},
		"the credentials, no table": {func(c *config.Config) { c.ClientID, c.ClientSecret, c.AWS.Table = "id", "secret", "" }, "TABLE_NAME"},
	} {
		c := deployment()
		c.AWS.LaunchpadSecret = ""
		test.change(&c)
		local, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:8787", InAWS)
		if test.want == "" && (err != nil || !local.Login) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: people can log in: %t, %v", name, local.Login, err)
		}
	}
}

// A client that receives a 401 would throw its token away.
func TestWarmUps_NameAWrongTableAndAWrongKeyRingWhichEndNoSession(t *testing.T) {
	for name, test := range map[string]struct {
		warmUp, status int
		answer         string // of DynamoDB and Secrets Manager
		says           string // empty: nothing
	}{
		"no such table": {0, http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}`,
			"TABLE_NAME names no table of this account and region; deploy with another ExistingTable: BatchGetItem: ResourceNotFoundException"},
		"no key":       {2, http.StatusOK, `{"SecretString":"","VersionId":"1"}`, "key ring fernhill-ring"},
		"a short key":  {2, http.StatusOK, `{"SecretString":"aB3xaB3x","VersionId":"1"}`, "key ring fernhill-ring"},
		"a proper key": {2, http.StatusOK, `{"SecretString":"` + strings.Repeat("aB3x", 16) + `","VersionId":"1"}`, ""},
	} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.answer)
		}))
		t.Cleanup(service.Close)
		c := deployment()
		c.AWS.DynamoDB, c.AWS.SecretsManager, c.AWS.KeyRing, c.AWS.SealsTokens = service.URL, service.URL, "fernhill-ring", true
		for function, open := range functions {
			var log bytes.Buffer
			f := must(open(c, slog.New(slog.NewTextHandler(&log, nil))))
			f.WarmUps[test.warmUp](t.Context())
			if said := log.String(); !strings.Contains(said, test.says) || strings.Contains(said, "level=ERROR") != (test.says != "") || strings.Contains(said, "aB3x") {
				t.Errorf("%s, %s: logs %q", name, function, said)
			}
			if function == "OAuth" || test.warmUp != 0 {
				continue
			}
			server := httptest.NewServer(f)
			t.Cleanup(server.Close)
			token := "bcm_at_" + strings.Repeat("f", 16) + "_" + strings.Repeat("s", 43)
			status, header, body := send(t, server.URL+"/mcp", token, "tools/call", listOneProject)
			if status != http.StatusServiceUnavailable || header.Get("Www-Authenticate") != "" {
				t.Errorf("HTTP %d %v %s", status, header, body)
			}
		}
	}
}

// A user's machine may have more authorities in its directories than in the file.
func TestDeployed_ReadsOnlyTheFileOfAuthoritiesIfItExists(t *testing.T) {
	file := filepath.Join(t.TempDir(), "authorities.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stack := func(c config.Config) error { _, _, err := deployed(c, quiet, awsstores.Outbound(), false); return err }
	machine := func(c config.Config) error {
		c.BasecampURL = config.Sandbox
		_, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:8787", InAWS)
		return err
	}
	for name, test := range map[string]struct {
		start                 func(config.Config) error
		file, directory, want string
	}{
		"a file":              {stack, file, "", "/nonexistent"},
		"no file":             {stack, file + ".old", "", ""},
		"other directories":   {stack, file, "/etc/authorities", "/etc/authorities"},
		"on a user's machine": {machine, file, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SSL_CERT_FILE", test.file)
			t.Setenv("SSL_CERT_DIR", test.directory)
			if err := test.start(deployment()); err != nil {
				t.Fatal(err)
			}
			if got := os.Getenv("SSL_CERT_DIR"); got != test.want {
				t.Errorf("SSL_CERT_DIR is %q", got)
			}
		})
	}
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
				var asked []string // of Secrets Manager; neither it nor the table has anything
				services := roundTrip(func(r *http.Request) (*http.Response, error) {
					operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.")
					if ok {
						asked = append(asked, operation)
					}
					if ok && operation != "CreateSecret" {
						return says(http.StatusBadRequest, `{"__type":"ResourceNotFoundException"}`), nil
					}
					return says(http.StatusOK, "{}"), nil
				})
				logins, _, err := deployed(deployment(), quiet, services, function.isEndpoint)
				if err != nil {
					t.Fatal(err)
				}
				store := logins.grants(of)
				_, _ = store.Save(t.Context(), "37s:1", "writer", provider.Tokens{AccessToken: "a", Revision: 2})
				_ = store.Delete(t.Context(), "37s:1")
				if diff := cmp.Diff(function.want, slices.Compact(asked)); diff != "" {
					t.Errorf("%s, %s: %s", name, of, diff)
				}
			})
		}
	}
}
