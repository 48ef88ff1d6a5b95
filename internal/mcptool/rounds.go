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

const (
	maxRounds = 5
	roundTime = 10 * time.Minute // as long as a link is valid
)

var (
	errState    = errors.New("this server did not issue the request state for this call")
	errDeclined = errors.New("declined")
)

// round is the state that a client returns after its user was asked for something: to reconnect, to
// link a provider, or to confirm. It says what the user was asked for, and counts the attempts.
type round struct {
	Tool      string `json:"tool"`
	Arguments string `json:"args"` // a digest
	Number    int    `json:"n"`
	Expires   int64  `json:"exp"` // Unix seconds
	// Provider is the ID of the provider. It is empty for the one with which users sign in.
	Provider string `json:"provider,omitempty"`
	// Reason says why the user was asked to link the provider.
	Reason fault.LinkReason `json:"reason,omitempty"`
	// Confirms is the argument that the user was asked to fill in. If it is set, the round is not
	// about a provider.
	Confirms string `json:"confirms,omitempty"`
}

// asks returns the outcome of a call whose client must ask the user first. next is the state for
// the client's next attempt, and id names the request.
func (c toolCall) asks(ctx context.Context, f *fault.Error, next round, id string, params mcp.ElicitationParams) *Outcome {
	caller, _ := identity.From(ctx)
	next.Tool, next.Arguments, next.Number = c.tool.Name, digest(c.arguments), c.round.Number+1
	next.Expires = time.Now().Add(roundTime).Unix()
	outcome := failure(c.tool.Name, f)
	outcome.asks = server.NewInputRequestBuilder(next.seal(caller.Key)).Elicit(id, params).ToolResult()
	return outcome
}

// mayAsk reports whether a further round is possible.
func (c toolCall) mayAsk(ctx context.Context) bool {
	caller, _ := identity.From(ctx)
	return len(caller.Key) > 0 && c.round.Number < maxRounds
}

// elicits returns how the client of this request can ask its user, or nil if it cannot. Only the
// stateless era can: mcp-go does not check what a client declares, and would wait forever for a
// client of the legacy era.
func elicits(ctx context.Context) *mcp.ElicitationCapability {
	info := server.RequestProtocolInfoFromContext(ctx)
	if info == nil || !info.Modern || info.ClientCapabilities == nil {
		return nil
	}
	return info.ClientCapabilities.Elicitation
}

// returned returns the state and the answers that a client sent with a call. The legacy era has
// neither, and ignores unknown parameters.
func returned(ctx context.Context, params mcp.MultiRoundTripParams) mcp.MultiRoundTripParams {
	if info := server.RequestProtocolInfoFromContext(ctx); info == nil || !info.Modern {
		return mcp.MultiRoundTripParams{}
	}
	return params
}

// opensLinks reports whether the client declared in this request that it can open a link for its
// user.
func opensLinks(ctx context.Context) bool {
	declared := elicits(ctx)
	return declared != nil && declared.URL != nil
}

// showsForms reports whether the client declared in this request that it can show its user a form.
// A capability without a mode means forms (MCP 2026-07-28, elicitation, capabilities).
func showsForms(ctx context.Context) bool {
	declared := elicits(ctx)
	return declared != nil && (declared.Form != nil || declared.URL == nil)
}

// resume reads the state that a client returns, and the user's answer. An opened link does not mean
// that the user finished: the call runs again and finds out.
func (s *Server) resume(ctx context.Context, c *toolCall) error {
	if c.params.RequestState == "" {
		return nil
	}
	caller, _ := identity.From(ctx)
	r, err := openRound(c.params.RequestState, caller.Key)
	if err != nil || !r.fits(c) {
		return fault.New(fault.InvalidInput, "requestState has expired or belongs to another call; call the tool again without it").Because(errState)
	}
	c.round = r
	answer := server.ElicitationResponse(c.params.InputResponses, s.requestID(r))
	switch {
	case answer == nil:
	case answer.Action != mcp.ElicitationResponseActionAccept:
		return s.declined(r)
	case r.Confirms != "":
		c.confirmed = &confirmation{argument: r.Confirms, text: textIn(answer.Content, r.Confirms)}
	}
	return nil
}

// requestID returns the name of the request that a round made.
func (s *Server) requestID(r round) string {
	switch {
	case r.Confirms != "":
		return confirmID
	case r.Provider != "":
		return linkID(s.provider(r.Provider))
	}
	return reconnectID(s.provider(""))
}

// declined returns the failure of a call whose user declined what the round asked for.
func (s *Server) declined(r round) error {
	f := fault.New(fault.TokenExpired, "the user chose not to reconnect %s now; no changes were made", s.provider("").Name)
	switch p := s.provider(r.Provider); {
	case r.Confirms != "":
		f = notConfirmed(r.Confirms)
	case r.Provider != "":
		f = notLinked(p, r.Reason)
	}
	return f.Because(errDeclined)
}

func (r round) fits(c *toolCall) bool {
	return r.Tool == c.tool.Name && r.Arguments == digest(c.arguments) && time.Now().Unix() < r.Expires
}

// digest returns a digest of the arguments' meaning; spacing and order do not matter.
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

// seal signs a round with the connection's key, so that openRound accepts it only from the same
// connection.
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
