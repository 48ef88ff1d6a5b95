// Package runtimetest runs a function's binary as Lambda does: it builds the deployed binary and
// speaks the Runtime API to it. It needs only Go.
package runtimetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// timeout is the time for one invocation, which the function also receives as its deadline. It is
// long, because on a busy machine a call that refreshes a person's Basecamp token may wait for
// another call to do so.
const timeout = 30 * time.Second

// Function is a running bootstrap. It answers one event at a time.
type Function struct {
	process *exec.Cmd
	api     *httptest.Server
	logs    logs
	events  chan []byte
	answers chan answer
	asked   chan struct{} // closed after it asked for its first event
	exited  chan struct{} // closed after the process ended
	count   atomic.Int64
	once    sync.Once
}

type answer struct {
	body []byte
	err  error
}

// Start runs a bootstrap with Lambda's environment and env ("NAME=value") until the test ends.
func Start(tb testing.TB, bootstrap string, env ...string) *Function {
	tb.Helper()
	f := &Function{
		process: exec.Command(bootstrap),
		events:  make(chan []byte),
		answers: make(chan answer, 1),
		asked:   make(chan struct{}),
		exited:  make(chan struct{}),
	}
	f.api = httptest.NewServer(f.runtimeAPI())
	f.process.Env = append([]string{
		"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(f.api.URL, "http://"),
		"AWS_LAMBDA_FUNCTION_NAME=function",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=192",
		"AWS_LAMBDA_LOG_FORMAT=JSON",
		"AWS_REGION=eu-central-1",
		"GOGC=300",
		"GOMEMLIMIT=134MiB",
		"TZ=:UTC",
	}, env...)
	f.process.Stdout, f.process.Stderr = &f.logs, &f.logs
	if err := f.process.Start(); err != nil {
		f.api.Close()
		tb.Fatal(err)
	}
	go func() {
		_ = f.process.Wait() // Stop kills it
		close(f.exited)
	}()
	tb.Cleanup(f.Stop)
	return f
}

// Stop kills the process, as Lambda does, and waits for its end.
func (f *Function) Stop() {
	_ = f.process.Process.Kill() // it may have ended by itself
	<-f.exited
	f.api.CloseClientConnections()
	f.api.Close()
}

// Invoke sends the function one event and returns its answer. It returns an error if the invocation
// fails or the process ends.
func (f *Function) Invoke(event []byte) ([]byte, error) {
	late := time.After(timeout)
	select {
	case f.events <- event:
	case <-f.exited:
		return nil, errors.New("the function exited before the event")
	case <-late:
		return nil, errors.New("the function did not ask for an event")
	}
	select {
	case a := <-f.answers:
		return a.body, a.err
	case <-f.exited:
		return nil, errors.New("the function exited instead of answering")
	case <-late:
		return nil, errors.New("the function did not answer")
	}
}

// Ready waits until the function asks for its first event, which is the end of its init.
func (f *Function) Ready() error {
	select {
	case <-f.asked:
		return nil
	case <-f.exited:
		return errors.New("the function exited before it asked for an event")
	case <-time.After(timeout):
		return errors.New("the function did not ask for an event")
	}
}

// Logs returns what the function has written to stdout and stderr. It is complete only after the
// process has ended.
func (f *Function) Logs() string { return f.logs.String() }

// runtimeAPI returns a server for the part of the Runtime API (2018-06-01) that functions use.
func (f *Function) runtimeAPI() http.Handler {
	const invocation = "/2018-06-01/runtime/invocation/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+invocation+"next", f.next)
	mux.HandleFunc("POST "+invocation+"{id}/response", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		f.answered(w, answer{body, err})
	})
	mux.HandleFunc("POST "+invocation+"{id}/error", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.answered(w, answer{err: fmt.Errorf("the invocation failed: %s", body)})
	})
	return mux
}

func (f *Function) next(w http.ResponseWriter, r *http.Request) {
	f.once.Do(func() { close(f.asked) })
	select {
	case event := <-f.events:
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Lambda-Runtime-Aws-Request-Id", fmt.Sprintf("00000000-0000-4000-8000-%012d", f.count.Add(1)))
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(timeout).UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-central-1:123456789012:function:function")
		h.Set("Lambda-Runtime-Trace-Id", "Root=1-69200000-0123456789abcdef01234567")
		_, _ = w.Write(event) // Invoke notices when the function is gone
	case <-r.Context().Done():
	}
}

func (f *Function) answered(w http.ResponseWriter, a answer) {
	w.WriteHeader(http.StatusAccepted)
	f.answers <- a
}

// logs is a buffer that can be read while the process writes to it.
type logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// builds are the binaries that the tests of one process share.
type builds struct {
	mu   sync.Mutex
	dir  string            // empty unless Main runs the tests
	made map[string]string // paths by package and platform
}

var shared builds

// Main runs the tests of a package that calls Build. Each package that they build is compiled and
// linked once.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "bootstraps")
	if err != nil {
		panic(err)
	}
	shared.dir, shared.made = dir, map[string]string{}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// Build compiles a package for this machine, or for the platform of GOOS and GOARCH, with the flags
// of the Makefile at the module's root. It returns the binary's path.
func Build(tb testing.TB, root, pkg string) string {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.dir == "" {
		return compile(tb, root, pkg, tb.TempDir())
	}
	key := strings.Join([]string{root, pkg, os.Getenv("GOOS"), os.Getenv("GOARCH")}, " ")
	if shared.made[key] == "" {
		dir := filepath.Join(shared.dir, strconv.Itoa(len(shared.made)))
		if err := os.Mkdir(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
		shared.made[key] = compile(tb, root, pkg, dir)
	}
	return shared.made[key]
}

func compile(tb testing.TB, root, pkg, dir string) string {
	tb.Helper()
	bootstrap := dir + "/bootstrap"
	args := append([]string{"build"}, makefileFlags(tb, root)...)
	build := exec.Command("go", append(args, "-o", bootstrap, pkg)...)
	build.Dir = root
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return bootstrap
}

func makefileFlags(tb testing.TB, root string) []string {
	tb.Helper()
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(makefile)) {
		if flags, ok := strings.CutPrefix(line, "LAMBDA_FLAGS :="); ok {
			return words(strings.ReplaceAll(flags, " $(STAMP)", "")) // tests have no version
		}
	}
	tb.Fatal("the Makefile has no LAMBDA_FLAGS")
	return nil
}

// words splits a line at spaces outside double quotes, like a shell.
func words(line string) []string {
	quoted := false
	return strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == '"' || !quoted && strings.ContainsRune(" \t\n", r)
	})
}
