package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
)

// TestMain runs the program itself in the child processes of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "stdio" || os.Args[1] == "serve") {
		main()
		return
	}
	os.Exit(m.Run())
}

// child is the program, started by a client.
type child struct {
	*testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	log string // path
}

func startChild(t *testing.T, env []string, flags ...string) *child {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{T: t, cmd: exec.CommandContext(t.Context(), program, append([]string{"stdio", "-store", "memory"}, flags...)...), log: filepath.Join(t.TempDir(), "log")}
	c.cmd.Env = append(os.Environ(), env...)
	errors, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { errors.Close() })
	c.cmd.Stderr = errors
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	return c
}

func (c *child) send(messages ...string) {
	c.Helper()
	for _, message := range messages {
		if _, err := io.WriteString(c.in, message+"\n"); err != nil {
			c.Fatalf("%v; the log: %s", err, c.logged())
		}
	}
}

// next returns the next answer, which must be a message of JSON-RPC.
func (c *child) next() (answer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}) {
	c.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.Fatalf("no answer: %v; the log: %s", err, c.logged())
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil || !strings.HasPrefix(line, "{") {
		c.Fatalf("not a message: %q", line)
	}
	return answer
}

func (c *child) asks(message string) string {
	c.Helper()
	c.send(message)
	answer := c.next()
	if answer.Error != nil {
		return fmt.Sprint(answer.Error.Code, " ", answer.Error.Message)
	}
	return string(answer.Result)
}

func (c *child) logged() string {
	text, _ := os.ReadFile(c.log)
	return string(text)
}

// ends closes the input and waits for the end of the process, which must write only messages.
func (c *child) ends() {
	c.Helper()
	c.in.Close()
	rest, err := io.ReadAll(c.out)
	if err != nil {
		c.Error(err)
	}
	for line := range strings.Lines(string(rest)) {
		if !json.Valid([]byte(line)) {
			c.Errorf("not a message: %q", line)
		}
	}
	if err := c.cmd.Wait(); err != nil {
		c.Errorf("ended with %v; the log: %s", err, c.logged())
	}
}

const (
	handshake   = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listTools   = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

// call returns a tools/call, stateless if modern is true.
func call(id int, modern bool, tool, arguments string) string {
	meta := ""
	if modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, arguments, meta)
}

func TestStdio_ServesBothErasOfTheProtocol(t *testing.T) {
	c := startChild(t, nil)
	if got := c.asks(handshake); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) || !strings.Contains(got, "starts this server with -toolsets") {
		t.Errorf("initialize: %s", got)
	}
	c.send(initialized)
	for _, modern := range []bool{false, true} {
		if got := c.asks(call(2, modern, "get_me", "{}")); !strings.Contains(got, "Ines Albrecht") || strings.Contains(got, `"resultType"`) != modern {
			t.Errorf("modern=%t: %s", modern, got)
		}
	}
	c.ends()
	if log := c.logged(); !strings.Contains(log, "tool=get_me") {
		t.Errorf("the log has no call: %s", log)
	}
}

func TestStdio_ChoosesToolsByFlagsLikeTheURL(t *testing.T) {
	c := startChild(t, nil, "-toolsets", "github, basecamp", "-read-only")
	got := c.asks(listTools)
	for tool, served := range map[string]bool{"list_projects": true, "github_list_issues": true, "create_todos": false, "todolist__get": false} {
		if strings.Contains(got, `"name":"`+tool+`"`) != served {
			t.Errorf("%s served: %t", tool, !served)
		}
	}
	if got := c.asks(call(2, false, "create_message", `{}`)); !strings.Contains(got, "-32602") {
		t.Errorf("a tool that writes: %s", got)
	}
	c.ends()
	for _, wrong := range []string{"tape", "a/readonly", ","} {
		c := startChild(t, nil, "-toolsets", wrong)
		if err := c.cmd.Wait(); err == nil || !strings.Contains(c.logged(), "this server has") {
			t.Errorf("-toolsets %s: %v, %s", wrong, err, c.logged())
		}
	}
}

// upstream is a Basecamp over HTTP. Its writes wait for release.
type upstream struct {
	*httptest.Server
	env     []string
	arrived chan struct{} // one value for each write
	release chan struct{} // closed to let writes go on
}

