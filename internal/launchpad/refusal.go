package launchpad

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/grant"
)

// refusal says what it means that a token request brought no tokens. It repeats nothing of the answer.
func refusal(err error, now time.Time) *grant.Refusal {
	if answered, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := answered.Response.StatusCode
		return &grant.Refusal{
			Cause:      causeOf(status, answered.Body),
			RetryAfter: retryAfter(answered.Response.Header, now),
			Err:        fmt.Errorf("status %d", status),
		}
	}
	if sent, ok := errors.AsType[*url.Error](err); ok {
		return &grant.Refusal{Cause: grant.Unavailable, Err: unanswered(sent.Err)}
	}
	return unusable(errors.New("the answer holds no tokens")) // oauth2's own words quote it
}

// deadSigns are how 37signals says that a grant is over: in OAuth's words, after a change of password, and when the person
// is gone. They may stand in either field of the error, or in a text that is no JSON.
var deadSigns = []string{"invalid_grant", "authorization_expired", "rekeyed its deadbolt", "unknown basecamp id"}

// causeOf reads an answer without tokens. What it says of the grant counts for more than its status, which gateways and
// bans share; and what nobody foresaw is no reason to send people to log in again.
func causeOf(status int, body []byte) grant.Cause {
	if status == http.StatusTooManyRequests || status >= 500 || status/100 == 3 {
		return grant.Unavailable
	}
	code, text := complaint(body)
	refused := status == http.StatusUnauthorized || status == http.StatusForbidden
	switch {
	case code == "invalid_client", code == "unauthorized_client":
		return grant.Misconfigured
	case code == "invalid_grant", code == "authorization_expired":
		return grant.Dead
	case (status == http.StatusBadRequest || status == http.StatusUnauthorized) && containsAny(text, deadSigns):
		return grant.Dead
	case refused:
		return grant.Misconfigured
	case status == http.StatusBadRequest && saysItIsOver(text):
		return grant.Dead
	}
	return grant.Unavailable
}

// complaint is the error code of an answer, "" when there is none, and all that it says in words, in lower case.
func complaint(body []byte) (code, text string) {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return "", strings.ToLower(string(body))
	}
	code, _ = fields["error"].(string)
	description, _ := fields["error_description"].(string)
	return code, strings.ToLower(code + "\n" + description)
}

func containsAny(text string, signs []string) bool {
	for _, sign := range signs {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

var (
	// beside is what sounds like the grant and is a part of the request.
	beside = regexp.MustCompile(`(grant|token|authorization)[ _](type|header|request|endpoint|method|server|ur[il])s?`)
	over   = regexp.MustCompile(`\b(invalid|expired|revoked)[ _]((refresh|access)[ _])?(token|grant|authorization)\b` +
		`|(\b|_)(token|grant|authorization)[ _](code[ _])?((is|was|has|been|already)[ _])*(invalid|expired|revoked|no longer valid|not valid)\b`)
)

// saysItIsOver reports whether a text in lower case calls the grant invalid, expired or revoked. A page of HTML is somebody
// else's: a gateway's, a firewall's.
func saysItIsOver(text string) bool {
	return !strings.HasPrefix(strings.TrimSpace(text), "<") && over.MatchString(beside.ReplaceAllString(text, ""))
}

// longestWait bounds what a Retry-After may ask for: a person should not be shut out by a slip of somebody's clock.
const longestWait = 24 * time.Hour

// retryAfter reads a Retry-After header, seconds or a date; zero when there is none that makes sense.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = date.Sub(now)
	}
	return min(max(0, wait), longestWait)
}
