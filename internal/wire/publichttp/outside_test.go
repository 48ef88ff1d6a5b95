package publichttp

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// names answers each lookup with its next answer, and repeats the last one.
type names struct {
	answers [][]string
	asked   []string
}

func (n *names) LookupNetIP(_ context.Context, _, host string) (addresses []netip.Addr, _ error) {
	n.asked = append(n.asked, host)
	answer := n.answers[min(len(n.asked), len(n.answers))-1]
	for _, ip := range answer {
		addresses = append(addresses, netip.MustParseAddr(ip))
	}
	if answer == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addresses, nil
}

var errRefused = errors.New("connection refused")

// internet returns a dialer for a network whose hosts have these addresses. It records connections;
// no host answers.
func internet(answers ...[]string) (d dialer, n *names, connected *[]string) {
	n, connected = &names{answers: answers}, new([]string)
	return dialer{resolve: n.LookupNetIP, connect: func(_ context.Context, _, address string) (net.Conn, error) {
		*connected = append(*connected, address)
		return nil, errRefused
	}}, n, connected
}

var (
	public = []string{
		"1.1.1.1", "8.8.8.8", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0",
		"192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
	}
	public6 = []string{"2606:4700::1111", "2a00::1", "2001:200::1", "2001:4860:4860::8888", "64:ff9b::8.8.8.8", "2400::1:5efe:1:2"}
	special = []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.0.1",
		"169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1",
		"192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
		"239.255.255.255", "240.0.0.1", "255.255.255.255",
	}
	specialSix = []string{
		"::", "::1", "::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b:1::8.8.8.8", "64:ff9b:0:0:0:1::1", "100::1", "100:0:0:1::1", "2001::1", "2001:0:808:808::1",
		"2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1", "2001:db8::1", "2002:808:808::1", "2002:7f00:1::", "2620:4f:8000::1", "3fff::1",
		"4000::1", "5f00::1", "1fff::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
		"2606:4700::5efe:8.8.8.8", "2606:4700::200:5efe:10.0.0.1", "fe80::5efe:10.0.0.1", "2606:4700::1111%eth0",
		"64:ff9b::8.8.8.8%eth0",
	}
)

func TestDial_EverySpecialUseAddressIsRefused(t *testing.T) {
	answers := [][]string{
		nil, {}, {"8.8.8.8", "10.0.0.1"}, {"169.254.169.254", "8.8.8.8"}, {"8.8.8.8", "1.1.1.1", "2606:4700::1111", "::1"}, {"8.8.8.8", "::ffff:127.0.0.1"},
	}
	for _, ip := range specialSix {
		answers = append(answers, []string{ip})
	}
	for _, ip := range special {
		answers = append(answers, []string{ip}, []string{"::ffff:" + ip}, []string{"64:ff9b::" + ip})
	}
	for _, answer := range answers {
		d, _, connected := internet(answer)
		if conn, err := d.dial(t.Context(), "tcp", "app.example:443"); err == nil || conn != nil || errors.Is(err, errRefused) || len(*connected) > 0 {
			t.Errorf("%v: %v, connected to %v", answer, err, *connected)
		}
	}
}

func TestDial_PublicAddressesAreConnectedTo(t *testing.T) {
	for _, ip := range slices.Concat(public, public6, []string{"::ffff:8.8.8.8"}) {
		d, _, connected := internet([]string{ip})
		_, err := d.dial(t.Context(), "tcp", "app.example:443")
		if want := []string{net.JoinHostPort(netip.MustParseAddr(ip).Unmap().String(), "443")}; !errors.Is(err, errRefused) || !slices.Equal(*connected, want) {
			t.Errorf("%s: %v, connected to %v", ip, err, *connected)
		}
	}
}

func TestDial_ConnectsToTheAddressThatWasChecked(t *testing.T) { // DNS rebinding
	d, n, connected := internet([]string{"8.8.8.8"}, []string{"127.0.0.1"})
	_, _ = d.dial(t.Context(), "tcp", "app.example:443")
	if !slices.Equal(*connected, []string{"8.8.8.8:443"}) || len(n.asked) != 1 {
		t.Errorf("connected to %v after %d lookups", *connected, len(n.asked))
	}
	if _, err := d.dial(t.Context(), "tcp", "app.example:443"); err == nil || len(*connected) != 1 {
		t.Errorf("%v, connected to %v", err, *connected)
	}
}

