package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scenarios are those of the official suite that say something of a server with tools alone, by version of the protocol,
// with the number of checks that such a server passes: one that fell silent would otherwise look like one that passed.
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
	s, bearer := judged(t)
	endpoint := withBearer(t, s.url, bearer)
	for version, checks := range scenarios {
		t.Run(version, func(t *testing.T) {
			for name, want := range checks {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if passed := conforms(t, endpoint, version, name); passed < want {
						t.Errorf("%d checks passed, %d should", passed, want)
					}
				})
			}
		})
	}
}

// judged is the program, or a server that runs already: one that is put together as it is deployed is judged by the same suite.
// Its people sign on at a host of its own.
func judged(t *testing.T) (s *server, bearer string) {
	t.Helper()
	if running := os.Getenv("MCP_URL"); running != "" {
		return &server{url: running}, os.Getenv("MCP_BEARER")
	}
	return start(t), ines
}

// The suite's two scenarios of an authorization server: its metadata, which the login then goes by, and one whole login, as a
// public client. Since 2025-11-25 it also wants client ID metadata documents.
func TestConformance_AuthorizationServer(t *testing.T) {
	t.Parallel()
	s, _ := judged(t)
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
				t.Errorf("%d checks passed, %d should", passed, want)
			}
		})
	}
}

// authorizes has the suite log in, and a person follow the address that it prints, once it listens for what comes of it.
func authorizes(t *testing.T, s *server, version string) []check {
	t.Helper()
	dir := t.TempDir()
	port := strings.TrimPrefix(closedPort(t), "http://127.0.0.1:")
	app := register(t, s, "Conformance suite "+version, "none", "http://127.0.0.1:"+port+"/callback")
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
			p.signOn = os.Getenv("MCP_SIGN_ON")
			p.deliver(p.logsIn(authorize, approve))
			authorize = ""
		}
	}
	if err := suite.Wait(); err != nil {
		t.Errorf("the suite ends with %v", err)
	}
	return readChecks(t, dir)
}

// check is one thing that a scenario looked at.
type check struct {
	ID, Description, Status, ErrorMessage string
	Details                               struct {
		Untestable bool
		Error      struct{ Code int }
	}
}

// applies is false of a check that says nothing of this server: one of a test tool we do not have, of what we never
// offered, or of session streams, which the protocol leaves to the server.
func (c check) applies() bool {
	unoffered := strings.HasPrefix(c.ID, "sep-2549-prompts") || strings.HasPrefix(c.ID, "sep-2549-resources")
	return !c.Details.Untestable && !(unoffered && c.Details.Error.Code == -32601) && c.ID != "server-sse-multiple-streams-session"
}

// conforms runs one scenario and counts the checks passed. A warning, which stands for a SHOULD, counts as failed.
func conforms(t *testing.T, endpoint, version, scenario string) (passed int) {
	t.Helper()
	dir := t.TempDir()
	suite := exec.CommandContext(t.Context(), node(t), npmPackage(t, "@modelcontextprotocol/conformance/dist/index.js"),
		"server", "--url", endpoint, "--scenario", scenario, "--spec-version", version, "-o", dir)
	out, _ := suite.CombinedOutput() // it fails with any check, also with those that do not apply
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

// withBearer puts a token into every request, for the suite cannot send one, and leaves everything else as it came. It
// reads a body before passing it on: an answer that overtakes the end of its request would cut the connection.
func withBearer(t *testing.T, endpoint, bearer string) string {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
		r.Out.Host = r.In.Host
		body, _ := io.ReadAll(r.In.Body) // what is missing is missed by the server
		r.Out.Body = io.NopCloser(bytes.NewReader(body))
		r.Out.Header.Set("Authorization", "Bearer "+bearer)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + target.Path
}
