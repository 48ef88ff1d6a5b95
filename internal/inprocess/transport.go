// Package inprocess answers HTTP requests in process, without a socket. The sandboxes of all
// providers use it.
package inprocess

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// errDropped is the client's error when the server closes the connection.
var errDropped = errors.New("connection reset by peer")

// Serve answers a request. It reports whether it closed the connection instead.
type Serve func(w http.ResponseWriter, r *http.Request) (dropped bool)

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
	done := make(chan *recorder, 1)
	go func() {
		defer r.Body.Close()
		w := newRecorder()
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

// A recorder stores a response instead of sending it.
type recorder struct {
	status  int
	header  http.Header
	body    bytes.Buffer
	dropped bool
}

func newRecorder() *recorder { return &recorder{header: http.Header{}} }

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *recorder) response(r *http.Request) *http.Response {
	w.WriteHeader(http.StatusOK)
	return &http.Response{
		Status:        http.StatusText(w.status),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.header,
		Body:          io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()),
		Request:       r,
	}
}
