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
	"basecamp-mcp/internal/provider"
)

// Reconnector repairs connections to a provider that no longer accepts the user's grant.
type Reconnector interface {
	// ReconnectURL returns a link with which only the caller in ctx can connect to a provider, for the
	// first time or again, or "" if a link would not help. scopes are what the caller must grant in
	// addition to what the provider has granted.
	ReconnectURL(ctx context.Context, providerID string, scopes []string) (string, error)
	// EndConnection ends the caller's connection after the failure of a provider's grant, if nothing
	// else can repair it, so that the client asks the user to sign in again. The failure of a provider
	// with which users do not sign in ends no connection.
	EndConnection(ctx context.Context, providerID string) error
}

const (
	maxRounds = 5
	roundTime = 10 * time.Minute // as long as the link is valid
)

var errState = errors.New("this server did not issue the request state for this call")

// round is the state that a client returns after its user was asked to reconnect. The call does not
// depend on it; it only counts the attempts.
type round struct {
	Tool      string `json:"tool"`
	Arguments string `json:"args"` // a digest
	Number    int    `json:"n"`
	Expires   int64  `json:"exp"` // Unix seconds
	// Provider is the ID of the provider. It is empty for the one with which users sign in.
	Provider string `json:"provider,omitempty"`
}

// reconnect answers a call that failed because a provider no longer accepts the user's grant. A
// client that can open a link is asked to open it and repeat the call. Any other client gets the
// link as text. Its connection ends if it is the provider with which users sign in.
func (s *Server) reconnect(ctx context.Context, c toolCall, f *fault.Error) *Outcome {
	p := s.failedProvider(f, c.tool.provider)
	link := s.reconnectLink(ctx, p)
	if link == "" {
		return failure(c.tool.Name, f)
	}
	caller, _ := identity.From(ctx)
	if opensLinks(ctx) && len(caller.Key) > 0 && c.round.Number < maxRounds {
		next := round{Tool: c.tool.Name, Arguments: digest(c.arguments), Number: c.round.Number + 1, Expires: time.Now().Add(roundTime).Unix()}
		if !s.isPrimary(p.ID) {
			next.Provider = p.ID
		}
		asks := server.NewInputRequestBuilder(next.seal(caller.Key)).Elicit(reconnectID(p), mcp.ElicitationParams{
			Mode:    mcp.ElicitationModeURL,
			URL:     link,
			Message: p.Name + " no longer accepts our access, as happens after a change of password. Reconnect to continue.",
		}).ToolResult()
		return &Outcome{IsError: true, Message: f.Message, Fault: f, asks: asks}
	}
	told := *f
	if !s.isPrimary(p.ID) {
		told.Message = p.Name + " no longer accepts this connection. Ask the person to open " + link +
			" and log in to " + p.Name + ", then call again."
		return failure(c.tool.Name, &told)
	}
	told.Message = p.Name + " no longer accepts this connection. Ask the person to open " + link +
		" (good for ten minutes) and log in to " + p.Name + ", then call again; the client may ask them to log in once more."
	outcome := failure(c.tool.Name, &told)
	if !opensLinks(ctx) {
		outcome.meta = loginAgain(ctx, p)
		s.endConnection(ctx, p)
	}
	return outcome
}

// reconnectLink returns the link for reconnecting to a provider, or "" if there is none.
func (s *Server) reconnectLink(ctx context.Context, p provider.Provider) string {
	link, err := s.options.Reconnector.ReconnectURL(ctx, p.ID, nil)
	if err != nil {
		s.options.Log.ErrorContext(ctx, "make a reconnect link", "err", err, "request_id", identity.RequestID(ctx))
	}
	return link
}

func (s *Server) endConnection(ctx context.Context, p provider.Provider) {
	if err := s.options.Reconnector.EndConnection(ctx, p.ID); err != nil {
		s.options.Log.ErrorContext(ctx, "end a connection", "err", err, "request_id", identity.RequestID(ctx))
	}
}

// loginAgain returns the metadata that makes ChatGPT offer its login.
func loginAgain(ctx context.Context, p provider.Provider) *mcp.Meta {
	challenge := `Bearer resource_metadata="` + identity.Origin(ctx) + `/.well-known/oauth-protected-resource/mcp", ` +
		`error="invalid_token", error_description="` + p.Name + ` no longer accepts this connection; log in again"`
	return &mcp.Meta{AdditionalFields: map[string]any{"mcp/www_authenticate": []string{challenge}}}
}

// opensLinks reports whether the client declared in this request that it can open a link for its
// user. mcp-go does not check that, and would wait forever for a client of the legacy era.
func opensLinks(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	return info != nil && info.Modern && info.ClientCapabilities != nil &&
		info.ClientCapabilities.Elicitation != nil && info.ClientCapabilities.Elicitation.URL != nil
}

// resume reads the state that a client returns. An opened link does not mean that the user
// finished: the call runs again and finds out.
func (s *Server) resume(ctx context.Context, c *toolCall) error {
	if c.params.RequestState == "" {
		return nil
	}
	caller, _ := identity.From(ctx)
	var err error
	if c.round, err = openRound(c.params.RequestState, caller.Key); err != nil || !c.round.fits(c) {
		return fault.New(fault.InvalidInput, "requestState has expired or belongs to another call; call the tool again without it").Because(errState)
	}
	p := s.provider(c.round.Provider)
	answer := server.ElicitationResponse(c.params.InputResponses, reconnectID(p))
	if answer != nil && answer.Action != mcp.ElicitationResponseActionAccept {
		return fault.New(fault.TokenExpired, "the user chose not to reconnect %s now; no changes were made", p.Name).Because(errDeclined)
	}
	return nil
}

var errDeclined = errors.New("declined")

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
