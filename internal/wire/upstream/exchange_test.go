package upstream

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

// serving returns a client of a server with a real connection, and the server's URL.
func serving(t *testing.T, answer http.HandlerFunc) (*Client, string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return newClient(NewTransport()), server.URL
}

func TestARefusedCredentialIsRenewedOnceAndTheBodyIsSentAgain(t *testing.T) {
	for method, send := range methods {
		var sent []string
		c := answering(func(w http.ResponseWriter, r *http.Request) {
			body := ""
			if r.Body != nil {
				read, _ := io.ReadAll(r.Body)
				body = string(read)
			}
			sent = append(sent, r.Header.Get("Authorization")+body)
			if len(sent) == 1 {
				w.WriteHeader(401)
				return
			}
			says(200, `{"id": 5}`)(w, r)
		})
		if err := send(t.Context(), c); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		want := []string{`Bearer token-1{"name":"x"}`, `Bearer token-2{"name":"x"}`}
		if method == http.MethodGet {
			want = []string{"Bearer token-1", "Bearer token-2"}
		}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("%s sent %s", method, diff)
		}
	}
}

func TestACredentialThatIsRefusedTwiceEndsTheExchange(t *testing.T) {
	for method, send := range methods {
		var requests int
		f := wantFault(t, send(t.Context(), answering(counted(&requests, says(401, "")))), fault.TokenExpired)
		if f.Retryable || f.MayHaveHappened || requests != 2 {
			t.Errorf("%s: %+v after %d requests", method, f, requests)
		}
	}
}

func TestAFailureToRenewTheCredentialIsReturnedAsItIs(t *testing.T) {
	own := errors.New("another user")
	nora := newAccount("nora")
	nora.err = own
	if _, err := read(t.Context(), answering(says(401, "")), nora); !errors.Is(err, own) {
		t.Error(err)
	}
}

