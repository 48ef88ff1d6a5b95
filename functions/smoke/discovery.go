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

	// inspector is where the MCP Inspector's web page comes from.
	inspector = "http://localhost:6274"
	hello     = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"smoke","version":"1"}}}`
)

// isUp also tells our server from others, which are then asked nothing more.
func (s *site) isUp(ctx context.Context) error {
	a, err := s.ask(ctx, http.MethodGet, "/healthz", "")
	if err != nil {
		return fmt.Errorf("%w; the URL must be the McpUrl that sam deploy printed, and a domain of your own must lead to its DomainTarget", err)
	}
	if err := a.want(http.StatusOK, "application/json"); err != nil {
		if a.likely() != "" {
			return err
		}
		return fmt.Errorf("%w: %s", err, another)
	}
	var health struct{ Status string }
	if a.decode(&health) != nil || health.Status != "ok" {
		return errors.New(another)
	}
	return nil
}

const another = "this is another server, or something in front of it answers for it"

// ownCORS is what to do when web pages are not let in.
const ownCORS = "the server does CORS itself: take CorsConfiguration off the gateway, which overrides it"

// challenges checks the 401 that every login starts from: to any method, before anything else is wrong (R10, R16).
func (s *site) challenges(ctx context.Context, method string) error {
	body := ""
	if method == http.MethodPost {
		body = hello
	}
	a, err := s.ask(ctx, method, "/mcp", body, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	if err != nil {
		return err
	}
	if err := a.want(http.StatusUnauthorized, ""); err != nil {
		return err
	}
	metadata, err := challenge(a.header)
	if err != nil {
		return err
	}
	s.metadata = metadata
	return nil
}

// challenge finds where WWW-Authenticate leads.
func challenge(h http.Header) (metadata string, err error) {
	text := h.Get("WWW-Authenticate")
	switch {
	case text != "":
	case h.Get("X-Amzn-Remapped-Www-Authenticate") != "":
		return "", errors.New("WWW-Authenticate arrives as x-amzn-remapped-www-authenticate, which no client reads: the gateway must be the HTTP API of " +
			"template.yaml, whose McpIntegration puts the header back (overwrite:header.www-authenticate), and no REST API or function URL")
	case h.Get("X-Mcp-Challenge") != "":
		return "", errors.New("WWW-Authenticate got lost on the way, and only x-mcp-challenge is left: the McpIntegration of template.yaml must map it " +
			"(overwrite:header.www-authenticate for 401 and 403), and what is in front of the gateway must let it through")
	default:
		return "", errors.New("there is no WWW-Authenticate: " + another)
	}
	_, rest, named := strings.Cut(text, `resource_metadata="`)
	metadata, _, closed := strings.Cut(rest, `"`)
	if !strings.HasPrefix(text, "Bearer ") || !named || !closed {
		return "", fmt.Errorf("WWW-Authenticate is %q, without resource_metadata: something in front of the server answers for it", text)
	}
	return metadata, nil
}

func (s *site) exposesChallenge(ctx context.Context) error { // R17
	a, err := s.ask(ctx, http.MethodPost, "/mcp", hello, "Content-Type", "application/json", "Origin", inspector)
	if err != nil {
		return err
	}
	if err := a.want(http.StatusUnauthorized, ""); err != nil {
		return err
	}
	if !a.lists("Access-Control-Expose-Headers", "WWW-Authenticate") || !s.shares(a) {
		return errors.New("Access-Control-Allow-Origin or Access-Control-Expose-Headers is missing; " + ownCORS)
	}
	return nil
}

func (s *site) followsChallenge(ctx context.Context) error {
	if s.metadata == "" {
		return errors.New("there was no challenge to follow; mend that first")
	}
	path, ours := strings.CutPrefix(s.metadata, s.origin)
	if !ours || !strings.HasPrefix(path, "/") {
		return fmt.Errorf("it leads to %s; %s", s.metadata, s.otherName())
	}
	if path != resourceMetadata+"/mcp" { // R4
		return fmt.Errorf("it leads to %s instead of %s/mcp", path, resourceMetadata)
	}
	return s.describesEndpoint(ctx, path)
}

// otherName is the likely reason when a server calls itself otherwise than it was called.
func (s *site) otherName() string {
	return "clients compare it byte for byte with " + s.origin + ": check the URL that the server calls itself, or deploy with PublicUrl=" + s.origin
}

func (s *site) describesEndpoint(ctx context.Context, path string) error {
	var about struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := s.fetch(ctx, path, &about); err != nil {
		return err
	}
	if want := s.origin + "/mcp"; about.Resource != want { // R2
		return fmt.Errorf("resource is %q; %s", about.Resource, s.otherName())
	}
	if !slices.Contains(about.Servers, s.origin) { // R3
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
	if about.Issuer != s.origin { // A2
		return fmt.Errorf("issuer is %q; %s", about.Issuer, s.otherName())
	}
	for endpoint, want := range map[string]string{
		about.Authorization: s.origin + "/authorize", about.Token: s.origin + "/token", about.Registration: s.origin + "/register", // A10
	} {
		if endpoint != want {
			return fmt.Errorf("it names %q where clients expect %s", endpoint, want)
		}
	}
	if !slices.Contains(about.Methods, "S256") || !slices.Contains(about.Auth, "none") { // A4, A6
		return fmt.Errorf("it offers PKCE by %q and clients with %q: without S256 and none most cannot log in; this is not the server of this repository",
			about.Methods, about.Auth)
	}
	return nil
}

// fetch reads metadata the way a web page does.
func (s *site) fetch(ctx context.Context, path string, into any) error {
	a, err := s.ask(ctx, http.MethodGet, path, "", "Accept", "application/json", "Origin", inspector)
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK, "application/json"); err != nil {
		return err
	}
	if !s.shares(a) { // R7
		return errors.New("web pages may not read it; " + ownCORS)
	}
	return a.decode(into)
}

// shares reports whether the Inspector's page may read an answer.
func (s *site) shares(a answer) bool {
	return slices.Contains([]string{"*", inspector}, a.header.Get("Access-Control-Allow-Origin"))
}

// knowsItsLimits: a page, or an error of the server's, ends the search that clients make for metadata (R8).
func (s *site) knowsItsLimits(ctx context.Context) error {
	a, err := s.ask(ctx, http.MethodGet, resourceMetadata+"/no/such/endpoint", "")
	if err != nil {
		return err
	}
	return a.want(http.StatusNotFound, "application/json")
}

func (s *site) admitsPages(ctx context.Context, path, header string) error { // R17, T2
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
