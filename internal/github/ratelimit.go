package github

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// limit is a rate limit that a user has reached.
type limit struct {
	until time.Time
	said  fault.RateLimit // GitHub's figures, without a wait
	waits bool            // GitHub named a wait
}

// figures returns what GitHub said about the limit, with the wait that is left; nil if it said
// nothing.
func (l limit) figures(wait time.Duration) *fault.RateLimit {
	said := l.said
	if l.waits {
		seconds := upstream.WholeSeconds(wait)
		said.RetryAfter = &seconds
	}
	if said == (fault.RateLimit{}) {
		return nil
	}
	return &said
}

func rateLimited(wait time.Duration) *fault.Error {
	f := fault.New(fault.RateLimited, "GitHub limited this user's requests; try again in %d s", cmp.Or(upstream.WholeSeconds(wait), 1))
	f.RetryAfter = wait
	return f
}

const (
	usualWait  = time.Minute // where GitHub names no valid one (GitHub Docs, "Rate limits for the REST API")
	longestBan = time.Hour   // after which this server asks again, whatever the header said
	// farthest is the longest wait that a header can name. GitHub's limits are hourly.
	farthest = 24 * time.Hour
)

// limitOf returns the limit that the headers of an answer describe, and whether they say that it is
// reached. A figure that is missing, garbage, negative, in the past or more than a day ahead counts
// as not said: a zero would make the caller retry at once.
func limitOf(h http.Header, now time.Time) (l limit, reached bool) {
	l.said.Limit = count(h.Get("X-RateLimit-Limit"))
	l.said.Remaining = count(h.Get("X-RateLimit-Remaining"))
	if at, err := strconv.ParseUint(h.Get("X-RateLimit-Reset"), 10, 63); err == nil && int64(at) > now.Unix() && int64(at) <= now.Add(farthest).Unix() {
		l.said.Reset = new(int64(at))
	}
	spent := l.said.Remaining != nil && *l.said.Remaining == 0
	wait := usualWait
	switch asked := retryAfter(h, now); {
	case asked > 0:
		wait, l.waits = asked, true
	case spent && l.said.Reset != nil:
		wait = time.Unix(*l.said.Reset, 0).Sub(now)
	}
	l.until = now.Add(wait)
	return l, spent || h.Get("Retry-After") != ""
}

// retryAfter returns the wait of a Retry-After header; 0 if it names no valid one.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if asked := upstream.RetryAfter(h, now); asked != nil && *asked <= farthest {
		return *asked
	}
	return 0
}

// fault returns RATE_LIMITED with the figures that GitHub said.
func (l limit) fault(now time.Time) *fault.Error {
	wait := l.until.Sub(now)
	f := rateLimited(wait)
	if f.RateLimit = l.figures(wait); f.RateLimit == nil {
		f.RateLimit = &fault.RateLimit{} // upstream must not read the headers again
	}
	return f
}

// capped returns the limit with an end within the longest ban.
func (l limit) capped(now time.Time) limit {
	if end := now.Add(longestBan); l.until.After(end) {
		l.until = end
	}
	return l
}

// count parses a figure; nil if it is not one.
func count(value string) *int {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return nil
	}
	return new(int(n))
}

// speaksOfALimit reports whether GitHub's words or the page that it names are about a rate limit.
// Secondary limits have no header of their own.
func speaksOfALimit(message, documentationURL string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "rate limit") || strings.Contains(message, "abuse detection") ||
		strings.Contains(documentationURL, "rate-limit") || strings.Contains(documentationURL, "#abuse")
}
