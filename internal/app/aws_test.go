package app

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/secrets/secretstest"
)

// inStandIns returns the configuration of stores in DynamoDB Local and moto.
func inStandIns(t *testing.T) config.AWS {
	t.Helper()
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("set INTEGRATION=1: make integration does")
	}
	local, err := dynamotest.Start(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(local.Stop)
	return config.AWS{
		Table: local.Table(t), SecretPrefix: "fernhill/", LaunchpadSecret: "fernhill/launchpad",
		// DynamoDB Local separates tables by region and key ID; dynamotest uses these.
		Region: "eu-central-1", AccessKeyID: "fernhill", SecretAccessKey: "bikes",
		DynamoDB: local.Endpoint, SecretsManager: secretstest.Moto(t),
	}
}

func TestInAWS_SeveralInstancesAreOneServer(t *testing.T) {
	where := inStandIns(t)
	var storages []storage
	for range 3 {
		s, err := inAWS(where, quiet, awsstores.Outbound())
		if err != nil {
			t.Fatal(err)
		}
		storages = append(storages, s)
	}
	p := openOn(t, config.Config{}, storages...)
	access, _ := p.logIn("ines")
	p.refreshesOnce(access)
	p.sandbox.RevokeGrants(p.person("ines").IdentityID)
	if _, body := p.whoAmI(access); !strings.Contains(body, "TOKEN_EXPIRED") {
		t.Errorf("a dead grant: %s", body)
	}
	again, _ := p.logIn("ines")
	if status, body := p.whoAmI(again); status != http.StatusOK || !strings.Contains(body, "Ines Albrecht") {
		t.Errorf("after a new login: HTTP %d %s", status, body)
	}
}

// closed fails once, like a connection that was closed while the function was frozen. Then it
// answers that nothing exists.
type closed struct{ asked int }

func (c *closed) RoundTrip(*http.Request) (*http.Response, error) {
	if c.asked++; c.asked == 1 {
		return nil, io.EOF
	}
	said := httptest.NewRecorder()
	_, err := said.WriteString("{}")
	return said.Result(), err
}

func TestInAWS_AClosedConnectionIsRetriedImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connection := &closed{}
		s, err := inAWS(deployment().AWS, quiet, connection)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = s.Auth.Client(t.Context(), "c_1")
		if took := time.Since(start); connection.asked != 2 || !errors.Is(err, authserver.ErrNotFound) || took >= 100*time.Millisecond {
			t.Errorf("asked %d times for %v, %s", connection.asked, err, took)
		}
	})
}

// noSecrets is an unavailable Secrets Manager next to a DynamoDB whose connections break once each.
type noSecrets struct {
	secrets int
	table   closed
}

func (o *noSecrets) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.") {
		return o.table.RoundTrip(r)
	}
	o.secrets++
	said := httptest.NewRecorder()
	said.WriteHeader(http.StatusInternalServerError)
	return said.Result(), nil
}

func TestInAWS_AnOutageOfSecretsManagerTakesNoRetriesFromDynamoDB(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		aws := &noSecrets{}
		s, err := inAWS(deployment().AWS, quiet, aws)
		if err != nil {
			t.Fatal(err)
		}
		const loads = 200
		for range loads {
			if _, err := s.grants(launchpad.ProviderID).Load(t.Context(), "37s:1", "7d1b7a08-5f2b-5c55-9d5f-2d0a3f1c9f10"); err == nil {
				t.Fatal("tokens came from nowhere")
			}
		}
		if aws.secrets == 3*loads {
			t.Fatal("the quota of Secrets Manager is not used up")
		}
		if _, err = s.Auth.Client(t.Context(), "c_1"); aws.table.asked != 2 || !errors.Is(err, authserver.ErrNotFound) {
			t.Errorf("DynamoDB was asked %d times: %v", aws.table.asked, err)
		}
	})
}

func TestInAWS_ErrorsNameMissingVariables(t *testing.T) {
	c := deployment()
	c.AWS = inStandIns(t)
	handler, err := OAuth(c, quiet)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	page, _ := (&place{T: t}).get(http.DefaultClient, server.URL+"/")
	for _, want := range []string{"https://mcp.fernhill.example/oauth/callback", "aws secretsmanager put-secret-value --region eu-central-1 --secret-id fernhill/launchpad"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing from %s", want, page)
		}
	}
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
