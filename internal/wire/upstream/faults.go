package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
)

// refused returns the failure for an answer whose status is not a success.
func (x *exchange) refused(ctx context.Context, a Answer) *failure {
	f := x.request.Call.Fault(a)
	x.outcome = answered
	if a.Status >= 500 && f.Code == fault.UpstreamError {
		x.outcome = failing
	}
	return x.fails(ctx, a, f)
}

// fails returns the failure with the provider's fault for an answer.
func (x *exchange) fails(ctx context.Context, a Answer, f *fault.Error) *failure {
	said := fault.Upstream{Message: strings.ToLower(http.StatusText(a.Status))}
	if f.Upstream != nil {
		said = *f.Upstream
	}
	f.Upstream = x.upstream(a, said.Message)
	f.Upstream.DocumentationURL, f.Upstream.Type = said.DocumentationURL, said.Type
	if a.Status/100 == 3 && !x.client.config.postpones(a.Status) || (a.Status >= 500 || a.Status/100 == 2) && f.Code == fault.UpstreamError {
		x.doubt(f)
	}
	after := RetryAfter(a.Header, x.client.config.Now())
	if f.RateLimit != nil {
		after = nil
	}
	if after == nil && f.RetryAfter > 0 {
		after = &f.RetryAfter
	}
	if f.Retryable && after != nil {
		f.RetryAfter = *after
	}
	if f.Code == fault.RateLimited {
		f.RateLimit = figures(f.RateLimit, a.Header, after)
		meterOf(ctx).limited.Add(1)
	} else {
		f.RateLimit = nil // it only replaced the headers
	}
	cause := fmt.Errorf("%s %s: status %d, request %q", x.request.Method, x.request.URL.Path, a.Status, f.Upstream.RequestID)
	if known := f.Unwrap(); known != nil {
		cause = fmt.Errorf("%w: %w", cause, known)
	}
	return &failure{err: x.about(f).Because(cause), retry: x.retries(a.Status, f), after: after}
}

// unanswered returns the failure for an attempt without an answer, or with only a part of one. ctx
// belongs to the caller, and start is when the attempt began.
func (x *exchange) unanswered(ctx context.Context, start time.Time, err error) *failure {
	x.outcome = x.silence(ctx, start)
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		x.timeouts++
	}
	f := x.silent(err)
	unsent := neverSent(err)
	if !unsent {
		x.doubt(f)
	}
	retry := ctx.Err() == nil && (unsent || x.request.repeatable()) && x.timeouts < maxTimeouts
	return &failure{err: x.about(f), retry: retry}
}

// silence returns the outcome of an attempt without an answer. If the caller gave up or had little
// time left, it shows nothing about the host.
func (x *exchange) silence(ctx context.Context, start time.Time) outcome {
	if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) && time.Since(start) >= x.client.config.ReadTime {
		return failing
	}
	return unknown
}

// notAdmitted returns the failure for a request that was not sent, because of this server's rate
// limit or because the caller's time ended.
func (x *exchange) notAdmitted(ctx context.Context, err error) *failure {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
	case errors.Is(err, context.DeadlineExceeded) && computed(ctx):
		f = fault.New(fault.LimitReached, "this server needed the time of the call for its own work; ask for less at once").Because(err)
	default:
		f = x.silent(err)
	}
	return &failure{err: x.about(f)}
}

func (x *exchange) silent(err error) *fault.Error {
	name := x.client.config.Name
	message := name + " could not be reached; try again in a moment"
	var network net.Error
	reason := Unreachable(err)
	switch {
	case reason != "":
		message = "cannot reach " + x.request.URL.Host + ": " + reason + "; try again in a moment"
	case errors.Is(err, context.Canceled):
		message = "the call was cancelled before " + name + " answered"
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout():
		message = name + " did not answer in time; try again, or ask for less at once"
	}
	f := fault.New(fault.UpstreamError, "%s", message).Because(err)
	f.Upstream = &fault.Upstream{Provider: x.client.config.ID, Message: "no answer"}
	return f
}

