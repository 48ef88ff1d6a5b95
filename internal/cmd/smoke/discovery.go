package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

const (
	resourceMetadata = "/.well-known/oauth-protected-resource"
	serverMetadata   = "/.well-known/oauth-authorization-server"
	openIDMetadata   = "/.well-known/openid-configuration"

	// inspector is the origin of the MCP Inspector's web page.
	inspector = "http://localhost:6274"
	hello     = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"smoke","version":"1"}}}`
)

// isUp checks that the host is this server. If it is not, no other check runs.
func (s *site) isUp(ctx context.Context) error {
	a, err := s.ask(ctx, http.MethodGet, "/healthz", "")
	if err != nil {
		return fmt.Errorf("%w; use the McpUrl that sam deploy printed; a custom domain must point to its DomainTarget", err)
	}
	if err := a.want(http.StatusOK, "application/json"); err != nil {
		if a.likely() != "" {
			return err
		}
		return fmt.Errorf("%w: %s", err, another)
	}
	var health struct{ Status, Tools string }
	if a.decode(&health) != nil || health.Status != "ok" {
		return errors.New(another)
	}
	s.tools = health.Tools
	return nil
}

// hasCard checks that the server card names this server, and the list of tools that the server has.
func (s *site) hasCard(ctx context.Context) error {
	a, err := s.wants(ctx, http.StatusOK, "application/mcp-server-card+json", http.MethodGet, "/mcp/server-card", "")
	if err != nil {
		return err
	}
	var card struct {
		Remotes []struct{ URL string }
		Meta    struct {
			Tools string `json:"basecamp-mcp/tools"`
		} `json:"_meta"`
	}
	switch {
	case a.decode(&card) != nil || len(card.Remotes) != 1 || card.Remotes[0].URL != s.origin+"/mcp":
		return errors.New("the server card does not name " + s.origin + "/mcp; check PublicUrl and DomainName")
	case card.Meta.Tools == "" || card.Meta.Tools != s.tools:
		return errors.New("the server card and /healthz name different lists of tools: two builds are deployed; deploy again")
	}
	return nil
}

const another = "this is a different server, or a proxy in front of it answers"

// ownCORS says what to do if web pages have no access.
const ownCORS = "remove CorsConfiguration from the gateway: it overrides the server's own CORS headers"

// challenges checks the 401 that starts every login. It must come for every method and before all
// other errors (RFC 9728 section 5.1).
func (s *site) challenges(ctx context.Context, method string) error {
	body := ""
	if method == http.MethodPost {
		body = hello
	}
	a, err := s.wants(ctx, http.StatusUnauthorized, "", method, "/mcp", body,
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	if err != nil {
		return err
	}
	metadata, err := challenge(a.header)
	if err != nil {
		return err
	}
	s.metadata = metadata
	return nil
}

// challenge returns the metadata URL that WWW-Authenticate contains.
func challenge(h http.Header) (metadata string, err error) {
	text := h.Get("WWW-Authenticate")
	switch {
	case text != "":
	case h.Get("X-Amzn-Remapped-Www-Authenticate") != "":
		return "", errors.New("WWW-Authenticate arrives as x-amzn-remapped-www-authenticate, which clients do not read: use the HTTP API of " +
			"template.yaml, whose McpIntegration puts the header back (overwrite:header.www-authenticate), not a REST API or a function URL")
	case h.Get("X-Mcp-Challenge") != "":
		return "", errors.New("WWW-Authenticate was removed and only x-mcp-challenge is left: the McpIntegration of template.yaml must restore it " +
			"(overwrite:header.www-authenticate for 401 and 403), and a proxy in front of the gateway must let it pass")
	default:
		return "", errors.New("WWW-Authenticate is missing: " + another)
	}
	_, rest, named := strings.Cut(text, `resource_metadata="`)
	metadata, _, closed := strings.Cut(rest, `"`)
	if !strings.HasPrefix(text, "Bearer ") || !named || !closed {
		return "", fmt.Errorf("WWW-Authenticate is %q, without resource_metadata: a proxy in front of the server answers", text)
	}
	return metadata, nil
}

func (s *site) exposesChallenge(ctx context.Context) error { // browsers show pages only exposed headers
	a, err := s.wants(ctx, http.StatusUnauthorized, "", http.MethodPost, "/mcp", hello, "Content-Type", "application/json", "Origin", inspector)
	if err != nil {
		return err
	}
	if !a.lists("Access-Control-Expose-Headers", "WWW-Authenticate") || !s.shares(a) {
		return errors.New("Access-Control-Allow-Origin or Access-Control-Expose-Headers is missing; " + ownCORS)
	}
	return nil
}

