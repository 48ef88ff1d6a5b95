package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scenarios are the official suite's scenarios for a server that offers only tools, by protocol
// version. Each has the number of checks that must pass, because a check that no longer runs would
// otherwise look like one that passed.
var scenarios = map[string]map[string]int{
	older: {"server-initialize": 3, "server-session-lifecycle": 3, "ping": 2, "tools-list": 2},
	legacy: {
		"server-initialize": 3, "server-session-lifecycle": 3, "ping": 2, "tools-list": 3,
		"dns-rebinding-protection": 2, "server-sse-multiple-streams": 1,
	},
	modern: {
		"server-stateless": 21, "tools-list": 4, "caching": 4, "http-header-validation": 14,
		"http-custom-header-server-validation": 1, "dns-rebinding-protection": 2, "server-sse-multiple-streams": 1,
		"input-required-result-unsupported-methods": 2,
	},
}

func TestConformance(t *testing.T) {
	endpoint := withBearer(t, startWith(t, []string{"-store", "file", "-data", t.TempDir()}).url, ines)
	for version, checks := range scenarios {
		t.Run(version, func(t *testing.T) {
			for name, want := range checks {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if passed := conforms(t, endpoint, version, name); passed < want {
						t.Errorf("%d checks passed, want %d", passed, want)
					}
				})
			}
		})
	}
}

// The suite has two scenarios for an authorization server: its metadata, and a whole login of a
// public client. From 2025-11-25 on it also requires client ID metadata documents.
func TestConformance_AuthorizationServer(t *testing.T) {
	t.Parallel()
	s := startWith(t, []string{"-store", "file", "-data", t.TempDir()})
	for version, want := range map[string]int{"2025-03-26": 2, older: 2, legacy: 3, modern: 3} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			passed := 0
			for _, c := range authorizes(t, s, version) {
				if c.Status == "SUCCESS" {
					passed++
				} else {
					t.Errorf("%s: %s: %s %s", c.Status, c.ID, c.Description, c.ErrorMessage)
				}
			}
			if passed != want {
				t.Errorf("%d checks passed, want %d", passed, want)
			}
		})
	}
}

// The suite's scenario for client credentials is about clients. The program that passes it here
// also signs in at this server, in TestMachine_TheTypeScriptSDKGetsItsOwnTokens.
func TestConformance_ClientCredentials(t *testing.T) {
	t.Parallel()
	program, err := filepath.Abs(filepath.Join("clients", "machine.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	dir, passed := t.TempDir(), 0
	suite := exec.CommandContext(t.Context(), node(t), npmPackage(t, "@modelcontextprotocol/conformance/dist/index.js"),
		"client", "--command", node(t)+" "+program, "--scenario", "auth/client-credentials-basic", "-o", dir)
	if said, err := suite.CombinedOutput(); err != nil {
		t.Errorf("the suite fails: %v\n%s", err, said)
	}
	for _, c := range readChecks(t, dir) {
		if c.Status == "SUCCESS" {
			passed++
		}
	}
	if passed != 7 {
		t.Errorf("%d checks passed, want 7", passed)
	}
}

// freePort returns a port that no program uses.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	return port
}

// authorizes lets the suite log in. Once the suite listens for the redirect, a user follows the
// URL that it prints.
func authorizes(t *testing.T, s *server, version string) []check {
	t.Helper()
	dir := t.TempDir()
	port := freePort(t)
	app := register(t, s, "Conformance suite "+version, "http://127.0.0.1:"+port+"/callback")
	suite := exec.CommandContext(t.Context(), node(t), npmPackage(t, "@modelcontextprotocol/conformance/dist/index.js"),
		"authorization", "--url", s.at(""), "--spec-version", version, "-o", dir,
		"--client-id", app.id, "--resource", s.url, "--port", port)
	out, err := suite.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := suite.Start(); err != nil {
		t.Fatal(err)
	}
	var authorize string
	listens := false
	for said := bufio.NewScanner(out); said.Scan(); {
		listens = listens || strings.HasPrefix(said.Text(), "Callback server started")
		if strings.HasPrefix(said.Text(), s.at("/authorize?")) {
			authorize = said.Text()
		}
		if listens && authorize != "" {
			p := newPerson(t, "hanna")
			p.deliver(p.logsIn(authorize))
			authorize = ""
		}
	}
	if err := suite.Wait(); err != nil {
		t.Errorf("the suite fails: %v", err)
	}
	return readChecks(t, dir)
}

// check is the result of one check of a scenario.
type check struct {
	ID, Description, Status, ErrorMessage string
	Details                               struct {
		Untestable bool
		Error      struct{ Code int }
	}
}

// applies reports whether a check is about this server. Some checks need a test tool that the
// server lacks, or features that it does not offer, or session streams, which the protocol makes
// optional.
func (c check) applies() bool {
	unoffered := strings.HasPrefix(c.ID, "sep-2549-prompts") || strings.HasPrefix(c.ID, "sep-2549-resources")
	return !c.Details.Untestable && !(unoffered && c.Details.Error.Code == -32601) && c.ID != "server-sse-multiple-streams-session"
}

// conforms runs one scenario and returns how many checks passed. A warning means that a SHOULD is
// violated, and counts as a failure.
func conforms(t *testing.T, endpoint, version, scenario string) (passed int) {
	t.Helper()
	dir := t.TempDir()
	suite := exec.CommandContext(t.Context(), node(t), npmPackage(t, "@modelcontextprotocol/conformance/dist/index.js"),
		"server", "--url", endpoint, "--scenario", scenario, "--spec-version", version, "-o", dir)
	out, _ := suite.CombinedOutput() // the suite also fails for checks that do not apply
	checks := readChecks(t, dir)
	if len(checks) == 0 {
		t.Fatalf("the scenario checked nothing:\n%s", out)
	}
	for _, c := range checks {
		switch {
		case c.Status == "SUCCESS":
			passed++
		case (c.Status == "FAILURE" || c.Status == "WARNING") && c.applies():
			t.Errorf("%s: %s: %s %s", c.Status, c.ID, c.Description, c.ErrorMessage)
		}
	}
	return passed
}

func readChecks(t *testing.T, dir string) (checks []check) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		found, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var of []check
		err = json.Unmarshal(found, &of)
		checks = append(checks, of...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return checks
}

// withBearer starts a proxy that adds a token to every request, because the suite cannot send one.
// The proxy reads each body before it forwards the request: a response that overtakes the end of
// its request would cut the connection.
func withBearer(t *testing.T, endpoint, bearer string) string {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
		r.Out.Host = r.In.Host
		body, _ := io.ReadAll(r.In.Body) // the server reports a missing body
		r.Out.Body = io.NopCloser(bytes.NewReader(body))
		r.Out.Header.Set("Authorization", "Bearer "+bearer)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + target.Path
}
