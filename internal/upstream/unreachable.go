package upstream

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"syscall"

	"basecamp-mcp/internal/fault"
)

// Unanswered returns the fault for a request that brought no answer. If no connection could be
// made, it names the host and the reason; otherwise it is other.
func Unanswered(to *url.URL, err error, other *fault.Error) *fault.Error {
	if reason := Unreachable(err); reason != "" {
		return fault.New(fault.UpstreamError, "cannot reach %s: %s", to.Host, reason)
	}
	return other
}

// Unreachable returns why no connection to a host could be made, in a few words: the machine is
// offline, for example. It returns "" for every other error.
func Unreachable(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return "no such host"
		}
		return "its name could not be looked up"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not trusted"
	}
	for reason, known := range map[string]syscall.Errno{
		"the connection was refused": syscall.ECONNREFUSED, "the network is unreachable": syscall.ENETUNREACH, "there is no route to it": syscall.EHOSTUNREACH,
	} {
		if errors.Is(err, known) {
			return reason
		}
	}
	return ""
}
