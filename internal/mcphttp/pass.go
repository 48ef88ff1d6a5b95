package mcphttp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"basecamp-mcp/internal/identity"
)

// behind is the request the server behind sees: the very bytes that were checked, the caller in the context, and no header
// it could misread or leak. A session id it would take on trust, Last-Event-ID it would refuse where the specification says
// to ignore it, and the caller's token is nobody's business any more (R20).
func behind(r *http.Request, caller identity.Caller, m message, body []byte) *http.Request {
	in := r.WithContext(identity.With(r.Context(), caller))
	in.Header = r.Header.Clone()
	for _, name := range []string{"Authorization", "Cookie", sessionHeader, "Last-Event-Id"} {
		in.Header.Del(name)
	}
	if m.handshake() {
		in.Header.Del(versionHeader)
	}
	in.Header.Set("Accept", "application/json, text/event-stream")
	in.Header.Set("Content-Type", "application/json")
	in.Body = io.NopCloser(bytes.NewReader(body))
	in.ContentLength = int64(len(body))
	in.TransferEncoding = nil
	return in
}

// recorded is an http.ResponseWriter that keeps the answer until it is whole. It cannot flush, so that the server behind
// never streams.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func record(h http.Handler, r *http.Request) *recorded {
	rec := &recorded{header: make(http.Header)}
	h.ServeHTTP(rec, r)
	return rec
}

func (rec *recorded) Header() http.Header { return rec.header }

func (rec *recorded) WriteHeader(status int) {
	if rec.status == 0 {
		rec.status = status
	}
}

func (rec *recorded) Write(p []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	return rec.body.Write(p)
}

// succeeded reports whether the answer is a JSON-RPC result; in the legacy era errors have status 200 too.
func (rec *recorded) succeeded() bool {
	body := rec.body.Bytes()
	if rec.status != http.StatusOK || !json.Valid(body) {
		return false
	}
	top, bad := members(body, "result")
	return bad == nil && top[0] != nil
}

// copyTo sends what was recorded. Headers the guard has set win, and a session id is never taken from behind.
func (rec *recorded) copyTo(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range rec.header {
		if _, ours := h[name]; !ours && name != sessionHeader {
			h[name] = values
		}
	}
	if rec.body.Len() > 0 {
		h.Set("Content-Length", strconv.Itoa(rec.body.Len()))
	}
	w.WriteHeader(rec.status)
	_, _ = w.Write(rec.body.Bytes()) // the client is gone: nobody is left to tell
}

// bodiless answers HEAD, for servers that do not drop the body themselves.
type bodiless struct{ http.ResponseWriter }

func (b bodiless) Write(p []byte) (int, error) { return len(p), nil }
