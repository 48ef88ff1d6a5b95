package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scripted is a client that a script of clients/ controls.
type scripted struct {
	*dialogue
	learned struct {
		Version string
		Tools   []string
	}
	opens func(address string) // does what the user does with a link that the client opens
}

func script(file string, arguments ...string) func(*testing.T, *server) client {
	return func(t *testing.T, s *server) client {
		t.Helper()
		return begin(t, file, append([]string{s.url, ines}, arguments...)...).started()
	}
}

// scriptLogin returns a function that starts a JavaScript client and logs in.
func scriptLogin(file string, arguments ...string) func(*testing.T, *server, *person) session {
	return func(t *testing.T, s *server, p *person) session {
		t.Helper()
		return loggedIn(t, p, file, append([]string{s.url, ""}, arguments...)...)
	}
}

// pythonLogin returns a function that starts a Python client and logs in.
func pythonLogin(kind string) func(*testing.T, *server, *person) session {
	return func(t *testing.T, s *server, p *person) session {
		t.Helper()
		return loggedIn(t, p, "python/login_client.py", kind, s.url)
	}
}

// loggedIn starts a script and does what its user does to log in.
func loggedIn(t *testing.T, p *person, file string, arguments ...string) *scripted {
	t.Helper()
	c := begin(t, file, arguments...)
	var asked struct{ Authorize string }
	if err := c.read(&asked); err != nil {
		t.Fatalf("%s does not ask to log in: %v", file, err)
	}
	if err := c.write(map[string]any{"redirected": p.logsIn(asked.Authorize).String()}); err != nil {
		t.Fatal(err)
	}
	return c.started()
}

func begin(t *testing.T, file string, arguments ...string) *scripted {
	t.Helper()
	return &scripted{dialogue: talk(t, file, arguments...)}
}

// started waits until the client is connected.
func (c *scripted) started() *scripted {
	c.t.Helper()
	if err := c.read(&c.learned); err != nil {
		c.t.Fatalf("the client does not connect: %v", err)
	}
	return c
}

func (c *scripted) version() string          { return c.learned.Version }
func (c *scripted) tools() ([]string, error) { return c.learned.Tools, nil }

func (c *scripted) call(tool string, arguments map[string]any) (r result, err error) {
	var answered struct {
		result
		Open, Failed string
	}
	err = c.ask(map[string]any{"tool": tool, "arguments": arguments}, &answered)
	if err == nil && answered.Open != "" {
		c.opens(answered.Open)
		answered.Open = ""
		err = c.ask(map[string]any{"opened": true}, &answered)
	}
	if err == nil && answered.Failed != "" {
		err = errors.New(answered.Failed)
	}
	return answered.result, err
}

func (c *scripted) tokens() tokens { return c.held("tokens") }
func (c *scripted) spoil()         { c.held("spoil") }

func (c *scripted) held(asked string) (held tokens) {
	c.t.Helper()
	if err := c.ask(map[string]any{asked: true}, &held); err != nil {
		c.t.Error(err)
	}
	return held
}

// inspector is the command line of the MCP Inspector. Every call starts a new process.
type inspector struct {
	t        *testing.T
	endpoint string
	era      string
	home     string
	bearer   string   // empty after a login; the tokens are then in home
	program  []string // the command line of a server on a pipe; nil for the one at the endpoint
}

func inspect(era string) func(*testing.T, *server) client {
	return func(t *testing.T, s *server) client {
		return &inspector{t: t, endpoint: s.url, era: era, home: t.TempDir(), bearer: ines}
	}
}

var navigate = regexp.MustCompile(`Please navigate to: (\S+)`)

