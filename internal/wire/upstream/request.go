package upstream

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/writeplan"
)

// Request is one request to a provider.
type Request struct {
	Call Call // the provider's part
	// User is a key of the user. Answers are cached for this user only, and not at all if it is empty.
	User         string
	Method       string
	URL          *url.URL
	Body         []byte         // nil for none
	ContentType  string         // of the body; empty: JSON
	Accept       string         // empty: JSON
	Effect       Effect         // zero: what the method says
	KeepRedirect bool           // a redirect is the answer and is not followed
	About        fault.Resource // what a failure is about; zero if it is not about one thing
	Attempts     int            // at most this many; 0: three
	// Admit waits until the user may send one more request. Each attempt calls it, and calls leave
	// after the answer. A fault that it returns is the result. If it is nil, there is no such wait.
	Admit func(ctx context.Context) (leave func(), err error)
	// Judge returns the fault of an answer that refuses with the status of a success, as in GraphQL;
	// otherwise nil. Its fault is treated like that of Call.Fault. If Judge is nil, every success is
	// one.
	Judge func(a Answer) *fault.Error
	// Screen returns the part of an answer that the caller may see, or the fault if that is nothing.
	// If it is nil, the caller may see everything. What is screened is kept in no cache. Screen sends
	// no request.
	Screen func(ctx context.Context, a Answer) (Answer, error)
}

func (r Request) attempts() int { return cmp.Or(r.Attempts, maxAttempts) }

// Call is the provider's part in one request: its user, and the meaning of a refusal.
type Call interface {
	// Authorize adds the user's credential, and other headers that the provider requires.
	Authorize(h http.Header)
	// Renew replaces the credential after the provider answered 401 to it. The error is returned to
	// the caller as it is.
	Renew(ctx context.Context) error
	// Fault returns the meaning of an answer whose status is not a success. RATE_LIMITED means that
	// the request changed nothing, so it is retried with every method. Its Upstream may have a
	// Message, a DocumentationURL and a Type; the other fields are added here. If it has a
	// RateLimit, that and its RetryAfter count instead of the answer's headers; an empty RateLimit
	// means that the provider named no valid figure. Callers see it only with RATE_LIMITED.
	// A cause that the fault has goes to the log too.
	Fault(a Answer) *fault.Error
	// Plan records the request, a write, in a plan. It returns the body of an answer as the provider
	// would give it.
	Plan(ctx context.Context, plan *writeplan.Plan) (body []byte, err error)
	// Opposite returns a function that says what undoes each write of the request, given the
	// provider's answer to it. It is called before the request is sent, and may read what the call has
	// not.
	Opposite(ctx context.Context, journal *writeplan.Journal) (after func(answer []byte) []writeplan.Step, err error)
}

// Effect says what happens when a request is sent twice.
type Effect int

const (
	// ByMethod means that GET and HEAD only read, PUT and DELETE have the same result when they are
	// repeated, and all other methods do not.
	ByMethod Effect = iota
	// Repeatable is a POST that has the same result when it is repeated.
	Repeatable
	// Reads is a POST that only reads, such as a query in GraphQL.
	Reads
)

// reads reports whether the request changes nothing.
func (r Request) reads() bool {
	return r.Effect == Reads || r.Method == http.MethodGet || r.Method == http.MethodHead
}

// repeatable reports whether sending the request twice has the same result as sending it once.
func (r Request) repeatable() bool {
	return r.reads() || r.Effect == Repeatable || r.Method == http.MethodPut || r.Method == http.MethodDelete
}

// Answer is a response whose body has been read.
type Answer struct {
	Status int
	URL    *url.URL // of the request, before redirects
	Header http.Header
	Body   []byte
}

// Unchanged reports whether the answer says that the cached one is still current.
func (a Answer) Unchanged() bool { return a.Status == http.StatusNotModified }
