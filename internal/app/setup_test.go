package app

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
)

// An operator who looks at the page before the set-up has met no failure.
func TestSetUpPage_LogsNoWarning(t *testing.T) {
	var log bytes.Buffer
	c := config.Config{BasecampURL: "https://3.basecampapi.com", Loopback: true, Command: "basecamp-mcp -upstream live"}
	started, err := NewLocal(t.Context(), c, slog.New(slog.NewTextHandler(&log, nil)), "http://127.0.0.1:8787", InMemory)
	if err != nil {
		t.Fatal(err)
	}
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
