package sandbox

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"basecamp-mcp/internal/inprocess"
	"basecamp-mcp/internal/lazyregexp"
)

// Fault describes how requests fail.
type Fault = inprocess.Fault

// A Request is the sandbox's record of a received request.
type Request struct {
	Method    string
	Path      string // REST without its base: "/repos/fernhill-bikes/configurator/issues"
	Query     string // as sent, but without the secrets of a login
	Operation string // name of a GraphQL operation
	Document  string // the text of a GraphQL document
	Person    string // login of the token's person, empty without a valid token
	Status    int    // 0 without a response
	Cost      int    // requests or points that it used
}

// requestsKept is the number of requests in the log.
const requestsKept = 2000

// Requests returns the last 2,000 requests that the sandbox received, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return apply(s.requests, func(r *Request) Request { return *r })
}

// ResetRequests clears the log.
func (s *Server) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// note adds a request to the log and returns its entry and number.
func (s *Server) note(r *http.Request, path string, body []byte) (entry *Request, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served++
	entry = &Request{Method: r.Method, Path: path, Query: r.URL.RawQuery}
	if isSignOn(r.URL.Path) {
		entry.Query = redacted(r.URL.RawQuery)
	}
	if r.URL.Path == graphqlPath {
		var document struct {
			Query any `json:"query"`
		}
		_ = json.Unmarshal(body, &document)
		entry.Document, _ = document.Query.(string)
		entry.Operation = operationName(entry.Document)
	}
	if t := s.valid(bearer(r)); t != nil {
		entry.Person = t.person.login
	}
	if len(s.requests) == requestsKept {
		s.requests = s.requests[1:]
	}
	s.requests = append(s.requests, entry)
	return entry, s.served
}

var operation = lazyregexp.New(`^\s*(?:query|mutation)\s+(\w+)`)

func operationName(document string) string {
	if found := operation.FindStringSubmatch(document); found != nil {
		return found[1]
	}
	return ""
}

// redacted returns the query of a login for the log: names stay, secrets are removed.
func redacted(rawQuery string) string {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "[redacted]"
	}
	for name, values := range query {
		if !slices.Contains([]string{"client_id", "redirect_uri", "scope", "prompt", "login", "allow_signup", "code_challenge_method"}, name) {
			for i := range values {
				values[i] = "[redacted]"
			}
		}
	}
	return query.Encode()
}
