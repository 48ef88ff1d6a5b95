package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpRemote is mcp-remote, which connects a client that speaks only stdio. It stores its tokens in
// home, and reads them before every request.
type mcpRemote struct {
	*goSDKClient
	home string
}

// mcpRemoteLogin runs mcp-remote as a client on the user's machine does. Its PATH is empty, so it
// opens no browser but prints the URL.
func mcpRemoteLogin(t *testing.T, s *server, p *person, answer consent) session {
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
				p.deliver(p.logsIn(said.Text(), answer))
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
