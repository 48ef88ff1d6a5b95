package github

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

const (
	ssoHeader = "X-GitHub-SSO"
	docsHost  = "docs.github.com"
	maxURL    = 1000 // bytes
)

// ssoURL reports whether an organization requires single sign-on, and where GitHub offers it.
func ssoURL(h http.Header) (required bool, address string) {
	word, rest, _ := strings.Cut(h.Get(ssoHeader), ";")
	if !strings.EqualFold(strings.TrimSpace(word), "required") {
		return false, ""
	}
	address, _ = strings.CutPrefix(strings.TrimSpace(rest), "url=")
	return true, address
}

// ssoOrganizations returns the IDs of the organizations whose part a success leaves out, because
// they require single sign-on.
func ssoOrganizations(h http.Header) []int64 {
	word, rest, _ := strings.Cut(h.Get(ssoHeader), ";")
	list, named := strings.CutPrefix(strings.TrimSpace(rest), "organizations=")
	if !strings.EqualFold(strings.TrimSpace(word), "partial-results") || !named {
		return nil
	}
	var ids []int64
	for text := range strings.SplitSeq(list, ",") {
		if id, err := strconv.ParseUint(strings.TrimSpace(text), 10, 63); err == nil && len(ids) < 100 {
			ids = append(ids, int64(id))
		}
	}
	return ids
}

// onWeb reports whether an address is on GitHub's site, so that a user may be sent there.
func (c *call) onWeb(address string) bool {
	u, ok := parseShown(address)
	return ok && u.Scheme == c.client.web.Scheme && strings.EqualFold(u.Host, c.client.web.Host)
}

// forBrowser returns the address at which a user's browser reaches an address on GitHub's site.
func (c *common) forBrowser(address string) string {
	u, err := url.Parse(address)
	if err != nil || c.browser == "" {
		return address
	}
	return c.browser + u.RequestURI()
}

// documentation returns the address of a page of GitHub's documentation, or an empty string if the
// address leads elsewhere.
func (c *call) documentation(address string) string {
	u, ok := parseShown(address)
	if !ok || u.RawQuery != "" || !(u.Scheme == "https" && strings.EqualFold(u.Host, docsHost)) && !c.onWeb(address) {
		return ""
	}
	return address
}

// parseShown parses a foreign address that may be shown: visible ASCII without characters of
// markup.
func parseShown(address string) (*url.URL, bool) {
	strange := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'<>\\^`{|}", r) }
	if len(address) > maxURL || strings.ContainsFunc(address, strange) {
		return nil, false
	}
	u, err := url.Parse(address)
	return u, err == nil && u.User == nil && u.Host != ""
}

// Path returns the segments of the path of an address, and whether the address is on GitHub's site.
// It ignores the query and the fragment.
func (c *Client) Path(address string) (segments []string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != c.web.Scheme || !strings.EqualFold(u.Host, c.web.Host) || u.User != nil {
		return nil, false
	}
	return strings.Split(strings.Trim(u.Path, "/"), "/"), true
}

const maxSentence = 200 // characters

var tag = lazyregexp.New(`<[^>]*>?`)

// sentence returns GitHub's words as one line of plain text, without the secret, in case GitHub
// repeats it.
func sentence(words, secret string) string {
	if secret != "" {
		words = strings.ReplaceAll(words, secret, "")
	}
	return plaintext.Label(tag.ReplaceAllString(words, " "), maxSentence)
}

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
