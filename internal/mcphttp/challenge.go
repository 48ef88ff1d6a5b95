package mcphttp

import (
	"net/http"
	"slices"

	"basecamp-mcp/internal/identity"
)

// challengeHeader repeats WWW-Authenticate: API Gateway may rename the original, and maps this one back.
const challengeHeader = "X-Mcp-Challenge"

// challenge is what a client needs to fetch a token, or a better one. The code and its description are left out of the
// header when the request carried no credentials (R11).
type challenge struct {
	status      int
	code        string
	description string
	scopes      []identity.Scope
}

// challenge writes one in both headers and, for clients that see neither, in the body (R10).
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
		// R18: spelled as in the specification, since not every client ignores case. Header.Get does not find it under this key.
		header: http.Header{"WWW-Authenticate": {value}, challengeHeader: {value}},
		body:   body,
	}
}

// resource is the path of the protected resource the client asked for: the very path it used, since clients compare it with
// the metadata's `resource` (R2), or /mcp when it used none we know.
func (g *Guard) resource(r *http.Request) string {
	selected, ok := ParsePath(r.URL.Path)
	if !ok || selected.Unknown(g.Catalog.Toolsets()) != "" {
		return "/mcp"
	}
	return r.URL.EscapedPath()
}

// union is the granted scopes with one more, in the order OAuth shows them.
func union(granted []identity.Scope, needed identity.Scope) []identity.Scope {
	return slices.DeleteFunc(identity.AllScopes(), func(s identity.Scope) bool { return s != needed && !slices.Contains(granted, s) })
}
