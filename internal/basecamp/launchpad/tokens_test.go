package launchpad

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
)

var noon = time.Date(2031, time.May, 14, 12, 0, 0, 0, time.UTC)

// of returns a client of a server that plays Launchpad.
func of(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return New(Config{
		URL: server.URL + "/", UserAgent: "test (ops@fernhill.example)", Now: func() time.Time { return noon },
		Credentials: func(context.Context) (clientID, clientSecret string, err error) { return "1d&", "s3cret+", nil },
	})
}

// says returns a handler with the same answer for every request.
func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestTokens_AreRequestedInTheDocumentedFormWithOurUserAgent(t *testing.T) {
	var sent []url.Values
	c := of(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		sent = append(sent, r.PostForm)
		got := []string{r.Method, r.URL.String(), r.UserAgent(), r.Header.Get("Authorization"), r.Header.Get("Content-Type"), r.Header.Get("Accept")}
		want := []string{"POST", "/authorization/token", "test (ops@fernhill.example)", "", "application/x-www-form-urlencoded", "application/json"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		says(http.StatusOK, `{"access_token":"a"}`)(w, r)
	})
	_, exchanged := c.Exchange(t.Context(), provider.Authorization{RedirectURI: "https://mcp.fernhill.example/oauth/callback"}, "c0de")
	_, refreshed := c.Refresh(t.Context(), "r3fresh")
	if exchanged != nil || refreshed != nil {
		t.Error(exchanged, refreshed)
	}
	want := []url.Values{
		{"grant_type": {"authorization_code"}, "code": {"c0de"}, "redirect_uri": {"https://mcp.fernhill.example/oauth/callback"},
			"client_id": {"1d&"}, "client_secret": {"s3cret+"}},
		{"grant_type": {"refresh_token"}, "refresh_token": {"r3fresh"}, "client_id": {"1d&"}, "client_secret": {"s3cret+"}},
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}

func TestTokens_AreReadFromEveryValidAnswer(t *testing.T) {
	const fortnight = 14 * 24 * time.Hour
	long := strings.Repeat("x", signon.MaxToken)
	for name, test := range map[string]struct {
		body string
		want provider.Tokens
	}{
		"documented":        {`{"access_token":"a","token_type":"Bearer","expires_in":1209600,"refresh_token":"n"}`, provider.Tokens{AccessToken: "a", RefreshToken: "n", ExpiresAt: noon.Add(fortnight)}},
		"bearer in capital": {`{"access_token":"a","token_type":"BEARER","expires_in":60}`, provider.Tokens{AccessToken: "a", RefreshToken: "r3fresh", ExpiresAt: noon.Add(time.Minute)}},
		"digits":            {`{"access_token":"a","expires_in":"7200"}`, provider.Tokens{AccessToken: "a", RefreshToken: "r3fresh", ExpiresAt: noon.Add(2 * time.Hour)}},
		"no expires_in":     {`{"access_token":"a"}`, provider.Tokens{AccessToken: "a", RefreshToken: "r3fresh", ExpiresAt: noon.Add(fortnight)}},
		"null":              {`{"access_token":"a","token_type":null,"expires_in":null,"refresh_token":null}`, provider.Tokens{AccessToken: "a", RefreshToken: "r3fresh", ExpiresAt: noon.Add(fortnight)}},
		"a year":            {`{"access_token":"a","expires_in":31536000}`, provider.Tokens{AccessToken: "a", RefreshToken: "r3fresh", ExpiresAt: noon.Add(365 * 24 * time.Hour)}},
		"the longest":       {`{"access_token":"` + long + `","refresh_token":"` + long + `"}`, provider.Tokens{AccessToken: long, RefreshToken: long, ExpiresAt: noon.Add(fortnight)}},
	} {
		test.want.ObtainedAt = noon
		for _, contentType := range []string{"application/json", "text/plain", "text/html"} {
			got, err := of(t, says(http.StatusOK, test.body, "Content-Type", contentType)).Refresh(t.Context(), "r3fresh")
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%s as %s: %v %s", name, contentType, err, diff)
			}
		}
	}
}

