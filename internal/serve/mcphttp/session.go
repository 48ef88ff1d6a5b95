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
	"sync"

	"basecamp-mcp/internal/signin/identity"
)

const sessionHeader = "Mcp-Session-Id"

// A session ID is 16 random bytes and 16 bytes of an HMAC over them with the connection's own key,
// so that any instance can check it without a read. It is not a credential: it works only for its
// own connection, which needs a token as well.
const sessionRandom, sessionMAC = 16, 16

// strict refuses a second spelling of the same bytes, under which an ended session would stay
// usable.
var strict = base64.RawURLEncoding.Strict()

// The MAC says what the client declared when it opened the session: no store keeps that.
const (
	plainSession   = "session"
	linkingSession = "session url" // the client can open a link for its user
)

// session is what a request's session ID says.
type session struct {
	id         string
	opensLinks bool
}

// openSession sets a new session ID for a connection. A connection without a key gets none.
func openSession(h http.Header, caller identity.Caller, opensLinks bool) {
	if len(caller.Key) == 0 {
		return
	}
	random := make([]byte, sessionRandom)
	_, _ = rand.Read(random) // never fails
	label := plainSession
	if opensLinks {
		label = linkingSession
	}
	h.Set(sessionHeader, strict.EncodeToString(append(random, signSession(label, random, caller.Key)...)))
}

func signSession(label string, random, key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, label)
	mac.Write(random)
	return mac.Sum(nil)[:sessionMAC]
}

// readSession returns what an ID says, and whether this server issued it for this connection.
func readSession(id string, caller identity.Caller) (s session, ok bool) {
	if !isSessionID(id) || len(caller.Key) == 0 {
		return session{}, false
	}
	raw, _ := strict.DecodeString(id)
	for _, label := range []string{plainSession, linkingSession} {
		if hmac.Equal(raw[sessionRandom:], signSession(label, raw[:sessionRandom], caller.Key)) {
			return session{id: id, opensLinks: label == linkingSession}, true
		}
	}
	return session{}, false
}

// isSessionID reports whether the ID has the form that this server uses.
func isSessionID(id string) bool {
	if len(id) != strict.EncodedLen(sessionRandom+sessionMAC) {
		return false
	}
	raw, err := strict.DecodeString(id)
	return err == nil && len(raw) == sessionRandom+sessionMAC
}

// session returns the checked session that a legacy request names. It is zero if the request names
// none, as with some clients. A 404 makes the client initialize again, so it never says why.
func (g *Guard) session(r *http.Request, who authenticated, message json.RawMessage) (s session, refused *answer) {
	given := r.Header.Values(sessionHeader)
	if len(given) == 0 || len(given) == 1 && given[0] == "" {
		return session{}, nil
	}
	s, ok := readSession(given[0], who.Caller)
	if len(given) > 1 || !ok || who.sessionEnded {
		return session{}, unknownSession(message)
	}
	return s, nil
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
	s, refused := g.session(r, who, nil)
	if refused != nil {
		return refused
	}
	if s.id == "" {
		e := rpcError{Code: codeInvalidRequest, Message: "name the session to end in " + sessionHeader}
		return rpcFailed(http.StatusBadRequest, nil, e)
	}
	who.Session = s.id
	if err := g.Authenticator.End(identity.With(r.Context(), who.Caller), s.id); err != nil {
		return g.unavailable(r.Context(), "end the session", err)
	}
	return &answer{status: http.StatusNoContent}
}

func unknownSession(message json.RawMessage) *answer {
	e := rpcError{Code: codeInvalidRequest, Message: "unknown session: initialize again without " + sessionHeader}
	return rpcFailed(http.StatusNotFound, message, e)
}

// memorySessions is the number of ended IDs that MemorySessions keeps, about 1 MB.
const memorySessions = 10_000

// MemorySessions stores ended session IDs in memory, at most 10,000 of the latest. The zero value
// is ready to use.
type MemorySessions struct {
	mu    sync.Mutex
	ended map[string]bool
}

// End stores the ID. It never fails.
func (s *MemorySessions) End(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ended) == memorySessions || s.ended == nil {
		s.ended = map[string]bool{}
	}
	s.ended[id] = true
	return nil
}

// Ended reports whether the ID is stored.
func (s *MemorySessions) Ended(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended[id]
}
