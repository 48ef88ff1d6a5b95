package awsstores

import (
	"cmp"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

const timeout = 3 * time.Second // of one attempt; the SDK makes three

// retryer returns a retryer for one client. It holds the client's quota of retries: an outage of
// one service must not use up the retries for another.
func retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) { o.Backoff = retry.BackoffDelayerFunc(backoff) })
}

// backoff returns the pause after an attempt, counted from one. It is much shorter than the
// SDK's own of a second: often a connection was only closed while the function was frozen.
func backoff(attempt int, _ error) (time.Duration, error) {
	return rand.N(50 * time.Millisecond << attempt), nil
}

// Outbound returns the transport of a Lambda for all requests, to AWS and to Basecamp, so that
// requests use connections that were opened before the first one. It ignores proxies in the
// environment.
func Outbound() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 3 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 10,
		IdleConnTimeout:     45 * time.Second, // shorter than those of the servers
	}
}

// client returns the client of the SDK. Its timeout covers the whole answer.
func client(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: plain{transport}, Timeout: timeout}
}

// plain hides the WriteTo method of the SDK's request bodies. They are closed as soon as an answer
// starts, which net/http treats as a failed write: it would drop one connection in fifty. It also
// makes an empty answer unreadable: the services return at least {}, and the SDK would treat it as
// a missing item, or as a successful write.
type plain struct{ http.RoundTripper }

func (p plain) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(r.Context())
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	answer, err := p.RoundTripper.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusOK && answer.ContentLength == 0 {
		answer.Body = io.NopCloser(strings.NewReader("empty"))
	}
	return answer, err
}

func endpoint(url string) *string {
	if url == "" {
		return nil
	}
	return &url
}

// authorities is the file with all certificate authorities that Amazon Linux trusts.
const authorities = "/etc/pki/tls/certs/ca-bundle.crt"

// ReadAuthoritiesOnce makes crypto/x509 skip two directories that hold the same authorities as that
// file, each in a file of its own: reading them would take most of a first TLS handshake
// (golang.org/issue/79018). If the file is missing, it changes nothing.
func ReadAuthoritiesOnce() {
	file, directories := os.Getenv("SSL_CERT_FILE"), os.Getenv("SSL_CERT_DIR") //nolint:forbidigo // crypto/x509 reads them
	if directories != "" {
		return
	}
	if _, err := os.Stat(cmp.Or(file, authorities)); err == nil {
		_ = os.Setenv("SSL_CERT_DIR", "/nonexistent") // it fails only for malformed names and values
	}
}
