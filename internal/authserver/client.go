package authserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/plaintext"
)

// What a client may ask to be registered with, and how long what it says of itself may be.
const (
	maxClientID     = 128     // bytes, of an id that is no URL
	maxRedirectURI  = 1 << 10 // bytes
	maxRedirectURIs = 10
	maxName         = 100 // characters
)

// cursorURI is the one redirect URI of a scheme of its own that we cannot do without (C24): Cursor registers it together with
// others, and one that is refused refuses them all (C23).
const cursorURI = "cursor://anysphere.cursor-mcp/oauth/callback"

// The ways a client may authenticate at /token and /revoke (A6).
const (
	authNone  = "none"
	authPost  = "client_secret_post"
	authBasic = "client_secret_basic"
)

func authMethods() []string { return []string{authNone, authPost, authBasic} }

// client finds a client by its id: a URL is that of a document that describes it (C1), anything else was given out here. The
// failure is an invalid_client when there is none or it has expired, and temporarily_unavailable when that cannot be told;
// who is to hear of it, and how, is for the caller to know (A20, C28).
func (b *Broker) client(ctx context.Context, id string) (Client, *failure) {
	if isDocumentID(id) {
		return b.documentClient(ctx, id)
	}
	if id == "" || len(id) > maxClientID {
		return Client{}, unknownClient()
	}
	c, err := b.Store.Client(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Client{}, unknownClient()
	case err != nil:
		b.note(ctx, slog.LevelError, "read a client", err)
		return Client{}, unavailable()
	}
	return b.renew(ctx, c), nil
}

// renew lets a registration live on because it is used, writing at most once a day. A failed attempt is made up for next time.
func (b *Broker) renew(ctx context.Context, c Client) Client {
	now := b.Now()
	if c.ExpiresAt.Sub(now) > clientTTL-24*time.Hour {
		return c
	}
	c.ExpiresAt = now.Add(clientTTL)
	if err := b.Store.SaveClient(ctx, c); err != nil {
		b.note(ctx, slog.LevelWarn, "renew a client", err)
	}
	return c
}

func (b *Broker) note(ctx context.Context, level slog.Level, doing string, err error) {
	b.Log.Log(ctx, level, "broker: "+doing, "err", err, "request_id", identity.RequestID(ctx))
}

// refuseClient is an invalid_client.
func refuseClient(description string) *failure {
	return &failure{status: http.StatusUnauthorized, code: invalidClient, description: description}
}

// unknownClient makes clients register anew (C28).
func unknownClient() *failure {
	return refuseClient("the client is not known here, or no longer; it has to register again")
}

// allows reports whether the client may be answered at a redirect URI: one it named, to the letter (A25), or one on the same
// machine that differs in the port alone, which native applications learn only when they open it (A26). Earlier releases
// registered URIs that carry an answer; these are refused here.
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

// loopback is an http URI of the person's own machine, but for its port. The three hosts are not equal to each other: what
// listens on one need not be what listens on another (A26a).
type loopback struct{ host, rest string }

// parseLoopback takes a URI apart as it is written; nothing is decoded or normalised that a browser could see otherwise.
func parseLoopback(raw string) (l loopback, ok bool) {
	after, ok := strings.CutPrefix(raw, "http://")
	if !ok || !isURIText(raw) || strings.Contains(raw, "#") {
		return loopback{}, false
	}
	authority, rest := splitAuthority(after)
	host, ok := cutPort(authority)
	return loopback{host, rest}, ok && isLoopbackHost(host)
}

func isLoopbackHost(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

// validRedirectURI reports whether a client may name a redirect URI at all (C24): one of extra or ours, https on any host, http
// on the person's own machine. What a browser and we could read in two ways is refused.
func validRedirectURI(raw string, extra []string) bool {
	if len(raw) > maxRedirectURI || !isURIText(raw) || carriesAnswer(raw) {
		return false
	}
	if raw == cursorURI || slices.Contains(extra, raw) {
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

// answerNames are the parameters that an authorization response can have (IANA OAuth Parameters registry).
func answerNames() []string {
	return []string{
		"code", "state", "iss", "error", "error_description", "error_uri", "session_state", "response",
		"access_token", "token_type", "expires_in", "scope", "id_token",
	}
}

// carriesAnswer reports whether the query of a redirect URI has a parameter of an answer, or one that cannot be read. We append
// ours to that query, and clients would find two: some take the first. PHP reads code[] as code too.
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

// isURIText reports whether s has only characters that a URI may have (RFC 3986 2): no blanks, no backslashes, nothing beyond
// ASCII.
func isURIText(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", c)
	}) < 0
}

// splitAuthority cuts what follows "//" before the path, the query or the fragment.
func splitAuthority(s string) (authority, rest string) {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutPort takes the port off an authority; false when it is none from 1 to 65535, written as one writes it. A name before an @
// leaves a host that is none.
func cutPort(authority string) (host string, ok bool) {
	colon := strings.LastIndexByte(authority, ':')
	if colon < 0 || strings.HasSuffix(authority, "]") {
		return authority, true
	}
	port := authority[colon+1:]
	n, err := strconv.ParseUint(port, 10, 16)
	return authority[:colon], err == nil && n > 0 && port == strconv.FormatUint(n, 10)
}

// isHost reports whether a host is a name of letters, digits, dots and hyphens, or an IPv6 address in brackets.
func isHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		return ok && err == nil && ip.Is6() && ip.Zone() == ""
	}
	for label := range strings.SplitSeq(host, ".") {
		odd := strings.IndexFunc(label, func(c rune) bool {
			return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_')
		})
		if label == "" || odd >= 0 {
			return false
		}
	}
	return true
}

// redirectHost is where a redirect URI leads, to be shown to the person: a host, or what stands for one in schemes of their own.
func redirectHost(uri string) string {
	scheme, after, _ := strings.Cut(uri, "://")
	authority, _ := splitAuthority(after)
	if scheme != "https" && scheme != "http" {
		return scheme + "://" + authority
	}
	if isLoopbackURI(uri) {
		authority, _ = cutPort(authority) // of no meaning to anybody
	}
	return strings.ToLower(authority)
}

// isLoopbackURI reports whether a redirect URI leads to the person's own machine, where any program could be listening.
func isLoopbackURI(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}

// cleanName returns a name that a client or user gave, safe to show (C25).
func cleanName(name string) string { return plaintext.Label(name, maxName) }
