// Package upstream makes HTTP requests to a provider's API. It is the same for all providers: rate
// limits, retries, conditional reads, pages, and the doubt about a write without a clear answer.
// Its errors are faults; any other error is a defect of this server.
package upstream

import (
	"net/http"
	"time"
)

// Config describes one provider's API. ID, Name, UserAgent and Transport are required.
type Config struct {
	ID              string // names the provider in faults, in lower case
	Name            string // names the provider in messages
	UserAgent       string
	RequestIDHeader string // header of answers with the ID that the provider's support needs
	Transport       http.RoundTripper
	Now             func() time.Time // to compare dates in answers with; nil: time.Now
	Rate            Rate             // zero: the number of requests is not limited
}

// Client sends requests to one provider on behalf of all users. It is safe for concurrent use. A
// process needs one for each provider, because the rate limit and the cache belong to it.
type Client struct {
	config Config
	http   *http.Client
	bucket *bucket // nil: the number of requests is not limited
	cache  *cache
}

// New returns a client.
func New(config Config) *Client {
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &Client{
		config: config,
		http:   &http.Client{Transport: config.Transport, CheckRedirect: followSameOrigin},
		cache:  newCache(cacheEntries, cacheBytes),
	}
	if config.Rate != (Rate{}) {
		c.bucket = newBucket(config.Rate)
	}
	return c
}

// maxRedirects is the number of redirects that a read follows.
const maxRedirects = 3

// followSameOrigin follows the redirects of reads within the origin. It returns every other
// redirect as the answer: a token must not go to another origin, and a redirected write may become
// a read.
func followSameOrigin(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || first.Method != http.MethodGet || !sameOrigin(next.URL, first.URL) {
		return http.ErrUseLastResponse
	}
	meterOf(next.Context()).count()
	return nil
}

// IsRedirect reports whether a status redirects to the address in Location.
func IsRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
