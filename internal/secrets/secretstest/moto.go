// Package secretstest runs a Secrets Manager on this machine: moto, which make tools installs in
// .tools.
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

// Moto runs moto on a free port until the test ends, and returns its origin. Moto accepts any
// credentials in any region.
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
	case origin = <-announced: // it is listening
	case <-ended:
		tb.Fatal("moto stopped instead of serving")
	case <-time.After(patience):
		tb.Fatalf("moto does not serve after %s", patience)
	}
	return origin
}

// follow reads all output of a server, because a full pipe would block the server.
func follow(output io.Reader, announced chan<- string) {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if m := announcement.FindStringSubmatch(lines.Text()); m != nil {
			announced <- m[1]
		}
	}
}

// program returns the path of moto, in .tools of this directory or of one above it.
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
