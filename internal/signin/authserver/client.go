package authserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/serve/loopback"
	"basecamp-mcp/internal/text/plaintext"
)

// Limits of what a client may register.
const (
	maxClientID     = 128     // bytes of an ID that is not a URL
	maxRedirectURI  = 1 << 10 // bytes
	maxRedirectURIs = 10
	maxName         = 100 // characters
)

// cursorURI is the only redirect URI with a private-use scheme (RFC 8252, 7.1). Cursor
// registers it together with others, and one refused URI refuses the whole registration.
const cursorURI = "cursor://anysphere.cursor-mcp/oauth/callback"

// The methods of client authentication at /token and /revoke.
const (
	authNone  = "none"
	authPost  = "client_secret_post"
	authBasic = "client_secret_basic"
)

func authMethods() []string { return []string{authNone, authPost, authBasic} }

// client returns the client with an ID. An ID that is a URL belongs to a client metadata document;
// this server issued every other. The error is invalid_client if the client is unknown or has
// expired, and temporarily_unavailable if the lookup failed.
func (s *Server) client(ctx context.Context, id string) (Client, *oauthError) {
	if isDocumentID(id) {
		return s.documentClient(ctx, id)
	}
	if id == "" || len(id) > maxClientID {
		return Client{}, unknownClient()
	}
	c, err := s.Store.Client(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Client{}, unknownClient()
	case err != nil:
		s.note(ctx, slog.LevelError, fmt.Errorf("read a client: %w", err))
		return Client{}, unavailable()
	}
	return s.renew(ctx, c), nil
}

// renew extends a registration that is in use. It writes at most once a day. The next use retries
// a failed write.
func (s *Server) renew(ctx context.Context, c Client) Client {
	now := s.Now()
	if c.ExpiresAt.Sub(now) > clientTTL-24*time.Hour {
		return c
	}
	c.ExpiresAt = now.Add(clientTTL)
	if err := s.Store.SaveClient(ctx, c); err != nil {
		s.note(ctx, slog.LevelWarn, fmt.Errorf("renew a client: %w", err))
	}
	return c
}

// refuseClient returns an invalid_client error.
func refuseClient(description string) *oauthError {
	return &oauthError{status: http.StatusUnauthorized, code: invalidClient, description: description}
}

// unknownClient returns the error after which clients register again (RFC 6749, 5.2).
func unknownClient() *oauthError {
	return refuseClient("the client is unknown or has expired; it must register again")
}

// allows reports whether an answer may go to a redirect URI: one that the client registered,
// compared as a string (RFC 9700, 2.1; CVE-2025-4143), or a loopback URI that differs only in the
// port, which native apps choose when they open it (RFC 8252, 7.3). URIs that carry answer
// parameters are refused, also if a client's metadata document names them.
func (c Client) allows(redirectURI string) bool {
	if carriesAnswer(redirectURI) {
		return false
	}
	if slices.Contains(c.RedirectURIs, redirectURI) {
		return true
	}
	asked, ok := parseLoopback(redirectURI)
	return ok && slices.ContainsFunc(c.RedirectURIs, func(named string) bool {
		registered, ok := parseLoopback(named)
		return ok && registered == asked
	})
}

// loopbackURI is an http URI of the user's own machine without its port. The three hosts differ
// from each other: different programs may listen on them.
type loopbackURI struct{ host, rest string }

// parseLoopback splits a URI as written. It decodes and normalises nothing, because browsers may
// do so differently.
func parseLoopback(raw string) (l loopbackURI, ok bool) {
	after, ok := strings.CutPrefix(raw, "http://")
	if !ok || !isURIText(raw) || strings.Contains(raw, "#") {
		return loopbackURI{}, false
	}
	authority, rest := splitAuthority(after)
	host, ok := cutPort(authority)
	return loopbackURI{host, rest}, ok && isLoopbackHost(host)
}

