// Package inprocess answers HTTP requests in process, without a socket. The sandboxes of all
// providers use it.
package inprocess

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
)

// errDropped is the client's error when the server closes the connection.
var errDropped = errors.New("connection reset by peer")

// Serve answers a request. It reports whether it closed the connection instead.
type Serve func(w http.ResponseWriter, r *http.Request) (dropped bool)

// ServeHTTP implements http.Handler.
func (s Serve) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if dropped := s(w, r); dropped {
		panic(http.ErrAbortHandler)
	}
}

// Transport returns a RoundTripper that answers every host by serve. A request returns as soon as
// its context ends, even if serve is still working.
func Transport(serve Serve) http.RoundTripper { return transport{serve} }

type transport struct{ serve Serve }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	type answer struct {
		Recorder
		dropped bool
	}
	done := make(chan *answer, 1)
	go func() {
		defer r.Body.Close()
		w := &answer{}
		w.dropped = t.serve(w, r)
		done <- w
	}()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case w := <-done:
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		if w.dropped {
			return nil, errDropped
		}
		return w.response(r), nil
	}
}

// Recorder is an http.ResponseWriter that keeps a response instead of sending it. The zero value is
// empty.
type Recorder struct {
	Status int // 0 until it is written
	Body   bytes.Buffer

	header http.Header
}

// Header returns the headers of the response.
func (w *Recorder) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}

// WriteHeader sets the status. Only the first call counts.
func (w *Recorder) WriteHeader(status int) { w.Status = cmp.Or(w.Status, status) }

// Write appends to the body.
func (w *Recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.Body.Write(p)
}

func (w *Recorder) response(r *http.Request) *http.Response {
	w.WriteHeader(http.StatusOK)
	return &http.Response{
		Status:        http.StatusText(w.Status),
		StatusCode:    w.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.Header(),
		Body:          io.NopCloser(&w.Body),
		ContentLength: int64(w.Body.Len()),
		Request:       r,
	}
}
