package sandbox

import (
	"math"
	"net/http"
	"strings"
	"time"

	"basecamp-mcp/internal/wire/inprocess"
)

// A Request is the sandbox's record of a received request.
type Request struct {
	Method  string
	Account string // as the path has it, empty if it has none
	Path    string // without the account: "/projects.json"
	Query   string // as sent, but without the secrets of a login
	Person  string // name of the token's owner, empty without a valid token
	Status  int    // 0 without a response
}

// requestsKept is the number of requests in the log.
const requestsKept = 2000

// Requests returns the last 2,000 requests that the sandbox received, oldest first.
func (s *Sandbox) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return apply(s.requests, func(r *Request) Request { return *r })
}

// ResetRequests clears the log.
func (s *Sandbox) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// note adds a request to the log and returns its entry and number.
func (s *Sandbox) note(r *http.Request, path string) (*Request, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served++
	account := strings.Trim(strings.TrimSuffix(r.URL.Path, path), "/")
	entry := &Request{Method: r.Method, Account: account, Path: path, Query: r.URL.RawQuery}
	if isSignOn(path) {
		entry.Query = redacted(r.URL.RawQuery)
	}
	if t := s.accessToken(bearer(r)); t != nil {
		entry.Person = t.name
	}
	if len(s.requests) == requestsKept {
		s.requests = s.requests[1:]
	}
	s.requests = append(s.requests, entry)
	return entry, s.served
}

const rateWindow = 10 * time.Second

// limited counts a request against the rate limit. It returns the seconds to wait if the limit is
// exceeded, otherwise 0.
func (s *Sandbox) limited() int {
	if s.rateLimit < 0 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.recent = filter(s.recent, func(at time.Time) bool { return now.Sub(at) < rateWindow })
	if len(s.recent) >= s.rateLimit {
		return max(1, int(math.Ceil((rateWindow - now.Sub(s.recent[0])).Seconds())))
	}
	s.recent = append(s.recent, now)
	return 0
}

// Fault describes how requests fail. Paths have no account.
type Fault = inprocess.Fault
