package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
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

const jsonType = "application/json; charset=utf-8"

// maxBody is the largest accepted request body.
const maxBody = 16 << 20

// ServeHTTP answers like Basecamp on every host: the API's, Launchpad's and the file store's.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	inprocess.Serve(s.serve).ServeHTTP(w, r)
}

// serve answers a request. It reports whether the connection must be closed instead.
func (s *Sandbox) serve(w http.ResponseWriter, r *http.Request) (drop bool) {
	path := withoutAccount(r.URL.Path)
	entry, number := s.note(r, path)
	w.Header().Set("X-Request-Id", requestID(number))
	out := s.Watch(w, &entry.Status)
	return s.Around(r.Context(), out, r.Method, path, "", func() func() {
		a := s.answer(r)
		return func() { a.write(out, r) }
	})
}

// answer returns the response to a request. It makes the checks that precede authentication, and
// calls dispatch.
func (s *Sandbox) answer(r *http.Request) answer {
	if r.Host == storageHost {
		return s.storedFile(r)
	}
	if isSignOn(r.URL.Path) {
		return s.signOn(r) // for browsers, which have no User-Agent with a contact
	}
	if seconds := s.limited(); seconds > 0 {
		a := failure(http.StatusTooManyRequests, "Too many requests. Slow down and try again later.").answer()
		a.header.Set("Retry-After", strconv.Itoa(seconds))
		return a
	}
	if !contact.MatchString(r.UserAgent()) {
		return plainAnswer(http.StatusBadRequest,
			"Say who you are: a User-Agent with your application's name and a link or an e-mail address is required.\n")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return failure(http.StatusBadRequest, "Bad Request").answer()
	}
	if len(body) > maxBody {
		return failure(http.StatusRequestEntityTooLarge, "Request Entity Too Large").answer()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return answered(func() reply { return s.dispatch(r, body) }).answer()
}

// dispatch authenticates a request and calls its handler. The caller holds the lock.
func (s *Sandbox) dispatch(r *http.Request, body []byte) reply {
	t := s.authenticate(r)
	path := strings.TrimSuffix(strings.TrimSuffix(r.URL.Path, "/"), ".json")
	if path == "/authorization" {
		refuse(r.Method != http.MethodGet && r.Method != http.MethodHead, notFound())
		return s.authorization(r, t)
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	a := s.account(first)
	refuse(a == nil, notFound())
	refuse(a.inactive, notFound().because("Account Inactive"))
	me := t.personIn(a)
	refuse(me == nil, notFound())
	return s.route(&call{
		s: s, account: a, me: me, r: r, query: r.URL.Query(), raw: body, origin: inprocess.Origin(r), base: inprocess.Origin(r) + "/" + first,
		appBase: appOrigin + "/" + first, encoded: map[*Person]encoded{},
	}, rest)
}

// route finds the project of legacy routes, and calls the handler with the documented parts of the
// request.
func (s *Sandbox) route(c *call, path string) reply {
	segments := strings.Split(path, "/")
	method := c.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	known := s.documented.Find(method, segments)
	if known == nil {
		s.undocumented(fmt.Sprintf("%s /%s is not a documented route", method, path))
		return notFound()
	}
	if segments[0] == "buckets" {
		id, _ := strconv.ParseInt(segments[1], 10, 64)
		c.bucket = c.findProject(id)
		refuse(c.bucket == nil, notFound())
	}
	handle := routes()[known.Name]
	refuse(handle == nil, notFound().because("Demo")) // documented, but not made up
	c.params = known.Params(segments)
	c.readBody(known.IsFile())
	for _, name := range slices.Concat(known.Query(c.query), known.Fields(c.fields)) {
		s.undocumented(fmt.Sprintf("%s /%s has no documented %q", method, path, name))
	}
	return handle(c)
}

// contact matches a User-Agent with an application's name and a contact.
var contact = lazyregexp.New(`\S.*(https?://\S+|\S+@\S+)`)

// account returns an account by the first segment of a path.
func (s *Sandbox) account(segment string) *account {
	return first(s.accounts, func(a *account) bool { return strconv.FormatInt(a.ID, 10) == segment })
}

// withoutAccount returns the path in the form of tests: /projects.json.
func withoutAccount(path string) string {
	first, rest, found := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if _, err := strconv.ParseInt(first, 10, 64); err != nil || !found {
		return path
	}
	return "/" + rest
}

func requestID(n int) string {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, int64(n))
	sum := h.Sum64()
	return fmt.Sprintf("%08x-%04x-4%03x-9%03x-%012x", uint32(sum>>32), uint16(sum>>16), uint16(sum)&0xfff, uint16(sum>>40)&0xfff, n)
}

// write sends the response. It sends 304 if the client has the current version.
func (a answer) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	maps.Copy(h, a.header)
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	if get && a.status == http.StatusOK && a.header.Get("Cache-Control") == "" {
		tag := a.etag()
		h.Set("ETag", tag)
		h.Set("Cache-Control", "max-age=0, private, must-revalidate")
		if matches(r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if len(a.body) == 0 || r.Method == http.MethodHead {
		w.WriteHeader(a.status)
		return
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// etag returns a value that changes with every visible part of the response.
func (a answer) etag() string {
	h := sha256.New() // the fastest on most machines
	_, _ = h.Write(a.body)
	_, _ = io.WriteString(h, a.header.Get("Link")+a.header.Get("X-Total-Count"))
	return fmt.Sprintf(`W/"%x"`, h.Sum(nil)[:16])
}

func matches(ifNoneMatch, tag string) bool {
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || candidate != "" && strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// Transport returns a RoundTripper that answers every host in process, without a socket. A request
// returns as soon as its context ends, even if the sandbox is still working.
func (s *Sandbox) Transport() http.RoundTripper { return inprocess.Transport(s.serve) }