func TestDial_TriesIPv4FirstAndFewAddresses(t *testing.T) {
	d, _, connected := internet([]string{"2606:4700::1111", "8.8.8.8", "1.1.1.1", "11.1.1.1"})
	_, err := d.dial(t.Context(), "tcp", "app.example:443")
	if diff := cmp.Diff([]string{"8.8.8.8:443", "1.1.1.1:443"}, *connected); diff != "" || !errors.Is(err, errRefused) {
		t.Error(err, diff)
	}
}

func TestDial_RefusesOtherPortsAndIPAddressesAsHosts(t *testing.T) {
	d, n, connected := internet([]string{"8.8.8.8"})
	for _, address := range []string{
		"app.example:80", "app.example:22", "app.example:8443", "app.example:9001", "app.example:", "app.example", "8.8.8.8:443", "127.0.0.1:443",
		"[::1]:443", "[2606:4700::1111]:443", "[fe80::1%25eth0]:443",
	} {
		if _, err := d.dial(t.Context(), "tcp", address); err == nil || errors.Is(err, errRefused) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if len(*connected) > 0 || len(n.asked) > 0 {
		t.Errorf("looked up %v, connected to %v", n.asked, *connected)
	}
}

// tlsHost starts a server on this machine that the transport takes for example.com at a public
// address.
func tlsHost(t *testing.T, h http.HandlerFunc) (*http.Transport, *names, *[]string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	d, n, connected := internet([]string{"8.8.8.8"})
	d.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		*connected = append(*connected, address)
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	transport := transportBy(d)
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	return transport, n, connected
}

func get(t *testing.T, transport http.RoundTripper, address string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return transport.RoundTrip(r)
}

func TestTransport_KeepsTheNameForTLSAndForTheHost(t *testing.T) {
	var host, server string
	transport, _, connected := tlsHost(t, func(w http.ResponseWriter, r *http.Request) {
		host, server = r.Host, r.TLS.ServerName
		_, _ = io.WriteString(w, r.Header.Get("Accept-Encoding"))
	})
	response, err := get(t, transport, "https://example.com/report.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	if host != "example.com" || server != "example.com" || !slices.Equal(*connected, []string{"8.8.8.8:443"}) || len(body) > 0 {
		t.Errorf("host %q, SNI %q, connected to %v, accepting %q", host, server, *connected, body)
	}
}

func TestTransport_RefusesTheCertificateOfAnotherHost(t *testing.T) {
	transport, _, _ := tlsHost(t, func(http.ResponseWriter, *http.Request) { t.Error("the server received a request") })
	response, err := get(t, transport, "https://app.example/report.csv")
	if err == nil {
		response.Body.Close()
		t.Fatal("the certificate was accepted")
	}
	if !errors.As(err, new(x509.HostnameError)) {
		t.Error(err)
	}
}

func TestTransport_HasNoPlainHTTPAndNoProxy(t *testing.T) {
	transport, n, connected := tlsHost(t, func(http.ResponseWriter, *http.Request) {})
	if response, err := get(t, transport, "http://example.com/report.csv"); !errors.Is(err, errPort) {
		t.Error(response, err)
	}
	response, err := get(t, transport, "https://example.com/report.csv")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if transport.Proxy != nil || !slices.Equal(n.asked, []string{"example.com"}) || !slices.Equal(*connected, []string{"8.8.8.8:443"}) {
		t.Errorf("looked up %v, connected to %v", n.asked, *connected)
	}
}

func TestTransport_EndlessHeadersAreRefused(t *testing.T) {
	transport, _, _ := tlsHost(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("x", 64<<10)) })
	if response, err := get(t, transport, "https://example.com/report.csv"); err == nil {
		t.Error(response.Status)
	}
}

func TestTransport_DoesNotReachTheFunctionsOwnNetwork(t *testing.T) {
	for _, address := range []string{"https://localhost/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest/meta-data/"} {
		response, err := get(t, Transport(), address)
		if err == nil {
			response.Body.Close()
		}
		if !errors.Is(err, errLiteral) && (err == nil || !strings.Contains(err.Error(), "special-use")) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
