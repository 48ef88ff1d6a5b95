package sandbox

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/inprocess"
)

// maxBody is the largest accepted request body.
const maxBody = 1 << 20

var versions = []string{"2022-11-28", "2026-03-10"}

// ServeHTTP answers like GitHub on every host.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if drop := s.serve(w, r); drop {
		panic(http.ErrAbortHandler)
	}
}

// serve answers a request. It reports whether the connection must be closed instead.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) (drop bool) {
	s.ready()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	path := r.URL.Path
	if below, ok := strings.CutPrefix(path, restBase); ok && strings.HasPrefix(below, "/") {
		path = below
	}
	entry, number := s.note(r, path, body)
	w.Header().Set("X-Github-Request-Id", fmt.Sprintf("%04X:%05X:%07X", 0xC1A0+number%97, 7919*number%0xfffff, 104729*number%0xfffffff))
	out := &statusWriter{ResponseWriter: w}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		entry.Status = out.status
	}()

	return s.Around(r.Context(), out, entry.Method, entry.Path, entry.Document, func() func() {
		answer := refused(http.StatusBadRequest, "Bad Request", "")
		if err == nil {
			answer = s.answer(r, path, body, entry)
		}
		return func() { answer.write(out) }
	})
}

// answer returns the response to a request.
func (s *Server) answer(r *http.Request, path string, body []byte, entry *Request) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isSignOn(r.URL.Path) {
		return s.signOn(r, body) // for browsers too, so no rule of the API applies
	}
	if isSSO(r.URL.Path) {
		return s.singleSignOnPage(r)
	}
	isREST := strings.HasPrefix(r.URL.Path, restBase+"/")
	switch {
	case !isREST && r.URL.Path != graphqlPath:
		return replyWith(http.StatusNotFound, []byte("<!doctype html><title>Page not found</title><h1>404</h1>\n")).
			withHeader("Content-Type", "text/html; charset=utf-8")
	case r.UserAgent() == "":
		return text(http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.\n")
	case len(body) > maxBody:
		return refused(http.StatusRequestEntityTooLarge, "Request Entity Too Large", "")
	case isREST && strings.HasPrefix(path, "/applications/"):
		return s.applications(r, path, body)
	}
	if version := r.Header.Get("X-Github-Api-Version"); version != "" && !slices.Contains(versions, version) {
		return refused(http.StatusBadRequest, "Unsupported API version", "/about-the-rest-api/api-versions")
	}
	t := s.valid(bearer(r))
	if t == nil {
		return unauthorized(bearer(r))
	}
	resource := core
	switch {
	case !isREST:
		resource = graphql
	case path == "/search/issues":
		resource = search
	}
	return s.metered(r, t, resource, entry, func() (reply, int) {
		if isREST {
			return s.rest(r, t, path, body).unchanged(r), 1
		}
		return s.graphQL(r, t, body)
	})
}

// metered answers within the limit of a resource. work returns a reply and its cost. A reply of 304
// costs nothing.
func (s *Server) metered(r *http.Request, t *token, resource string, entry *Request, work func() (reply, int)) reply {
	var answer reply
	if s.limited(t.person, resource) {
		answer = s.overLimit(t.person, resource)
	} else {
		var cost int
		if answer, cost = work(); answer.status == http.StatusNotModified {
			cost = 0
		}
		s.budget(t.person, resource).used += cost
		entry.Cost = cost
	}
	if !t.app {
		answer.header.Set("X-Oauth-Scopes", strings.Join(t.scopes, ", "))
		if answer.header["X-Accepted-Oauth-Scopes"] == nil {
			answer.header.Set("X-Accepted-Oauth-Scopes", "")
		}
	}
	answer.header.Set("Date", s.now().UTC().Format(http.TimeFormat))
	answer.header.Set("X-Github-Media-Type", "github.v3; format=json")
	version := r.Header.Get("X-Github-Api-Version")
	if version == "" {
		version = versions[0]
	}
	answer.header.Set("X-Github-Api-Version-Selected", version)
	s.rateHeaders(answer.header, t.person, resource)
	return answer
}

// overLimit refuses a request because the person has nothing left.
func (s *Server) overLimit(person *account, resource string) reply {
	message := fmt.Sprintf("API rate limit exceeded for user ID %d.", person.id)
	if resource == graphql {
		return replyWith(http.StatusOK, map[string]any{"errors": []*problem{{Type: "RATE_LIMITED", Message: message}}})
	}
	return refused(http.StatusForbidden, message, "/using-the-rest-api/rate-limits-for-the-rest-api")
}

func unauthorized(sent string) reply {
	if sent == "" {
		return refused(http.StatusUnauthorized, "Requires authentication", "")
	}
	return refused(http.StatusUnauthorized, "Bad credentials", "")
}

// origin returns scheme and host of the client's request, for the URLs in the response.
func origin(r *http.Request) string {
	scheme := r.URL.Scheme
	if scheme == "" {
		scheme = "http"
	}
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// A statusWriter records the status of the response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Transport returns a RoundTripper that answers every host in process, without a socket. A request
// returns as soon as its context ends, even if the sandbox is still working.
func (s *Server) Transport() http.RoundTripper { return inprocess.Transport(s.serve) }
