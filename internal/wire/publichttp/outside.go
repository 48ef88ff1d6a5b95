// Package publichttp connects to hosts on the internet whose names come from outside, such as a
// client's metadata document, and refuses all other addresses: a function's runtime, its
// credentials and its network must not be reachable. A transport does not follow redirects; its
// caller decides.
package publichttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// handshakeTime is the timeout of a TLS handshake. It also ends a connection that no request waits
// for any more.
const handshakeTime = 4 * time.Second

// Transport returns a transport that speaks HTTPS only to public hosts, with a new connection for
// each request. It does not decompress responses. Client ID metadata documents
// (draft-ietf-oauth-client-id-metadata-document) require the address check.
func Transport() *http.Transport { return transportBy(onInternet()) }

func transportBy(d dialer) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // one from the environment would resolve and connect in our place
		DialContext:            d.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTime,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 16 << 10,
	}
}

// dialer connects to port 443 of hosts whose addresses are all public. It connects to the address
// that it checked, because a second lookup could return another one. Other ports are closed:
// otherwise a stranger could use this server to probe services.
type dialer struct {
	resolve func(ctx context.Context, network, host string) ([]netip.Addr, error)
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// onInternet returns a dialer for the real network. The timeout of one connection leaves time for
// another address.
func onInternet() dialer {
	return dialer{
		resolve: net.DefaultResolver.LookupNetIP,
		connect: (&net.Dialer{Timeout: 1500 * time.Millisecond, KeepAlive: -1}).DialContext,
	}
}

// maxAddresses is how many addresses of a host the dialer tries.
const maxAddresses = 2

var (
	errPort      = errors.New("only port 443 is allowed")
	errLiteral   = errors.New("the host must be a name, not an IP address")
	errNoAddress = errors.New("the host has no address")
)

func (d dialer) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("dial: %w", err)
	case port != "443":
		return nil, errPort
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil, errLiteral
	}
	addresses, err := d.lookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	failed := errNoAddress
	for _, ip := range addresses[:min(len(addresses), maxAddresses)] {
		conn, err := d.connect(ctx, "tcp", net.JoinHostPort(ip.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	return nil, failed
}

// lookUp returns the addresses of a host, IPv4 first, because a function usually has no IPv6. It
// fails if any address is not public: a host that mixes both kinds is an attack.
func (d dialer) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	found, err := d.resolve(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("look up the host: %w", err)
	}
	var addresses []netip.Addr
	for _, ip := range found {
		if !isPublic(ip) {
			return nil, fmt.Errorf("the host has the special-use address %v", ip)
		}
		addresses = append(addresses, ip.Unmap())
	}
	slices.SortStableFunc(addresses, func(a, b netip.Addr) int { return cmp.Compare(a.BitLen(), b.BitLen()) })
	return addresses, nil
}

// special4 holds the IPv4 blocks that are not for hosts on the internet (RFC 6890 and its
// registry).
var special4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)

// special6 holds the special-use blocks inside global6, the only allocated part of IPv6. They
// include blocks that carry an IPv4 address: Teredo in 2001::/23, and 6to4.
var (
	global6  = netip.MustParsePrefix("2000::/3")
	special6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
	nat64    = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(blocks ...string) (parsed []netip.Prefix) {
	for _, block := range blocks {
		parsed = append(parsed, netip.MustParsePrefix(block))
	}
	return parsed
}

// isPublic reports whether an address belongs to a public host. An address in nat64, and one that
// ISATAP made, contains an IPv4 address. For nat64, that address decides; ISATAP addresses are
// refused.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if nat64.Contains(ip) {
		last := ip.As16()
		ip = netip.AddrFrom4([4]byte(last[12:]))
	}
	within := func(block netip.Prefix) bool { return block.Contains(ip) }
	if ip.Is4() {
		return !slices.ContainsFunc(special4, within)
	}
	all := ip.As16()
	isatap := all[8]&^2 == 0 && bytes.Equal(all[9:12], []byte{0, 0x5e, 0xfe})
	return global6.Contains(ip) && !slices.ContainsFunc(special6, within) && !isatap
}
