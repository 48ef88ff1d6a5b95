package launchpad

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

// maxAnswer is far more than any answer with tokens, in bytes.
const maxAnswer = 64 << 10

// newHTTPClient follows no redirects: tokens and secrets go where they were meant to go, and nowhere else.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		Timeout:       answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: answerTime, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: answerTime,
		ForceAttemptHTTP2:   true,
		// Shorter than servers keep theirs: a write into a connection just closed may or may not have happened.
		IdleConnTimeout: 45 * time.Second,
	}
}

// A tokenTransport carries token requests, which oauth2 makes, under our name, and reads their answers within bounds.
type tokenTransport struct {
	base      http.RoundTripper
	userAgent string
}

// RoundTrip hands back an answer with its body read. One that is too large is left with none, so that it counts for its
// status alone.
func (t tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.userAgent)
	r.Header.Set("Accept", "application/json")
	response, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswer {
		body = nil
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	// oauth2 would take plain text for a form; tokens come as JSON or not at all.
	response.Header.Set("Content-Type", "application/json")
	return response, nil
}

// unanswered says why there is no answer in words that are not the upstream's: the errors of net/http repeat what they
// could not read.
func unanswered(err error) error {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known
		}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errors.New("its certificate is not to be trusted")
	}
	if broken, ok := errors.AsType[*net.OpError](err); ok {
		return broken
	}
	return errors.New("the connection failed")
}
