package authserver

import (
	"net/http"
	"net/url"
	"strings"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
)

// The well-known paths, which the path of the endpoint may follow (RFC 9728, 3.1; RFC 8414, 3).
const (
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	openIDMetadataPath   = "/.well-known/openid-configuration"
)

// resourceMetadata describes the endpoint, or the part of it whose path follows the well-known
// path. Clients compare resource with the URL that they use, so it has the same path (RFC 9728,
// 3.3). The scopes of both descriptions leave out offline_access: clients that see it ask for
// consent every time, and all clients receive refresh tokens without it.
func (s *Server) resourceMetadata(w http.ResponseWriter, r *http.Request) error {
	path, ok := s.endpointAfter(resourceMetadataPath, r)
	if !ok {
		return errNoRoute
	}
	origin := s.Origin(r)
	describe(w, map[string]any{ // RFC 9728, 2
		"resource":                 origin + path,
		"authorization_servers":    []string{origin},
		"scopes_supported":         identity.AllScopes(),
		"bearer_methods_supported": []string{"header"},
		"resource_name":            s.first().Name,
		"resource_documentation":   origin + "/",
	})
	return nil
}

// serverMetadata describes the authorization server. The answer is the same under every path that
// clients try (MCP authorization, "Authorization Server Metadata Discovery"). This server has no
// keys and no introspection.
func (s *Server) serverMetadata(w http.ResponseWriter, r *http.Request) error {
	_, ok := s.endpointAfter(serverMetadataPath, r)
	if _, alias := s.endpointAfter(openIDMetadataPath, r); !ok && !alias {
		return errNoRoute
	}
	origin := s.Origin(r)
	describe(w, map[string]any{ // RFC 8414, 2
		"issuer":                                         origin, // clients compare it with its URL (RFC 8414, 3.3)
		"authorization_endpoint":                         origin + "/authorize",
		"token_endpoint":                                 origin + "/token",
		"registration_endpoint":                          origin + "/register",
		"revocation_endpoint":                            origin + "/revoke",
		"scopes_supported":                               identity.AllScopes(),
		"response_types_supported":                       responseTypes(),
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          s.grants(),
		"code_challenge_methods_supported":               []string{"S256"}, // clients refuse a server that does not name it
		"token_endpoint_auth_methods_supported":          authMethods(),
		"revocation_endpoint_auth_methods_supported":     authMethods(),
		"authorization_response_iss_parameter_supported": true, // RFC 9207, 3
		"client_id_metadata_document_supported":          !s.NoDocuments,
		"service_documentation":                          origin + "/",
	})
	return nil
}

// catalogOfCard names the server's card.
func (s *Server) catalogOfCard(w http.ResponseWriter, r *http.Request) error {
	mcphttp.CatalogOfCard(w, s.Origin(r))
	return nil
}

// describe writes metadata. Clients may cache it for five minutes only, because a cached error
// would last.
func describe(w http.ResponseWriter, metadata any) {
	w.Header().Set("Cache-Control", "max-age=300")
	mcphttp.JSON(w, http.StatusOK, metadata)
}

// endpointAfter returns the path, as written, of the endpoint that a well-known path names. It
// returns /mcp if the path names none.
func (s *Server) endpointAfter(wellKnown string, r *http.Request) (path string, ok bool) {
	path, ok = strings.CutPrefix(r.URL.EscapedPath(), wellKnown)
	if path == "" || path == "/" {
		return "/mcp", ok
	}
	return path, ok && s.knowsEndpoint(path)
}

// knowsEndpoint reports whether the MCP endpoint, or a part of it, has this path as written in a
// URL: /mcp[/all|/x/{a,b}][/readonly] with toolsets that this deployment serves. The guard in front
// of the endpoint answers to the same paths.
func (s *Server) knowsEndpoint(escaped string) bool {
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return false
	}
	selection, ok := mcphttp.ParsePath(path)
	return ok && selection.Unknown(s.Toolsets) == ""
}
