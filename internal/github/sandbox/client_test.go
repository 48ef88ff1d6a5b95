package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A clock moves only by hand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2031, 3, 12, 9, 30, 0, 0, time.UTC)} }

func newSandbox(t testing.TB) *Server {
	t.Helper()
	return New(Options{Now: newClock().now})
}

// A client is a person who talks to a sandbox.
type client struct {
	t     testing.TB
	s     *Server
	token string
	base  string
}

func as(t testing.TB, s *Server, token string) *client {
	return &client{t: t, s: s, token: token, base: "/repos/fernhill-bikes/configurator"}
}

func ines(t testing.TB, s *Server) *client { return as(t, s, s.Person("ines-albrecht").Token) }

// An answer is a response with its body decoded.
type answer struct {
	*http.Response
	raw  []byte
	body any
}

func (c *client) send(r *http.Request) answer {
	c.t.Helper()
	response, err := c.s.Transport().RoundTrip(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	a := answer{Response: response, raw: raw}
	if strings.Contains(response.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(raw, &a.body); err != nil {
			c.t.Fatalf("%s %s: %v: %.200s", r.Method, r.URL, err, raw)
		}
	}
	return a
}

// request returns a request of the client. A path without a slash in front is below the client's
// repository; "/" is the repository itself.
func (c *client) request(method, path string, body any) *http.Request {
	c.t.Helper()
	switch {
	case strings.HasPrefix(path, URL):
	case strings.HasPrefix(path, "/"):
		path = APIURL + path
	default:
		path = APIURL + c.base + "/" + path
	}
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		reader = strings.NewReader(string(raw))
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, path, reader)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("User-Agent", "sandbox-tests")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return r
}

func (c *client) do(method, path string, body any) answer {
	c.t.Helper()
	return c.send(c.request(method, path, body))
}

func (c *client) get(format string, args ...any) answer {
	c.t.Helper()
	return c.do(http.MethodGet, fmt.Sprintf(format, args...), nil)
}

type values = map[string]any

// ask sends a GraphQL document.
func (c *client) ask(document string, variables values) answer {
	c.t.Helper()
	return c.do(http.MethodPost, URL+graphqlPath, values{"query": document, "variables": variables})
}

// want fails unless the status is the expected one.
func (a answer) want(t testing.TB, status int) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %.300s", a.Request.Method, a.Request.URL, a.StatusCode, status, a.raw)
	}
	return a
}

// at returns a part of the body: at("data", "node", "items", 3).
func (a answer) at(path ...any) any {
	v := a.body
	for _, step := range path {
		switch s := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[s]
		case int:
			list, _ := v.([]any)
			if s >= len(list) {
				return nil
			}
			v = list[s]
		}
	}
	return v
}

func (a answer) text(path ...any) string {
	s, _ := a.at(path...).(string)
	return s
}

func (a answer) len(path ...any) int {
	list, _ := a.at(path...).([]any)
	return len(list)
}

// whole fails if an answer of the GraphQL API has errors.
func (a answer) whole(t testing.TB) answer {
	t.Helper()
	a.want(t, http.StatusOK)
	if a.at("errors") != nil {
		t.Fatalf("errors: %.400s", a.raw)
	}
	return a
}

// wantType fails unless the first error of a GraphQL answer has a type.
func (a answer) wantType(t testing.TB, kind string) answer {
	t.Helper()
	a.want(t, http.StatusOK)
	if a.text("errors", 0, "type") != kind {
		t.Errorf("errors: %.400s, want the type %s", a.raw, kind)
	}
	return a
}
