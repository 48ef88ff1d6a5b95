package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
)

// serve runs the local server behind a layer that changes its answers, and counts the requests.
func serve(t *testing.T, c config.Config, layer func(http.Handler) http.Handler) (url string, count *atomic.Int64) {
	t.Helper()
	var handler http.Handler
	count = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	local, err := app.NewLocal(t.Context(), c, slog.New(slog.DiscardHandler), server.URL, app.InMemory)
	if err != nil {
		t.Fatal(err)
	}
	handler = local.Handler
	if layer != nil {
		handler = layer(handler)
	}
	return server.URL, count
}

var demo = config.Config{BasecampURL: config.Sandbox}

func TestRun_TheLocalServerPasses(t *testing.T) {
	for _, path := range []string{"", "/", "/mcp"} {
		url, count := serve(t, demo, nil)
		var out bytes.Buffer
		if err := run(t.Context(), []string{url + path}, &out); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		lines := strings.Count(out.String(), "\n")
		if ok := strings.Count(out.String(), "ok      "); ok != lines-2 || ok != 11 || !strings.HasSuffix(out.String(), url+"/mcp\n") {
			t.Errorf("%d of %d lines are ok:\n%s", ok, lines, &out)
		}
		if count.Load() != 11 {
			t.Errorf("%d requests", count.Load())
		}
	}
}

func TestRun_SaysHowToConfigureTheServer(t *testing.T) {
	url, _ := serve(t, config.Config{BasecampURL: "https://3.basecampapi.example", LaunchpadURL: "https://launchpad.example", Contact: "ops@fernhill.example"}, nil)
	failed := failures(t, url)
	if len(failed) != 1 || !strings.Contains(failed[0], "not configured") {
		t.Errorf("%q", failed)
	}
}

// failures returns the lines of the checks that fail.
func failures(t *testing.T, url string) (lines []string) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), []string{url}, &out)
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "FAILED  ") {
			lines = append(lines, line)
		}
	}
	if (err == nil) != (len(lines) == 0) {
		t.Errorf("%v after\n%s", err, &out)
	}
	return lines
}

// changed returns a layer that changes the answers to a path, or to all paths for "".
func changed(path string, change func(*http.Request, *httptest.ResponseRecorder)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path != "" && r.URL.Path != path {
				next.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			for name, values := range answer.Header() { // Go would change the case of WWW-Authenticate
				delete(answer.Header(), name)
				answer.Header()[http.CanonicalHeaderKey(name)] = values
			}
			change(r, answer)
			maps.Copy(w.Header(), answer.Header())
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
		})
	}
}

// instead returns a layer with a different answer for a path.
func instead(path string, status int, media, body string) func(http.Handler) http.Handler {
	return changed(path, func(_ *http.Request, a *httptest.ResponseRecorder) {
		clear(a.Header())
		a.Header().Set("Content-Type", media)
		a.Code, a.Body = status, bytes.NewBufferString(body)
	})
}

func without(path string, names ...string) func(http.Handler) http.Handler {
	return changed(path, func(_ *http.Request, a *httptest.ResponseRecorder) {
		for _, name := range names {
			a.Header().Del(name)
		}
	})
}

// replaced returns a layer that replaces text in the answers to a path.
func replaced(path, old, with string) func(http.Handler) http.Handler {
	return changed(path, func(_ *http.Request, a *httptest.ResponseRecorder) {
		a.Body = bytes.NewBufferString(strings.Replace(a.Body.String(), old, with, 1))
	})
}

