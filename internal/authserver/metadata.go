package authserver

import (
	"net/http"
	"net/url"
	"strings"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
)

// The well-known paths, which the path of the endpoint may follow (RFC 9728, 3.1; RFC 8414, 3).
const (
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	openIDMetadataPath   = "/.well-known/openid-configuration"
)

// aboutResource is protected resource metadata (RFC 9728, 2). Its scopes, and those of the server,
// leave out offline_access: clients that see it ask for consent every time, and all clients receive
// refresh tokens without it.
type aboutResource struct {
	Resource             string           `json:"resource"`
	AuthorizationServers []string         `json:"authorization_servers"`
	Scopes               []identity.Scope `json:"scopes_supported"`
	BearerMethods        []string         `json:"bearer_methods_supported"`
	Name                 string           `json:"resource_name"`
	Documentation        string           `json:"resource_documentation"`
}

// resourceMetadata describes the endpoint, or the part of it whose path follows the well-known
// path. Clients compare resource with the URL that they use, so it has the same path (RFC 9728,
// 3.3).
func (s *Server) resourceMetadata(w http.ResponseWriter, r *http.Request) error {
	path, ok := s.endpointAfter(resourceMetadataPath, r)
	if !ok {
		return errNoRoute
	}
	origin := s.Origin(r)
	describe(w, aboutResource{
		Resource:             origin + path,
		AuthorizationServers: []string{origin},
		Scopes:               identity.AllScopes(),
		BearerMethods:        []string{"header"},
		Name:                 s.first().Name,
		Documentation:        origin + "/",
	})
	return nil
}

// aboutServer is authorization server metadata (RFC 8414, 2). This server has no keys and no
// introspection.
type aboutServer struct {
	Issuer                string           `json:"issuer"`
	AuthorizationEndpoint string           `json:"authorization_endpoint"`
	TokenEndpoint         string           `json:"token_endpoint"`
	RegistrationEndpoint  string           `json:"registration_endpoint"`
	RevocationEndpoint    string           `json:"revocation_endpoint"`
	Scopes                []identity.Scope `json:"scopes_supported"`
	ResponseTypes         []string         `json:"response_types_supported"`
	ResponseModes         []string         `json:"response_modes_supported"`
	GrantTypes            []string         `json:"grant_types_supported"`
	ChallengeMethods      []string         `json:"code_challenge_methods_supported"`
	TokenAuthMethods      []string         `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods []string         `json:"revocation_endpoint_auth_methods_supported"`
	NamesIssuer           bool             `json:"authorization_response_iss_parameter_supported"`
	TakesDocuments        bool             `json:"client_id_metadata_document_supported"`
	Documentation         string           `json:"service_documentation"`
}

// serverMetadata describes the authorization server. The answer is the same under every path that
// clients try (MCP authorization, "Authorization Server Metadata Discovery").
func (s *Server) serverMetadata(w http.ResponseWriter, r *http.Request) error {
	_, ok := s.endpointAfter(serverMetadataPath, r)
	if _, alias := s.endpointAfter(openIDMetadataPath, r); !ok && !alias {
		return errNoRoute
	}
	origin := s.Origin(r)
	describe(w, aboutServer{
		Issuer:                origin, // without a trailing slash: clients compare it with its URL (RFC 8414, 3.3)
		AuthorizationEndpoint: origin + "/authorize",
		TokenEndpoint:         origin + "/token",
		RegistrationEndpoint:  origin + "/register",
		RevocationEndpoint:    origin + "/revoke",
		Scopes:                identity.AllScopes(),
		ResponseTypes:         responseTypes(),
		ResponseModes:         []string{"query"},
		GrantTypes:            s.grants(),
		ChallengeMethods:      []string{"S256"}, // clients refuse a server that does not name it
		TokenAuthMethods:      authMethods(),
		RevocationAuthMethods: authMethods(),
		NamesIssuer:           true, // RFC 9207, 3
		TakesDocuments:        !s.NoDocuments,
		Documentation:         origin + "/",
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