// neverSent reports whether no connection was made, so that the request cannot have had an effect.
// The transport dials again for a request only as long as no part of it was written.
func neverSent(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

// garbled returns the fault for an answer that cannot be decoded.
func (x *exchange) garbled(a Answer, cause error) error {
	f := fault.New(fault.UpstreamError, "%s returned an invalid response; try again in a moment", x.client.config.Name)
	f.Upstream = x.upstream(a, "not the JSON expected")
	x.doubt(f)
	return x.about(f).Because(cause)
}

func (x *exchange) tooLarge(a Answer, cause error) *failure {
	f := fault.New(fault.UpstreamError, "the response of %s is too large; request less at once", x.client.config.Name)
	f.Retryable = false
	f.Upstream = x.upstream(a, "too large an answer")
	x.doubt(f)
	return &failure{err: x.about(f).Because(cause)}
}

// doubt marks the fault of a write that may have been carried out. If repeating the write could
// apply it twice, the fault tells the caller to check first.
func (x *exchange) doubt(f *fault.Error) {
	if x.request.reads() {
		return
	}
	f.MayHaveHappened = true
	if !x.request.repeatable() {
		f.Message = x.client.config.Name + " may have done this but returned no clear response; check before you try again"
		f.Retryable, f.RetryAfter = false, 0
	}
}

func (x *exchange) about(f *fault.Error) *fault.Error {
	if r := x.request.About; r.Type != "" {
		f.Resource = &r
	}
	return f
}

func (x *exchange) upstream(a Answer, message string) *fault.Upstream {
	return &fault.Upstream{Provider: x.client.config.ID, Status: a.Status, Message: message, RequestID: supportID.FindString(a.Header.Get(x.client.config.RequestIDHeader))}
}

// supportID matches an ID with which a provider's support finds a request.
var supportID = lazyregexp.New(`^[a-zA-Z0-9._:-]{1,128}$`)

// Unanswered returns the fault for a request that brought no answer. If no connection could be
// made, it names the host and the reason; otherwise it is other.
func Unanswered(to *url.URL, err error, other *fault.Error) *fault.Error {
	if reason := Unreachable(err); reason != "" {
		return fault.New(fault.UpstreamError, "cannot reach %s: %s", to.Host, reason)
	}
	return other
}

// Unreachable returns why no connection to a host could be made, in a few words: the machine is
// offline, for example. It returns "" for every other error.
func Unreachable(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return "no such host"
		}
		return "its name could not be looked up"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not trusted"
	}
	for reason, known := range map[string]syscall.Errno{
		"the connection was refused": syscall.ECONNREFUSED, "the network is unreachable": syscall.ENETUNREACH, "there is no route to it": syscall.EHOSTUNREACH,
	} {
		if errors.Is(err, known) {
			return reason
		}
	}
	return ""
}

// RetryAfter returns the wait of a Retry-After header, in seconds or as a date. It returns nil if
// the header is missing or invalid, and 0 for a date in the past.
func RetryAfter(header http.Header, now time.Time) *time.Duration {
	value := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = max(0, date.Sub(now))
	} else {
		return nil
	}
	return &wait
}

// figures returns the figures that the provider read, or else those in the headers. It returns nil
// if there are none.
func figures(said *fault.RateLimit, h http.Header, wait *time.Duration) *fault.RateLimit {
	if said == nil {
		return rateLimit(h, wait)
	}
	if *said == (fault.RateLimit{}) {
		return nil
	}
	return said
}

// rateLimit returns the figures that the headers contain, or nil if they contain none.
func rateLimit(h http.Header, wait *time.Duration) *fault.RateLimit {
	limit := &fault.RateLimit{
		Limit:     figure[int](h, "X-RateLimit-Limit"),
		Remaining: figure[int](h, "X-RateLimit-Remaining"),
		Reset:     figure[int64](h, "X-RateLimit-Reset"),
	}
	if wait != nil {
		seconds := WholeSeconds(*wait)
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

// WholeSeconds rounds a wait up to seconds: a request that is sent too early is wasted.
func WholeSeconds(d time.Duration) int {
	return int((d + time.Second - 1) / time.Second)
}
