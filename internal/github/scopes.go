package github

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/lazyregexp"
)

// The scopes of an OAuth App that the calls of this package need (GitHub Docs, "Scopes for OAuth
// apps").
const (
	scopeRepo        = "repo"
	scopeProject     = "project"
	scopeReadProject = "read:project"
	scopeReadOrg     = "read:org"
)

// MissingScope returns PERMISSION_DENIED for a user who granted too few scopes. The link asks for
// these.
func MissingScope(scopes ...string) *fault.Error {
	f := fault.New(fault.PermissionDenied, "the link to GitHub does not allow this; link GitHub again with more access")
	if len(scopes) > 0 {
		f.Message = "the link to GitHub lacks the scope " + strings.Join(scopes, ", ") + "; link GitHub again with more access"
	}
	f.Link = &fault.Link{Provider: ProviderID, Reason: fault.MissingScope, Scopes: scopes}
	f.Provider = ProviderID
	return f
}

// Require returns MissingScope for the first scope if the user certainly granted none of them. It
// sends no request. The tokens of a GitHub App have no scopes and always pass. If the user never
// linked GitHub, the link of the fault asks for the first scope.
func (c *Client) Require(ctx context.Context, anyOf ...string) error {
	credential, err := c.credential(ctx, "")
	if f, known := errors.AsType[*fault.Error](err); known && f.Code == fault.NotLinked && f.Link != nil {
		told, link := *f, *f.Link
		link.Scopes, told.Link = anyOf[:min(1, len(anyOf))], &link
		return &told
	}
	if err != nil {
		return err
	}
	granted := strings.Fields(credential.Scope)
	if len(granted) == 0 || len(anyOf) == 0 || slices.ContainsFunc(anyOf, func(s string) bool { return githubauth.Grants(granted, s) }) {
		return nil
	}
	return MissingScope(anyOf[0])
}

// granted returns the scopes of the token, and whether they are known.
func (c *call) granted(h http.Header) (scopes []string, known bool) {
	if values := h.Values("X-OAuth-Scopes"); len(values) > 0 {
		return scopeList(strings.Join(values, ",")), true
	}
	scopes = strings.Fields(c.credential.Scope)
	return scopes, len(scopes) > 0
}

// mayLackRepo reports whether a private repository would stay hidden from the user's token.
func (c *call) mayLackRepo(h http.Header) bool {
	granted, known := c.granted(h)
	return known && !githubauth.Grants(granted, scopeRepo)
}

// lacking returns the scopes that a route accepts, if the token has none of them; otherwise nil.
func lacking(h http.Header) []string {
	accepted := scopeList(strings.Join(h.Values("X-Accepted-OAuth-Scopes"), ","))
	if len(accepted) == 0 || len(h.Values("X-OAuth-Scopes")) == 0 {
		return nil
	}
	granted := scopeList(strings.Join(h.Values("X-OAuth-Scopes"), ","))
	if slices.ContainsFunc(accepted, func(s string) bool { return githubauth.Grants(granted, s) }) {
		return nil
	}
	return accepted
}

var listInMessage = lazyregexp.New(`\[([^\]]*)\]`)

// scopesIn returns the scopes that the message of INSUFFICIENT_SCOPES lists first: the token needs
// one of them.
func scopesIn(message string) []string {
	list := listInMessage.FindStringSubmatch(message)
	if list == nil {
		return nil
	}
	return scopeList(strings.NewReplacer("'", "", `"`, "", "`", "").Replace(list[1]))
}

const maxScopes = 10

var scopeForm = lazyregexp.New(`^[a-z][a-z_]{0,29}(:[a-z_]{1,30})?$`)

// scopeList parses scopes that commas or spaces separate, and leaves out what does not have the
// form of a scope.
func scopeList(text string) []string {
	var scopes []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		if scopeForm.MatchString(word) && len(scopes) < maxScopes {
			scopes = append(scopes, word)
		}
	}
	return scopes
}

// leastOf returns what to ask the user for where one of several scopes is enough: the narrowest
// that the tools use for such a request, or all if they use none.
func (c *call) leastOf(scopes []string) []string {
	order := []string{scopeReadProject, scopeReadOrg, scopeProject, scopeRepo}
	if c.sent.writes {
		order = []string{scopeProject, scopeRepo, scopeReadOrg}
	}
	for _, scope := range order {
		if slices.Contains(scopes, scope) {
			return []string{scope}
		}
	}
	return scopes
}
