package e2e

import (
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStart_IsReadyAtOnce(t *testing.T) {
	s := start(t)
	t.Logf("ready after %v", s.ready)
	if s.ready > 3*time.Second {
		t.Errorf("the program took %v from exec to ready", s.ready)
	}
	got, err := http.Get(s.at("/healthz"))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		t.Errorf("/healthz answers %s", got.Status)
	}
}

func TestStop_DoesNotWaitForIdleConnections(t *testing.T) {
	s := start(t)
	call(t, s, ines, "get_me", nil) // leaves a connection open
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	began := time.Now()
	select {
	case <-s.exited:
	case <-time.After(patience):
		t.Fatalf("still running %v after SIGTERM", patience)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the program took %v to stop", took)
	}
	if s.err != nil {
		t.Errorf("the program ended with %v:\n%s", s.err, s.output)
	}
}

func TestStart_WithoutBasecampNamesTheSettingsToCheck(t *testing.T) {
	t.Parallel()
	for name, up := range map[string]string{"refused": closedPort(t), "timeout": silentPort(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const secret = "a-personal-access-token"
			p := launch(t, []string{
				"BASECAMP_API_URL=" + up, "LAUNCHPAD_URL=" + up,
				"BASECAMP_ACCESS_TOKEN=" + secret, "USER_AGENT_CONTACT=https://example.com",
			}, "-addr", "127.0.0.1:0", "-upstream", "live")
			select {
			case <-p.exited:
			case <-time.After(patience):
				t.Fatalf("still running after %v:\n%s", patience, p.output)
			}
			said := p.output.String()
			if p.err == nil || !strings.Contains(said, "BASECAMP_ACCESS_TOKEN") || !strings.Contains(said, strings.TrimPrefix(up, "http://")) {
				t.Errorf("the program ended with %v and printed: %s", p.err, said)
			}
			if strings.Contains(said, secret) || strings.Contains(said, "goroutine") {
				t.Errorf("the program printed a secret or a stack trace: %s", said)
			}
		})
	}
}

// closedPort returns an origin that refuses connections.
func closedPort(t *testing.T) string {
	l := listen(t)
	_ = l.Close()
	return "http://" + l.Addr().String()
}

// silentPort returns an origin that accepts connections and never answers.
func silentPort(t *testing.T) string {
	l := listen(t)
	t.Cleanup(func() { _ = l.Close() })
	return "http://" + l.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
