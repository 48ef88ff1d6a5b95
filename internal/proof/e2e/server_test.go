package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ines is the bearer token of the demo company's owner, who sees every project.
const ines = "sandbox-ines"

// patience is the longest time to wait on a busy machine.
const patience = 30 * time.Second

// server is the running program.
type server struct {
	url string // of the MCP endpoint
	*process
}

var readyLine = regexp.MustCompile(`is ready at (\S+)`)

// start runs the program on a free port until the test ends. Its environment contains only env.
func start(t testing.TB, env ...string) *server {
	t.Helper()
	return startWith(t, nil, env...)
}

// startWith runs the program with more arguments.
func startWith(t testing.TB, arguments []string, env ...string) *server {
	t.Helper()
	s := &server{process: launchProgram(t, program, env, append([]string{"-addr", "127.0.0.1:0"}, arguments...)...)}
	select {
	case s.url = <-s.announced:
	case <-s.exited:
		t.Fatalf("the program ended (%v) before it was ready:\n%s", s.err, s.output)
	case <-time.After(patience):
		t.Fatalf("not ready after %v:\n%s", patience, s.output)
	}
	return s
}

// at returns the URL of a path of the server.
func (s *server) at(path string) string { return strings.TrimSuffix(s.url, "/mcp") + path }

// process is the started program, ready or not.
type process struct {
	cmd       *exec.Cmd
	output    *output       // stdout and stderr
	announced chan string   // receives the URL when the program is ready
	exited    chan struct{} // closed when the program has ended; err is then set
	err       error
}

// launchProgram starts a program. Its environment contains only env.
func launchProgram(t testing.TB, program string, env []string, arguments ...string) *process {
	t.Helper()
	p := &process{
		cmd:       exec.Command(program, arguments...),
		output:    &output{},
		announced: make(chan string, 1),
		exited:    make(chan struct{}),
	}
	p.cmd.Env = append([]string{"HOME=" + t.TempDir()}, env...)
	p.cmd.Stderr = p.output
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.follow(stdout)
	t.Cleanup(func() { p.end(t) })
	return p
}

// follow collects what the program prints. All that it says when it starts arrives at once.
func (p *process) follow(stdout io.Reader) {
	said := make([]byte, 64<<10)
	for n, err := stdout.Read(said); err == nil; n, err = stdout.Read(said) {
		_, _ = p.output.Write(said[:n])
		if m := readyLine.FindSubmatch(said[:n]); m != nil {
			p.announced <- string(m[1])
		}
	}
	p.err = p.cmd.Wait()
	close(p.exited)
}

// end asks the program to stop, and kills it if it does not.
func (p *process) end(t testing.TB) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(patience):
		_ = p.cmd.Process.Signal(os.Kill)
		<-p.exited
		t.Errorf("the program did not stop within %v of SIGTERM:\n%s", patience, p.output)
	}
}

// output collects the output of the program.
type output struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes.String()
}