func TestTokens_WithoutARefreshTokenTheExchangeReturnsNone(t *testing.T) {
	got, err := of(t, says(http.StatusOK, `{"access_token":"a"}`)).Exchange(t.Context(), provider.Authorization{RedirectURI: "https://mcp.fernhill.example"}, "c0de")
	if err != nil || got.RefreshToken != "" || got.AccessToken != "a" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTokens_AnInvalidAnswerReplacesNoToken(t *testing.T) {
	long := strings.Repeat("x", signon.MaxToken+1)
	for _, body := range []string{
		``, `null`, `[]`, `{}`, `"a"`, `<html>Welcome</html>`, `access_token=a&expires_in=60`, `{"access_token":"a"`,
		`{"access_token":""}`, `{"access_token":null}`, `{"access_token":7}`, `{"access_token":"a b"}`, `{"access_token":"a\r\nHost: x"}`,
		`{"access_token":"é"}`, `{"access_token":"` + long + `"}`, `{"access_token":"a","token_type":"mac"}`, `{"access_token":"a","token_type":"DPoP"}`,
		`{"access_token":"a","refresh_token":"b c"}`, `{"access_token":"a","refresh_token":"` + long + `"}`, `{"access_token":"a","refresh_token":7}`,
		`{"access_token":"a","expires_in":0}`, `{"access_token":"a","expires_in":-1}`, `{"access_token":"a","expires_in":0.5}`, `{"access_token":"a","expires_in":31622401}`,
		`{"access_token":"a","expires_in":1e999}`, `{"access_token":"a","expires_in":99999999999999999999}`, `{"access_token":"a","expires_in":"99999999999"}`,
		`{"access_token":"a","expires_in":"0"}`, `{"access_token":"a","expires_in":"soon"}`, `{"access_token":"a","expires_in":""}`,
		`{"access_token":"a","expires_in":"-60"}`, `{"access_token":"a","expires_in":[60]}`, `{"access_token":"a","expires_in":true}`,
		`{"access_token":"a"}` + strings.Repeat(" ", signon.MaxAnswer),
	} {
		got, err := of(t, says(http.StatusOK, body)).Refresh(t.Context(), "r3fresh")
		refusal, ok := err.(*provider.Refusal) //nolint:errorlint // and nothing around it
		if !ok || refusal.Cause != provider.Unavailable || got != (provider.Tokens{}) {
			t.Errorf("%.80s: %+v, %v", body, got, err)
		}
	}
}

func FuzzAccept(f *testing.F) {
	for _, body := range []string{`{"access_token":"a","expires_in":60}`, `{"error":"invalid_grant"}`, `rekeyed its deadbolt`, ``} {
		for _, status := range []int{200, 302, 400, 401, 429, 503} {
			f.Add(status, body)
		}
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		c := New(Config{UserAgent: "fuzz", Now: func() time.Time { return noon }, Transport: answerer{status, body},
			Credentials: func(context.Context) (clientID, clientSecret string, err error) { return "id", "secret", nil }})
		got, err := c.Refresh(t.Context(), "r3fresh")
		life := got.ExpiresAt.Sub(noon)
		if err == nil && (!signon.Sendable(got.AccessToken) || !signon.Sendable(got.RefreshToken) || life <= 0 || life > signon.LongestLife || status/100 != 2) {
			t.Fatalf("%+v", got)
		}
		if err != nil && got != (provider.Tokens{}) {
			t.Fatalf("%+v with %v", got, err)
		}
	})
}

// answerer is a server without a network.
type answerer struct {
	status int
	body   string
}

func (a answerer) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.WriteHeader(a.status)
	_, _ = fmt.Fprint(w, a.body)
	response := w.Result()
	response.Request = r
	return response, nil
}
