package authserver

import (
	"net/http"
	"net/url"
	"strings"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
)

const (
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	openIDMetadataPath   = "/.well-known/openid-configuration"
)

// scopes returns the scopes that the metadata lists. It leaves out offline_access: clients that see
// it ask for consent every time, and they get refresh tokens without it (R5, A8).
func scopes() []identity.Scope { return identity.AllScopes() }

// aboutResource is protected resource metadata (RFC 9728 2).
type aboutResource struct {
	Resource             string           `json:"resource"`
	AuthorizationServers []string         `json:"authorization_servers"`
	Scopes               []identity.Scope `json:"scopes_supported"`
	BearerMethods        []string         `json:"bearer_methods_supported"`
	Name                 string           `json:"resource_name"`
	Documentation        string           `json:"resource_documentation"`
}

// resourceMetadata describes the endpoint, or the part of it whose path follows the well-known one. `resource` is then that very
// path, since clients compare it with the URL they use (R2, R4).
func (b *Broker) resourceMetadata(w http.ResponseWriter, r *http.Request) {
	if !admit(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	path, ok := b.endpointAfter(resourceMetadataPath, r)
	if !ok {
		mcphttp.NotFound().ServeHTTP(w, r)
		return
	}
	origin := b.Origin(r)
	describe(w, aboutResource{
		Resource:             origin + path,
		AuthorizationServers: []string{origin},
		Scopes:               scopes(),
		BearerMethods:        []string{"header"},
		Name:                 "Basecamp",
		Documentation:        origin + "/",
	})
}

// aboutServer is authorization server metadata (RFC 8414 2). It names no keys and no introspection, for there are none (A9).
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

// serverMetadata describes the authorization server, the same under every path that clients try for one (A1).
func (b *Broker) serverMetadata(w http.ResponseWriter, r *http.Request) {
	if !admit(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	_, ok := b.endpointAfter(serverMetadataPath, r)
	if _, alias := b.endpointAfter(openIDMetadataPath, r); !ok && !alias {
		mcphttp.NotFound().ServeHTTP(w, r)
		return
	}
	origin := b.Origin(r)
	describe(w, aboutServer{
		Issuer:                origin, // A2
		AuthorizationEndpoint: origin + "/authorize",
		TokenEndpoint:         origin + "/token",
		RegistrationEndpoint:  origin + "/register",
		RevocationEndpoint:    origin + "/revoke",
		Scopes:                scopes(),
		ResponseTypes:         responseTypes(),
		ResponseModes:         []string{"query"},
		GrantTypes:            grantTypes(),
		ChallengeMethods:      []string{"S256"}, // A4
		TokenAuthMethods:      authMethods(),    // A6
		RevocationAuthMethods: authMethods(),
		NamesIssuer:           true, // A7
		TakesDocuments:        true,
		Documentation:         origin + "/",
	})
}

// noMetadata answers where clients probe for documents that there are none of. To a web page a 404 that it may not read looks
// like a server out of reach.
func noMetadata(w http.ResponseWriter, r *http.Request) {
	if admit(w, r, http.MethodGet, http.MethodHead) {
		mcphttp.NotFound().ServeHTTP(w, r)
	}
}

// describe writes metadata. It may be kept for five minutes: clients that keep a bad state keep it for long (A12).
func describe(w http.ResponseWriter, metadata any) {
	w.Header().Set("Cache-Control", "max-age=300")
	mcphttp.JSON(w, http.StatusOK, metadata)
}

// endpointAfter is the path, as it was written, of the endpoint that a well-known path names: /mcp when it names none.
func (b *Broker) endpointAfter(wellKnown string, r *http.Request) (path string, ok bool) {
	path, ok = strings.CutPrefix(r.URL.EscapedPath(), wellKnown)
	if path == "" || path == "/" {
		return "/mcp", ok
	}
	return path, ok && b.knowsEndpoint(path)
}

// knowsEndpoint reports whether an escaped path is a path of the MCP endpoint with toolsets that
// this deployment serves. The guard in front of the endpoint answers to the same paths.
func (b *Broker) knowsEndpoint(escaped string) bool {
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return false
	}
	selection, ok := mcphttp.ParsePath(path)
	return ok && selection.Unknown(b.Toolsets) == ""
}
