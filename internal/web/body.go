package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

const defaultMaxBody = 1 << 20

// body reads the bytes of one message, at most MaxBody of them.
func (g *Guard) body(w http.ResponseWriter, r *http.Request) ([]byte, *answer) {
	limit := g.MaxBody
	if limit == 0 {
		limit = defaultMaxBody
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		e := rpcError{Code: codeInvalidRequest, Message: fmt.Sprintf("the message is larger than %d bytes", limit)}
		return nil, rpcFailed(http.StatusRequestEntityTooLarge, nil, e)
	case err != nil:
		return nil, rpcFailed(http.StatusBadRequest, nil, rpcError{Code: codeParse, Message: "the body ended too early"})
	case !isJSON(r.Header.Get("Content-Type")):
		e := rpcError{Code: codeInvalidRequest, Message: "Content-Type must be application/json"}
		return nil, rpcFailed(http.StatusUnsupportedMediaType, nil, e)
	}
	return body, nil
}

// isJSON accepts application/json with any parameters, malformed ones included.
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return media == "application/json" && (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}