// isLoopbackHost reports whether a host is one of those that RFC 8252, section 7.3, names, as
// written: the same text must be registered.
func isLoopbackHost(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

// validRedirectURI reports whether clients may register a redirect URI: Cursor's, https on
// any host, and http on the user's own machine (MCP authorization, "Communication Security"). It
// refuses what browsers and this server could read differently.
func validRedirectURI(raw string) bool {
	if len(raw) > maxRedirectURI || !isURIText(raw) || carriesAnswer(raw) {
		return false
	}
	if raw == cursorURI {
		return true
	}
	if _, ok := parseLoopback(raw); ok {
		return isURL(raw)
	}
	after, ok := strings.CutPrefix(raw, "https://")
	if !ok || strings.Contains(raw, "#") {
		return false
	}
	authority, _ := splitAuthority(after)
	host, ok := cutPort(authority)
	return ok && isHost(host) && isURL(raw)
}

// answerNames returns the parameters of authorization responses (IANA OAuth Parameters registry).
func answerNames() []string {
	return []string{
		"code", "state", "iss", "error", "error_description", "error_uri", "session_state", "response",
		"access_token", "token_type", "expires_in", "scope", "id_token",
	}
}

// carriesAnswer reports whether the query of a redirect URI has a parameter of an answer, or one
// that cannot be decoded. The answer is appended to that query: clients would find two values, and
// some use the first. PHP reads code[] as code.
func carriesAnswer(uri string) bool {
	_, query, _ := strings.Cut(uri, "?")
	for pair := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		encoded, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(encoded)
		name, _, _ = strings.Cut(strings.TrimSpace(name), "[")
		if err != nil || slices.ContainsFunc(answerNames(), func(ours string) bool { return strings.EqualFold(ours, name) }) {
			return true
		}
	}
	return false
}

func isURL(raw string) bool {
	_, err := url.Parse(raw)
	return err == nil
}

// isURIText reports whether s has only the characters of a URI (RFC 3986, 2): no spaces, no
// backslashes, ASCII only.
func isURIText(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", c)
	}) < 0
}

// splitAuthority splits the text after "//" where the path, the query or the fragment begins.
func splitAuthority(s string) (authority, rest string) {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutPort removes the port from an authority. It returns false if the port is not a plain number
// from 1 to 65535. User information stays in the host, which isHost refuses.
func cutPort(authority string) (host string, ok bool) {
	colon := strings.LastIndexByte(authority, ':')
	if colon < 0 || strings.HasSuffix(authority, "]") {
		return authority, true
	}
	port := authority[colon+1:]
	n, err := strconv.ParseUint(port, 10, 16)
	return authority[:colon], err == nil && n > 0 && port == strconv.FormatUint(n, 10)
}

// isHost reports whether a host is a name of letters, digits, dots and hyphens, or an IPv6 address
// in brackets.
func isHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		return ok && err == nil && ip.Is6() && ip.Zone() == ""
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || !isPlain(label, "-_") {
			return false
		}
	}
	return true
}

// isPlain reports whether s has only ASCII letters, digits and some others.
func isPlain(s, others string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune(others, c))
	})
}

// redirectHost returns the host of a redirect URI, to show to the user. For private-use schemes it
// returns scheme and authority.
func redirectHost(uri string) string {
	scheme, after, _ := strings.Cut(uri, "://")
	authority, _ := splitAuthority(after)
	if scheme != "https" && scheme != "http" {
		return scheme + "://" + authority
	}
	if isLoopbackURI(uri) {
		authority, _ = cutPort(authority) // the port means nothing to users
	}
	return strings.ToLower(authority)
}

// isLoopbackURI reports whether a redirect URI leads to the user's own machine, where any program
// may listen.
func isLoopbackURI(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := u.Hostname()
	return loopback.Host(host) || strings.HasSuffix(strings.ToLower(host), ".localhost")
}

// cleanName returns a name that users or clients chose themselves in a form that is safe to show.
func cleanName(name string) string { return plaintext.Label(name, maxName) }
