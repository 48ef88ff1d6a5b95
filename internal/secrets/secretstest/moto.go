// Package secretstest runs a Secrets Manager on this machine: moto, which make tools installs below .tools.
package secretstest

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// patience is how long Python may take to start on a busy machine.
const patience = time.Minute

var announcement = regexp.MustCompile(`Running on (http://127\.0\.0\.1:\d+)`)

// Moto runs moto on a free port until the test ends, and gives its origin. It takes any credentials in any region.
func Moto(tb testing.TB) (origin string) {
	tb.Helper()
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, program(tb), "-H", "127.0.0.1", "-p", "0")
	server.Env = []string{"HOME=" + tb.TempDir(), "PYTHONUNBUFFERED=1"}
	stderr, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		stop()
		tb.Fatal(err)
	}
	announced, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		follow(stderr, announced)
		_ = server.Wait() // it was killed
	}()
	tb.Cleanup(func() {
		stop()
		<-ended
	})
	select {
	case origin = <-announced: // it listens by then
	case <-ended:
		tb.Fatal("moto ended instead of serving")
	case <-time.After(patience):
		tb.Fatalf("moto does not serve after %s", patience)
	}
	return origin
}

// follow reads all that a server says, or it would stop at a full pipe.
func follow(output io.Reader, announced chan<- string) {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if m := announcement.FindStringSubmatch(lines.Text()); m != nil {
			announced <- m[1]
		}
	}
}

// program finds moto in the .tools of the directory that this package was checked out into.
func program(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if found, _ := filepath.Glob(filepath.Join(dir, ".tools", "moto-*", "bin", "moto_server")); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	tb.Fatal("no .tools/moto-*/bin/moto_server here or above; make tools installs it")
	return ""
}
