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

func TestStart_WithoutBasecampServesTasksAndTellsWhy(t *testing.T) {
	t.Parallel()
	for name, up := range map[string]string{"refused": closedPort(t), "timeout": silentPort(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const secret = "a-personal-access-token"
			s := startWith(t, []string{"-upstream", "live"},
				"BASECAMP_API_URL="+up, "LAUNCHPAD_URL="+up, "BASECAMP_ACCESS_TOKEN="+secret, "USER_AGENT_CONTACT=https://example.com")
			said := s.output.String()
			_, bearer, _ := strings.Cut(said, "Bearer token: ")
			bearer = strings.Fields(bearer + " none")[0]
			if got := call(t, s, bearer, "add_task", map[string]any{"title": "Buy tape"}); got.IsError {
				t.Errorf("add_task: %s", got.text())
			}
			if got := call(t, s, bearer, "list_projects", nil); !got.IsError || !strings.Contains(got.text(), `"UPSTREAM_ERROR"`) {
				t.Errorf("list_projects: %s", got.text())
			}
			if log := s.log.String(); !strings.Contains(log, "Basecamp cannot be reached") || !strings.Contains(said, "Basecamp is "+up) {
				t.Errorf("the program does not tell that Basecamp cannot be reached, or where it is: %s%s", said, log)
			}
			if said = s.output.String(); strings.Contains(said, secret) || strings.Contains(said, "goroutine") {
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
