package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"basecamp-mcp/internal/app"
)

func TestListen_TakesAPortAsOneOfThisMachine(t *testing.T) {
	for _, addr := range []string{"0", "127.0.0.1:0", "localhost:0"} {
		listener, err := listen(addr)
		if err != nil {
			t.Fatalf("%s: %v", addr, err)
		}
		if exposed(listener.Addr()) {
			t.Errorf("-addr %s listens on %s", addr, listener.Addr())
		}
		listener.Close()
	}
	listener, err := listen("0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if _, err := listen("65536"); err == nil || !strings.Contains(err.Error(), "invalid port") {
		t.Errorf("-addr 65536: %v", err)
	}
	for _, addr := range []string{port, "65536", "here", "127.0.0.1"} {
		if second, err := listen(addr); err == nil || !strings.Contains(err.Error(), "choose another with -addr") {
			t.Errorf("-addr %s: %v, %v", addr, second, err)
		}
	}
}

// frontPage matches the first line that the server prints.
var frontPage = regexp.MustCompile(`^basecamp-mcp .*?(http://[^ ]+/)`)

// started runs the local server, with a directory of its own, and returns what it prints and its
// front page.
func started(t *testing.T, arguments ...string) (printed, page string) {
	t.Helper()
	return ran(t, append(arguments, "-data", t.TempDir())...)
}

// ran runs the local server until it has printed how to use it and has shown its front page.
func ran(t *testing.T, arguments ...string) (printed, page string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, arguments, strings.NewReader(""), in)
		in.Close()
	}()
	lines := make(chan string, 100) // the server starts after its last line
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	var said strings.Builder
	for line := range lines {
		said.WriteString(line + "\n")
		if m := frontPage.FindStringSubmatch(line); m != nil {
			response, err := http.Get(m[1])
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			page = string(body)
			stop()
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return said.String(), page
}

func TestAnnounce_NamesTheFrontPageOnlyIfItShowsHowToConnect(t *testing.T) {
	for _, test := range []struct {
		local app.Local
		says  bool
	}{
		{app.Local{Login: true}, true},
		{app.Local{Login: true, Bearer: "bearer"}, true},
		{app.Local{Bearer: "bearer"}, false}, // it shows how to register an application
		{app.Local{}, false},
	} {
		var out strings.Builder
		announce(&out, test.local, "http://127.0.0.1:8787/mcp", false)
		if strings.Contains(out.String(), "open http://127.0.0.1:8787/ ") != test.says {
			t.Errorf("%+v: %q", test.local, out.String())
		}
	}
}

func TestRun_OnAnOpenAddressWarnsAndShowsNoBearer(t *testing.T) {
	const bearer, warning = "sandbox-ines", "Warning: every machine that reaches"
	for _, test := range []struct {
		arguments     []string
		warns, prints bool
	}{
		{[]string{"-addr", "0"}, false, true},
		{[]string{"-addr", "0.0.0.0:0"}, true, false},
		{[]string{"-addr", ":0"}, true, false},
		{[]string{"-addr", "0.0.0.0:0", "-print-bearer"}, true, true},
	} {
		printed, page := started(t, test.arguments...)
		if strings.Contains(printed, warning) != test.warns || strings.Contains(printed, bearer) != test.prints || strings.Contains(page, bearer) != test.prints {
			t.Errorf("%v printed %s", test.arguments, printed)
		}
		if !strings.Contains(page, "Add it to your assistant") || strings.Contains(printed, "-print-bearer shows it") == test.prints {
			t.Errorf("%v printed %s", test.arguments, printed)
		}
	}
}

func TestRun_TheOwnersLoginIsNotServedToOtherMachines(t *testing.T) {
	u := startUpstream(t)
	for _, setting := range u.env {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	for addr, login := range map[string]bool{"127.0.0.1:0": true, "0.0.0.0:0": false} {
		printed, page := started(t, "-addr", addr, "-upstream", "live", "-store", "memory", "-print-bearer")
		if strings.Contains(printed, "Claude Code:") != login || strings.Contains(page, "Add it to your assistant") != login {
			t.Errorf("-addr %s printed %s", addr, printed)
		}
	}
}
