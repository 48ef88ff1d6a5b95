// Package e2e tests the real program over real sockets, with the conformance suite of the protocol,
// with widespread MCP clients and with a browser. It is a separate module, so that the server does
// not depend on the clients.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// program is functions/local, built once for all tests.
var program string

func TestMain(m *testing.M) {
	if os.Getenv("INTEGRATION") == "" {
		fmt.Fprintln(os.Stderr, "the end-to-end tests need npm packages; run make integration, which installs them and runs these tests")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "local")
	if err := build("functions/local", program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build builds a command of the server's module.
func build(command, into string) error {
	building := exec.Command("go", "build", "-o", into, "./"+command)
	building.Dir = "../../.."
	if out, err := building.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", command, err, out)
	}
	return nil
}

// node returns the path of a Node.js that is new enough for all clients: the one that make
// integration installed, or else the machine's own.
func node(t testing.TB) string {
	t.Helper()
	platform := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	fetched := fmt.Sprintf("clients/node/node_modules/node-%s-%s/bin/node", runtime.GOOS, platform)
	if _, err := os.Stat(fetched); err != nil {
		return "node"
	}
	path, err := filepath.Abs(fetched)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// npmPackage returns the path of a file in an npm package.
func npmPackage(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("clients", "node_modules", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run make integration, which installs it", err)
	}
	return path
}
