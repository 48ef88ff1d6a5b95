// Package signon is the client that all providers' sign-ons share: token requests that leak
// nothing, and the checks of a token answer.
package signon

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// MaxAnswer is the largest token answer that is read, in bytes. Real ones are far smaller.
const MaxAnswer = 64 << 10

// answerTime is the timeout of a request, from its first byte to the last byte of the answer.
const answerTime = 5 * time.Second

// newHTTPClient returns a client that does not follow redirects, so that tokens and secrets reach
// only the configured host.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		Timeout:       answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// tokenTransport sends oauth2's token requests with this server's user agent and limits the size
// of answers.
type tokenTransport struct {
	base      http.RoundTripper
	userAgent string
}

// RoundTrip returns a response whose body has been read. It drops a body that is too large, so that
// only the status counts.
func (t tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.userAgent)
	r.Header.Set("Accept", "application/json")
	response, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > MaxAnswer {
		body = nil
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	// oauth2 would read plain text as a form, but tokens are sent only as JSON.
	response.Header.Set("Content-Type", "application/json")
	return response, nil
}

// Unanswered returns the reason for a missing answer in this server's words: net/http's errors
// quote parts of the answer.
func Unanswered(err error) error {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known
		}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errors.New("its certificate is not trusted")
	}
	if broken, ok := errors.AsType[*net.OpError](err); ok {
		return broken
	}
	return errors.New("the connection failed")
}
