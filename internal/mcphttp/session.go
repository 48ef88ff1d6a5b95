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

// Sessions remembers which session ids have been ended. The caller is in the context, with the id as Caller.Session.
type Sessions interface {
	// End makes the id unusable from now on, and drops what was kept for it.
	End(ctx context.Context, id string) error
	// Ended reports whether End was called for the id.
	Ended(ctx context.Context, id string) (bool, error)
}

// A session id is 16 random bytes and 16 bytes of HMAC over them with the connection's own key, so that any instance can
// check one without a read. It is no credential: it opens nothing to anybody but its connection, which needs a token all the
// same (R22).
const sessionRandom, sessionMAC = 16, 16

// strict refuses a second spelling of the same bytes, under which an ended session would live on.
var strict = base64.RawURLEncoding.Strict()

// openSession gives a connection a new id; one without a key gets none.
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

// ownsSession reports whether we made the id, for this connection.
func ownsSession(id string, caller identity.Caller) bool {
	if !isSessionID(id) || len(caller.Key) == 0 {
		return false
	}
	raw, _ := strict.DecodeString(id)
	return hmac.Equal(raw[sessionRandom:], signSession(raw[:sessionRandom], caller.Key))
}

// isSessionID reports whether the id has the form of ours.
func isSessionID(id string) bool {
	if len(id) != strict.EncodedLen(sessionRandom+sessionMAC) {
		return false
	}
	raw, err := strict.DecodeString(id)
	return err == nil && len(raw) == sessionRandom+sessionMAC
}

// session is the id a legacy request names, checked; "" when it names none, as some clients never do. A 404 tells the client
// to initialize again, so it never says why.
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

// endSession answers DELETE: 204 for a session of the legacy era; 2026-07-28 has none to end.
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
