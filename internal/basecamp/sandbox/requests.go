package sandbox

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
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

// A Fault describes how requests fail. Method and PathPrefix select the requests: an empty one
// matches all requests, and paths have no account. The other fields say what happens. A Fault with
// only a Delay slows requests down.
type Fault struct {
	Method     string
	PathPrefix string
	Times      int // how many requests fail, 0 for all

	Status  int // the response's status, with Header and Body
	Header  http.Header
	Body    string
	Delay   time.Duration // wait before everything else
	Hang    bool          // respond only when the client has given up
	Garbage bool          // respond 200 with incomplete JSON
	Drop    bool          // close the connection without a response

	// AfterEffect processes the request first: the client gets no response to a write that succeeded.
	AfterEffect bool
}

// Inject makes the next matching requests fail. If several faults match, the oldest is used first.
func (s *Sandbox) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times == 0 {
		f.Times = -1
	}
	s.faults = append(s.faults, &f)
}

// ClearFaults removes all faults.
func (s *Sandbox) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// fault returns the fault for a request and counts its use. It returns nil if no fault matches.
func (s *Sandbox) fault(method, path string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Method != "" && f.Method != method || !strings.HasPrefix(path, f.PathPrefix) {
			continue
		}
		if f.Times--; f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f
	}
	return nil
}

// fails reports whether the fault replaces the response.
func (f *Fault) fails() bool { return f.Status != 0 || f.Hang || f.Garbage || f.Drop }

// wait blocks for the delay, or until the client gives up.
func (f *Fault) wait(ctx context.Context) {
	if f.Delay <= 0 {
		return
	}
	timer := time.NewTimer(f.Delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// answer fails a request. It reports whether the connection must be closed.
func (f *Fault) answer(ctx context.Context, w http.ResponseWriter) (drop bool) {
	switch {
	case f.Hang:
		<-ctx.Done()
		return true
	case f.Drop:
		return true
	case f.Garbage:
		w.Header().Set("Content-Type", jsonType)
		_, _ = w.Write([]byte(`[{"id":48120933`))
		return false
	}
	for name, values := range f.Header {
		w.Header()[name] = slices.Clone(values)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", jsonType)
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(f.Body))
	return false
}
