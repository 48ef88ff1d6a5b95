package upstream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"basecamp-mcp/internal/report/fault"
)

const (
	maxBody      = 16 << 20 // bytes of an answer after decompression
	maxErrorBody = 1 << 20  // bytes that are read of a refusal
)

// exchange is one request with all its attempts.
type exchange struct {
	client  *Client
	request Request
	renewed bool      // the credential was renewed once
	kept    validator // of the cached answer, if there is one

	probe    bool    // the request tests whether the host answers again
	outcome  outcome // of the last attempt that was sent
	timeouts int     // attempts that exceeded the time of a read
}

// Do sends a request and returns the answer: a success, or a redirect that the request keeps.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	a, err := (&exchange{client: c, request: r}).run(ctx)
	body := bytes.Clone(a.Body) // into as many bytes as it has
	recycle(a.Body)
	a.Body = body
	return a, err
}

// attempt sends the request. If the provider refuses the credential, it renews the credential once
// in an exchange and sends the request again. A refused request changed nothing, so this is safe
// for writes too.
func (x *exchange) attempt(ctx context.Context) (Answer, *failure) {
	a, failed := x.send(ctx)
	if failed == nil || a.Status != http.StatusUnauthorized || x.renewed {
		return a, failed
	}
	x.renewed = true
	if err := x.request.Call.Renew(ctx); err != nil {
		return a, &failure{err: err}
	}
	return x.send(ctx)
}

// send makes one HTTP request within the limits.
func (x *exchange) send(ctx context.Context) (Answer, *failure) {
	if x.request.Admit != nil {
		leave, err := x.request.Admit(ctx)
		if err != nil {
			return Answer{}, x.notAdmitted(ctx, err)
		}
		defer leave()
	}
	leave, err := x.client.admit(ctx, x.request.User)
	if err != nil {
		return Answer{}, x.notAdmitted(ctx, err)
	}
	defer leave()
	return x.ask(ctx)
}

// ask makes one HTTP request, and limits the time of a read.
func (x *exchange) ask(caller context.Context) (Answer, *failure) {
	ctx, start := caller, time.Now()
	if x.request.reads() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(caller, x.client.config.ReadTime)
		defer cancel()
	}
	request, err := x.httpRequest(ctx)
	if err != nil {
		return Answer{}, &failure{err: err}
	}
	response, err := x.do(request)
	if err != nil {
		return Answer{}, x.unanswered(caller, start, err)
	}
	defer response.Body.Close()
	return x.read(caller, start, response)
}

// read reads the answer to a request that began at start.
func (x *exchange) read(ctx context.Context, start time.Time, response *http.Response) (Answer, *failure) {
	a := Answer{Status: response.StatusCode, URL: x.request.URL, Header: response.Header}
	if !x.accepts(a.Status) {
		a.Body, _ = io.ReadAll(io.LimitReader(response.Body, maxErrorBody)) // without it, the status says enough
		return a, x.refused(ctx, a)
	}
	x.outcome = answered
	body, err := whole(http.MaxBytesReader(nil, response.Body, maxBody), response.ContentLength)
	a.Body = body
	Look(ctx, len(body))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return a, x.tooLarge(a, err)
	case err != nil:
		return a, x.unanswered(ctx, start, err)
	}
	if x.request.Screen != nil {
		shown, err := x.request.Screen(ctx, a)
		if f, ok := errors.AsType[*fault.Error](err); ok { // as if the provider had not found it
			a.Status, a.Body = http.StatusNotFound, nil
			return a, x.fails(ctx, a, f)
		}
		if err != nil {
			return a, &failure{err: err}
		}
		a = shown
	}
	return a, x.judged(ctx, a)
}

// judged returns the failure that an answer describes in spite of its status.
func (x *exchange) judged(ctx context.Context, a Answer) *failure {
	if x.request.Judge == nil {
		return nil
	}
	f := x.request.Judge(a)
	if f == nil {
		return nil
	}
	return x.fails(ctx, a, f)
}

// do sends a request. One that keeps a redirect bypasses http.Client, which would follow it.
func (x *exchange) do(r *http.Request) (*http.Response, error) {
	if x.request.KeepRedirect {
		return x.client.http.Transport.RoundTrip(r)
	}
	return x.client.http.Do(r)
}

// accepts reports whether a status is a success. A 304 is one only for a conditional request.
func (x *exchange) accepts(status int) bool {
	return status/100 == 2 || x.request.KeepRedirect && IsRedirect(status) || status == http.StatusNotModified && x.kept != validator{}
}

func (x *exchange) httpRequest(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if x.request.Body != nil {
		body = bytes.NewReader(x.request.Body)
	}
	r, err := http.NewRequestWithContext(ctx, x.request.Method, x.request.URL.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	r.Header.Set("User-Agent", x.client.config.UserAgent)
	r.Header.Set("Accept", cmp.Or(x.request.Accept, "application/json"))
	if body != nil {
		r.Header.Set("Content-Type", cmp.Or(x.request.ContentType, "application/json; charset=utf-8"))
	}
	x.request.Call.Authorize(r.Header)
	x.kept.ask(r.Header)
	return r, nil
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// mostPooled is the capacity of the largest buffer that is kept for the next body, in bytes.
const mostPooled = 256 << 10

// whole reads a body that has a number of bytes, or -1 if that is unknown, as of a compressed one.
func whole(r io.Reader, size int64) ([]byte, error) {
	buffer := bodies.Get().(*bytes.Buffer)
	if size > 0 && size <= maxBody {
		buffer.Grow(int(size) + bytes.MinRead)
	}
	_, err := buffer.ReadFrom(r)
	if buffer.Len() == 0 {
		bodies.Put(buffer)
		return nil, err
	}
	return buffer.Bytes(), err
}

// recycle keeps the memory of a body for the next one. Nobody may use the body any more.
func recycle(body []byte) {
	if cap(body) > 0 && cap(body) <= mostPooled {
		bodies.Put(bytes.NewBuffer(body[:0]))
	}
}
