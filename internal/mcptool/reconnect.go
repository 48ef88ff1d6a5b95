package mcptool

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// Reconnector mends connections whose grant Basecamp no longer accepts.
type Reconnector interface {
	// ReconnectURL makes a link by which the caller in ctx, and nobody else, reconnects; "" when a link would not help.
	ReconnectURL(ctx context.Context) (string, error)
	// EndConnection ends the caller's connection if it cannot be mended otherwise, so that the client has them log in
	// anew.
	EndConnection(ctx context.Context) error
}

const (
	reconnectID = "reconnect_basecamp"
	maxRounds   = 5
	roundTime   = 10 * time.Minute // as long as the link is good for
)

var errState = errors.New("request state is not ours, or not for this call")

// round is what a client brings back to a call that asked its person to reconnect. The call itself depends on nothing in
// it; it only counts.
type round struct {
	Tool      string `json:"tool"`
	Arguments string `json:"args"` // a digest
	Number    int    `json:"n"`
	Expires   int64  `json:"exp"` // Unix seconds
}

// reconnect answers a call that failed because Basecamp no longer accepts the person's grant. A client that can open a link
// for its person is asked to, and repeats the call; any other gets the link as text, and a connection that is at an end.
func (s *Server) reconnect(ctx context.Context, c toolCall, f *fault.Error) *Outcome {
	link := s.reconnectLink(ctx)
	if link == "" {
		return failure(c.tool.Name, f)
	}
	caller, _ := identity.From(ctx)
	if opensLinks(ctx) && len(caller.Key) > 0 && c.round.Number < maxRounds {
		next := round{Tool: c.tool.Name, Arguments: digest(c.arguments), Number: c.round.Number + 1, Expires: time.Now().Add(roundTime).Unix()}
		asks := server.NewInputRequestBuilder(next.seal(caller.Key)).Elicit(reconnectID, mcp.ElicitationParams{
			Mode:    mcp.ElicitationModeURL,
			URL:     link,
			Message: "Basecamp no longer accepts our access, as happens after a change of password. Reconnect to continue.",
		}).ToolResult()
		return &Outcome{IsError: true, Message: f.Message, Fault: f, asks: asks}
	}
	told := *f
	told.Message = "Basecamp no longer accepts this connection. Ask the person to open " + link +
		" (good for ten minutes) and log in to Basecamp, then call again; the client may ask them to log in once more."
	outcome := failure(c.tool.Name, &told)
	if !opensLinks(ctx) {
		outcome.meta = loginAgain(ctx)
		s.endConnection(ctx)
	}
	return outcome
}

// reconnectLink is the link to reconnect by, "" when there is none.
func (s *Server) reconnectLink(ctx context.Context) string {
	link, err := s.options.Reconnector.ReconnectURL(ctx)
	if err != nil {
		s.options.Log.ErrorContext(ctx, "make a reconnect link", "err", err, "request_id", identity.RequestID(ctx))
	}
	return link
}

func (s *Server) endConnection(ctx context.Context) {
	if err := s.options.Reconnector.EndConnection(ctx); err != nil {
		s.options.Log.ErrorContext(ctx, "end a connection", "err", err, "request_id", identity.RequestID(ctx))
	}
}

// loginAgain is how ChatGPT learns that it should offer its login.
func loginAgain(ctx context.Context) *mcp.Meta {
	challenge := `Bearer resource_metadata="` + identity.Origin(ctx) + `/.well-known/oauth-protected-resource/mcp", ` +
		`error="invalid_token", error_description="Basecamp no longer accepts this connection; log in again"`
	return &mcp.Meta{AdditionalFields: map[string]any{"mcp/www_authenticate": []string{challenge}}}
}

// opensLinks reports whether the client said in this very request that it can open a link for its person. mcp-go does not
// check, and would wait forever for a client of the legacy era.
func opensLinks(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	return info != nil && info.Modern && info.ClientCapabilities != nil &&
		info.ClientCapabilities.Elicitation != nil && info.ClientCapabilities.Elicitation.URL != nil
}

// resume reads what a client brings back. That its person has opened the link does not mean that they finished: the call is
// simply made again, and finds out.
func (c *toolCall) resume(ctx context.Context) error {
	if c.params.RequestState == "" {
		return nil
	}
	caller, _ := identity.From(ctx)
	var err error
	if c.round, err = openRound(c.params.RequestState, caller.Key); err != nil || !c.round.fits(c) {
		return fault.New(fault.InvalidInput, "requestState is not for this call, or too old; call the tool again without it").Because(errState)
	}
	answer := server.ElicitationResponse(c.params.InputResponses, reconnectID)
	if answer != nil && answer.Action != mcp.ElicitationResponseActionAccept {
		return fault.New(fault.TokenExpired, "the person chose not to reconnect Basecamp now, so nothing was done").Because(errDeclined)
	}
	return nil
}

var errDeclined = errors.New("declined")

func (r round) fits(c *toolCall) bool {
	return r.Tool == c.tool.Name && r.Arguments == digest(c.arguments) && time.Now().Unix() < r.Expires
}

// digest names arguments by what they say, however they are written.
func digest(arguments json.RawMessage) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	canonical := []byte(arguments)
	if decoder.Decode(&value) == nil {
		if encoded, err := json.Marshal(value); err == nil {
			canonical = encoded
		}
	}
	sum := sha256.Sum256(canonical)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

const stateVersion = "v1"

// seal signs a round with the connection's key: what comes back is ours, and this connection's.
func (r round) seal(key []byte) string {
	payload, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	text := stateVersion + "." + base64.RawURLEncoding.EncodeToString(payload)
	return text + "." + base64.RawURLEncoding.EncodeToString(signRound(text, key))
}

func openRound(state string, key []byte) (r round, err error) {
	i := strings.LastIndexByte(state, '.')
	if i < 0 || len(key) == 0 {
		return r, errState
	}
	mac, err := base64.RawURLEncoding.Strict().DecodeString(state[i+1:])
	if err != nil || !hmac.Equal(mac, signRound(state[:i], key)) {
		return r, errState
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(state[:i], stateVersion+"."))
	if err != nil {
		return r, errState
	}
	err = json.Unmarshal(payload, &r)
	return r, err
}

func signRound(text string, key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, "request state "+text)
	return mac.Sum(nil)
}
