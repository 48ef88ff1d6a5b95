package mcphttp

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"

	"basecamp-mcp/internal/identity"
)

const sessionHeader = "Mcp-Session-Id"

// Sessions stores which session IDs have ended. The caller is in the context, with the ID as
// Caller.Session.
type Sessions interface {
	// End makes the ID unusable and deletes what was stored for it.
	End(ctx context.Context, id string) error
	// Ended reports whether End was called for the ID.
	Ended(ctx context.Context, id string) (bool, error)
}

// A session ID is 16 random bytes and 16 bytes of an HMAC over them with the connection's own key,
// so that any instance can check it without a read. It is not a credential: it works only for its
// own connection, which needs a token as well.
const sessionRandom, sessionMAC = 16, 16

// strict refuses a second spelling of the same bytes, under which an ended session would stay
// usable.
var strict = base64.RawURLEncoding.Strict()

// openSession sets a new session ID for a connection. A connection without a key gets none.
func openSession(h http.Header, caller identity.Caller) {
	if len(caller.Key) == 0 {
		return
	}
	random := make([]byte, sessionRandom)
	_, _ = rand.Read(random) // never fails
	h.Set(sessionHeader, strict.EncodeToString(append(random, signSession(random, caller.Key)...)))
}

func signSession(random, key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, "session")
	mac.Write(random)
	return mac.Sum(nil)[:sessionMAC]
}

// ownsSession reports whether this server issued the ID for this connection.
func ownsSession(id string, caller identity.Caller) bool {
	if !isSessionID(id) || len(caller.Key) == 0 {
		return false
	}
	raw, _ := strict.DecodeString(id)
	return hmac.Equal(raw[sessionRandom:], signSession(raw[:sessionRandom], caller.Key))
}

// isSessionID reports whether the ID has the form that this server uses.
func isSessionID(id string) bool {
	if len(id) != strict.EncodedLen(sessionRandom+sessionMAC) {
		return false
	}
	raw, err := strict.DecodeString(id)
	return err == nil && len(raw) == sessionRandom+sessionMAC
}

// session returns the checked ID that a legacy request names, or "" if it names none, as with some
// clients. A 404 makes the client initialize again, so it never says why.
func (g *Guard) session(r *http.Request, who authenticated, message json.RawMessage) (id string, refused *answer) {
	given := r.Header.Values(sessionHeader)
	if len(given) == 0 || len(given) == 1 && given[0] == "" {
		return "", nil
	}
	if len(given) > 1 || !ownsSession(given[0], who.Caller) {
		return "", unknownSession(message)
	}
	ended, refused := g.sessionEnded(r, who, given[0])
	if refused != nil {
		return "", refused
	}
	if ended {
		return "", unknownSession(message)
	}
	return given[0], nil
}

func (g *Guard) sessionEnded(r *http.Request, who authenticated, id string) (bool, *answer) {
	if who.sessionRead {
		return who.sessionEnded, nil
	}
	who.Session = id
	ended, err := g.Sessions.Ended(identity.With(r.Context(), who.Caller), id)
	if err != nil {
		return false, g.unavailable(r.Context(), "look up the session", err)
	}
	return ended, nil
}

// endSession answers DELETE: 204 for a session of the legacy era. 2026-07-28 has no sessions.
func (g *Guard) endSession(r *http.Request, who authenticated) *answer {
	version := r.Header.Get(versionHeader)
	if version == Version20260728 {
		return notAllowed(http.MethodPost)
	}
	if version != "" && !served(version) {
		return unsupportedVersion(nil, version)
	}
	id, refused := g.session(r, who, nil)
	if refused != nil {
		return refused
	}
	if id == "" {
		e := rpcError{Code: codeInvalidRequest, Message: "name the session to end in " + sessionHeader}
		return rpcFailed(http.StatusBadRequest, nil, e)
	}
	who.Session = id
	if err := g.Sessions.End(identity.With(r.Context(), who.Caller), id); err != nil {
		return g.unavailable(r.Context(), "end the session", err)
	}
	return &answer{status: http.StatusNoContent}
}

func unknownSession(message json.RawMessage) *answer {
	e := rpcError{Code: codeInvalidRequest, Message: "unknown session: initialize again without " + sessionHeader}
	return rpcFailed(http.StatusNotFound, message, e)
}
