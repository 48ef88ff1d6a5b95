package github

import (
	"net/http"
	"strings"

	"basecamp-mcp/internal/fault"
)

// means returns what a row means whose refusals all say the same.
func means(code fault.Code, message string) func(*call, reply) *fault.Error {
	return func(*call, reply) *fault.Error { return fault.New(code, "%s", message) }
}

// final returns what a row of UPSTREAM_ERROR means if trying again does not help.
func final(message string) func(*call, reply) *fault.Error {
	return func(*call, reply) *fault.Error {
		f := fault.New(fault.UpstreamError, "%s", message)
		f.Retryable = false
		return f
	}
}

// limited also keeps the user from asking again before the limit ends.
func (c *call) limited(r reply) *fault.Error {
	now := c.client.now()
	l, _ := limitOf(r.header, now)
	c.client.people.block(c.credential.Person, c.sent.of, l.capped(now))
	return l.fault(now)
}

func (c *call) unauthorized(reply) *fault.Error {
	f := fault.New(fault.TokenExpired, "GitHub no longer accepts this link; link GitHub again")
	f.Link = &fault.Link{Provider: ProviderID, Reason: fault.Reauthorize}
	return f
}

// ssoLife is how long GitHub's link for a single sign-on can be used (GitHub Docs, "Authenticating
// to the REST API").
const ssoLife = 3600

func (c *call) singleSignOn(r reply) *fault.Error {
	f := fault.New(fault.PermissionDenied, "the organization requires single sign-on; sign in to it on GitHub, then try again")
	f.Link = &fault.Link{Provider: ProviderID, Reason: fault.SSO}
	if _, raw := ssoURL(r.header); c.onWeb(raw) {
		f.Link.URL, f.Link.ExpiresIn = c.client.forBrowser(raw), ssoLife
	}
	return f
}

func (c *call) lacksAccepted(r reply) *fault.Error {
	return MissingScope(c.leastOf(lacking(r.header))...)
}

func (c *call) lacksNamed(r reply) *fault.Error {
	return MissingScope(c.leastOf(scopesIn(r.message))...)
}

func (c *call) forbidden(reply) *fault.Error {
	f := fault.New(fault.PermissionDenied, "GitHub does not allow the user to do this")
	thing := c.thing()
	if strings.HasPrefix(c.sent.about.ID, "PVT") { // a node ID, which tells a reader nothing
		thing = strings.TrimSuffix(thing, " "+c.sent.about.ID)
	}
	if thing != "" {
		f.Message += "; an owner can grant more access to the " + thing
	}
	return f
}

// thing returns what the request is about, such as "issue owner/name#12".
func (c *call) thing() string {
	about := c.sent.about
	return strings.TrimSpace(strings.ReplaceAll(about.Type, "_", " ") + " " + about.ID)
}

func (c *call) notFound(r reply) *fault.Error {
	missing := "nothing there"
	if thing := c.thing(); thing != "" {
		missing = "no " + thing
	}
	f := fault.New(fault.NotFound, "GitHub has %s, or the user may not see it", missing)
	if c.sent.inRepository && c.mayLackRepo(r.header) {
		f.Message += "; private repositories need a link with more access"
		f.Link = &fault.Link{Provider: ProviderID, Reason: fault.MissingScope, Scopes: []string{scopeRepo}}
	}
	return f
}

func (c *call) gone(reply) *fault.Error {
	if c.sent.about.Type == "repository" {
		return fault.New(fault.NotFound, "the repository has its issues switched off; an owner can switch them on")
	}
	return fault.New(fault.NotFound, "the issue was deleted on GitHub, or the repository has its issues switched off")
}

// IsGone reports whether GitHub said that something was there, and is deleted or switched off.
func IsGone(f *fault.Error) bool {
	return f.Upstream != nil && (f.Upstream.Status == http.StatusGone || f.Upstream.Status == http.StatusUnavailableForLegalReasons)
}

// invalid contains GitHub's own words, which no other fault does. Its message names the arguments.
func (c *call) invalid(r reply) *fault.Error {
	sentence, violations := c.violations(r)
	if len(violations) == 0 {
		return fault.New(fault.InvalidInput, "GitHub did not accept the request and gave no reason; check every argument")
	}
	f := fault.New(fault.InvalidInput, "%s", notAccepted(violations))
	f.Validation = violations
	f.Upstream = &fault.Upstream{Message: sentence}
	return f
}

func (c *call) misunderstood(r reply) *fault.Error {
	if r.graphql {
		return fault.New(fault.InternalError, "GitHub did not understand this server's query; an Enterprise Server may be too old for it")
	}
	return fault.New(fault.InternalError, "GitHub did not understand this server's request")
}

// outage does not let a wait of 0 in a header make this server ask again at once.
func (c *call) outage(r reply) *fault.Error {
	f := fault.New(fault.UpstreamError, "GitHub is having trouble; try again in a moment")
	f.RateLimit, f.RetryAfter = &fault.RateLimit{}, retryAfter(r.header, c.client.now())
	return f
}
