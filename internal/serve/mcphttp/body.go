package mcphttp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

const defaultMaxBody = 1 << 20

// body reads the bytes of one message.
func (g *Guard) body(w http.ResponseWriter, r *http.Request) ([]byte, *answer) {
	body, bad := g.read(w, r)
	if bad == nil && !isJSON(r.Header.Get("Content-Type")) {
		bad = &unreadable{http.StatusUnsupportedMediaType, notJSON}
	}
	if bad == nil {
		return body, nil
	}
	code := codeInvalidRequest
	if bad.status == http.StatusBadRequest {
		code = codeParse
	}
	return nil, rpcFailed(bad.status, nil, rpcError{Code: code, Message: bad.why})
}

const notJSON = "Content-Type must be application/json"

// unreadable is the reason why a body cannot be read, and the status of the answer.
type unreadable struct {
	status int
	why    string
}

// read reads at most MaxBody bytes.
func (g *Guard) read(w http.ResponseWriter, r *http.Request) ([]byte, *unreadable) {
	limit := g.MaxBody
	if limit == 0 {
		limit = defaultMaxBody
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, &unreadable{http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than %d bytes", limit)}
	case err != nil:
		return nil, &unreadable{http.StatusBadRequest, "the request body ended early"}
	}
	return body, nil
}

// isJSON reports whether a content type is application/json, with any parameters, malformed ones
// included.
func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return media == "application/json" && (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}