func TestARequestHasTheClientsHeaders(t *testing.T) {
	var got http.Header
	c := answering(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		says(200, `{}`)(w, r)
	})
	if err := get(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	want := http.Header{"Authorization": {"Bearer token-1"}, "User-Agent": {"test (ops@acme.example)"}, "Accept": {"application/json"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r := requestFor(newAccount("nora"), http.MethodPost, itemURL)
	r.ContentType, r.Accept = "text/csv", "text/plain"
	if err := write(t.Context(), c, r); err != nil || got.Get("Content-Type") != "text/csv" || got.Get("Accept") != "text/plain" {
		t.Errorf("%v, sent %v", err, got)
	}
}

func TestAnAnswerIsDecompressed(t *testing.T) {
	c, url := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"id": 5, "name": "Oil the chain"}`)
		_ = z.Close()
	})
	got, err := readURL(t.Context(), c, newAccount("nora"), url)
	if err != nil || got.Name != "Oil the chain" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnAnswerThatIsTooLargeAfterDecompressionIsRefused(t *testing.T) {
	var block bytes.Buffer
	z := gzip.NewWriter(&block)
	_, _ = io.WriteString(z, strings.Repeat(" ", 1<<16))
	_ = z.Close()
	var requests int
	c, url := serving(t, counted(&requests, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bytes.Repeat(block.Bytes(), maxBody>>16+1))
	}))
	_, err := readURL(t.Context(), c, newAccount("nora"), url)
	if f := wantFault(t, err, fault.UpstreamError); f.Retryable || requests != 1 {
		t.Errorf("%+v after %d requests", f, requests)
	}
}

func TestARefusalIsReadUpToItsLimit(t *testing.T) {
	c, url := serving(t, says(404, strings.Repeat(" ", 2*maxErrorBody)))
	_, err := readURL(t.Context(), c, newAccount("nora"), url)
	wantFault(t, err, fault.NotFound)
}

func TestARedirectIsFollowedOnlyWithinTheOrigin(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another origin received a request, with %q", r.Header.Get("Authorization"))
	}))
	defer other.Close()
	c, url := serving(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/items/5":
			http.Redirect(w, r, "/items/6", http.StatusFound)
		case "/items/6":
			if got := r.Header.Get("Authorization"); got != "Bearer token-1" {
				t.Errorf("authorization %q", got)
			}
			says(200, `{"id": 6}`)(w, r)
		default:
			http.Redirect(w, r, other.URL+"/steal", http.StatusFound)
		}
	})
	ctx, requests := Meter(t.Context())
	if got, err := readURL(ctx, c, newAccount("nora"), url+"/items/5"); err != nil || got.ID != 6 || requests() != 2 {
		t.Errorf("%+v, %v after %d requests", got, err, requests())
	}
	_, err := readURL(t.Context(), c, newAccount("nora"), url+"/items/7")
	if f := wantFault(t, err, fault.UpstreamError); f.Upstream.Status != http.StatusFound {
		t.Errorf("fault %+v", f)
	}
}

func TestARedirectIsFollowedThreeTimes(t *testing.T) {
	var requests int
	c, url := serving(t, counted(&requests, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	}))
	_, err := readURL(t.Context(), c, newAccount("nora"), url)
	wantFault(t, err, fault.UpstreamError)
	if requests != 1+maxRedirects {
		t.Errorf("%d requests", requests)
	}
}

func TestARedirectOfAWriteIsNotFollowedAndMayHaveHappened(t *testing.T) {
	var requests int
	c, url := serving(t, counted(&requests, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/done", http.StatusFound)
	}))
	f := wantFault(t, write(t.Context(), c, requestFor(newAccount("nora"), http.MethodPost, url)), fault.UpstreamError)
	if requests != 1 || !f.MayHaveHappened || f.Retryable {
		t.Errorf("%d requests, %+v", requests, f)
	}
}

func TestDo_ReturnsARedirectThatTheRequestKeeps(t *testing.T) {
	r := requestFor(newAccount("nora"), http.MethodGet, itemURL)
	r.KeepRedirect = true
	a, err := answering(says(302, "", "Location", "https://files.acme.example/1")).Do(t.Context(), r)
	if err != nil || a.Status != 302 || a.Header.Get("Location") != "https://files.acme.example/1" || a.URL != r.URL {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestTransport_ConnectsWithModernTLSAndHTTP2(t *testing.T) {
	var protocol string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol = r.Proto
		says(200, `{"id": 5}`)(w, r)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	transport := NewTransport()
	transport.TLSClientConfig.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	if _, err := readURL(t.Context(), newClient(transport), newAccount("nora"), s.URL); err != nil {
		t.Fatal(err)
	}
	if protocol != "HTTP/2.0" || transport.TLSClientConfig.MinVersion < tls.VersionTLS12 || transport.MaxIdleConnsPerHost < maxInFlight {
		t.Errorf("%s through %+v", protocol, transport)
	}
}

func TestABrokenConnectionIsAnUpstreamError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = connection.(*net.TCPConn).SetLinger(0)
			_ = connection.Close()
		}
	}))
	defer server.Close()
	c := newClient(NewTransport())
	_, err := readURL(withTimeout(t, answerTime), c, newAccount("nora"), server.URL)
	if f := wantFault(t, err, fault.UpstreamError); !f.Retryable {
		t.Errorf("read: %+v", f)
	}
	r := requestFor(newAccount("nora"), http.MethodPost, server.URL)
	if f := wantFault(t, write(t.Context(), c, r), fault.UpstreamError); f.Retryable || !f.MayHaveHappened {
		t.Errorf("post: %+v", f)
	}

	server.Close()
	if f := wantFault(t, write(withTimeout(t, answerTime), c, r), fault.UpstreamError); !f.Retryable || f.MayHaveHappened {
		t.Errorf("post to a closed server: %+v", f)
	}
}

func TestWhole_TheNextBodyDoesNotChangeTheOneBefore(t *testing.T) {
	var users sync.WaitGroup
	for user := range 4 {
		users.Go(func() {
			want := fmt.Sprintf("the body of user %d", user)
			for range 200 {
				first, err := whole(strings.NewReader(want), int64(len(want)))
				_, other := whole(strings.NewReader("a longer body of another user"), -1)
				if string(first) != want || err != nil || other != nil {
					t.Errorf("got %q, want %q; %v, %v", first, want, err, other)
					return
				}
				recycle(first)
			}
		})
	}
	users.Wait()
}

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
