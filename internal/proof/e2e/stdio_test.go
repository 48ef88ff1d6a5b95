package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
		if got.Version != version || !slices.Equal(got.Tools, []string{"add_task", "complete_task", "delete_task", "list_tasks", "preview", "undo", "update_task"}) {
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

// mcpRemote is mcp-remote, which connects a client that speaks only stdio. It stores its tokens in
// home, and reads them before every request.
type mcpRemote struct {
	*goSDKClient
	home string
}

// mcpRemoteLogin runs mcp-remote as a client on the user's machine does. Its PATH is empty, so it
// opens no browser but prints the URL.
func mcpRemoteLogin(t *testing.T, s *server, p *person) session {
	t.Helper()
	c := &mcpRemote{home: t.TempDir()}
	cmd := exec.CommandContext(t.Context(), node(t), npmPackage(t, "mcp-remote/dist/proxy.js"), s.url)
	cmd.Env = []string{"HOME=" + c.home, "PATH=" + c.home}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	loggedIn := make(chan struct{})
	go func() {
		defer close(loggedIn)
		for said := bufio.NewScanner(stderr); said.Scan(); {
			if strings.HasPrefix(said.Text(), s.at("/authorize?")) {
				p.deliver(p.logsIn(said.Text()))
			}
		}
	}()
	c.goSDKClient = connectGoSDK(t, &gosdk.CommandTransport{Command: cmd}, "")
	return c
}

func (c *mcpRemote) tokens() (held tokens) {
	c.t.Helper()
	kept, err := os.ReadFile(c.file())
	if err == nil {
		err = json.Unmarshal(kept, &held)
	}
	if err != nil || held.AccessToken == "" {
		c.t.Errorf("mcp-remote has stored no tokens: %v", err)
	}
	return held
}

func (c *mcpRemote) spoil() {
	c.t.Helper()
	kept, err := os.ReadFile(c.file())
	if err == nil {
		err = os.WriteFile(c.file(), []byte(strings.ReplaceAll(string(kept), c.tokens().AccessToken, "spoilt")), 0o600)
	}
	if err != nil {
		c.t.Error(err)
	}
}

func (c *mcpRemote) file() string {
	c.t.Helper()
	found, err := filepath.Glob(filepath.Join(c.home, ".mcp-auth", "*", "*_tokens.json"))
	if err != nil || len(found) != 1 {
		c.t.Fatalf("mcp-remote has the files %q, %v", found, err)
	}
	return found[0]
}
