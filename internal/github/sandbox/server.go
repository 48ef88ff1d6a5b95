package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/wire/inprocess"
)

// maxBody is the largest accepted request body.
const maxBody = 1 << 20

var versions = []string{"2022-11-28", "2026-03-10"}

// ServeHTTP answers like GitHub on every host.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	inprocess.Serve(s.serve).ServeHTTP(w, r)
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
	out := s.Watch(w, &entry.Status)
	return s.Around(r.Context(), out, entry.Method, entry.Path, entry.Document, func() func() {
		answer := refused(http.StatusBadRequest, "Bad Request", "")
		if err == nil {
			answer = s.answer(r, path, body)
		}
		return func() { answer.write(out) }
	})
}

// answer returns the response to a request.
func (s *Server) answer(r *http.Request, path string, body []byte) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isSignOn(r.URL.Path) {
		return s.signOn(r, body) // for browsers too, so no rule of the API applies
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
	var answer reply
	if isREST {
		answer = outcome(func() reply { return s.rest(r, t, path, body) }).unchanged(r)
	} else {
		answer = outcome(func() reply { return s.graphQL(r, t, body) })
	}
	answer.header.Set("X-Oauth-Scopes", strings.Join(t.scopes, ", "))
	answer.header.Set("Date", s.now().UTC().Format(http.TimeFormat))
	return answer
}

func unauthorized(sent string) reply {
	if sent == "" {
		return refused(http.StatusUnauthorized, "Requires authentication", "")
	}
	return refused(http.StatusUnauthorized, "Bad credentials", "")
}

// Transport returns a RoundTripper that answers every host in process, without a socket. A request
// returns as soon as its context ends, even if the sandbox is still working.
func (s *Server) Transport() http.RoundTripper { return inprocess.Transport(s.serve) }

// Fault describes how requests fail.
type Fault = inprocess.Fault

// A Request is the sandbox's record of a received request.
type Request struct {
	Method    string
	Path      string // REST without its base: "/repos/fernhill-bikes/configurator/issues"
	Query     string // as sent; empty for a login, which has secrets
	Operation string // name of a GraphQL operation
	Document  string // the text of a GraphQL document
	Person    string // login of the token's person, empty without a valid token
	Status    int    // 0 without a response
}

// note adds a request to the log and returns its entry and number.
func (s *Server) note(r *http.Request, path string, body []byte) (entry *Request, number int) {
	entry = &Request{Method: r.Method, Path: path}
	if !isSignOn(r.URL.Path) {
		entry.Query = r.URL.RawQuery
	}
	if r.URL.Path == graphqlPath {
		var document struct {
			Query any `json:"query"`
		}
		_ = json.Unmarshal(body, &document)
		entry.Document, _ = document.Query.(string)
		entry.Operation = operationName(entry.Document)
	}
	s.mu.Lock()
	if t := s.valid(bearer(r)); t != nil {
		entry.Person = t.person.login
	}
	s.mu.Unlock()
	return entry, s.Note(entry)
}

var operation = lazyregexp.New(`^\s*(?:query|mutation)\s+(\w+)`)

func operationName(document string) string {
	if found := operation.FindStringSubmatch(document); found != nil {
		return found[1]
	}
	return ""
}

const (
	jsonType = "application/json; charset=utf-8"
	docs     = "https://docs.github.com/rest"
)

// A reply is a response: a status and a value for the JSON body. A body of []byte is sent as it is.
type reply struct {
	status int
	header http.Header
	body   any
}

func replyWith(status int, body any) reply {
	return reply{status: status, header: http.Header{}, body: body}
}

// outcome returns the reply of handle, or the refusal that ended it.
func outcome(handle func() reply) (r reply) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case reply:
			r = ended
		default:
			panic(ended)
		}
	}()
	return handle()
}

// refuse ends a request to either API with a refusal under a condition.
func refuse[R reply | *problem](condition bool, refusal R) {
	if condition {
		panic(refusal)
	}
}

func (r reply) withHeader(name, value string) reply {
	r.header[name] = []string{value}
	return r
}

func text(status int, words string) reply {
	return replyWith(status, []byte(words)).withHeader("Content-Type", "text/plain; charset=utf-8")
}

// refused returns a refusal of the REST API. page is a page of GitHub's documentation.
func refused(status int, message, page string) reply {
	return replyWith(status, map[string]any{
		"message": message, "documentation_url": docs + page, "status": strconv.Itoa(status),
	})
}

// A flaw is an entry of the documented list of errors. Its code is missing, missing_field, invalid,
// already_exists, unprocessable or custom (GitHub Docs, "Troubleshooting the REST API").
type flaw struct {
	Resource string `json:"resource"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code"`
	Value    any    `json:"value,omitempty"`
	Message  string `json:"message,omitempty"`
}

func invalid(page string, flaws ...flaw) reply {
	r := refused(http.StatusUnprocessableEntity, "Validation Failed", page)
	r.body.(map[string]any)["errors"] = flaws
	return r
}

// malformed refuses a body whose field has another type than documented. Such a refusal has no list
// of errors.
func malformed(page, field, problem string) reply {
	return refused(http.StatusUnprocessableEntity, fmt.Sprintf("Invalid request.\n\nFor 'properties/%s', %s.", field, problem), page)
}

func notFound(page string) reply { return refused(http.StatusNotFound, "Not Found", page) }

func (r reply) bytes() []byte {
	switch body := r.body.(type) {
	case nil:
		return nil
	case []byte:
		return body
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r.body); err != nil {
		return []byte(`{"message":"Server Error"}`)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// unchanged returns the reply as 304 if the request has its ETag. It adds the ETag to replies to
// GET.
func (r reply) unchanged(request *http.Request) reply {
	if request.Method != http.MethodGet || r.status != http.StatusOK {
		return r
	}
	h := fnv.New128a()
	_, _ = h.Write(r.bytes())
	_, _ = io.WriteString(h, r.header.Get("Link"))
	tag := fmt.Sprintf(`W/"%x"`, h.Sum(nil))
	r.header.Set("Etag", tag)
	r.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	r.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP")
	if request.Header.Get("If-None-Match") == tag {
		return reply{status: http.StatusNotModified, header: r.header}
	}
	return r
}

func (r reply) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), r.header)
	body := r.bytes()
	if len(body) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", jsonType)
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(body)
}

const (
	usualPage   = 30
	largestPage = 100
)

// page replies with one page of a list, and links to the next. A size or page that is not a
// positive number counts as the usual one.
func page[T, V any](c *call, items []T, show func(T) V) reply {
	size := min(positive(c.query.Get("per_page"), usualPage), largestPage)
	number := positive(c.query.Get("page"), 1)
	last := max(1, (len(items)+size-1)/size)
	from := min(min(number-1, last)*size, len(items))
	to := min(from+size, len(items))
	r := replyWith(http.StatusOK, apply(items[from:to], show))
	if number < last {
		query := c.r.URL.Query()
		below := "search/issues"
		if c.repo != nil {
			below = fmt.Sprintf("repositories/%d/%s", c.repo.id, strings.Replace(c.route.path, "{n}", strconv.Itoa(c.number), 1))
		}
		query.Set("page", strconv.Itoa(number+1))
		r.header.Set("Link", fmt.Sprintf(`<%s%s/%s?%s>; rel="next"`, c.origin, restBase, below, query.Encode()))
	}
	return r
}

func positive(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}
