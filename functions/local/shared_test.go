package main

import (
	"bufio"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listening is the program as a server of HTTP, in a process of its own.
type listening struct {
	*testing.T
	url, bearer string
	pid         int
}

var (
	announced = regexp.MustCompile(`is ready at (\S+)`)
	bearing   = regexp.MustCompile(`Bearer token:\s+(\S+)`)
)

func startServer(t *testing.T, env []string, flags ...string) *listening {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"serve", "-addr", "127.0.0.1:0"}, flags...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	s := &listening{T: t, pid: cmd.Process.Pid}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := announced.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
		if m := bearing.FindStringSubmatch(lines.Text()); m != nil {
			s.bearer = m[1]
		}
		if s.url != "" && (s.bearer != "" || strings.HasPrefix(lines.Text(), "Claude Code:") && len(env) > 0) {
			return s
		}
	}
	t.Fatal("the server does not start")
	return nil
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
	server := startServer(t, nil, kept...)
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

// The pages of the pipes are at the address of the server, which knows their links by the file.
func TestData_SharesTheSignInOfOnePipeWithAnother(t *testing.T) {
	u := startUpstream(t)
	close(u.release)
	env := slices.Concat(u.env, []string{"BASECAMP_ACCESS_TOKEN=", "BASECAMP_CLIENT_ID=sandbox-client", "BASECAMP_CLIENT_SECRET=sandbox-secret",
		"DBUS_SESSION_BUS_ADDRESS="}) // no keyring
	kept := []string{"-store", "file", "-data", t.TempDir(), "-upstream", "live"}
	server := startServer(t, env, kept...)
	at, err := url.Parse(server.url)
	if err != nil {
		t.Fatal(err)
	}
	kept = append(kept, "-addr", at.Host)
	first, second := startChild(t, env, kept...), startChild(t, env, kept...)
	asked := first.asks(call(1, false, "get_me", "{}"))
	link := regexp.MustCompile(regexp.QuoteMeta("http://"+at.Host) + `/oauth/start\?t=[A-Za-z0-9_-]+`).FindString(asked)
	if link == "" {
		t.Fatalf("no link in %s; the log: %s", asked, first.logged())
	}
	jar, _ := cookiejar.New(nil)
	b := browser{t, &http.Client{Jar: jar}}
	signOn := b.submits(b.opens(link), nil)
	b.submits(signOn, url.Values{"handle": {"priya"}})
	for name, c := range map[string]*child{"the pipe that signed in": first, "the other pipe": second} {
		if got := c.asks(call(2, false, "get_me", "{}")); !strings.Contains(got, "Priya Raman") {
			t.Errorf("%s: %s; the log: %s", name, got, c.logged())
		}
		c.ends()
	}
}

// browser follows redirects and keeps cookies.
type browser struct {
	*testing.T
	client *http.Client
}

// shown is a page.
type shown struct {
	at   *url.URL
	text string
}

func (b browser) opens(address string) shown {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	return b.sends(r)
}

var (
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)"`)
	action = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
)

// submits sends the first form of a page with the button that the user presses.
func (b browser) submits(page shown, button url.Values) shown {
	b.Helper()
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(page.text, -1) {
		form.Set(field[1], strings.ReplaceAll(field[2], "&amp;", "&"))
	}
	form.Set("shown", "watched") // as the page's script does
	maps.Copy(form, button)
	found := action.FindStringSubmatch(page.text)
	if found == nil {
		b.Fatalf("%s has no form: %s", page.at, page.text)
	}
	to, err := page.at.Parse(found[1])
	if err != nil {
		b.Fatal(err)
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, to.String(), strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.sends(r)
}

func (b browser) sends(r *http.Request) shown {
	b.Helper()
	response, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusBadRequest {
		b.Fatalf("%s: HTTP %d, %v: %s", response.Request.URL, response.StatusCode, err, text)
	}
	return shown{response.Request.URL, string(text)}
}
