package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// launch is the project of most tests.
const launch = "Cargo Bike Launch"

// noon is a Wednesday, so that "this week" has days before and after it.
var noon = time.Date(2031, time.May, 14, 12, 0, 0, 0, time.UTC)

// A clock is a time that tests can change.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// newSandbox returns a sandbox without a rate limit at the time noon.
func newSandbox(t *testing.T) *Sandbox {
	t.Helper()
	return New(Options{Now: func() time.Time { return noon }, RateLimit: -1})
}

// A caller is a client of the sandbox with a person's token.
type caller struct {
	t       *testing.T
	s       *Sandbox
	token   string
	account int64
	header  http.Header
}

func as(t *testing.T, s *Sandbox, name string) caller {
	t.Helper()
	return caller{t, s, s.Person(name).Token, s.Account(), http.Header{}}
}

// ines returns a caller who is an administrator and a member of all projects.
func ines(t *testing.T, s *Sandbox) caller { return as(t, s, "Ines Albrecht") }

// with returns the caller with one more header. An empty value removes the header.
func (c caller) with(name, value string) caller {
	c.header = c.header.Clone()
	c.header[http.CanonicalHeaderKey(name)] = []string{value}
	return c
}

// An object is decoded JSON. Numbers stay as they were written.
type object map[string]any

func (o object) text(path ...string) string {
	var at any = map[string]any(o)
	for _, key := range path {
		inner, ok := at.(map[string]any)
		if !ok {
			return fmt.Sprintf("(no %s)", strings.Join(path, "."))
		}
		at = inner[key]
	}
	return fmt.Sprint(at)
}

func (o object) list(key string) []object {
	items, _ := o[key].([]any)
	return apply(items, func(item any) object { return item.(map[string]any) })
}

// A response is an HTTP response with its body.
type response struct {
	*http.Response
	t    *testing.T
	body []byte
}

func (r response) decode(into any) {
	r.t.Helper()
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		r.t.Fatalf("%s %s: %v in %.200q", r.Request.Method, r.Request.URL, err, r.body)
	}
}

func (r response) object() object {
	r.t.Helper()
	var o object
	r.decode(&o)
	return o
}

func (r response) list() []object {
	r.t.Helper()
	var l []object
	r.decode(&l)
	return l
}

// want fails the test unless the response has the status.
func (r response) want(status int) response {
	r.t.Helper()
	if r.StatusCode != status {
		r.t.Fatalf("%s %s answered %d, want %d: %.300s", r.Request.Method, r.Request.URL.Path, r.StatusCode, status, r.body)
	}
	return r
}

// request builds a request. A path with a scheme is used unchanged, other paths are within the
// account.
func (c caller) request(method, path string, body any) *http.Request {
	c.t.Helper()
	var reader io.Reader
	if body != nil {
		data, isBytes := body.([]byte)
		if !isBytes {
			var err error
			if data, err = json.Marshal(body); err != nil {
				c.t.Fatal(err)
			}
		}
		reader = bytes.NewReader(data)
	}
	url := path
	if !strings.Contains(path, "://") {
		url = fmt.Sprintf("%s/%d%s", BaseURL, c.account, path)
	}
	r, err := http.NewRequestWithContext(context.Background(), method, url, reader)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("User-Agent", "sandbox tests (https://tests.example)")
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	for name, values := range c.header {
		r.Header[name] = values
		if values[0] == "" && name != "User-Agent" {
			r.Header.Del(name)
		}
	}
	return r
}

func (c caller) do(method, path string, body any) response {
	c.t.Helper()
	resp, err := c.s.Transport().RoundTrip(c.request(method, path, body))
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response{resp, c.t, data}
}

func (c caller) get(path string, args ...any) response {
	c.t.Helper()
	return c.do(http.MethodGet, fmt.Sprintf(path, args...), nil)
}

func (c caller) post(path string, body any) response {
	c.t.Helper()
	return c.do(http.MethodPost, path, body)
}

func (c caller) put(path string, body any) response {
	c.t.Helper()
	return c.do(http.MethodPut, path, body)
}

// all returns a list from all of its pages.
func (c caller) all(path string, args ...any) []object {
	c.t.Helper()
	var items []object
	next := fmt.Sprintf(path, args...)
	for range 200 {
		r := c.get("%s", next).want(http.StatusOK)
		items = append(items, r.list()...)
		if next = nextLink(r.Header); next == "" {
			return items
		}
	}
	c.t.Fatalf("%s: no end after 200 pages", path)
	return nil
}

func nextLink(h http.Header) string {
	link, _, found := strings.Cut(h.Get("Link"), `>; rel="next"`)
	if !found {
		return ""
	}
	return strings.TrimPrefix(link, "<")
}

func titles(items []object) []string {
	return apply(items, func(o object) string { return o.text("title") })
}
