package launchpad

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
	"basecamp-mcp/internal/wire/upstream"
)

func TestRefusal_FollowsFromTheAnswer(t *testing.T) {
	const deadbolt = "This Basecamp ID rekeyed its deadbolt. Please re-authorize."
	for _, test := range []struct {
		status int
		body   string
		want   provider.Cause
	}{
		{400, `{"error":"invalid_grant"}`, provider.Dead},
		{401, `{"error":"invalid_grant","error_description":"s3cret"}`, provider.Dead},
		{403, `{"error":"invalid_grant"}`, provider.Dead},
		{200, `{"error":"invalid_grant"}`, provider.Dead},
		{400, `{"error":"authorization_expired"}`, provider.Dead},
		{401, `{"error":"authorization_expired"}`, provider.Dead},
		{400, `authorization_expired`, provider.Dead},
		{400, `error=invalid_grant`, provider.Dead},
		{400, `{"error":"` + deadbolt + `"}`, provider.Dead},
		{401, `{"error":"refused","error_description":"` + deadbolt + `"}`, provider.Dead},
		{401, deadbolt, provider.Dead},
		{400, `<html><p>` + deadbolt + `</p></html>`, provider.Dead},
		{401, `Unknown Basecamp ID.`, provider.Dead},
		{401, `{"error":"Unknown Basecamp ID."}`, provider.Dead},
		{400, `"Unknown Basecamp ID."`, provider.Dead},

		{401, `{"error":"invalid_client"}`, provider.Misconfigured},
		{400, `{"error":"invalid_client","error_description":"token expired, invalid_grant"}`, provider.Misconfigured},
		{400, `{"error":"unauthorized_client"}`, provider.Misconfigured},
		{401, ``, provider.Misconfigured},
		{401, `{"error":"OAuth token expired (old age)."}`, provider.Misconfigured},
		{403, `<html>You have been blocked. Invalid token.</html>`, provider.Misconfigured},
		{403, deadbolt, provider.Misconfigured},
		{403, `{"error":"too many invalid_grant"}`, provider.Misconfigured},
		{401, `{"error":"invalid_client"` + strings.Repeat(" ", signon.MaxAnswer), provider.Misconfigured},

		// Unknown answers: only words about the grant end it.
		{400, `{"error":"invalid_token"}`, provider.Dead},
		{400, `{"error":"expired_token"}`, provider.Dead},
		{400, `{"error":"token_revoked"}`, provider.Dead},
		{400, `{"error":"invalid_request","error_description":"The refresh token has been revoked"}`, provider.Dead},
		{400, `{"error":"invalid_request","error_description":"refresh_token is no longer valid"}`, provider.Dead},
		{400, `Authorization expired. Please sign in again.`, provider.Dead},
		{400, `{"error":"Your authorization code is invalid or too old"}`, provider.Dead},
		{400, `{"error":"invalid_request"}`, provider.Unavailable},
		{400, `{"error":"invalid_request","error_description":"refresh_token is missing"}`, provider.Unavailable},
		{400, `{"error":"unsupported_grant_type","error_description":"invalid grant_type"}`, provider.Unavailable},
		{400, `{"error":"Invalid authorization header"}`, provider.Unavailable},
		{400, `{"error":"token type invalid"}`, provider.Unavailable},
		{400, `{"error":"The authorization server has an expired certificate"}`, provider.Unavailable},
		{400, `Invalid authenticity token`, provider.Unavailable},
		{400, `<html>Invalid token</html>`, provider.Unavailable},
		{400, `{"error":{"message":"invalid_grant"}}`, provider.Unavailable},
		{400, `[]`, provider.Unavailable},
		{400, `null`, provider.Unavailable},
		{400, ``, provider.Unavailable},
		{400, `invalid_grant` + strings.Repeat(" ", signon.MaxAnswer), provider.Unavailable},
		{404, `Not Found`, provider.Unavailable},
		{422, `{"error":"invalid token"}`, provider.Unavailable},

		{429, `{"error":"invalid_grant"}`, provider.Unavailable},
		{429, ``, provider.Unavailable},
		{500, `{"error":"invalid_grant"}`, provider.Unavailable},
		{502, `<html>Bad Gateway</html>`, provider.Unavailable},
		{503, `{"error":"invalid_client"}`, provider.Unavailable},
		{302, `{"error":"invalid_grant"}`, provider.Unavailable},
		{200, `{"error":"server_error"}`, provider.Unavailable},
	} {
		c := of(t, says(test.status, test.body))
		_, refreshed := c.Refresh(t.Context(), "r3fresh")
		_, exchanged := c.Exchange(t.Context(), provider.Authorization{RedirectURI: "https://mcp.fernhill.example"}, "c0de")
		for _, err := range []error{refreshed, exchanged} {
			refusal, ok := errors.AsType[*provider.Refusal](err)
			if !ok || refusal.Cause != test.want {
				t.Errorf("%d %.80s: got %v, want %s", test.status, test.body, err, test.want)
			}
		}
	}
}