func startUpstream(t *testing.T) *upstream {
	company := sandbox.New(sandbox.Options{})
	u := &upstream{arrived: make(chan struct{}, 8), release: make(chan struct{})}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			u.arrived <- struct{}{}
			<-u.release
		}
		company.ServeHTTP(w, r)
	}))
	t.Cleanup(u.Close)
	u.env = []string{
		"BASECAMP_API_URL=" + u.URL, "LAUNCHPAD_URL=" + u.URL, "BASECAMP_ACCESS_TOKEN=" + company.People()[0].Token,
		"USER_AGENT_CONTACT=ops@example.com",
	}
	return u
}

// waitsForWrite waits until a write of the server has arrived.
func (u *upstream) waitsForWrite(c *child) {
	c.Helper()
	select {
	case <-u.arrived:
	case <-time.After(20 * time.Second):
		c.Fatalf("no write arrived; the log: %s", c.logged())
	}
}

// project returns the ID of a project of the sandbox.
func (c *child) project() string {
	c.Helper()
	_, after, _ := strings.Cut(c.asks(call(1, false, "list_projects", `{"limit":1}`)), `"structuredContent":`)
	var list struct {
		Items []struct {
			ID json.Number
		}
	}
	_ = json.NewDecoder(strings.NewReader(after)).Decode(&list)
	if len(list.Items) != 1 {
		c.Fatalf("no project: %s", after)
	}
	return list.Items[0].ID.String()
}

func TestStdio_SaysThatAWriteMayHaveHappenedWhenItIsStopped(t *testing.T) {
	u := startUpstream(t)
	defer close(u.release)
	c := startChild(t, u.env, "-upstream", "live")
	project := c.project()
	c.send(call(2, false, "create_message", `{"project":`+project+`,"subject":"Late","content":"x"}`))
	u.waitsForWrite(c)
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if answer := c.next(); string(answer.ID) != "2" || answer.Error == nil || !strings.Contains(answer.Error.Message, "may have been done") {
		t.Errorf("%s %v; the log: %s", answer.Result, answer.Error, c.logged())
	}
	c.ends()
}

func TestStdio_EndsWhenTheClientReadsNoMore(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reads, writes, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "stdio", "-store", "memory")
	cmd.Stdout = writes
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writes.Close()
	reads.Close()
	_, _ = io.WriteString(in, listTools+"\n")
	if err := cmd.Wait(); err != nil { // SIGPIPE would end it at once
		t.Error(err)
	}
}

// A desktop bundle starts the program in this way, with a blank for each setting that has no value.
func TestStdio_WithUpstreamAutoAndBlankSettingsServesTheMadeUpCompany(t *testing.T) {
	blank := []string{"BASECAMP_CLIENT_ID=", "BASECAMP_CLIENT_SECRET=", "BASECAMP_ACCESS_TOKEN=", "BASECAMP_ACCOUNT_ID=", "READ_ONLY=false"}
	c := startChild(t, blank, "-upstream", "auto")
	if said := c.asks(call(1, false, "get_me", "{}")); !strings.Contains(said, "Ines Albrecht") {
		t.Errorf("without settings: %s; the log: %s", said, c.logged())
	}
	c.ends()
	c = startChild(t, append(blank, "BASECAMP_CLIENT_ID=id", "BASECAMP_CLIENT_SECRET=secret"), "-upstream", "auto", "-addr", "127.0.0.1:0")
	c.send(call(1, false, "get_me", "{}"))
	line, err := c.out.ReadString('\n')
	if err != nil || strings.Contains(line, "Ines Albrecht") || !strings.Contains(line, "/oauth/start?t=") {
		t.Errorf("with an application: %s, %v; the log: %s", line, err, c.logged())
	}
	c.ends()
}

func TestRun_TellsTheVersionAndHelps(t *testing.T) {
	for _, arguments := range [][]string{{"version"}, {"-v"}, {"-version"}, {"--version"}} {
		var out strings.Builder
		if err := run(t.Context(), arguments, nil, &out); err != nil || !strings.HasPrefix(out.String(), "basecamp-mcp ") {
			t.Errorf("%v: %q, %v", arguments, out.String(), err)
		}
	}
	for _, arguments := range [][]string{{"help"}, {"-h"}, {"--help"}, {"stdio", "-help"}} {
		var out strings.Builder
		if err := run(t.Context(), arguments, nil, &out); err != nil || strings.Count(out.String(), "\n") > 46 {
			t.Errorf("%v: %v, %q", arguments, err, out.String())
		}
		for _, want := range []string{"stdio", "-upstream", "-toolsets", "-read-only", "BASECAMP_ACCESS_TOKEN", "Examples"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %s", arguments, want)
			}
		}
	}
}
