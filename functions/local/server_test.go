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
