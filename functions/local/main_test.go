package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
)

func TestRun_KeepsLoginsInTheConfigurationDirectory(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, home)
	}
	dir, err := os.UserConfigDir()
	if err != nil || !strings.HasPrefix(dir, home) {
		t.Fatal(dir, err)
	}
	file := filepath.Join(dir, "basecamp-mcp", "sandbox.db")
	for _, test := range []struct {
		arguments []string
		kept      bool
	}{{[]string{"-store", "memory"}, false}, {nil, true}} {
		if printed, _ := ran(t, append(test.arguments, "-addr", "127.0.0.1:0")...); strings.Contains(printed, file) != test.kept {
			t.Errorf("%v: printed %s", test.arguments, printed)
		}
		if _, err := os.Stat(file); (err == nil) != test.kept {
			t.Errorf("%v: %v", test.arguments, err)
		}
	}
}

func TestRun_NamesAnInvalidFlag(t *testing.T) {
	for want, arguments := range map[string][]string{
		"-upstream must be sandbox, live or auto":              {"-upstream", "mars"},
		"-store must be file, memory":                          {"-store", "tape"},
		"is not a command; the commands":                       {"tape"},
		"\"tape\" is not a flag; basecamp-mcp help lists them": {"serve", "tape"},
		"write -upstream live":                                 {"serve", "live"},
		"write -store memory":                                  {"memory"},
		"to listen there, write -addr 5":                       {"serve", "5"},
		"to listen there, write -addr 127.0.0.1:88":            {"127.0.0.1:88"},
		"a command comes before":                               {"-upstream", "live", "stdio"},
		"-read-only is a flag of stdio":                        {"-read-only"},
		"-toolsets is a flag of stdio":                         {"serve", "--toolsets=basecamp"},
		"help lists the flags":                                 {"stdio", "-tape"},
		"choose another with -addr":                            {"-addr", "127.0.0.1:99999", "-store", "memory"},
	} {
		if err := run(t.Context(), arguments, strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v", arguments, err)
		}
	}
}

func TestServe_WithoutCredentialsIsNotReady(t *testing.T) {
	for _, name := range []string{"BASECAMP_CLIENT_ID", "BASECAMP_CLIENT_SECRET", "BASECAMP_ACCESS_TOKEN"} {
		t.Setenv(name, "")
	}
	printed, _ := started(t, "-upstream", "live", "-addr", "127.0.0.1:0")
	if strings.Contains(printed, "is ready") || strings.Count(printed, "no client can connect") != 1 || !strings.Contains(printed, "BASECAMP_CLIENT_ID") {
		t.Errorf("it printed %s", printed)
	}
	if printed, _ = started(t, "-upstream", "auto", "-addr", "127.0.0.1:0"); !strings.Contains(printed, "is ready") || !strings.Contains(printed, "Fernhill") {
		t.Errorf("with -upstream auto, it printed %s", printed)
	}
}

func TestWarnUnused_NamesTheFlagThatCredentialsNeed(t *testing.T) {
	for _, test := range []struct {
		c     config.Config
		warns bool
	}{
		{config.Config{BasecampURL: config.Sandbox}, false},
		{config.Config{BasecampURL: config.Sandbox, AccessToken: "secret"}, true},
		{config.Config{BasecampURL: config.Sandbox, ClientID: "id", ClientSecret: "secret"}, true},
		{config.Config{BasecampURL: "https://3.basecampapi.com", AccessToken: "secret"}, false},
	} {
		var out strings.Builder
		warnUnused(test.c, slog.New(slog.NewTextHandler(&out, nil)))
		if strings.Contains(out.String(), "-upstream live") != test.warns || strings.Contains(out.String(), "secret") {
			t.Errorf("%v: %q", test.c, out.String())
		}
	}
}

func TestServe_SendsTheLastAnswersBeforeItReturns(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	asked := make(chan error)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err == nil {
			response.Body.Close()
		}
		asked <- err
	}()
	err = serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stop()
		for closed := false; !closed; { // until the server accepts no more connections
			c, err := net.Dial("tcp", listener.Addr().String())
			if closed = err != nil; !closed {
				c.Close()
			}
		}
		w.WriteHeader(http.StatusNoContent)
		close(answered)
	}))
	select {
	case <-answered:
	default:
		t.Error("serve returned before it sent the answer")
	}
	if got := <-asked; got != nil || err != nil {
		t.Errorf("the client got %v, and serve returned %v", got, err)
	}
}
