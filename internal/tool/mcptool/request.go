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
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
)

const (
	maxRounds = 5
	roundTime = 10 * time.Minute // as long as a link is valid
)

var (
	errState    = errors.New("this server did not issue the request state for this call")
	errDeclined = errors.New("declined")
)

// round is the state that a client returns after its user was asked for something. It says what the
// user was asked for, and counts the attempts.
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

// request is what a call asks of its user. Its four constructors make a request to link a provider,
// to reconnect or to confirm, and the one that a client answers.
type request struct {
	round
	id       string // the name under which the client answers
	shown    mcp.ElicitationParams
	declined *fault.Error // the failure of the call if the user declines
}

// linkRequest returns the request to link a provider: "link_orchard".
func linkRequest(p provider.Provider, link *fault.Link) request {
	q := request{round: round{Provider: p.ID, Reason: link.Reason}, id: "link_" + p.ID}
	var message string
	switch link.Reason {
	case fault.NeverLinked:
		message = "This needs your " + p.Name + " account, which is not linked yet. Link it to continue."
		q.declined = fault.New(fault.NotLinked, "the user chose not to link %s now; no changes were made", p.Name)
	case fault.MissingScope:
		message = "This needs more access to " + p.Name + " than you have granted" + scopeWords(p, link.Scopes) + ". Grant it to continue."
		q.declined = fault.New(fault.PermissionDenied, "the user chose not to grant more access to %s now; no changes were made", p.Name)
	default:
		message = p.Name + " no longer accepts the link to your account. Link it again to continue."
		q.declined = fault.New(fault.TokenExpired, "the user chose not to link %s again now; no changes were made", p.Name)
	}
	q.declined.Link = &fault.Link{Provider: p.ID, Reason: link.Reason}
	q.shown = mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, URL: link.URL, Message: message}
	return q
}

// reconnectRequest returns the request to connect again to the provider with which users sign in:
// "reconnect_orchard".
func reconnectRequest(p provider.Provider, url string) request {
	return request{
		id: "reconnect_" + strings.ReplaceAll(strings.ToLower(p.Name), " ", "_"),
		shown: mcp.ElicitationParams{
			Mode:    mcp.ElicitationModeURL,
			URL:     url,
			Message: p.Name + " no longer accepts our access, as happens after a change of password. Reconnect to continue.",
		},
		declined: fault.New(fault.TokenExpired, "the user chose not to reconnect %s now; no changes were made", p.Name),
	}
}

// confirmRequest returns the request to confirm by a form that something is lost.
func confirmRequest(argument, lost string) request {
	declined := fault.Invalid(argument, "the user did not confirm; no changes were made; do not repeat the call unless the user asks for it")
	declined.Validation[0].Code = "declined"
	return request{round: round{Confirms: argument}, id: "confirm", declined: declined, shown: mcp.ElicitationParams{
		Mode:    mcp.ElicitationModeForm,
		Message: "This deletes " + lost + " permanently. Enter its exact title to confirm.",
		// A form is a flat object of primitive values (MCP 2026-07-28, elicitation, requested
		// schema).
		RequestedSchema: map[string]any{
			"type":       "object",
			"properties": map[string]any{argument: map[string]any{"type": "string", "title": "Exact title"}},
			"required":   []string{argument},
		},
	}}
}

// returnedRequest returns the request that a client answers. It fails unless the state was sealed
// for the same call over the same connection and has not expired.
func (s *Server) returnedRequest(c *toolCall, key []byte) (request, error) {
	r, err := openRound(c.params.RequestState, key)
	if err != nil || r.Tool != c.tool.Name || r.Arguments != digest(c.arguments) || time.Now().Unix() >= r.Expires {
		return request{}, fault.New(fault.InvalidInput, "requestState has expired or belongs to another call; call the tool again without it").Because(errState)
	}
	var q request
	switch {
	case r.Confirms != "":
		q = confirmRequest(r.Confirms, "")
	case r.Provider != "":
		q = linkRequest(s.provider(r.Provider), &fault.Link{Reason: r.Reason})
	default:
		q = reconnectRequest(s.provider(""), "")
	}
	q.round = r
	return q, nil
}

// ask returns the outcome of a call whose client must ask the user first. ok is false if the client
// cannot ask that, or has asked often enough.
func (c toolCall) ask(ctx context.Context, f *fault.Error, q request) (outcome *Outcome, ok bool) {
	able := opensLinks(ctx)
	if q.shown.Mode == mcp.ElicitationModeForm {
		able = showsForms(ctx)
	}
	caller, _ := identity.From(ctx)
	if !able || len(caller.Key) == 0 || c.round.Number >= maxRounds {
		return nil, false
	}
	q.Tool, q.Arguments, q.Number = c.tool.Name, digest(c.arguments), c.round.Number+1
	q.Expires = time.Now().Add(roundTime).Unix()
	outcome = failure(c.tool.Name, f)
	outcome.asks = server.NewInputRequestBuilder(q.seal(caller.Key)).Elicit(q.id, q.shown).ToolResult()
	return outcome, true
}

// resume reads the state that a client returns, and the user's answer. An opened link does not mean
// that the user finished: the call runs again and finds out.
func (s *Server) resume(caller identity.Caller, c *toolCall) error {
	q, err := s.returnedRequest(c, caller.Key)
	if err != nil {
		return err
	}
	c.round = q.round
	answer := server.ElicitationResponse(c.params.InputResponses, q.id)
	switch {
	case answer == nil:
	case answer.Action != mcp.ElicitationResponseActionAccept:
		return q.declined.Because(errDeclined)
	case q.Confirms != "":
		values, _ := answer.Content.(map[string]any)
		text, _ := values[q.Confirms].(string)
		c.confirmed = &confirmation{argument: q.Confirms, text: text}
	}
	return nil
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

// confirmation is what the user wrote into the form for an argument.
type confirmation struct {
	argument string
	text     string
}

// question is the cause of a failure that the user's confirmation resolves.
type question struct {
	argument string
	lost     string
}

func (*question) Error() string { return "not confirmed" }

// Confirm returns nil if the user has confirmed that something is lost permanently: given, or what
// the user wrote into a form, is one of the titles; blanks around it do not count. given is the
// value of the argument. lost says what is lost, with the facts that the user needs: `the project
// "Launch" (acme/7) with 12 items`.
//
// If Confirm returns an error, the tool must return it and change nothing. The server then asks the
// user by form if the client can show one and the argument is missing. Any other client gets
// INVALID_INPUT with the code confirmation_required. The tool runs again after the form, so it must
// have read the title during this call. A preview does not ask.
func Confirm(ctx context.Context, argument, given, lost string, titles ...string) error {
	filled := runIn(ctx).confirmed
	asked := filled != nil && filled.argument == argument
	if asked {
		given = filled.text
	}
	if given = strings.TrimSpace(given); given != "" && slices.ContainsFunc(titles, func(title string) bool { return strings.TrimSpace(title) == given }) {
		return nil
	}
	if asked {
		return confirmationFault(argument, "the user was asked to confirm that this deletes %s permanently, but did not enter the exact title; no changes were made; repeat the call to ask again", lost)
	}
	f := confirmationFault(argument, "this deletes %s permanently; ask the user, then repeat the call with %[2]s set to the exact title; no changes were made", lost, argument)
	if given != "" || runIn(ctx).previews {
		return f
	}
	return f.Because(&question{argument, lost})
}

func confirmationFault(argument, format string, args ...any) *fault.Error {
	f := fault.Invalid(argument, format, args...)
	f.Validation[0].Code = "confirmation_required"
	return f
}