// inspectorLogin runs the Inspector as a user at a terminal does. The Inspector prints the URL of
// the login, listens for the redirect, and stores the tokens. Its PATH is empty, so it opens no
// browser.
func inspectorLogin(t *testing.T, s *server, p *person) session {
	t.Helper()
	c := &inspector{t: t, endpoint: s.url, era: "modern", home: t.TempDir()}
	cmd := c.command("--callback-url", "http://127.0.0.1:0/oauth/callback", "--method", "tools/list")
	cmd.Env = append(cmd.Env, "MCP_AUTO_OPEN_ENABLED=true")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(stderr)
	for said.Scan() {
		if m := navigate.FindStringSubmatch(said.Text()); m != nil {
			p.deliver(p.logsIn(m[1]))
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the Inspector does not log in: %v", err)
	}
	return c
}

func (c *inspector) version() string { return "" }

// tools also lets the Inspector check for schemas that some clients cannot read.
func (c *inspector) tools() ([]string, error) {
	var list struct{ Tools []struct{ Name string } }
	if err := c.run(&list, "--method", "tools/list", "--strict"); err != nil {
		return nil, err
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c *inspector) call(tool string, arguments map[string]any) (r result, err error) {
	if arguments == nil {
		arguments = map[string]any{}
	}
	given, err := json.Marshal(arguments)
	if err != nil {
		return result{}, err
	}
	err = c.run(&r, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(given))
	if r.IsError {
		err = nil // the Inspector also exits with an error then
	}
	return r, err
}

func (c *inspector) run(into any, arguments ...string) error {
	var cmd *exec.Cmd
	if c.program == nil {
		cmd = c.command(append([]string{"--stored-auth-only"}, arguments...)...)
	} else {
		cmd = c.command(arguments...)
	}
	if c.bearer != "" {
		cmd.Args = append(cmd.Args, "--header", "Authorization: Bearer "+c.bearer)
	}
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	ended := cmd.Run()
	var printed struct{ Result json.RawMessage }
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil || len(printed.Result) == 0 {
		return fmt.Errorf("%w: %s%s", errors.Join(ended, err), out.Bytes(), complaints.Bytes())
	}
	if err := json.Unmarshal(printed.Result, into); err != nil {
		return err
	}
	if ended != nil {
		return fmt.Errorf("%w: %s", ended, complaints.Bytes())
	}
	return nil
}

func (c *inspector) command(arguments ...string) *exec.Cmd {
	options := []string{npmPackage(c.t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli", "--protocol-era", c.era, "--format", "json"}
	if c.program == nil {
		options = slices.Concat(options, []string{c.endpoint, "--transport", "http"}, arguments)
	} else {
		options = slices.Concat(options, []string{"--transport", "stdio"}, arguments, c.program)
	}
	cmd := exec.CommandContext(c.t.Context(), node(c.t), options...)
	cmd.Env = []string{"HOME=" + c.home, "PATH=" + c.home, "MCP_INSPECTOR_SECRET_STORE=file"}
	return cmd
}

// tokens reads the Inspector's file of tokens: JSON in JSON, with one entry for each server.
func (c *inspector) tokens() (held tokens) {
	c.t.Helper()
	kept, err := os.ReadFile(c.secrets())
	var file struct{ Secrets map[string]string }
	if err == nil {
		err = json.Unmarshal(kept, &file)
	}
	for name, secret := range file.Secrets {
		if err == nil && strings.Contains(name, ":tokens:") && strings.Contains(name, url.QueryEscape(c.endpoint)) {
			err = json.Unmarshal([]byte(secret), &held)
		}
	}
	if err != nil || held.AccessToken == "" {
		c.t.Errorf("the Inspector has stored no tokens: %v", err)
	}
	return held
}

func (c *inspector) spoil() {
	c.t.Helper()
	kept, err := os.ReadFile(c.secrets())
	if err == nil {
		kept = bytes.ReplaceAll(kept, []byte(c.tokens().AccessToken), []byte("spoilt"))
		err = os.WriteFile(c.secrets(), kept, 0o600)
	}
	if err != nil {
		c.t.Error(err)
	}
}

func (c *inspector) secrets() string { return filepath.Join(c.home, ".mcp-inspector", "secrets.json") }
