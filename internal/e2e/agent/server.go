// Package agent starts the local server and calls its tools over HTTP, as an AI agent's client of
// the 2025-11-25 protocol does. It counts what an agent pays for: calls, errors and tokens.
package agent

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// program is the path of functions/local, which Main builds.
var program string

// Main builds the server, runs the tests of a package that is two levels below the repository's
// internal directory, and returns their exit code.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agent")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "local")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./functions/local")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build functions/local: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// patience limits how long the server may take to start, stop or answer.
const patience = 30 * time.Second

var readyLine = regexp.MustCompile(`is ready at (\S+)`)

// Start runs the server with a new sandbox until the test ends, and returns the URL of its
// endpoint.
func Start(t testing.TB) string {
	t.Helper()
	// The cleanup below ends it.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "-addr", "127.0.0.1:0", "-store", "memory")
	cmd.Env = []string{"HOME=" + t.TempDir(), "LOG_LEVEL=error"}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	announced, exited := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(exited)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
				announced <- m[1]
			}
		}
		_ = cmd.Wait() // its state does not matter: the tests look at the answers
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			<-exited
		}
	})
	select {
	case url := <-announced:
		return url
	case <-exited:
		t.Fatal("the server ended instead of serving")
	case <-time.After(patience):
		t.Fatalf("the server was not ready after %v", patience)
	}
	return ""
}
