package lambdahttp

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"sync"
)

// response is the ResponseWriter of one event. It does not implement http.Flusher: the gateway
// cannot send a part of an answer.
type response struct {
	method string
	zips   bool // the client accepts gzip
	header http.Header
	status int
	sniff  bool // there is no Content-Type; the body decides
	coded  bool // the body is already compressed
	zipped bool // the body should be compressed here if it is long enough
	body   *bytes.Buffer
	ended  []byte // constant bytes that follow body
	kept   *constants
	answer []byte // the answer's JSON; starts when the headers are written
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// largestKept is the capacity of the largest buffer that is kept for the next request, in bytes.
const largestKept = 1 << 20

func newResponse(method string, zips bool, kept *constants) *response {
	return &response{method: method, zips: zips, kept: kept, header: make(http.Header), body: bodies.Get().(*bytes.Buffer)}
}

// Header returns the headers. As in net/http, changes after WriteHeader have no effect.
func (w *response) Header() http.Header { return w.header }

// WriteHeader sets the status. Only the first call counts. Informational statuses are dropped,
// because the gateway cannot send them.
func (w *response) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid status %d", status))
	}
	if w.status != 0 || status < 200 {
		return
	}
	w.status = status
	w.coded = w.header.Get("Content-Encoding") != ""
	_, typed := w.header["Content-Type"]
	w.sniff = !typed && !w.coded
	if w.zipped = w.zips && !w.coded && isJSON(w.header); w.zipped {
		w.header.Add("Vary", "Accept-Encoding")
	}

	w.answer = append(make([]byte, 0, 512), `{"statusCode":`...)
	w.answer = strconv.AppendInt(w.answer, int64(status), 10)
	w.answer = appendCookies(w.answer, w.header["Set-Cookie"])
	w.answer = appendHeaders(w.answer, w.header)
}

// Write appends to the body.
func (w *response) Write(p []byte) (int, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	return w.body.Write(p)
}

// WriteString appends to the body. It saves io.WriteString a copy.
func (w *response) WriteString(s string) (int, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	return w.body.WriteString(s)
}

// WriteConstant appends bytes that stay the same as long as the process runs. At the end of an
// answer they are escaped and compressed once, not for every caller.
func (w *response) WriteConstant(p []byte) (int, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	w.ended = p
	return len(p), nil
}

// begin prepares the response for more of its body.
func (w *response) begin() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !bodyAllowed(w.status) {
		return http.ErrBodyNotAllowed
	}
	w.join()
	return nil
}

// join appends the constant bytes to the others.
func (w *response) join() {
	_, _ = w.body.Write(w.ended) // writing to a buffer cannot fail
	w.ended = nil
}

func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// finish returns the whole answer. The response must not be used afterwards.
func (w *response) finish() []byte {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	defer w.release()

	if answer, ok := w.withConstant(); ok {
		return answer
	}
	w.join()
	body := w.body.Bytes()
	if w.sniff && len(body) > 0 {
		w.answer = appendHeader(w.answer, "Content-Type", http.DetectContentType(body))
	}
	if w.method == http.MethodHead {
		body = nil
	}
	if w.zipped && len(body) >= leastZipped {
		packed := bodies.Get().(*bytes.Buffer)
		defer recycle(packed)
		zip(packed, body)
		body, w.coded = packed.Bytes(), true
		w.answer = appendHeader(w.answer, "Content-Encoding", "gzip")
	}
	return appendBody(append(w.answer, '}'), body, w.coded)
}

// withConstant returns the whole answer if its end is constant and already encoded, or can be
// encoded for all further callers.
func (w *response) withConstant() ([]byte, bool) {
	if w.sniff || w.coded || w.method == http.MethodHead {
		return nil, false
	}
	k, ok := w.kept.find(w.ended)
	head := w.body.Bytes()
	switch {
	case !ok || len(head) > mostStored:
		return nil, false
	case w.zipped && len(head)+len(w.ended) >= leastZipped:
		return k.appendZippedBody(append(appendHeader(w.answer, "Content-Encoding", "gzip"), '}'), head), true
	}
	return k.appendPlainBody(append(w.answer, '}'), head)
}

func (w *response) release() {
	recycle(w.body)
	w.body, w.ended = nil, nil
}

func recycle(body *bytes.Buffer) {
	if body.Cap() <= largestKept {
		body.Reset()
		bodies.Put(body)
	}
}

// refusal returns a complete answer with an error in OAuth's format. Both texts must be plain
// ASCII.
func refusal(status int, code, description string) []byte {
	w := newResponse(http.MethodGet, false, nil)
	w.header.Set("Content-Type", "application/json")
	w.header.Set("Cache-Control", "no-store")
	w.header.Set("Strict-Transport-Security", "max-age=31536000") // the gateway has no plain http
	w.header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q,"error_description":%q}`, code, description)
	return w.finish()
}
