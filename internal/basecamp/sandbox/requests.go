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

// note adds a request to the log and returns its entry and number.
func (s *Sandbox) note(r *http.Request, path string) (*Request, int) {
	account := strings.Trim(strings.TrimSuffix(r.URL.Path, path), "/")
	entry := &Request{Method: r.Method, Account: account, Path: path, Query: r.URL.RawQuery}
	if isSignOn(path) {
		entry.Query = redacted(r.URL.RawQuery)
	}
	s.mu.Lock()
	if t := s.token(bearer(r), false); t != nil {
		entry.Person = t.name
	}
	s.mu.Unlock()
	return entry, s.Note(entry)
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
