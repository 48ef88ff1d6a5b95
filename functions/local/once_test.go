package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/idempotency"
)

func TestFile_ACutAddTaskAnswersItsRepeatAtOnce(t *testing.T) {
	c := config.Config{BasecampURL: config.Sandbox, Data: t.TempDir()}
	quiet := slog.New(slog.DiscardHandler)
	local, err := app.NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", app.InFile, func(ctx context.Context, path string, made bool, log *slog.Logger) (app.File, error) {
		opened, err := openFile(ctx, path, made, log)
		// The server is killed before it stores how a call ended.
		opened.EndCall = func(context.Context, idempotency.End, string, audit.Entry) error { return nil }
		return opened, err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = local.Flush(context.Background()) }()
	asks := func(tool, arguments string) string {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:1/tools/"+tool, strings.NewReader(arguments))
		r.Header.Set("Authorization", "Bearer "+local.Bearer)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		local.Handler.ServeHTTP(w, r)
		text, _ := io.ReadAll(w.Body)
		return string(text)
	}
	first := asks("add_task", `{"title":"Order bells","idempotency_key":"k"}`)
	again := asks("add_task", `{"title":"Order bells","idempotency_key":"k"}`)
	if !strings.Contains(first, "Order bells") || first != again {
		t.Errorf("the first answer is %s, the repeat's %s", first, again)
	}
	if other := asks("add_task", `{"title":"Order horns","idempotency_key":"k"}`); !strings.Contains(other, "CONFLICT") {
		t.Errorf("another call with the key: %s", other)
	}
	if all := asks("list_tasks", `{}`); strings.Count(all, "Order") != 1 {
		t.Errorf("tasks: %s", all)
	}
}

func TestOpenFile_RefusesAnUntrustedKeyFile(t *testing.T) {
	path := t.TempDir() + "/one.db"
	if err := os.Mkdir(path+"-key", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := openFile(t.Context(), path, true, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
