package basecamp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
)

const provider = "basecamp"

// refused is what an answer that is none means: the table of statuses.
func (x *exchange) refused(a answer) *failure {
	f := x.meaning(a)
	if f.Upstream == nil {
		f.Upstream = a.upstream(strings.ToLower(http.StatusText(a.status)))
	}
	if a.status/100 == 3 || a.status >= 500 && f.Code == fault.UpstreamError {
		x.doubt(f)
	}
	expect := retryAfter(a.header, x.client.now())
	if f.Retryable && expect != nil {
		f.RetryAfter = *expect
	}
	if f.Code == fault.RateLimited {
		f.RateLimit = rateLimit(a.header, expect)
	}
	cause := fmt.Errorf("%s %s: status %d, request %q", x.request.method, x.url.Path, a.status, requestID(a.header))
	return &failure{err: x.about(f).Because(cause), again: x.request.retried(a.status), expect: expect}
}

func (x *exchange) meaning(a answer) *fault.Error {
	switch a.status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return x.invalid(a)
	case http.StatusUnauthorized:
		return fault.New(fault.TokenExpired, "Basecamp no longer accepts this connection; connect to Basecamp again")
	case http.StatusForbidden:
		return forbidden(a)
	case http.StatusNotFound, http.StatusGone:
		return x.notFound(a)
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return fault.New(fault.InternalError, "Basecamp did not understand our request")
	case http.StatusConflict:
		return fault.New(fault.Conflict, "this has changed in Basecamp meanwhile; read it again before trying again")
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.InvalidInput, "this is more than Basecamp takes at once; send less")
	case http.StatusTooManyRequests:
		return limited(retryAfter(a.header, x.client.now()))
	case http.StatusInsufficientStorage:
		return fault.New(fault.LimitReached, "this account has reached a limit of its Basecamp plan; its owner can raise it")
	}
	f := fault.New(fault.UpstreamError, "Basecamp is having trouble; try again in a moment")
	if a.status/100 == 3 && a.status != http.StatusNotModified || a.status/100 == 4 && a.status != http.StatusRequestTimeout {
		f.Message = "Basecamp answered in a way that is not known here; trying again will not help"
		f.Retryable = false
	}
	return f
}

func forbidden(a answer) *fault.Error {
	message := "this person may not do this in Basecamp"
	switch {
	case strings.Contains(strings.Join(a.header.Values("WWW-Authenticate"), ","), "insufficient_scope"):
		message = "this connection to Basecamp may only read; connect again and allow it to write"
	case a.reason() == "agent_not_permitted":
		message = "Basecamp does not let agent accounts do this; connecting again will not help"
	}
	return fault.New(fault.PermissionDenied, "%s", message)
}

func (x *exchange) notFound(a answer) *fault.Error {
	if strings.EqualFold(a.header.Get("Reason"), "Account Inactive") {
		return fault.New(fault.NotFound, "this Basecamp account is inactive; its owner has to reactivate it first")
	}
	return fault.New(fault.NotFound, "Basecamp has %s, or this person may not see that", x.request.missing())
}

// missing names what a request did not find: the item itself or, for a read of what an item holds, only that.
func (r request) missing() string {
	if r.file {
		return "no file at its address"
	}
	if r.about.Type == "" {
		return cmp.Or(reportWords[strings.TrimSuffix(r.path, ".json")], "nothing there")
	}
	item := strings.ReplaceAll(r.about.Type, "_", " ") + " " + r.about.ID
	part := r.part()
	if part == "" || r.method != http.MethodGet && r.method != "" {
		return "no " + item
	}
	return "no " + cmp.Or(partWords[part], strings.ReplaceAll(part, "_", " ")) + " of " + item
}

// part is the last word of a request's path: what of an item is asked for, "" for the item itself.
func (r request) part() string {
	segments := strings.Split(strings.TrimSuffix(r.path, ".json"), "/")
	for _, segment := range slices.Backward(segments) {
		switch {
		case segment == r.about.ID:
			return ""
		case strings.Trim(segment, "0123456789") != "":
			return segment
		}
	}
	return ""
}

// reportWords are what is asked for by requests that are about no one item.
var reportWords = map[string]string{
	"account": "no name of this account", "my/profile": "no profile of this person", "my/assignments": "no list of assignments",
	"my/question_reminders": "no list of check-ins that wait for an answer", "my/readings": "no notifications", "people": "no list of people",
	"projects": "no list of projects", "reports/progress": "no list of activity", "reports/schedules/upcoming": "no report on schedules",
}

