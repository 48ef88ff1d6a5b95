package e2e

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// upstreams are a Basecamp and a GitHub at other addresses than the server's.
type upstreams struct {
	t        testing.TB
	basecamp *url.URL
	github   string
	last     atomic.Pointer[string] // the latest access token that reached GitHub
}

func startUpstreams(t testing.TB) *upstreams {
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
	next := func() *url.URL {
		lines.Scan()
		origin, err := url.Parse(lines.Text())
		if err != nil || origin.Host == "" {
			t.Fatalf("an upstream is at %q: %v", lines.Text(), err)
		}
		return origin
	}
	u := &upstreams{t: t, basecamp: next()}
	front := httptest.NewServer(u.noting(httputil.NewSingleHostReverseProxy(next())))
	t.Cleanup(front.Close)
	u.github = front.URL
	return u
}

// noting notes the access tokens of requests.
func (u *upstreams) noting(behind http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			u.last.Store(&token)
		}
		behind.ServeHTTP(w, r)
	})
}

// token returns the access token of the latest call of GitHub.
func (u *upstreams) token() string {
	u.t.Helper()
	token := u.last.Load()
	if token == nil {
		u.t.Fatal("no access token has reached GitHub")
	}
	return *token
}

// wants checks the status with which GitHub answers an access token.
func (u *upstreams) wants(token string, status int) {
	u.t.Helper()
	send(u.t, http.MethodGet, u.github+"/api/v3/user", map[string]string{"Authorization": "Bearer " + token}, nil).wants(u.t, status, 0)
}

func TestGitHub_TokensThatAreReplacedUnlinkedOrDisconnectedAreRevoked(t *testing.T) {
	t.Parallel()
	up := startUpstreams(t)
	s := startWith(t, []string{"-upstream", "live"},
		"BASECAMP_API_URL="+up.basecamp.String(), "LAUNCHPAD_URL="+up.basecamp.String(), "USER_AGENT_CONTACT=https://example.com",
		"BASECAMP_CLIENT_ID=sandbox-client", "BASECAMP_CLIENT_SECRET=sandbox-secret",
		"GITHUB_URL="+up.github, "GITHUB_CLIENT_ID=sandbox-github-client", "GITHUB_CLIENT_SECRET=sandbox-github-secret")
	p := newPerson(t, "samo")
	p.signOn = up.basecamp.Host
	bearer := register(t, s, "Ledger", "none", backHome).login(p, approve).AccessToken
	c := connectHub(t, s, bearer, hubKinds[modern])

	a := c.call("github_list_projects", boards)
	p.links(c.wantsLink(a, "not linked yet"), "sam-okafor")
	c.again(a).succeeds(t)
	first := up.token()
	up.wants(first, http.StatusOK)

	a = c.call("github_create_project", newBoard)
	p.links(c.wantsLink(a, "read and change projects"), "sam-okafor")
	c.again(a).succeeds(t)
	second := up.token()
	up.wants(first, http.StatusUnauthorized)
	up.wants(second, http.StatusOK)

	p.submit(p.account(s).formOf(t, "Unlink GitHub"), nil)
	up.wants(second, http.StatusUnauthorized)
	c.wantsLink(c.call("github_list_projects", boards), "not linked yet")

	if _, end := p.links(s.at("/oauth/start?link=github"), "sam-okafor"); end.heading != "Connected apps" {
		t.Errorf("the link of the account page ends with %d %q", end.status, end.heading)
	}
	c.call("github_list_projects", boards).succeeds(t)
	third := up.token()
	up.wants(third, http.StatusOK)
	p.disconnectAll(s)
	up.wants(third, http.StatusUnauthorized)
	message{method: "tools/list", bearer: bearer}.post(t, s).wants(t, http.StatusUnauthorized, 0)
}
