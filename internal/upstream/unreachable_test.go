package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
)

func dialing(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

func TestUnreachable_NamesTheReason(t *testing.T) {
	for want, err := range map[string]error{
		"no such host":                    dialing(&net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}),
		"its name could not be looked up": dialing(&net.DNSError{Err: "server misbehaving", Name: "a.example"}),
		"the connection was refused":      dialing(syscall.ECONNREFUSED),
		"the network is unreachable":      dialing(syscall.ENETUNREACH),
		"there is no route to it":         dialing(syscall.EHOSTUNREACH),
		"its certificate is not trusted":  &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
	} {
		if got := Unreachable(&url.Error{Op: "Get", URL: "https://a.example/", Err: err}); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
	for _, err := range []error{io.EOF, errors.New("no such host"), fmt.Errorf("read: %w", syscall.ECONNRESET)} {
		if got := Unreachable(err); got != "" {
			t.Errorf("%v: %q", err, got)
		}
	}
}

func TestAFault_OfAnOfflineServerNamesHostAndReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(transport(func(*http.Request) (*http.Response, error) {
			return nil, dialing(&net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true})
		}))
		f := wantFault(t, get(withTimeout(t, 10*time.Second), c), fault.UpstreamError)
		if !strings.HasPrefix(f.Message, "cannot reach ") || !strings.HasSuffix(f.Message, ": no such host; try again in a moment") || !f.Retryable {
			t.Errorf("%+v", f)
		}
	})
}
