package stdio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/wire/inprocess"
)

// answer passes a message to the endpoint and writes the answer. A request that the client has
// canceled gets no answer (MCP, cancellation).
func (c *conversation) answer(ctx context.Context, m mcphttp.Message, line []byte) {
	r, err := c.request(ctx, m, line)
	if err != nil {
		c.write(failure(m.ID, mcp.INTERNAL_ERROR, "the server's own address is malformed", nil))
		return
	}
	w := &recorder{}
	c.server.Handler.ServeHTTP(w, r)
	if m.Method == initialize && w.succeeded() {
		c.agree(m, w)
	}
	if isSilent(m) || errors.Is(context.Cause(ctx), errCanceled) {
		return
	}
	if ctx.Err() != nil && !w.succeeded() { // the endpoint has no answer for a client that has gone
		c.write(failure(m.ID, mcp.INTERNAL_ERROR, stopped, map[string]bool{"may_have_happened": true}))
		return
	}
	c.write(w.message(m.ID))
}

const stopped = "the server was stopped during this call; a write may have been done, so look before trying again"

// request returns the HTTP request of a message. Its headers repeat what the message says, as a
// client over HTTP must (MCP 2026-07-28, streamable HTTP).
func (c *conversation) request(ctx context.Context, m mcphttp.Message, line []byte) (*http.Request, error) {
	c.mu.Lock()
	session, agreed, client := c.session, c.version, c.client
	c.mu.Unlock()
	if named := c.server.Named; named != nil && m.Version == "" && client.Name != "" {
		ctx = named(ctx, client.Name, client.Version)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.URL, bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	r.RequestURI = r.URL.RequestURI()
	r.Header.Set("Authorization", "Bearer "+c.server.Bearer)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if m.Version == "" && m.Method != initialize && session != "" {
		r.Header.Set(mcp.HeaderSessionID, session)
	}
	if version := cmp.Or(m.Version, agreed); version != "" {
		r.Header.Set(mcp.HeaderProtocolVersion, version)
	}
	for name, value := range mcp.StandardHeaders(m.Version, mcp.MCPMethod(m.Method), m.Params) {
		r.Header.Set(name, value)
	}
	return r, nil
}

// agree remembers the session of a handshake, its version, and who the client is.
func (c *conversation) agree(m mcphttp.Message, w *recorder) {
	var asked mcp.InitializeParams
	_ = json.Unmarshal(m.Params, &asked) // a client without a name stays nameless
	var answer struct {
		Result struct {
			ProtocolVersion string
		}
	}
	if json.Unmarshal(w.Body.Bytes(), &answer) != nil || answer.Result.ProtocolVersion == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.version, c.client = w.Header().Get(mcp.HeaderSessionID), answer.Result.ProtocolVersion, asked.ClientInfo
}

// recorder keeps an answer.
type recorder struct{ inprocess.Recorder }

func (w *recorder) succeeded() bool { return w.Status == http.StatusOK }

// message returns the answer as one line of JSON-RPC, without the end of the line. A refusal of the
// endpoint that is not JSON-RPC becomes an error message.
func (w *recorder) message(id json.RawMessage) []byte {
	body := bytes.TrimSpace(w.Body.Bytes())
	if w.succeeded() && len(body) > 0 && bytes.IndexByte(body, '\n') < 0 {
		return body
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members["jsonrpc"] == nil {
		return w.refusal(id, body)
	}
	if members["id"] == nil {
		members["id"] = json.RawMessage("null") // the guard could not read it
	}
	encoded, err := json.Marshal(members)
	if err != nil {
		return failure(id, mcp.INTERNAL_ERROR, noAnswer, nil)
	}
	return encoded
}

const noAnswer = "the server returned no answer"

// refusal returns the error message for a failure in the form of OAuth, such as that of a panic or
// of a missing scope.
func (w *recorder) refusal(id json.RawMessage, body []byte) []byte {
	var refused struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
		RequestID   string `json:"request_id,omitempty"`
	}
	if json.Unmarshal(body, &refused) != nil || refused.Description == "" {
		return failure(id, mcp.INTERNAL_ERROR, noAnswer, nil)
	}
	code := mcp.INVALID_REQUEST
	if w.Status >= http.StatusInternalServerError {
		code = mcp.INTERNAL_ERROR
	}
	data := map[string]string{"error": refused.Error}
	if refused.RequestID != "" {
		data["request_id"] = refused.RequestID
	}
	return failure(id, code, refused.Description, data)
}
