package app

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
)

// A live server whose machine goes offline names the host and the reason once, in the answer and in
// the only log line of the call.
func TestLive_ACallOfAnOfflineServerNamesTheCauseOnce(t *testing.T) {
	s := sandbox.New(sandbox.Options{RateLimit: -1})
	basecamp := httptest.NewServer(s)
	var log bytes.Buffer
	c := config.Config{BasecampURL: basecamp.URL, LaunchpadURL: basecamp.URL, AccessToken: s.People()[0].Token}
	started, err := NewLocal(t.Context(), c, slog.New(slog.NewTextHandler(&log, nil)), "http://127.0.0.1:1", InMemory)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(started.Handler)
	t.Cleanup(server.Close)
	basecamp.Close()
	host := strings.TrimPrefix(basecamp.URL, "http://")
	_, _, body := send(t, server.URL+"/mcp", started.Bearer, "tools/call", `{"name":"get_my_work","arguments":{}}`)
	if !strings.Contains(body, "cannot reach "+host+": the connection was refused") || strings.Contains(body, "dial") {
		t.Error(body)
	}
	if strings.Count(log.String(), "\n") != 1 || strings.Count(log.String(), "refused") != 1 {
		t.Errorf("logged %s", log.String())
	}
}
