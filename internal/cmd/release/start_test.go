package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

var ready = regexp.MustCompile(`ready at (http://\S+)/mcp`)

// startsAndKnowsItsVersion unpacks an archive, as a user does on a new machine, and waits for the
// first answer of the program in it.
func startsAndKnowsItsVersion(t *testing.T, dist, archive string) {
	t.Helper()
	home := t.TempDir()
	began := time.Now()
	path := unpacked(t, dist, archive)
	program := exec.CommandContext(t.Context(), path, "-addr", "127.0.0.1:0")
	program.Env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "AppData=" + home, "SystemRoot=" + os.Getenv("SystemRoot")}
	var log bytes.Buffer
	program.Stderr = &log
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	}()
	origin := ""
	for lines := bufio.NewScanner(out); origin == "" && lines.Scan(); {
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			origin = m[1]
		}
	}
	if answer := callsATool(t, origin); !strings.Contains(answer, "Ines Albrecht") {
		t.Errorf("the first answer is %s\n%s", answer, &log)
	}
	took := time.Since(began)
	if runtime.GOOS == "linux" {
		if memory := resident(t, program.Process.Pid); memory > 43_000 {
			t.Errorf("the program holds %d KB, want at most 43,000 KB", memory)
		}
	}
	answer, err := http.Get(origin + "/healthz")
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	defer answer.Body.Close()
	var health struct{ Version string }
	if err := json.NewDecoder(answer.Body).Decode(&health); err != nil || health.Version != "0.1.0" {
		t.Errorf("the version is %q, %v", health.Version, err)
	}
	t.Logf("from the archive to the first answer: %v", took.Round(time.Millisecond))
	if took > 5*time.Second {
		t.Errorf("the first answer took %v", took)
	}
}

// callsATool calls get_me as the user whose bearer token the program prints.
func callsATool(t *testing.T, origin string) (answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sandbox-ines")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// resident returns the memory that a process holds, in KB. It reads /proc of Linux.
func resident(t *testing.T, pid int) (kilobytes int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KB resident", kilobytes)
	return kilobytes
}

// unpacked returns the path of the program in an archive of the release.
func unpacked(t *testing.T, dist, archive string) string {
	t.Helper()
	dir := t.TempDir()
	if runtime.GOOS == "windows" {
		path := filepath.Join(dir, "basecamp-mcp.exe")
		if err := os.WriteFile(path, contentOf(t, unzippedFile(t, filepath.Join(dist, archive+".zip")), "basecamp-mcp.exe"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if said, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join(dist, archive+".tar.gz"), "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, strings.TrimSpace(string(said)))
	}
	return filepath.Join(dir, "basecamp-mcp")
}
