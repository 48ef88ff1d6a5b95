package mcphttp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"basecamp-mcp/internal/signin/identity"
)

// forwarded returns the request for the MCP server: the exact bytes that the guard checked, the
// caller in the context, and no header that the server could misread or leak. The server would
// trust any session ID, and would refuse a Last-Event-ID that the specification says to ignore; the
// token must not go further than the guard (MCP, authorization, token passthrough).
func forwarded(r *http.Request, caller identity.Caller, m Message, body []byte) *http.Request {
	in := r.WithContext(identity.With(r.Context(), caller))
	in.Header = make(http.Header, len(r.Header))
	for name, values := range r.Header {
		switch name {
		case "Authorization", "Cookie", sessionHeader, "Last-Event-Id":
			continue
		case versionHeader:
			if m.handshake() {
				continue
			}
		}
		in.Header[name] = values
	}
	in.Header["Accept"] = acceptedTypes
	in.Header["Content-Type"] = jsonType
	in.Body = io.NopCloser(bytes.NewReader(body))
	in.ContentLength = int64(len(body))
	in.TransferEncoding = nil
	return in
}

// Values of headers, which nothing changes.
var (
	acceptedTypes = []string{"application/json, text/event-stream"}
	jsonType      = []string{"application/json"}
)

// constantWriter is an http.ResponseWriter that keeps what it has encoded of bytes which never
// change, such as the writer of lambdahttp.
type constantWriter interface {
	// WriteConstant writes bytes that stay the same as long as the process runs.
	WriteConstant(p []byte) (int, error)
}

// WriteConstant writes constant bytes to any http.ResponseWriter.
func WriteConstant(w http.ResponseWriter, p []byte) (int, error) {
	if c, ok := w.(constantWriter); ok {
		return c.WriteConstant(p)
	}
	return w.Write(p)
}

// recorded is an http.ResponseWriter that keeps the answer until it is complete. It cannot flush,
// so the MCP server never streams. An answer that declares its length need not be kept: it goes
// directly to the client.
type recorded struct {
	to     http.ResponseWriter // nil: every answer is kept
	direct bool                // the answer goes to the client
	header http.Header
	status int
	body   bytes.Buffer
}

func record(h http.Handler, to http.ResponseWriter, r *http.Request) *recorded {
	rec := &recorded{to: to, header: make(http.Header, 2)}
	h.ServeHTTP(rec, r)
	return rec
}

func (rec *recorded) Header() http.Header { return rec.header }

func (rec *recorded) WriteHeader(status int) {
	if rec.status != 0 {
		return
	}
	rec.status = status
	if rec.direct = rec.to != nil && rec.header["Content-Length"] != nil; rec.direct {
		rec.writeHeader(rec.to)
	}
}

func (rec *recorded) Write(p []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	if rec.direct {
		return rec.to.Write(p)
	}
	return rec.body.Write(p)
}

// WriteConstant writes bytes that never change; see constantWriter.
func (rec *recorded) WriteConstant(p []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	if rec.direct {
		return WriteConstant(rec.to, p)
	}
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
	version, _ := text(valueAt(rec.body.Bytes(), "result", "protocolVersion"))
	return version
}

// finish writes the answer if it was kept.
func (rec *recorded) finish(w http.ResponseWriter) {
	if rec.direct {
		return
	}
	if rec.body.Len() > 0 {
		rec.header.Set("Content-Length", strconv.Itoa(rec.body.Len()))
	}
	rec.writeHeader(w)
	_, _ = w.Write(rec.body.Bytes()) // an error means that the client has disconnected
}

// writeHeader writes the status and the headers. Headers that the guard has set win, and a session
// ID of the MCP server is dropped.
func (rec *recorded) writeHeader(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range rec.header {
		if _, ours := h[name]; !ours && name != sessionHeader {
			h[name] = values
		}
	}
	w.WriteHeader(rec.status)
}
