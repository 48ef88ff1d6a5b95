package stacktest_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder stores the answers of services, to repeat them faster than the services can.
type recorder struct {
	tb testing.TB

	origin  string // of the proxy
	mu      sync.Mutex
	answers map[string]recorded
}

type recorded struct {
	status int
	header http.Header
	body   []byte
}

// record starts a proxy in front of a service that records its answers.
func (c *recorder) record(service string) string {
	behind, err := url.Parse(service)
	if err != nil {
		c.tb.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = r.In.Host            // of the links to further pages
		r.Out.Header.Del("If-None-Match") // a new process could not use a 304
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exact, alike := requested(r)
		heard := httptest.NewRecorder()
		proxy.ServeHTTP(heard, r)
		answer := recorded{heard.Code, heard.Header(), heard.Body.Bytes()}
		c.mu.Lock()
		c.answers[exact], c.answers[alike] = answer, answer
		c.mu.Unlock()
		answer.write(w)
	}))
	c.tb.Cleanup(server.Close)
	c.origin = server.URL
	return server.URL
}

// ServeHTTP repeats the answer to the same request. If there is none, it uses a request that
// differs only in parts that change with each call.
func (c *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	exact, alike := requested(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok := c.answers[exact]
	if !ok {
		answer, ok = c.answers[alike]
	}
	if !ok {
		c.tb.Errorf("the recorder has no answer for this request: %s", exact)
	}
	if link := answer.header.Get("Link"); link != "" {
		answer.header = answer.header.Clone()
		answer.header.Set("Link", strings.ReplaceAll(link, c.origin, "https://"+r.Host))
	}
	answer.write(w)
}

func (a recorded) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may have been stopped
}

// requested returns two keys of a request: with and without its content.
func requested(r *http.Request) (exact, alike string) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	alike = r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("X-Amz-Target")
	return alike + " " + string(body), alike
}

// authority is a certificate authority that functions trust. They trust no others, because reading
// this machine's authorities takes most of the time of a first connection.
type authority struct {
	file string // the certificates of all authorities
	leaf tls.Certificate
}

const machinesAuthorities = "/etc/ssl/certs/ca-certificates.crt"

func newAuthority(tb testing.TB) *authority {
	tb.Helper()
	all, err := os.ReadFile(machinesAuthorities)
	if err != nil {
		tb.Fatalf("this machine has no certificate authorities: %v", err)
	}
	own := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Fernhill Root"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Fernhill"}, NotAfter: own.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	root, rootKey := sign(tb, own, own, nil)
	signed, key := sign(tb, leaf, own, rootKey)
	file := tb.TempDir() + "/authorities.pem"
	all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root})...)
	if err := os.WriteFile(file, all, 0o600); err != nil {
		tb.Fatal(err)
	}
	return &authority{file: file, leaf: tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}}
}

// sign makes a key and a certificate for it, signed with another key, or with its own for nil.
func sign(tb testing.TB, certificate, by *x509.Certificate, with *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	if with == nil {
		with = key
	}
	signed, err := x509.CreateCertificate(rand.Reader, certificate, by, &key.PublicKey, with)
	if err != nil {
		tb.Fatal(err)
	}
	return signed, key
}

// serve serves a handler on https as AWS does, with or without HTTP/2.
func (a *authority) serve(tb testing.TB, h http.Handler, http2 bool) string {
	tb.Helper()
	server := httptest.NewUnstartedServer(h)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{a.leaf}, MinVersion: tls.VersionTLS12}
	server.EnableHTTP2 = http2
	server.StartTLS()
	tb.Cleanup(server.Close)
	return server.URL
}
