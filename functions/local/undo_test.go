package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
)

// localServer is a server of the demo with its stores in a directory.
type localServer struct {
	testing.TB
	app.Local
}

func startIn(t *testing.T, directory string) localServer {
	t.Helper()
	c := config.Config{BasecampURL: config.Sandbox, Data: directory}
	local, err := app.NewLocal(t.Context(), c, slog.New(slog.DiscardHandler), "http://127.0.0.1:1", app.InFile, openFile)
	if err != nil {
		t.Fatal(err)
	}
	return localServer{t, local}
}

// asks calls a tool over the bridge.
func (s localServer) asks(tool, arguments string) string {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:1/tools/"+tool, strings.NewReader(arguments))
	r.Header.Set("Authorization", "Bearer "+s.Bearer)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	text, _ := io.ReadAll(w.Body)
	return string(text)
}

// undoes calls a tool, undoes the call, and returns the answer of undo.
func (s localServer) undoes(tool, arguments string) string {
	s.Helper()
	return s.asks("undo", `{"ids":["`+s.changes(tool, arguments)+`"]}`)
}

// changes calls a tool and returns the ID that undoes the call, from the list of changes.
func (s localServer) changes(tool, arguments string) string {
	s.Helper()
	s.asks(tool, arguments)
	_, id, _ := strings.Cut(strings.ReplaceAll(s.asks("undo", `{}`), `\"`, `"`), `"changes":[{"id":"`)
	id, _, listed := strings.Cut(id, `"`)
	if !listed {
		s.Fatalf("no change of %s is listed", tool)
	}
	return id
}

// Tasks are put back as Basecamp's items are, and what is kept is sealed and outlives the process.
func TestLocal_UndoesAfterARestart(t *testing.T) {
	directory := t.TempDir()
	s := startIn(t, directory)
	id := func(answer string) string {
		_, rest, _ := strings.Cut(strings.ReplaceAll(answer, `\"`, `"`), `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		return id
	}
	added := s.asks("add_task", `{"title":"Order bells","description":"Loud ones"}`)
	if strings.Contains(added, "undo") {
		t.Errorf("the answer of add_task has more than its four fields: %s", added)
	}
	task := id(added)
	for _, c := range []struct{ tool, arguments string }{
		{"add_task", `{"title":"Order horns"}`},
		{"update_task", `{"task_id":"` + task + `","title":"Order quiet bells"}`},
		{"complete_task", `{"task_id":"` + task + `"}`},
		{"delete_task", `{"task_id":"` + task + `"}`},
	} {
		before := s.asks("list_tasks", `{"status":"all"}`)
		answer := s.undoes(c.tool, c.arguments)
		if after := s.asks("list_tasks", `{"status":"all"}`); !strings.Contains(answer, `"result":"undone"`) || undated(after) != undated(before) {
			t.Errorf("%s: %s\nbefore %s\nafter  %s", c.tool, answer, before, after)
		}
	}
	code := s.changes("update_task", `{"task_id":"`+task+`","title":"Order red bells"}`)
	refused := s.changes("update_task", `{"task_id":"`+task+`","title":"Order blue bells"}`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(directory + "/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	s = startIn(t, directory)
	if answer := s.asks("undo", `{"ids":["`+code+`"]}`); !strings.Contains(answer, "refused") || !strings.Contains(answer, "Order blue bells") {
		t.Errorf("%s", answer)
	}
	if answer := s.asks("undo", `{"last":2}`); strings.Count(answer, `"result":"undone"`) != 4 {
		t.Errorf("%s and %s: %s", refused, code, answer)
	}
	if list := s.asks("list_tasks", `{}`); !strings.Contains(list, "Order bells") {
		t.Errorf("%s", list)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if stored, err := os.ReadFile(file); err == nil && strings.Contains(string(stored), `"opposite"`) {
			t.Errorf("%s has a record that is not sealed", file)
		}
	}
}

// undated returns a list of tasks without the times of changes.
func undated(list string) string {
	var v struct {
		Content string
		Tasks   []map[string]any
	}
	if json.Unmarshal([]byte(list), &v) != nil || v.Content != "" && json.Unmarshal([]byte(v.Content), &v) != nil {
		return list
	}
	for _, task := range v.Tasks {
		delete(task, "updated_at")
		delete(task, "completed_at")
	}
	text, _ := json.Marshal(v.Tasks)
	return string(text)
}
