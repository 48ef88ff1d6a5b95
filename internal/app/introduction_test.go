package app

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/config/version"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/serve/icon"
	"basecamp-mcp/internal/signin/identity"
)

func TestServer_IntroducesItselfWithItsFrontPageAndAnIconThatItServes(t *testing.T) {
	p := open(t, config.Config{})
	_, _, hello := send(t, p.URL+"/mcp", "sandbox-ines", "initialize", hello)
	for _, want := range []string{`"websiteUrl":"` + p.URL + `/"`, `"description":"Reads and updates`, `"src":"` + icon.URI() + `"`, `"version":"` + version.String() + `"`} {
		if !strings.Contains(hello, want) {
			t.Errorf("%s is not in %s", want, hello)
		}
	}
	if health := p.Get(http.DefaultClient, p.URL+"/healthz"); !strings.Contains(health, `"version":"`+version.String()+`"`) {
		t.Errorf("/healthz says %s", health)
	}
	for _, path := range []string{icon.Path, "/favicon.ico"} {
		response := must(http.Get(p.URL + path))
		response.Body.Close()
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != icon.Type {
			t.Errorf("%s: HTTP %d %v", path, response.StatusCode, response.Header)
		}
	}
}

func TestLine_OfABearerTokenWithoutALoginNamesNoClientOfItsOwn(t *testing.T) {
	p := openFunction(t, "")
	send(t, p.URL+"/mcp", "sandbox-ines", "initialize", hello)
	if line := p.line(); line["client"] != "bearer token" || line["client_info"] != "t/1" {
		t.Errorf("initialize: %v", line)
	}
	p.whoAmI("sandbox-ines")
	if line := p.line(); line["client"] != "bearer token" {
		t.Errorf("a call: %v", line)
	}
}

func TestLocal_LeavesClientDocumentsOutIfAsked(t *testing.T) {
	for _, without := range []bool{false, true} {
		p := open(t, config.Config{NoClientDocuments: without})
		metadata := p.Get(mcptest.Visitor(), p.URL+"/.well-known/oauth-authorization-server")
		if got := strings.Contains(metadata, `"client_id_metadata_document_supported":false`); got != without {
			t.Errorf("NoClientDocuments %v: %s", without, metadata)
		}
	}
	for address, hints := range map[string]bool{"http://127.0.0.1:8787": true, "https://mcp.fernhill.example": false, "": false} {
		c := config.Config{PublicURL: address}
		if server := newLogins(c, quiet, inMemory("", ""), signOn{}).server(c, quiet, undo.Changes{}); (server.WithoutDocuments != "") != hints {
			t.Errorf("%q: %q", address, server.WithoutDocuments)
		}
	}
}

// An operator who looks at the page before the set-up has met no failure.
func TestSetUpPage_LogsNoWarning(t *testing.T) {
	var log bytes.Buffer
	c := config.Config{BasecampURL: "https://3.basecampapi.com", Loopback: true, Command: "basecamp-mcp -upstream live"}
	started := must(NewLocal(t.Context(), c, slog.New(slog.NewTextHandler(&log, nil)), "http://127.0.0.1:8787", InMemory))
	page := httptest.NewRecorder()
	started.Handler.ServeHTTP(page, httptest.NewRequest("GET", "http://127.0.0.1:8787/", nil))
	if page.Code != 200 || !strings.Contains(page.Body.String(), "Finish setting up") {
		t.Fatalf("HTTP %d %s", page.Code, page.Body)
	}
	if said := log.String(); strings.Contains(said, "level=WARN") || strings.Contains(said, "request failed") || !strings.Contains(said, "users cannot sign in yet") {
		t.Errorf("logged %s", said)
	}
}

// A shell keeps its command lines in a history, so no command contains a secret.
func TestStartWith_AsksForTheSecret(t *testing.T) {
	for _, application := range []string{"BASECAMP", "GITHUB"} {
		command := startWith(config.Config{Command: "./basecamp-mcp -upstream live"}, application)
		if !strings.HasSuffix(command, " ./basecamp-mcp -upstream live") || !strings.Contains(command, application+"_CLIENT_ID") || strings.Contains(command, "CLIENT_SECRET=.") {
			t.Errorf("%s", command)
		}
	}
	if command := startWith(config.Config{}, "BASECAMP"); command != "" {
		t.Errorf("a server that its client starts shows %s", command)
	}
}

func TestKnock_SendsOnlyTheUserAgent(t *testing.T) {
	var last *http.Request
	knock(roundTrip(func(r *http.Request) (*http.Response, error) { last = r; return nil, io.ErrUnexpectedEOF }), "https://3.basecampapi.com", "basecamp-mcp (ops@fernhill.example)")(t.Context())
	if r := last; r == nil || r.Method != http.MethodHead || r.Body != http.NoBody || len(r.Header) != 1 || r.Header.Get("User-Agent") == "" {
		t.Errorf("asked %+v", r)
	}
}

func TestCredential_IsNotGivenForAnAccountThatIsNotAllowed(t *testing.T) {
	l := &logins{allowed: identity.Accounts{1}}
	ctx := identity.With(t.Context(), identity.Caller{Subject: "37s:5", Account: 2})
	if _, err := l.Credential(ctx, ""); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("got %v", err)
	}
}
