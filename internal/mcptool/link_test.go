package mcptool

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/fault"
)

// linkless returns a fault that a user can resolve at the provider.
func linkless() *fault.Error {
	f := fault.New(fault.PermissionDenied, "sign in to the organization first")
	f.Upstream = &fault.Upstream{Provider: "orchard", Status: 403, DocumentationURL: "https://docs.orchard.example/sso", Type: "FORBIDDEN"}
	f.Link = &fault.Link{Provider: "orchard", URL: "https://orchard.example/sso", Reason: fault.SSO, Scopes: []string{"harvest"}, ExpiresIn: 3600}
	return f
}

const linkJSON = `"link":{"provider":"orchard","url":"https://orchard.example/sso","reason":"sso","scopes":["harvest"],"expires_in":3600}`

func TestFailure_ShowsTheLinkAndThePageOfTheDocumentation(t *testing.T) {
	want := `{"error_code":"PERMISSION_DENIED","message":"sign in to the organization first","retryable":false,"data":{"tool":"pick","code":-31004,` +
		`"upstream":{"provider":"orchard","status":403,"documentation_url":"https://docs.orchard.example/sso","type":"FORBIDDEN"},` + linkJSON + `}}`
	if got := string(failure("pick", linkless()).JSON); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestRefusal_OfAResourceShowsTheLink(t *testing.T) {
	got, err := encode(newRefusal(true, mcp.MethodResourcesRead, "orchard://trees", linkless()).Data)
	if want := `{"error_code":"PERMISSION_DENIED","retryable":false,"uri":"orchard://trees",` + linkJSON + `}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}
