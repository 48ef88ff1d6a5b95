package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// listening is the program as a server of HTTP, in a process of its own.
type listening struct {
	testing.TB
	url, bearer string
	cmd         *exec.Cmd
}

var (
	announced = regexp.MustCompile(`is ready at (\S+)`)
	bearing   = regexp.MustCompile(`Bearer token:\s+(\S+)`)
)

func startServer(tb testing.TB, flags ...string) *listening {
	tb.Helper()
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), program, append([]string{"serve", "-addr", "127.0.0.1:0"}, flags...)...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	s := &listening{TB: tb, cmd: cmd}
	tb.Cleanup(s.stop)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := announced.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
		if m := bearing.FindStringSubmatch(lines.Text()); m != nil {
			s.bearer = m[1]
		}
		if s.url != "" && s.bearer != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return s
		}
	}
	tb.Fatalf("%s does not print its URL and a bearer token", program)
	return nil
}

func (s *listening) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// asks sends a message and returns the answer.
func (s *listening) asks(message string) string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url, strings.NewReader(message))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.bearer)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

func TestData_IsSharedByAServerAndTwoPipesThatRunAtTheSameTime(t *testing.T) {
	kept := []string{"-store", "file", "-data", t.TempDir()}
	server := startServer(t, kept...)
	first, second := startChild(t, nil, kept...), startChild(t, nil, kept...)
	added := map[string]func(string) string{"Oil the chain": first.asks, "Pump the tyres": second.asks, "True the wheel": server.asks}
	for title, asks := range added {
		if got := asks(call(1, false, "add_task", `{"title":"`+title+`"}`)); strings.Contains(got, `"isError":true`) {
			t.Errorf("add %q: %s", title, got)
		}
	}
	for adder, asks := range added {
		got := asks(call(2, false, "list_tasks", "{}"))
		for title := range added {
			if !strings.Contains(got, title) {
				t.Errorf("the process that added %q does not list %q: %s", adder, title, got)
			}
		}
	}
	first.ends()
	second.ends()
}
