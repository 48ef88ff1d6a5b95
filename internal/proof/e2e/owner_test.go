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

// startOwned starts the program for the owner of an access token. Nothing else is configured. The
// returned function restarts it.
func startOwned(t *testing.T) (s *server, restart func(*server) *server) {
	t.Helper()
	upstream := startUpstream(t)
	env := []string{
		"BASECAMP_API_URL=" + upstream, "LAUNCHPAD_URL=" + upstream,
		"BASECAMP_ACCESS_TOKEN=" + accessToken, "USER_AGENT_CONTACT=https://example.com",
	}
	arguments := []string{"-upstream", "live", "-data", t.TempDir()}
	return startWith(t, arguments, env...), func(s *server) *server { return s.restart(t, env, arguments...) }
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

// Each client knows only the URL. The owner approves it on the page, and no sign-on follows.
func TestOwner_EveryClientLogsInWithTheURLAlone(t *testing.T) {
	t.Parallel()
	s, restart := startOwned(t)
	if said := s.output.String(); strings.Contains(said, accessToken) {
		t.Errorf("the program prints the access token: %s", said)
	}
	approvesInABrowser(t, s)
	clients := map[string]session{}
	for name, login := range logins {
		p := newPerson(t, "not asked")
		p.code = s.code()
		clients[name] = login(t, s, p, approve)
		wantsMe(t, clients[name], "Ines Albrecht", "read", "write")
	}
	restart(s)
	for _, c := range clients {
		c.spoil()
		wantsMe(t, c, "Ines Albrecht", "read", "write")
	}
}

// code returns what the program prints for its owner's browsers.
func (s *server) code() string {
	_, after, _ := strings.Cut(s.output.String(), "\nCode: ")
	return strings.Fields(after + " none")[0]
}

func (b *browser) entersTheCode(s *server) { b.t.Helper(); b.does("type", s.code()) }

// approvesInABrowser logs in with the code and one click. The same browser needs no code again.
func approvesInABrowser(t *testing.T, s *server) {
	t.Helper()
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