func TestRefusal_SaysHowLongToWait(t *testing.T) {
	for _, test := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0}, {"7", 7 * time.Second}, {"0", 0}, {"-7", 0}, {"soon", 0}, {"1.5", 0},
		{"Wed, 14 May 2031 12:00:30 GMT", 30 * time.Second}, {"Wed, 14 May 2031 11:59:30 GMT", 0},
		{"2000000000", signon.LongestWait}, {"99999999999999999999", 0}, {"Wed, 14 May 2131 12:00:30 GMT", signon.LongestWait},
	} {
		for _, status := range []int{429, 503, 403} {
			_, err := of(t, says(status, "", "Retry-After", test.value)).Refresh(t.Context(), "r3fresh")
			refusal, ok := errors.AsType[*provider.Refusal](err)
			if !ok || refusal.RetryAfter != test.want {
				t.Errorf("%d with %q: %+v", status, test.value, refusal)
			}
		}
	}
}

// planted are secrets of both sides that no error may repeat.
var planted = []string{"s3cret", "r3fresh", "c0de", "acce55", "48151623424815162342"}

const all = "s3cret+ r3fresh c0de acce55"

func TestErrors_RepeatNothingOfTheRequestOrTheAnswer(t *testing.T) {
	handlers := map[string]http.HandlerFunc{
		"garbage":           says(200, all),
		"broken off":        says(200, `{"access_token":"`+all),
		"an invalid life":   says(200, `{"access_token":"acce55","expires_in":"s3cret"}`),
		"an odd number":     says(200, `{"access_token":"acce55","expires_in":"1.5s3cret"}`),
		"an object as life": says(200, `{"access_token":"acce55","expires_in":{"s3cret":1}}`),
		"two in one token":  says(200, `{"access_token":"`+all+`"}`),
		"a wrong type":      says(200, `{"access_token":"acce55","token_type":"s3cret"}`),
		"a wrong refresh":   says(200, `{"access_token":"acce55","refresh_token":"`+all+`"}`),
		"a number":          says(200, `{"access_token":"acce55","refresh_token":5}`),
		"an error with 200": says(200, `{"error":"`+all+`","error_description":"`+all+`","error_uri":"`+all+`"}`),
		"a form":            says(200, "error="+all, "Content-Type", "application/x-www-form-urlencoded"),
		"a redirect":        says(302, all, "Location", "https://s3cret.example/?code=c0de"),
		"a bad redirect":    says(302, all, "Location", "https://s3cret%zz/%zz"),
		"400":               says(400, `{"error":"`+all+`","error_description":"invalid_grant `+all+`"}`, "Retry-After", all),
		"401":               says(401, all, "WWW-Authenticate", all),
		"403":               says(403, `<html>`+all),
		"429":               says(429, `{"error":"`+all+`"}`, "Retry-After", all),
		"500":               says(500, all),
		"too large":         says(200, `{"access_token":"`+strings.Repeat(all, 1<<12)+`"}`),
		"a wrong identity":  says(200, `{"identity":{"id":"s3cret","first_name":5}}`),
		"a huge identity":   says(200, `{"identity":{"id":48151623424815162342}}`),
		"no HTTP":           raw("s3cret r3fresh c0de acce55\r\n\r\n"),
		"half HTTP":         raw("HTTP/1.1 200 OK\r\ns3cret c0de acce55 r3fresh\r\n\r\n"),
		"a wrong length":    raw("HTTP/1.1 200 OK\r\nContent-Length: s3cret\r\n\r\nacce55"),
		"a wrong encoding":  raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: s3cret\r\n\r\nacce55"),
		"a wrong chunk":     raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ns3cret\r\nacce55"),
		"a reset":           raw(""),
		"less than told":    raw("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nacce55 s3cret"),
	}
	for name, handler := range handlers {
		c := of(t, handler)
		_, exchanged := c.Exchange(t.Context(), provider.Authorization{RedirectURI: "https://mcp.fernhill.example/s3cret"}, "c0de")
		_, refreshed := c.Refresh(t.Context(), "r3fresh")
		_, identified := c.Identity(t.Context(), "acce55")
		for call, err := range map[string]error{"exchange": exchanged, "refresh": refreshed, "identity": identified} {
			if err == nil {
				t.Errorf("%s, %s: no error", name, call)
				continue
			}
			for _, secret := range planted {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s, %s: %v", name, call, err)
				}
			}
			_, isRefusal := errors.AsType[*provider.Refusal](err)
			if isFault := fault.From(err).Code != fault.InternalError; isRefusal == (call == "identity") || isFault == isRefusal {
				t.Errorf("%s, %s: %T", name, call, err)
			}
		}
	}
}