func (s *site) followsChallenge(ctx context.Context) error {
	if s.metadata == "" {
		return errors.New("no challenge to follow; fix the checks above first")
	}
	path, ours := strings.CutPrefix(s.metadata, s.origin)
	if !ours || !strings.HasPrefix(path, "/") {
		return fmt.Errorf("the challenge points to %s; %s", s.metadata, s.otherName())
	}
	if path != resourceMetadata+"/mcp" { // RFC 9728 section 3.1
		return fmt.Errorf("the challenge points to %s instead of %s/mcp", path, resourceMetadata)
	}
	return s.describesEndpoint(ctx, path)
}

// otherName returns advice for a server whose own URL differs from the one that was called.
func (s *site) otherName() string {
	return "clients compare it byte for byte with " + s.origin + ": use the URL that the server reports, or deploy with PublicUrl=" + s.origin
}

func (s *site) describesEndpoint(ctx context.Context, path string) error {
	var about struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := s.fetch(ctx, path, &about); err != nil {
		return err
	}
	if want := s.origin + "/mcp"; about.Resource != want { // RFC 9728 section 3.3
		return fmt.Errorf("resource is %q; %s", about.Resource, s.otherName())
	}
	if !slices.Contains(about.Servers, s.origin) { // RFC 9728 section 2
		return fmt.Errorf("authorization_servers is %q; %s", about.Servers, s.otherName())
	}
	return nil
}

func (s *site) describesServer(ctx context.Context, path string) error {
	var about struct {
		Issuer        string   `json:"issuer"`
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Registration  string   `json:"registration_endpoint"`
		Methods       []string `json:"code_challenge_methods_supported"`
		Auth          []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := s.fetch(ctx, path, &about); err != nil {
		return err
	}
	if about.Issuer != s.origin { // RFC 8414 section 3.3
		return fmt.Errorf("issuer is %q; %s", about.Issuer, s.otherName())
	}
	// Clients without metadata use these paths (MCP 2025-03-26, authorization).
	for endpoint, want := range map[string]string{
		about.Authorization: s.origin + "/authorize", about.Token: s.origin + "/token", about.Registration: s.origin + "/register",
	} {
		if endpoint != want {
			return fmt.Errorf("it contains %q where clients expect %s", endpoint, want)
		}
	}
	if !slices.Contains(about.Methods, "S256") || !slices.Contains(about.Auth, "none") { // MCP authorization, PKCE
		return fmt.Errorf("it offers PKCE methods %q and client authentication %q: without S256 and none, most clients cannot log in; this is not the server of this repository",
			about.Methods, about.Auth)
	}
	return nil
}

// fetch reads metadata in the way a web page does.
func (s *site) fetch(ctx context.Context, path string, into any) error {
	a, err := s.wants(ctx, http.StatusOK, "application/json", http.MethodGet, path, "", "Accept", "application/json", "Origin", inspector)
	if err != nil {
		return err
	}
	if !s.shares(a) { // clients in browsers read metadata
		return errors.New("web pages cannot read it; " + ownCORS)
	}
	return a.decode(into)
}

// shares reports whether the Inspector's page may read an answer.
func (s *site) shares(a answer) bool {
	return slices.Contains([]string{"*", inspector}, a.header.Get("Access-Control-Allow-Origin"))
}

// knowsItsLimits checks that an unknown metadata path is a 404 in JSON. A page or a server error
// would end a client's search for metadata.
func (s *site) knowsItsLimits(ctx context.Context) error {
	_, err := s.wants(ctx, http.StatusNotFound, "application/json", http.MethodGet, resourceMetadata+"/no/such/endpoint", "")
	return err
}

func (s *site) admitsPages(ctx context.Context, path, header string) error { // CORS preflight
	a, err := s.ask(ctx, http.MethodOptions, path, "", "Origin", inspector,
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", header+", mcp-protocol-version")
	if err != nil {
		return err
	}
	if a.status/100 != 2 {
		return a.want(http.StatusNoContent, "")
	}
	if !s.shares(a) || !a.lists("Access-Control-Allow-Methods", "POST") ||
		!a.lists("Access-Control-Allow-Headers", header) || !a.lists("Access-Control-Allow-Headers", "MCP-Protocol-Version") {
		return errors.New("the preflight does not allow POST with " + header + " and mcp-protocol-version; " + ownCORS)
	}
	return nil
}