// only returns a layer for one method.
func only(method string, layer func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		layered := layer(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == method {
				layered.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

const notFound = `{"message":"Not Found"}`

func TestRun_FindsEachDefect(t *testing.T) {
	for name, c := range map[string]struct {
		layer func(http.Handler) http.Handler
		count int    // number of checks that fail
		says  string // text of one of them
	}{
		"another server":               {instead("/healthz", 200, "application/json", `{"status":"UP"}`), 1, "this is a different server"},
		"a gateway without our routes": {instead("/healthz", 404, "application/json", notFound), 1, "the gateway has no such route"},
		"the gateway renames the header": {changed("/mcp", func(_ *http.Request, a *httptest.ResponseRecorder) {
			if value := a.Header().Get("WWW-Authenticate"); value != "" {
				a.Header().Del("WWW-Authenticate")
				a.Header().Set("x-amzn-remapped-www-authenticate", value)
			}
		}), 1, "overwrite:header.www-authenticate"},
		"another server's challenge": {changed("/mcp", func(_ *http.Request, a *httptest.ResponseRecorder) {
			if a.Header().Get("WWW-Authenticate") != "" {
				a.Header().Set("WWW-Authenticate", `Basic realm="staff"`)
			}
		}), 1, `is "Basic realm=\"staff\"", without Bearer`},
		"a web firewall forbids":    {instead("/mcp", 403, "text/html", "no"), 2, "HTTP 403 text/html instead of 401"},
		"no route":                  {instead("/authorize", 404, "application/json", notFound), 2, "the gateway has no such route"},
		"the function does not run": {instead("/token", 500, "application/json", `{"message":"Internal Server Error"}`), 2, "see its log group"},
		"too many requests":         {instead("/register", 429, "application/json", `{"message":"Too Many Requests"}`), 3, "try again in a minute"},
		"the table is out of reach": {instead("/register", 503, "application/json", `{"error":"temporarily_unavailable"}`), 3, "cannot reach its table"},
		"no metadata":               {instead(resourceMetadata+"/mcp", 404, "application/json", `{"error":"not_found"}`), 1, "the endpoint has metadata: HTTP 404"},
		"another resource":          {replaced(resourceMetadata+"/mcp", `/mcp"`, `/mcp/"`), 1, `/mcp"; clients compare URLs byte for byte`},
		"an issuer with a slash":    {replaced(serverMetadata, `","registration_endpoint"`, `/","registration_endpoint"`), 1, `the answer lacks "issuer":"http://`},
		"no S256":                   {replaced(serverMetadata, `"S256"`, `"plain"`), 1, `lacks "S256"`},
		"no public clients":         {replaced(serverMetadata, `"token_endpoint_auth_methods_supported":["none",`, `"token_endpoint_auth_methods_supported":[`), 1, `supported":["none"`},
		"endpoints behind a stage":  {replaced(serverMetadata, `/token"`, `/prod/token"`), 1, `/token"; clients`},
		"metadata without CORS":     {without(serverMetadata, "Access-Control-Allow-Origin"), 1, "remove CorsConfiguration from the gateway"},
		"the gateway's own CORS":    {only("OPTIONS", without("", "Access-Control-Allow-Headers")), 2, "Access-Control-Allow-Headers is \"\", without"},
		"a hidden challenge":        {without("/mcp", "Access-Control-Expose-Headers"), 1, "Access-Control-Expose-Headers is"},
		"no policy":                 {without("/authorize", "Content-Security-Policy"), 1, "a proxy in front of the server"},
		"no cookies":                {without("/authorize", "Set-Cookie"), 1, "Set-Cookie is"},
		"errors in other words":     {replaced("/token", "invalid_grant", "invalid_request"), 1, `lacks "invalid_grant"`},
		"errors that are kept":      {without("/token", "Cache-Control"), 1, "without no-store"},
		"no front page":             {instead("/", 404, "application/json", notFound), 1, "the front page works: HTTP 404"},
		"a login without consent": {changed("/authorize", func(_ *http.Request, a *httptest.ResponseRecorder) {
			a.Header().Set("Location", "https://stranger.example/callback?code=1")
			a.Code = http.StatusFound
		}), 2, "shut the server down"},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := serve(t, demo, c.layer)
			failed := failures(t, url)
			if len(failed) != c.count || !strings.Contains(strings.Join(failed, ""), c.says) {
				t.Errorf("want %d, one of them with %q:\n%s", c.count, c.says, strings.Join(failed, ""))
			}
		})
	}
}

func TestRun_FindsAServerWithADifferentURL(t *testing.T) {
	url, _ := serve(t, config.Config{BasecampURL: config.Sandbox, PublicURL: "https://mcp.fernhill.example"}, nil)
	if failed := strings.Join(failures(t, url), ""); strings.Count(failed, "PublicUrl="+url) != 3 || !strings.Contains(failed, "https://mcp.fernhill.example/.well-known/") {
		t.Error(failed)
	}
}

func TestRun_SendsRequestsOnlyToTheGivenHost(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("received a request for %s", r.URL) }))
	defer elsewhere.Close()
	url, _ := serve(t, demo, changed("", func(r *http.Request, a *httptest.ResponseRecorder) {
		if r.URL.Path != "/healthz" {
			a.Header().Set("Location", elsewhere.URL)
			a.Code = http.StatusFound
		}
	}))
	if failed := strings.Join(failures(t, url), ""); !strings.Contains(failed, "which most clients do not follow") {
		t.Error(failed)
	}
}

func TestRun_StopsWhenTheServerDoesNotAnswer(t *testing.T) {
	url, _ := serve(t, demo, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{url}, io.Discard); err == nil || !strings.Contains(err.Error(), "the other checks did not run") {
		t.Error(err)
	}
}

func TestRun_RefusesAnInvalidURL(t *testing.T) {
	for _, arguments := range [][]string{
		nil, {""}, {"mcp.example.com"}, {"http://mcp.example.com"}, {"ftp://mcp.example.com"}, {"https://mcp.example.com/prod/mcp"},
		{"https://mcp.example.com/mcp?x=1"}, {"https://u:p@mcp.example.com"}, {"https://a.example", "https://b.example"},
	} {
		if err := run(t.Context(), arguments, io.Discard); err == nil {
			t.Errorf("%q is accepted", arguments)
		}
	}
}
