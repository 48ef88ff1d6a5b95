package basecamp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

const (
	maxBody      = 16 << 20 // bytes of an answer, unzipped
	maxErrorBody = 1 << 20  // bytes of a refusal that are looked at
)

// exchange is one request on behalf of one person, with all its attempts.
type exchange struct {
	client     *Client
	request    request
	credential Credential
	refreshed  bool
	url        *url.URL
	kept       freshness // of the answer at hand, if there is one
}

// answer is what came back, read whole.
type answer struct {
	status int
	url    *url.URL // as it was requested
	header http.Header
	body   []byte
}

// unchanged reports that the answer is the one at hand.
func (a answer) unchanged() bool { return a.status == http.StatusNotModified }

func (c *Client) begin(ctx context.Context, r request) (*exchange, error) {
	credential, err := c.tokens.Credential(ctx, "")
	if err != nil {
		return nil, err
	}
	if credential.AccessToken == "" || credential.Account <= 0 {
		return nil, errors.New("the token source gave no token, or no account")
	}
	if r.method == "" {
		r.method = http.MethodGet
	}
	u := c.base.JoinPath(strconv.FormatInt(credential.Account, 10), r.path)
	u.RawQuery = r.query.Encode()
	return &exchange{client: c, request: r, credential: credential, url: u}, nil
}

// attempt sends the request; once in an exchange, when the token is refused, again with another. A refused request has
// done nothing, so this is safe for writes too (B-47).
func (x *exchange) attempt(ctx context.Context) (answer, *failure) {
	a, failed := x.send(ctx)
	if failed == nil || a.status != http.StatusUnauthorized || x.refreshed {
		return a, failed
	}
	x.refreshed = true
	if err := x.refresh(ctx); err != nil {
		return a, &failure{err: err}
	}
	return x.send(ctx)
}

func (x *exchange) refresh(ctx context.Context) error {
	old := x.credential
	renewed, err := x.client.tokens.Credential(ctx, old.AccessToken)
	if err != nil {
		return err
	}
	if renewed.Person != old.Person || renewed.Account != old.Account {
		return errors.New("the token source changed the person in the middle of a call")
	}
	x.credential = renewed
	return nil
}

// send makes one HTTP request, within the limits.
func (x *exchange) send(ctx context.Context) (answer, *failure) {
	leave, err := x.client.admit(ctx)
	if err != nil {
		return answer{}, x.notAdmitted(err)
	}
	defer leave()
	request, err := x.httpRequest(ctx)
	if err != nil {
		return answer{}, &failure{err: err}
	}
	response, err := x.do(request)
	if err != nil {
		return answer{}, x.unanswered(ctx, err)
	}
	defer response.Body.Close()
	meterOf(ctx).answered(response.StatusCode)
	a := answer{status: response.StatusCode, url: x.url, header: response.Header}
	if !x.accepts(a.status) {
		a.body, _ = io.ReadAll(io.LimitReader(response.Body, maxErrorBody)) // its status says enough
		return a, x.refused(a)
	}
	a.body, err = io.ReadAll(http.MaxBytesReader(nil, response.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return a, x.tooLarge(a, err)
	case err != nil:
		return a, x.unanswered(ctx, err)
	}
	return a, nil
}

// do sends the request of a file past the client, which would follow the redirect that is its answer.
func (x *exchange) do(r *http.Request) (*http.Response, error) {
	if x.request.file {
		return x.client.http.Transport.RoundTrip(r)
	}
	return x.client.http.Do(r)
}

// accepts reports whether a status is an answer; an unasked 304 is none.
func (x *exchange) accepts(status int) bool {
	return status/100 == 2 || x.request.file && redirects(status) || status == http.StatusNotModified && x.kept != freshness{}
}

func (x *exchange) httpRequest(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if x.request.body != nil {
		body = bytes.NewReader(x.request.body)
	}
	r, err := http.NewRequestWithContext(ctx, x.request.method, x.url.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+x.credential.AccessToken)
	r.Header.Set("User-Agent", x.client.userAgent)
	r.Header.Set("Accept", "application/json")
	if x.request.file {
		r.Header.Set("Accept", "*/*")
	}
	if body != nil {
		r.Header.Set("Content-Type", cmp.Or(x.request.contentType, "application/json; charset=utf-8"))
	}
	x.kept.ask(r.Header)
	return r, nil
}
