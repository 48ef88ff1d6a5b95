package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// python returns the path of a Python with the official SDK and FastMCP.
func python(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("clients/python/.venv/bin/python")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v; run make integration, which installs it", err)
	}
	return path
}

func TestStdio_ServesThePythonSDKInBothEras(t *testing.T) {
	t.Parallel()
	for mode, version := range map[string]string{"auto": "2026-07-28", "legacy": "2025-11-25"} {
		cmd := exec.CommandContext(t.Context(), python(t), "clients/python/stdio_client.py", mode, program, "stdio", "-store", "memory", "-toolsets", "tasks")
		cmd.Env = []string{"HOME=" + t.TempDir()}
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		var got struct {
			Version       string
			Tools         []string
			Once, Refused bool
			Listed        []int
		}
		if err != nil || json.Unmarshal(out, &got) != nil {
			t.Fatalf("%s: %v: %s%s", mode, err, out, &complaints)
		}
		slices.Sort(got.Tools)
		if got.Version != version || !slices.Equal(got.Tools, []string{"add_task", "complete_task", "delete_task", "list_tasks", "preview", "reopen_task", "undo", "update_task"}) {
			t.Errorf("%s: version %s, tools %v", mode, got.Version, got.Tools)
		}
		if !got.Once || !got.Refused || !slices.Equal(got.Listed, []int{1, 1, 1, 1, 1}) {
			t.Errorf("%s: %s", mode, out)
		}
	}
}

func TestStdio_ServesTheInspectorInBothEras(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"modern", "legacy"} {
		c := &inspector{t: t, era: era, home: t.TempDir(), program: []string{program, "stdio", "-store", "memory", "-read-only"}}
		tools, err := c.tools()
		if err != nil || !slices.Contains(tools, "list_projects") || slices.Contains(tools, "create_message") {
			t.Errorf("%s: %v, %v", era, tools, err)
		}
		r, err := c.call("get_me", nil)
		if err != nil || r.IsError || !bytes.Contains(r.StructuredContent, []byte(`"read_only":true`)) {
			t.Errorf("%s: %s, %v", era, r.StructuredContent, err)
		}
	}
}
