// Package secretstest runs a Secrets Manager on this machine: moto, which make tools installs in
// .tools.
package secretstest

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var announcement = regexp.MustCompile(`Running on (http://127\.0\.0\.1:\d+)`)

// Moto runs moto on a free port until the test ends, and returns its origin. Moto accepts any
// credentials in any region. The root is that of the module.
func Moto(tb testing.TB, root string) (origin string) {
	tb.Helper()
	programs, _ := filepath.Glob(root + "/.tools/moto-*/bin/moto_server")
	if len(programs) == 0 {
		tb.Fatal("no .tools/moto-*/bin/moto_server; make tools installs it")
	}
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, slices.Max(programs), "-H", "127.0.0.1", "-p", "0")
	server.Env = []string{"HOME=" + tb.TempDir(), "PYTHONUNBUFFERED=1"}
	stderr, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		stop()
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		stop()
		_ = server.Wait() // it was killed
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := announcement.FindStringSubmatch(lines.Text()); m != nil { // it is listening
			go func() { _, _ = io.Copy(io.Discard, stderr) }() // a full pipe would block it
			return m[1]
		}
	}
	tb.Fatal("moto stopped instead of serving")
	return ""
}
