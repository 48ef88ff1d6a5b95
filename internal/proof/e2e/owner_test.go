package e2e

import (
	"bufio"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// accessToken is Inés's token for Basecamp, which clients never receive.
const accessToken = "sandbox-upstream-ines"

// startOwned starts the program for the owner of an access token. Nothing else is configured.
func startOwned(t *testing.T) *server {
	t.Helper()
	upstream := startUpstream(t)
	env := []string{
		"BASECAMP_API_URL=" + upstream, "LAUNCHPAD_URL=" + upstream,
		"BASECAMP_ACCESS_TOKEN=" + accessToken, "USER_AGENT_CONTACT=https://example.com",
	}
	return startWith(t, []string{"-upstream", "live", "-data", t.TempDir()}, env...)
}

// startUpstream starts a Basecamp at another address than the server's, and returns its origin.
func startUpstream(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "upstreamtest")
	if err := build("internal/app/upstreamtest", path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Scan()
	origin, err := url.Parse(lines.Text())
	if err != nil || origin.Host == "" {
		t.Fatalf("the upstream is at %q: %v", lines.Text(), err)
	}
	return origin.String()
}

// code returns what the program prints for its owner's browsers.
func (s *server) code() string {
	_, after, _ := strings.Cut(s.output.String(), "\nCode: ")
	return strings.Fields(after + " none")[0]
}

func (b *browser) entersTheCode(s *server) { b.t.Helper(); b.does("type", s.code()) }

// The owner approves with the code and one click, and no sign-on follows. The same browser needs no
// code again.
func TestBrowser_TheOwnerApprovesWithACodeAndOneClick(t *testing.T) {
	t.Parallel()
	s := startOwned(t)
	if said := s.output.String(); strings.Contains(said, accessToken) {
		t.Errorf("the program prints the access token: %s", said)
	}
	b := browse(t, true)
	app, arrived := listening(t, s)
	b.wants(b.goes(s.at("/")), "Basecamp for your AI assistant")
	begun := app.begins()
	b.wants(b.goes(begun.url), "Let “Walk” use your Basecamp?", "Approve", "Deny")
	b.does("fits", "1280x800")
	b.does("fits", "390x844")
	b.entersTheCode(s)
	if end := b.clicks("Approve"); !strings.HasPrefix(end.URL, app.redirect+"?") {
		t.Errorf("the login ends at %s: %q", end.URL, end.Heading)
	}
	again := app.begins()
	b.wants(b.goes(again.url), "Let “Walk” use your Basecamp?", "Deny", "Approve")
	got := app.redeem(arrived.next(t).Get("code"), begun.verifier)
	if who := whoAmI(t, s, got.AccessToken); who.Name != "Ines Albrecht" {
		t.Errorf("logged in as %+v, %q", who, got.Error)
	}
}
