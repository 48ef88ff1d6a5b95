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
	answer []byte // the answer's JSON; starts when the headers are written
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// largestKept is the capacity of the largest buffer that is kept for the next request, in bytes.
const largestKept = 1 << 20

func newResponse(method string, zips bool) *response {
	return &response{method: method, zips: zips, header: make(http.Header), body: bodies.Get().(*bytes.Buffer)}
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
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !bodyAllowed(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	return w.body.Write(p)
}

// WriteString appends to the body. It saves io.WriteString a copy.
func (w *response) WriteString(s string) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !bodyAllowed(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	return w.body.WriteString(s)
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

func (w *response) release() {
	recycle(w.body)
	w.body = nil
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
	w := newResponse(http.MethodGet, false)
	w.header.Set("Content-Type", "application/json")
	w.header.Set("Cache-Control", "no-store")
	w.header.Set("Strict-Transport-Security", "max-age=31536000") // the gateway has no plain http
	w.header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q,"error_description":%q}`, code, description)
	return w.finish()
}
