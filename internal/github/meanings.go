package github

import (
	"strings"

	"basecamp-mcp/internal/fault"
)

// limited also keeps the user from asking again before the limit ends.
func (c *call) limited(r reply) *fault.Error {
	now := c.client.now()
	l, _ := limitOf(r.header, now)
	c.client.people.block(c.credential.Person, c.sent.of, l.capped(now))
	return l.fault(now)
}

func (c *call) unauthorized(reply) *fault.Error {
	f := fault.New(fault.TokenExpired, "GitHub no longer accepts this link; link GitHub again")
	f.Link = &fault.Link{Provider: providerID, Reason: fault.Reauthorize}
	return f
}

// ssoLife is how long GitHub's link for a single sign-on can be used (GitHub Docs, "Authenticating
// to the REST API").
const ssoLife = 3600

func (c *call) singleSignOn(r reply) *fault.Error {
	f := fault.New(fault.PermissionDenied, "the organization requires single sign-on; sign in to it on GitHub, then try again")
	f.Link = &fault.Link{Provider: providerID, Reason: fault.SSO}
	if _, raw := ssoURL(r.header); c.onWeb(raw) {
		f.Link.URL, f.Link.ExpiresIn = c.client.forBrowser(raw), ssoLife
	}
	return f
}

func (c *call) notApproved(reply) *fault.Error {
	return fault.New(fault.PermissionDenied, "the organization restricts applications; one of its owners must approve this one on GitHub")
}

func (c *call) notInstalled(reply) *fault.Error {
	return fault.New(fault.PermissionDenied, "the GitHub App is not installed there, or lacks the permission; an owner can change both on GitHub")
}

func (c *call) lacksAccepted(r reply) *fault.Error {
	return MissingScope(c.leastOf(lacking(r.header))...)
}

func (c *call) lacksNamed(r reply) *fault.Error {
	return MissingScope(c.leastOf(scopesIn(r.message))...)
}

func (c *call) forbidden(reply) *fault.Error {
	return fault.New(fault.PermissionDenied, "the user is not allowed to do this on GitHub")
}

func (c *call) notFound(r reply) *fault.Error {
	missing := "nothing there"
	if about := c.sent.about; about.Type != "" {
		missing = strings.TrimSpace("no " + strings.ReplaceAll(about.Type, "_", " ") + " " + about.ID)
	}
	f := fault.New(fault.NotFound, "GitHub has %s, or the user may not see it", missing)
	if c.sent.inRepository && c.mayLackRepo(r.header) {
		f.Message += "; private repositories need a link with more access"
		f.Link = &fault.Link{Provider: providerID, Reason: fault.MissingScope, Scopes: []string{scopeRepo}}
	}
	return f
}

func (c *call) gone(reply) *fault.Error {
	return fault.New(fault.NotFound, "the issue was deleted on GitHub, or the repository has its issues switched off")
}

func (c *call) takenDown(reply) *fault.Error {
	return fault.New(fault.NotFound, "GitHub took this down for legal reasons")
}

// invalid contains GitHub's own words, which no other fault does.
func (c *call) invalid(r reply) *fault.Error {
	f := fault.New(fault.InvalidInput, "GitHub did not accept the input; correct it as the validation says")
	sentence, violations := c.violations(r)
	if len(violations) == 0 {
		f.Message = "GitHub did not accept the request and gave no reason"
		return f
	}
	f.Validation = violations
	f.Upstream = &fault.Upstream{Message: sentence}
	return f
}

func (c *call) conflict(reply) *fault.Error {
	return fault.New(fault.Conflict, "this changed on GitHub in the meantime; read it before you try again")
}

func (c *call) tooLarge(reply) *fault.Error {
	return fault.New(fault.InvalidInput, "the input is larger than GitHub accepts; send less at once")
}

func (c *call) misunderstood(r reply) *fault.Error {
	if r.graphql {
		return fault.New(fault.InternalError, "GitHub did not understand this server's query; an Enterprise Server may be too old for it")
	}
	return fault.New(fault.InternalError, "GitHub did not understand this server's request")
}

func (c *call) tooMuch(reply) *fault.Error {
	f := fault.New(fault.UpstreamError, "this is more than GitHub returns at once; ask for less")
	f.Retryable = false
	return f
}

func (c *call) outage(reply) *fault.Error {
	return fault.New(fault.UpstreamError, "GitHub is having trouble; try again in a moment")
}

func (c *call) unexpected(r reply) *fault.Error {
	f := fault.New(fault.UpstreamError, "GitHub returned an unexpected response; trying again will not help")
	f.Retryable = false
	return f
}
