package github

import (
	"errors"
	"net/http"
	"slices"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/upstream"
)

// refusal returns the fault for a refusal: that of the first row of the table that applies.
func (c *call) refusal(r reply) *fault.Error {
	i := slices.IndexFunc(refusals, func(row refusalRow) bool { return row.applies(r) })
	f := refusals[i].fault(c, r)
	if f.Upstream == nil {
		f.Upstream = &fault.Upstream{Message: refusals[i].words}
	}
	if f.Upstream.Message == "" {
		f.Upstream.Message = refusals[i].words
	}
	f.Upstream.DocumentationURL = c.documentation(r.page)
	f.Upstream.Type = shownType(r.kind)
	if f.Link != nil {
		f.Provider = ProviderID
	}
	if names := r.names(); names != "" {
		f = f.Because(errors.New(names))
	}
	return f
}

// refusalRow says what one kind of refusal means.
type refusalRow struct {
	words   string // for upstream.message, because GitHub's own are not shown
	applies func(r reply) bool
	fault   func(c *call, r reply) *fault.Error
}

// refusals is the table of GitHub's refusals. The order matters: the status and the headers decide
// first, then the type of a GraphQL error, and the words last.
var refusals = []refusalRow{
	{"rate limited", isLimit, (*call).limited},
	{"unauthorized", status(http.StatusUnauthorized), (*call).unauthorized},
	{"single sign-on required", isSSO, (*call).singleSignOn},
	{"application not approved", forbiddenBy("oauth app access restrictions"), means(fault.PermissionDenied, "the organization restricts applications; one of its owners must approve this one on GitHub")},
	{"application not installed", forbiddenBy("resource not accessible by integration"), means(fault.PermissionDenied, "the GitHub App is not installed there, or lacks the permission; an owner can change both on GitHub")},
	{"token lacks a permission", forbiddenBy("resource not accessible by personal access token"), means(fault.PermissionDenied, "the access token lacks the permission; create one that has it")},
	{"address not allowed", forbiddenBy("ip allow list"), means(fault.PermissionDenied, "the organization allows only listed IP addresses; one of its owners must add the address of this server")},
	{"scope missing", func(r reply) bool { return r.is(http.StatusForbidden) && lacking(r.header) != nil }, (*call).lacksAccepted},
	{"scope missing", kinds("INSUFFICIENT_SCOPES"), (*call).lacksNamed},
	{"repository archived", forbiddenBy("archived"), means(fault.PermissionDenied, "the repository is archived, so it can only be read; an owner can unarchive it on GitHub")},
	{"conversation locked", forbiddenBy("locked"), means(fault.PermissionDenied, "the conversation is locked on GitHub; only users with write access can take part")},
	{"forbidden", status(http.StatusForbidden, "FORBIDDEN"), (*call).forbidden},
	{"not found", status(http.StatusNotFound, "NOT_FOUND", absent), (*call).notFound},
	{"gone", status(http.StatusGone), (*call).gone},
	{"unavailable for legal reasons", status(http.StatusUnavailableForLegalReasons), means(fault.NotFound, "GitHub took this down for legal reasons")},
	{"invalid request", status(http.StatusBadRequest), (*call).invalid},
	{"invalid input", status(http.StatusUnprocessableEntity, "UNPROCESSABLE", "VALIDATION", "INVALID"), (*call).invalid},
	{"conflict", status(http.StatusConflict), means(fault.Conflict, "this changed on GitHub in the meantime; read it before you try again")},
	{"too large", status(http.StatusRequestEntityTooLarge), means(fault.InvalidInput, "the input is larger than GitHub accepts; send less at once")},
	{"request not understood", notUnderstood, (*call).misunderstood},
	{"the query asks for too much", kinds("MAX_NODE_LIMIT_EXCEEDED", "RESOURCE_LIMITS_EXCEEDED"), final("this is more than GitHub returns at once; ask for less, such as a smaller limit")},
	{"redirect not followed", isRedirect, final("GitHub redirects this to an address that this server does not follow; check the name of the repository")},
	{"server error", isOutage, (*call).outage},
	{"unexpected response", func(reply) bool { return true }, final("GitHub returned an unexpected response; trying again will not help")},
}

// status returns a condition for a status or, in GraphQL, for types.
func status(code int, kinds ...string) func(reply) bool {
	return func(r reply) bool { return r.is(code, kinds...) }
}

// kinds returns a condition for types in GraphQL.
func kinds(kinds ...string) func(reply) bool {
	return func(r reply) bool { return r.typed(kinds...) }
}

func forbiddenBy(words string) func(reply) bool {
	return func(r reply) bool { return r.is(http.StatusForbidden, "FORBIDDEN") && r.says(words) }
}

// isLimit reports whether the user reached a rate limit. A 403 can be one too. In GraphQL the
// headers do not decide, because an error may be the answer to the last point.
func isLimit(r reply) bool {
	words := speaksOfALimit(r.message, r.page)
	switch {
	case r.graphql:
		return r.typed("RATE_LIMITED", "RATE_LIMIT") || words && r.code == "" && (r.kind == "" || r.kind == "FORBIDDEN")
	case r.status == http.StatusTooManyRequests:
		return true
	case r.status != http.StatusForbidden:
		return false
	}
	remaining := count(r.header.Get("X-RateLimit-Remaining"))
	return remaining != nil && *remaining == 0 || r.header.Get("Retry-After") != "" || words
}

// isSSO reports whether an organization requires single sign-on.
func isSSO(r reply) bool {
	required, _ := ssoURL(r.header)
	return r.is(http.StatusForbidden, "FORBIDDEN") && (required || r.says("saml enforcement"))
}

// isRedirect reports whether GitHub redirects to another origin, or too often.
func isRedirect(r reply) bool { return !r.graphql && upstream.IsRedirect(r.status) }

// notUnderstood reports whether GitHub rejects the form of a request, or a document whose fields it
// does not have.
func notUnderstood(r reply) bool {
	if r.graphql {
		return r.kind == "" && r.code != ""
	}
	return r.status == http.StatusMethodNotAllowed || r.status == http.StatusNotAcceptable || r.status == http.StatusUnsupportedMediaType
}

// isOutage reports whether the same request may succeed later.
func isOutage(r reply) bool {
	if r.graphql {
		return r.kind == "" || r.typed("SERVICE_UNAVAILABLE", "INTERNAL") || r.says("something went wrong")
	}
	return r.status >= 500 || r.status == http.StatusRequestTimeout
}

var typeForm = lazyregexp.New(`^[A-Z][A-Z_]{0,39}$`)

// shownType returns the type of a GraphQL error if it has the form of one.
func shownType(kind string) string {
	if !typeForm.MatchString(kind) {
		return ""
	}
	return kind
}
