package launchpad

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/text/lazyregexp"
)

// deadSigns are the texts by which 37signals says that a grant is no longer valid: OAuth's error
// code, and the messages after a change of password or the removal of a user. They may be in
// either field of the error, or in plain text.
var deadSigns = []string{"invalid_grant", "authorization_expired", "rekeyed its deadbolt", "unknown basecamp id"}

// causeOf classifies an answer without tokens. What it says about the grant counts for more than
// its status, because gateways and bans use the same statuses. An unknown answer does not end a
// grant: the user must not have to sign in again without need.
func causeOf(status int, body []byte) provider.Cause {
	if status == http.StatusTooManyRequests || status >= 500 || status/100 == 3 {
		return provider.Unavailable
	}
	code, text := complaint(body)
	refused := status == http.StatusUnauthorized || status == http.StatusForbidden
	ended := slices.ContainsFunc(deadSigns, func(sign string) bool { return strings.Contains(text, sign) })
	switch {
	case code == "invalid_client", code == "unauthorized_client":
		return provider.Misconfigured
	case code == "invalid_grant", code == "authorization_expired":
		return provider.Dead
	case (status == http.StatusBadRequest || status == http.StatusUnauthorized) && ended:
		return provider.Dead
	case refused:
		return provider.Misconfigured
	case status == http.StatusBadRequest && saysItIsOver(text):
		return provider.Dead
	}
	return provider.Unavailable
}

// complaint returns the error code of an answer, if any, and all its text in lower case.
func complaint(body []byte) (code, text string) {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return "", strings.ToLower(string(body))
	}
	code, _ = fields["error"].(string)
	description, _ := fields["error_description"].(string)
	return code, strings.ToLower(code + "\n" + description)
}

var (
	// unrelated matches phrases that name a part of the request, not the grant.
	unrelated = lazyregexp.New(`(grant|token|authorization)[ _](type|header|request|endpoint|method|server|ur[il])s?`)
	over      = lazyregexp.New(`\b(invalid|expired|revoked)[ _]((refresh|access)[ _])?(token|grant|authorization)\b` +
		`|(\b|_)(token|grant|authorization)[ _](code[ _])?((is|was|has|been|already)[ _])*(invalid|expired|revoked|no longer valid|not valid)\b`)
)

// saysItIsOver reports whether a text in lower case calls the grant invalid, expired or revoked. It
// ignores HTML, which comes from a gateway or a firewall.
func saysItIsOver(text string) bool {
	return !strings.HasPrefix(strings.TrimSpace(text), "<") && over.MatchString(unrelated.ReplaceAllString(text, ""))
}
