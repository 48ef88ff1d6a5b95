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
	"slices"
	"strings"
	"time"
)

// site is the deployment under test.
type site struct {
	origin   string
	client   *http.Client
	metadata string // URL that the challenge points to
	clientID string // result of the registration
	tools    string // digest of the list of tools, as /healthz says
}

const (
	patience = 15 * time.Second // timeout of one request; a function may need time to start
	mostBody = 1 << 20
)

// newSite accepts the URL of the endpoint or of its host.
func newSite(text string) (*site, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		!slices.Contains([]string{"", "/mcp"}, strings.TrimSuffix(u.Path, "/")) {
		return nil, errors.New("the URL must be the server's, such as https://mcp.example.com/mcp")
	}
	loopback := slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) { // MCP authorization requires HTTPS
		return nil, errors.New("the URL must start with https://, because clients log in only there; http:// is allowed for this machine")
	}
	return &site{
		origin: u.Scheme + "://" + strings.ToLower(u.Host),
		client: &http.Client{
			Timeout:       patience,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request to a path of this host. Headers are name, value, name, value.
func (s *site) ask(ctx context.Context, method, path, body string, header ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.origin+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("User-Agent", "basecamp-mcp-smoke")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	response, err := s.client.Do(r)
	if err != nil {
		return answer{}, fmt.Errorf("no answer: %w", err)
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, header: response.Header}
	a.body, err = io.ReadAll(io.LimitReader(response.Body, mostBody))
	if err != nil {
		return answer{}, fmt.Errorf("read the answer: %w", err)
	}
	return a, nil
}

// wants sends a request, and returns an error unless the answer has the status and, if given, the
// media type.
func (s *site) wants(ctx context.Context, status int, media, method, path, body string, header ...string) (answer, error) {
	a, err := s.ask(ctx, method, path, body, header...)
	if err == nil {
		err = a.want(status, media)
	}
	return a, err
}

// want returns an error unless the answer has the status and, if given, the media type.
func (a answer) want(status int, media string) error {
	got, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if a.status == status && (media == "" || got == media) {
		return nil
	}
	text := fmt.Sprintf("HTTP %d %s instead of %d %s", a.status, got, status, media)
	return errors.New(strings.TrimRight(text, " ") + a.likely())
}

// likely returns the probable reason for an answer that the gateway wrote.
func (a answer) likely() string {
	var gateway struct{ Message string }
	_ = json.Unmarshal(a.body, &gateway) // the body may be something other than JSON
	switch {
	case a.status == http.StatusTooManyRequests:
		return "; too many requests at once: try again in a minute"
	case a.status == http.StatusNotFound && gateway.Message == "Not Found":
		return "; the gateway has no such route: deploy template.yaml unchanged, with its $default stage"
	case a.status >= http.StatusInternalServerError && gateway.Message != "":
		return "; the function fails or does not start; see its log group (LogGroups in the stack's outputs)"
	case a.status == http.StatusServiceUnavailable:
		return "; the function cannot reach its table or its secrets; see its log group (LogGroups in the stack's outputs)"
	case a.status/100 == 3:
		return "; it redirects to " + a.header.Get("Location") + ", which most clients do not follow"
	}
	return ""
}

// decode parses JSON.
func (a answer) decode(into any) error {
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("unreadable JSON: %w", err)
	}
	return nil
}

// lists reports whether a header with a comma-separated list contains an item, ignoring case.
func (a answer) lists(header, item string) bool {
	for each := range strings.SplitSeq(strings.Join(a.header.Values(header), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(each), item) {
			return true
		}
	}
	return false
}