// partWords are parts that the API calls otherwise than Basecamp does.
var partWords = map[string]string{
	"events": "history", "recordings": "list of items", "todolists": "to-do lists", "todos": "to-dos", "uploads": "files", "vaults": "folders",
}

// invalid passes on what Basecamp says of the input: the only words of its that a caller gets to see.
func (x *exchange) invalid(a answer) *fault.Error {
	f := fault.New(fault.InvalidInput, "Basecamp did not accept the input; correct it as the validation says")
	sentence, violations := complaint(a.body, x.credential.AccessToken)
	if len(violations) == 0 {
		f.Message = "Basecamp did not accept the request, and does not say why"
		return f
	}
	f.Validation = violations
	f.Upstream = a.upstream(sentence)
	return f
}

func limited(wait *time.Duration) *fault.Error {
	if wait == nil {
		return fault.New(fault.RateLimited, "Basecamp asks to slow down; try again in a moment")
	}
	return fault.New(fault.RateLimited, "Basecamp asks to slow down; try again in %d s", wholeSeconds(*wait))
}

// rateLimit gathers what the headers say of the limit; what they do not say stays out (E-06).
func rateLimit(h http.Header, wait *time.Duration) *fault.RateLimit {
	limit := &fault.RateLimit{
		Limit:     figure[int](h, "X-RateLimit-Limit"),
		Remaining: figure[int](h, "X-RateLimit-Remaining"),
		Reset:     figure[int64](h, "X-RateLimit-Reset"),
	}
	if wait != nil {
		seconds := wholeSeconds(*wait)
		limit.RetryAfter = &seconds
	}
	if *limit == (fault.RateLimit{}) {
		return nil
	}
	return limit
}

func figure[N int | int64](h http.Header, name string) *N {
	n, err := strconv.ParseInt(h.Get(name), 10, 64)
	if err != nil {
		return nil
	}
	value := N(n)
	return &value
}

// unanswered is an attempt that got no answer, or only part of one.
func (x *exchange) unanswered(ctx context.Context, err error) *failure {
	f := silence(err)
	unsent := neverSent(err)
	if !unsent {
		x.doubt(f)
	}
	again := ctx.Err() == nil && (unsent || x.request.repeatable())
	return &failure{err: x.about(f), again: again}
}

// notAdmitted is an attempt that was not made: a limit of ours, or the caller's time, came first.
func (x *exchange) notAdmitted(err error) *failure {
	var f *fault.Error
	if !errors.As(err, &f) {
		f = silence(err)
	}
	return &failure{err: x.about(f)}
}

func silence(err error) *fault.Error {
	message := "Basecamp could not be reached; try again in a moment"
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		message = "the call was cancelled before Basecamp answered"
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout():
		message = "Basecamp did not answer in time; try again, or ask for less at once"
	}
	f := fault.New(fault.UpstreamError, "%s", message).Because(err)
	f.Upstream = &fault.Upstream{Provider: provider, Message: "no answer"}
	return f
}

// neverSent reports whether no connection came about, so that nothing can have happened. The transport dials again for a
// request only while none of it was written.
func neverSent(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

// garbled is an answer in which what was asked for could not be found.
func (x *exchange) garbled(a answer, cause error) error {
	f := fault.New(fault.UpstreamError, "Basecamp's answer could not be understood; try again in a moment")
	f.Upstream = a.upstream("not the JSON expected")
	x.doubt(f)
	return x.about(f).Because(cause)
}

func (x *exchange) tooLarge(a answer, cause error) *failure {
	f := fault.New(fault.UpstreamError, "Basecamp's answer is too large to read; ask for less at once")
	f.Retryable = false
	f.Upstream = a.upstream("too large an answer")
	x.doubt(f)
	return &failure{err: x.about(f).Because(cause)}
}

// doubt marks a failure after which a write may have been carried out. Where doing it twice would be twice too many, the
// caller must look first.
func (x *exchange) doubt(f *fault.Error) {
	if x.request.method == http.MethodGet {
		return
	}
	f.MayHaveHappened = true
	if !x.request.repeatable() {
		f.Message = "Basecamp may have done this, although no clear answer came; look before trying again"
		f.Retryable = false
	}
}

func (x *exchange) about(f *fault.Error) *fault.Error {
	if r := x.request.about; r.Type != "" {
		f.Resource = &r
	}
	return f
}

func (a answer) upstream(message string) *fault.Upstream {
	return &fault.Upstream{Provider: provider, Status: a.status, Message: message, RequestID: requestID(a.header)}
}
