// Package upstream makes HTTP requests to a provider's API. It is the same for all providers: rate
// limits, retries, conditional reads, pages, a pause while the host does not answer, and the doubt
// about a write without a clear answer. Its errors are faults; any other error is a defect of this
// server.
package upstream

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"slices"
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
	// Roots are the addresses of the API. A redirect is followed only to one of them or below, because
	// other paths of the host may belong to other programs. Empty: to the origin of the request.
	Roots []*url.URL
	// ReadTime limits an attempt of a read, so that the caller's time allows another one; zero: 8 s. A
	// write has all the time of its caller: after a timeout its effect would be unknown.
	ReadTime time.Duration
	// FollowWrites makes a write follow one 307 or 308 within the origin. Both keep the method and
	// the body, and mean that the write was not carried out.
	FollowWrites bool
	// ServerErrorIsFinal means that a read is not sent again after a 500.
	ServerErrorIsFinal bool
}

// Client sends requests to one provider on behalf of all users. It is safe for concurrent use. A
// process needs one for each provider, because the rate limit, the cache and the breaker belong to
// it.
type Client struct {
	config  Config
	http    *http.Client
	bucket  *Bucket // nil: the number of requests is not limited
	cache   *cache
	breaker breaker
}

// New returns a client.
func New(config Config) *Client {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.ReadTime == 0 {
		config.ReadTime = readTime
	}
	c := &Client{
		config: config,
		http:   &http.Client{Transport: config.Transport, CheckRedirect: config.follow},
		cache:  newCache(cacheEntries, cacheBytes),
	}
	if config.Rate != (Rate{}) {
		c.bucket = NewBucket(config.Rate)
	}
	return c
}

// maxRedirects is the number of redirects that a read follows.
const maxRedirects = 3

// follow follows redirects within the API. It returns every other redirect as the answer: a token
// must not go to another program, and a redirected write may become a read.
func (c Config) follow(next *http.Request, via []*http.Request) error {
	first := via[0]
	most := maxRedirects
	if first.Method != http.MethodGet {
		most = 0
		if c.FollowWrites && next.Method == first.Method {
			most = 1 // net/http keeps the method of a write only after 307 and 308
		}
	}
	if len(via) > most || !sameOrigin(next.URL, first.URL) || !c.inAPI(next.URL) {
		return http.ErrUseLastResponse
	}
	meterOf(next.Context()).requests.Add(1)
	return nil
}

// inAPI reports whether an address belongs to the API.
func (c Config) inAPI(u *url.URL) bool {
	return len(c.Roots) == 0 || slices.ContainsFunc(c.Roots, func(root *url.URL) bool {
		_, err := Below(root, root, u.String())
		return err == nil || sameOrigin(u, root) && u.Path == root.Path
	})
}

// postpones reports whether a status means that the provider did not carry out a write.
func (c Config) postpones(status int) bool {
	return c.FollowWrites && (status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect)
}

// IsRedirect reports whether a status redirects to the address in Location.
func IsRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// connectTime limits how long a connection, and then its TLS handshake, may take.
const connectTime = 5 * time.Second

// NewTransport returns a transport to a provider. It ignores proxies in the environment.
func NewTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: connectTime,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 2 * maxInFlight,
		// The timeout is shorter than that of servers. Writing to a connection that the server just
		// closed leaves open whether the request was received.
		IdleConnTimeout: 45 * time.Second,
	}
}
