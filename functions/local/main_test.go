package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRun_IsReadyWithinSecondsAndStopsOnRequest(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error)
	start := time.Now()
	go func() { done <- run(ctx, []string{"-addr", "127.0.0.1:0"}, strings.NewReader(""), in) }()

	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	if took := time.Since(start); took > 3*time.Second { // about 20 ms on an idle machine
		t.Errorf("ready after %v", took)
	}
	url := strings.TrimSpace(strings.TrimPrefix(first, "basecamp-mcp is ready at "))
	response, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("%s without a token: HTTP %d", url, response.StatusCode)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestRun_NamesAnInvalidFlag(t *testing.T) {
	for want, arguments := range map[string][]string{
		"-upstream must be sandbox or live": {"-upstream", "mars"},
		"-store must be memory":             {"-store", "tape"},
		"is not a command":                  {"live"},
		"is not a flag":                     {"serve", "live"},
		"help lists the flags":              {"stdio", "-tape"},
		"choose another with -addr":         {"-addr", "127.0.0.1:99999"},
	} {
		if err := run(t.Context(), arguments, strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v", arguments, err)
		}
	}
}

func TestServe_SendsTheLastAnswersBeforeItReturns(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	asked := make(chan error)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err == nil {
			response.Body.Close()
		}
		asked <- err
	}()
	err = serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stop()
		for closed := false; !closed; { // until the server accepts no more connections
			c, err := net.Dial("tcp", listener.Addr().String())
			if closed = err != nil; !closed {
				c.Close()
			}
		}
		w.WriteHeader(http.StatusNoContent)
		close(answered)
	}))
	select {
	case <-answered:
	default:
		t.Error("serve returned before it sent the answer")
	}
	if got := <-asked; got != nil || err != nil {
		t.Errorf("the client got %v, and serve returned %v", got, err)
	}
}
