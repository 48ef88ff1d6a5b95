package upstream

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

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
