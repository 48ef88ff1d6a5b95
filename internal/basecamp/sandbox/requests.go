package sandbox

import (
	"math"
	"net/http"
	"time"
)

// A Request is what the sandbox remembers of one that reached it.
type Request struct {
	Method string
	Path   string // without the account: "/projects.json"
	Query  string // as sent, but for what is secret when somebody logs in
	Person string // the name of whose token it carried, empty when it carried none that is known
	Status int    // 0 when it got no answer
}

// requestsKept is how many requests are remembered.
const requestsKept = 2000

// Requests returns the requests that reached the sandbox, oldest first: the last 2,000.
func (s *Sandbox) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return apply(s.requests, func(r *Request) Request { return *r })
}

// ResetRequests forgets the requests so far.
func (s *Sandbox) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// note enters a request in the log and returns its entry and number.
func (s *Sandbox) note(r *http.Request, path string) (*Request, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served++
	entry := &Request{Method: r.Method, Path: path, Query: r.URL.RawQuery}
	if isSignOn(path) {
		entry.Query = redacted(r.URL.RawQuery)
	}
	if t := s.tokens[bearer(r)]; t != nil {
		entry.Person = t.name
	}
	if len(s.requests) == requestsKept {
		s.requests = s.requests[1:]
	}
	s.requests = append(s.requests, entry)
	return entry, s.served
}

const rateWindow = 10 * time.Second

// limited counts a request against the rate limit. It returns the seconds to wait when the limit is exceeded, else 0.
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