// raw sends bytes and closes the connection.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte(answer))
		_ = conn.Close()
	}
}

func TestRefresh_IsSentOnceEvenIfItFails(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"a reset": raw(""), "a redirect": says(http.StatusTemporaryRedirect, "", "Location", "/again"), "an outage": says(503, ""),
		"a refused client secret": says(401, `{"error":"invalid_client"}`),
	} {
		var sent atomic.Int64
		c := of(t, func(w http.ResponseWriter, r *http.Request) {
			// The first answer keeps the connection open, so that the second request reuses it.
			if sent.Add(1) == 1 {
				says(200, `{"access_token":"a"}`)(w, r)
				return
			}
			handler(w, r)
		})
		if _, err := c.Refresh(t.Context(), "r3fresh"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Refresh(t.Context(), "r3fresh"); err == nil || sent.Load() != 2 {
			t.Errorf("%s: sent %d times, %v", name, sent.Load()-1, err)
		}
	}
}

func TestTransport_IgnoresProxiesInTheEnvironment(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.fernhill.example:1")
	if upstream.NewTransport().Proxy != nil {
		t.Error("a proxy variable could redirect secrets")
	}
}

func TestTransport_NamesAnUntrustedCertificate(t *testing.T) {
	server := httptest.NewTLSServer(says(200, `{"access_token":"a"}`))
	defer server.Close()
	c := of(t, says(200, ""))
	c.URL = server.URL
	_, err := c.Refresh(t.Context(), "r3fresh")
	if err == nil || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "x509") {
		t.Error(err)
	}
}

func TestTransport_ReadsNoMoreThanItsBound(t *testing.T) {
	written := make(chan int)
	c := of(t, raw(""))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		defer close(written)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n"))
		piece := []byte(strings.Repeat("x", 4096))
		for n := 0; ; n += len(piece) {
			if _, err := conn.Write(piece); err != nil || n > 64<<20 {
				written <- n // the client closed the connection
				return
			}
		}
	}()
	c.URL = "http://" + listener.Addr().String()
	_, err = c.Refresh(t.Context(), "r3fresh")
	if refusal, ok := errors.AsType[*provider.Refusal](err); !ok || refusal.Cause != provider.Unavailable {
		t.Error(err)
	}
	if n := <-written; n == 0 || n > 32<<20 { // most of it is in the socket's buffers
		t.Errorf("closed the connection after %d bytes", n)
	}
}
