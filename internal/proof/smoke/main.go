// Command smoke checks a deployment from outside, as clients see it, and says how to fix what would
// keep them out. It sends one request to one host for each check. The only trace it leaves is the
// registration of a client that never logs in.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	u, err := url.Parse(strings.Join(arguments, " "))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !slices.Contains([]string{"", "/mcp"}, strings.TrimSuffix(u.Path, "/")) {
		return errors.New("usage: make smoke URL=https://mcp.example.com/mcp (the McpUrl that sam deploy printed)")
	}
	loopback := slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) { // MCP authorization requires HTTPS
		return errors.New("the URL must start with https://, because clients log in only there; http:// is allowed for this machine")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s := site{origin: u.Scheme + "://" + strings.ToLower(u.Host), client: &http.Client{
		Timeout:       15 * time.Second, // a function may need time to start
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	failed := 0
	for i, c := range s.checks() {
		err := s.make(ctx, c)
		if err == nil {
			fmt.Fprintf(out, "ok      %s\n", c.name)
			continue
		}
		fmt.Fprintf(out, "FAILED  %s: %v\n", c.name, err)
		failed++
		if i == 0 || ctx.Err() != nil {
			return errors.New("the other checks did not run, because they would fail in the same way")
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	fmt.Fprintf(out, "\nAll checks passed. Add this URL to a client: %s/mcp\n", s.origin)
	return nil
}

// site is the deployment under test.
type site struct {
	origin   string
	client   *http.Client
	clientID string // result of the registration
}

// check is one requirement of clients: the answer to a request.
type check struct {
	name, method, path string
	form               url.Values // the query of a GET, or the body of a POST
	body               string
	status             int
	media              string
	header             []string // name, text, name, text: headers that have this text in them
	contains           []string // what the body contains
	hint               string   // what to do if the answer is another
}

// make sends the request of a check, and returns what is wrong with the answer.
func (s *site) make(ctx context.Context, c check) error {
	path, body, media := c.path, c.body, asJSON
	if c.form.Has("client_id") {
		c.form.Set("client_id", s.clientID)
	}
	if c.method == http.MethodGet && c.form != nil {
		path += "?" + c.form.Encode()
	} else if c.form != nil {
		body, media = c.form.Encode(), "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(ctx, c.method, s.origin+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"User-Agent": "basecamp-mcp-smoke", "Content-Type": media,
		"Origin":                        "http://localhost:6274", // of the MCP Inspector's page
		"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, content-type",
	} {
		r.Header.Set(name, value)
	}
	response, err := s.client.Do(r)
	if err != nil {
		return fmt.Errorf("no answer: %w; use the McpUrl that sam deploy printed; a custom domain must point to its DomainTarget", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if c.path == "/register" {
		var client struct {
			ID string `json:"client_id"`
		}
		_ = json.Unmarshal(answer, &client) // contains finds another answer
		s.clientID = client.ID
	}
	if problem := c.problem(response, string(answer)); problem != "" {
		return errors.New(problem + c.hint)
	}
	return nil
}

// problem returns what is wrong with an answer, or "".
func (c check) problem(response *http.Response, body string) string {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != c.status || c.media != "" && media != c.media {
		return fmt.Sprintf("HTTP %d %s instead of %d %s", response.StatusCode, media, c.status, c.media) + likely(response, body)
	}
	for pair := range slices.Chunk(c.header, 2) {
		if got := strings.Join(response.Header.Values(pair[0]), ","); got == "" || !strings.Contains(strings.ToLower(got), strings.ToLower(pair[1])) {
			return fmt.Sprintf("%s is %q, without %s", pair[0], got, pair[1])
		}
	}
	for _, text := range c.contains {
		if !strings.Contains(body, text) {
			return "the answer lacks " + text
		}
	}
	return ""
}

// likely returns the probable reason for an answer that is not the server's.
func likely(response *http.Response, body string) string {
	gateway := strings.Contains(body, `"message":`)
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests:
		return "; too many requests at once: try again in a minute"
	case status == http.StatusNotFound && gateway:
		return "; the gateway has no such route: deploy template.yaml unchanged, with its $default stage"
	case status == http.StatusServiceUnavailable && strings.Contains(body, "not set up"):
		return "; not configured, so that no user can log in yet: the front page says how, and with BasecampApiUrl=sandbox, logins are not possible"
	case status == http.StatusServiceUnavailable || status >= http.StatusInternalServerError && gateway:
		return "; the function fails, or cannot reach its table or its secrets; see its log group (LogGroups in the stack's outputs)"
	case status/100 == 3:
		return "; it redirects to " + response.Header.Get("Location") + ", which most clients do not follow"
	}
	return ""
}
