package mcphttp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"basecamp-mcp/internal/identity"
)

// forwarded returns the request for the MCP server: the exact bytes that the guard checked, the
// caller in the context, and no header that the server could misread or leak. The server would
// trust any session ID, and would refuse a Last-Event-ID that the specification says to ignore; the
// token must not go further than the guard (MCP, authorization, token passthrough).
func forwarded(r *http.Request, caller identity.Caller, m message, body []byte) *http.Request {
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

// recorded is an http.ResponseWriter that keeps the answer until it is complete. It cannot flush,
// so the MCP server never streams.
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

// succeeded reports whether the answer is a JSON-RPC result. In the legacy era errors have status
// 200 too.
func (rec *recorded) succeeded() bool {
	body := rec.body.Bytes()
	if rec.status != http.StatusOK || !json.Valid(body) {
		return false
	}
	top, bad := members(body, "result")
	return bad == nil && top[0] != nil
}

// agreed returns the protocol version in the answer to a handshake.
func (rec *recorded) agreed() string {
	version, _ := text(at(rec.body.Bytes(), "result", "protocolVersion"))
	return version
}

// copyTo writes the recorded answer. Headers that the guard has set win, and a session ID of the
// MCP server is dropped.
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
	_, _ = w.Write(rec.body.Bytes()) // an error means that the client has disconnected
}

// bodiless drops the body of an answer to HEAD, for servers that do not.
type bodiless struct{ http.ResponseWriter }

func (b bodiless) Write(p []byte) (int, error) { return len(p), nil }
