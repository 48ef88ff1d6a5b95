package mcphttp

import (
	"net/http"
	"slices"

	"basecamp-mcp/internal/identity"
)

// challengeHeader repeats WWW-Authenticate. API Gateway may rename that header, and maps this one
// back.
const challengeHeader = "X-Mcp-Challenge"

// challenge is what a client needs to get a token, or one with more scopes. The header omits the
// code and its description if the request had no credentials (RFC 6750 section 3.1).
type challenge struct {
	status      int
	code        string
	description string
	scopes      []identity.Scope
}

// challenge returns the answer with a challenge in both headers, and in the body for clients that
// see neither.
func (g *Guard) challenge(r *http.Request, c challenge) *answer {
	body := struct {
		failure
		ResourceMetadata string `json:"resource_metadata"`
		Scope            string `json:"scope"`
	}{
		failure:          failure{Error: c.code, Description: c.description},
		ResourceMetadata: g.Origin(r) + "/.well-known/oauth-protected-resource" + g.resource(r),
		Scope:            identity.ScopeString(c.scopes),
	}
	value := `resource_metadata="` + body.ResourceMetadata + `", scope="` + body.Scope + `"`
	if c.code != "" {
		value = `error="` + c.code + `", error_description="` + c.description + `", ` + value
	} else {
		body.failure = failure{Error: "unauthorized", Description: "log in, then send the token as Authorization: Bearer"}
	}
	value = "Bearer " + value
	return &answer{
		status: c.status,
		// Spelled as in the specification, because some clients compare case. Header.Get does not
		// find it under this key.
		header: http.Header{"WWW-Authenticate": {value}, challengeHeader: {value}},
		body:   body,
	}
}

// resource returns the path of the protected resource for the request: the path that the client
// used, because clients compare it with the metadata's resource (RFC 9728 section 3.3), or /mcp if
// the path is unknown.
func (g *Guard) resource(r *http.Request) string {
	selected, ok := ParsePath(r.URL.Path)
	if !ok || selected.Unknown(g.Catalog.Toolsets()) != "" {
		return "/mcp"
	}
	return r.URL.EscapedPath()
}

// union returns the granted scopes and one more, in the order of OAuth metadata.
func union(granted []identity.Scope, needed identity.Scope) []identity.Scope {
	return slices.DeleteFunc(identity.AllScopes(), func(s identity.Scope) bool { return s != needed && !slices.Contains(granted, s) })
}
