package main

import (
	"net/url"
	"strings"
)

const (
	resourceMetadata = "/.well-known/oauth-protected-resource"
	serverMetadata   = "/.well-known/oauth-authorization-server"
	redirectURI      = "http://127.0.0.1/smoke" // an address without a server: no login gets that far
	asJSON, asPage   = "application/json", "text/html"
	another          = ": this is a different server, or a proxy in front of it answers"
	filtered         = ": a proxy in front of the server changes headers"
	ownCORS          = "; if web pages have no access, remove CorsConfiguration from the gateway: it overrides the server's own CORS headers"
)

// checks returns what a client and a login depend on.
func (s *site) checks() []check {
	shared := []string{"Access-Control-Allow-Origin", ""}
	// RFC 9728 sections 3.1 and 5.1. Browsers show pages only exposed headers.
	challenge := append([]string{"WWW-Authenticate", `Bearer `, "WWW-Authenticate", `resource_metadata="` + s.origin + resourceMetadata + `/mcp"`,
		"Access-Control-Expose-Headers", "WWW-Authenticate"}, shared...)
	preflight := func(path, header string) check {
		return check{name: "web pages can call " + path, method: "OPTIONS", path: path, status: 204, hint: ownCORS,
			header: append([]string{"Access-Control-Allow-Methods", "POST", "Access-Control-Allow-Headers", header}, shared...)}
	}
	// RFC 7636 appendix B has this code_challenge.
	login := func(to string) url.Values {
		return url.Values{
			"response_type": {"code"}, "client_id": nil, "redirect_uri": {to}, "state": {"smoke"}, "scope": {"read"}, "resource": {s.origin + "/mcp"},
			"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
		}
	}
	code := url.Values{"grant_type": {"authorization_code"}, "client_id": nil, "code": {"no-such-code"}, "redirect_uri": {redirectURI}, "code_verifier": {strings.Repeat("v", 43)}}
	otherName := "; clients compare URLs byte for byte with " + s.origin + ": use the URL that the server reports, or deploy with PublicUrl=" + s.origin + ownCORS
	return []check{
		{name: "the server is up", method: "GET", path: "/healthz", status: 200, media: asJSON, contains: []string{`"status":"ok"`}, hint: another},
		{name: "/mcp asks for a login", method: "POST", path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, status: 401, media: asJSON, header: challenge,
			hint: "; if WWW-Authenticate is missing, the McpIntegration of template.yaml must restore it (overwrite:header.www-authenticate for 401 and 403)" + otherName},
		// RFC 9728 sections 2 and 3.3.
		{name: "the endpoint has metadata", method: "GET", path: resourceMetadata + "/mcp", status: 200, media: asJSON, header: shared,
			contains: []string{`"resource":"` + s.origin + `/mcp"`, `"authorization_servers":["` + s.origin + `"`}, hint: otherName},
		// RFC 8414 section 3.3; PKCE of MCP authorization; the paths of MCP 2025-03-26, authorization.
		{name: "the authorization server has metadata", method: "GET", path: serverMetadata, status: 200, media: asJSON, header: shared,
			contains: []string{`"issuer":"` + s.origin + `"`, `"` + s.origin + `/authorize"`, `"` + s.origin + `/token"`, `"` + s.origin + `/register"`, `"S256"`, `"token_endpoint_auth_methods_supported":["none"`}, hint: otherName},
		preflight("/mcp", "authorization"),
		preflight("/token", "content-type"),
		// Repeated runs register the same client, which the server forgets when it is not used.
		{name: "a client can register", method: "POST", path: "/register", status: 201, media: asJSON, header: shared, contains: []string{`"client_id":"`},
			body: `{"client_name":"Smoke test","redirect_uris":["` + redirectURI + `"],"token_endpoint_auth_method":"none"}`},
		{name: "a login starts with a consent page", method: "GET", path: "/authorize", form: login(redirectURI), status: 200, media: asPage,
			header: []string{"Content-Security-Policy", "frame-ancestors 'none'", "Set-Cookie", "SameSite=Lax"}, hint: filtered},
		// RFC 6749 section 4.1.2.1.
		{name: "an unregistered redirect URI is refused on a page", method: "GET", path: "/authorize", form: login("https://stranger.example/"), status: 400, media: asPage,
			hint: "; if it redirects to stranger.example, shut the server down and report this bug"},
		// RFC 6749 section 5.2.
		{name: "/token returns errors in the form of OAuth", method: "POST", path: "/token", form: code, status: 400, media: asJSON,
			header: append([]string{"Cache-Control", "no-store"}, shared...), contains: []string{`"invalid_grant"`}, hint: filtered},
		{name: "the front page works", method: "GET", path: "/", status: 200, media: asPage},
	}
}
