package authserver_test

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/authserver"
)

// line returns the log line of a request, with its answer.
func line(t *testing.T, s http.Handler, r *http.Request) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var out strings.Builder
	w := httptest.NewRecorder()
	never := func(*http.Request) time.Duration { return 0 }
	mcphttp.WithLine(s, slog.New(slog.NewTextHandler(&out, nil)), "", never).ServeHTTP(w, r)
	return w, out.String()
}

func withStatus(status int, body string, headers ...string) hosting {
	return func(*http.Request) (*http.Response, error) {
		response := page(body, headers...)
		response.StatusCode = status
		return response, nil
	}
}

func failing(err error) hosting {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// A client chooses the host of its document, so no failure there counts as one of this server: the
// alarm counts answers with 5xx.
func TestAuthorize_ADocumentThatCannotBeUsedIsAPageThatNamesItsHost(t *testing.T) {
	for what, c := range map[string]struct {
		host http.RoundTripper
		says string
	}{
		"an unknown host":   {failing(&net.DNSError{Err: "no such host", Name: "rimless.example", IsNotFound: true}), "could not be fetched over the internet"},
		"a private address": {failing(errors.New("the host has the special-use address 10.0.0.7")), "could not be fetched over the internet"},
		"HTTP 404":          {withStatus(404, "{}"), "does not serve a client metadata document"},
		"HTTP 500":          {withStatus(500, "{}"), "could not be fetched over the internet"},
		"a redirect":        {withStatus(302, "", "Location", "https://169.254.169.254/"), "redirects to another one"},
		"a page":            {withStatus(200, "<html>", "Content-Type", "text/html"), "is not served as application/json"},
		"a huge body":       {withStatus(200, strings.Repeat(" ", 6<<10)), "is larger than 5120 bytes"},
		"no JSON":           {withStatus(200, "garbage"), "the client&#39;s metadata document is"},
		"another client's":  {withStatus(200, `{"client_id":"https://other.example/c"}`), "differs from the document&#39;s URL"},
		"a body that breaks": {hosting(func(*http.Request) (*http.Response, error) {
			r := page("")
			r.Body = io.NopCloser(broken{})
			return r, nil
		}), "could not be fetched"},
	} {
		h := newSignInEnv(t, func(c2 *authserver.Config) { c2.Documents = c.host })
		w, logged := line(t, h, httptest.NewRequest(http.MethodGet, h.asking("client_id", documentID), nil))
		page := w.Body.String()
		if w.Code != http.StatusBadRequest || !strings.Contains(page, "This app could not be checked") || !strings.Contains(page, "on rimless.example.") || !strings.Contains(page, c.says) {
			t.Errorf("%s: HTTP %d %s", what, w.Code, page)
		}
		if strings.Contains(page, "no such host") || strings.Contains(page, "10.0.0.7") || strings.Contains(page, "-no-client-documents") {
			t.Errorf("%s: the page shows the cause: %s", what, page)
		}
		if !strings.Contains(logged, "outcome=invalid_client") || strings.Contains(h.log.String(), "level=ERROR") || strings.Count(h.log.String(), "\n") != 1 {
			t.Errorf("%s: logged %s%s", what, logged, h.log)
		}
	}
}

func TestAuthorize_ALocalServerSaysHowToDoWithoutDocuments(t *testing.T) {
	h := newSignInEnv(t, func(c *authserver.Config) {
		c.Documents, c.WithoutDocuments = failing(syscall.ENETUNREACH), "Start it with -no-client-documents."
	})
	w, _ := line(t, h, httptest.NewRequest(http.MethodGet, h.asking("client_id", documentID), nil))
	if !strings.Contains(w.Body.String(), "Start it with -no-client-documents.") {
		t.Error(w.Body)
	}
}

func TestDocuments_CanBeLeftOutSoThatClientsRegister(t *testing.T) {
	h := newSignInEnv(t, func(c *authserver.Config) { c.NoDocuments, c.Documents = true, noFetching{t} })
	w, _ := line(t, h, httptest.NewRequest(http.MethodGet, origin+"/.well-known/oauth-authorization-server", nil))
	if !strings.Contains(w.Body.String(), `"client_id_metadata_document_supported":false`) {
		t.Error(w.Body)
	}
	w, logged := line(t, h, httptest.NewRequest(http.MethodGet, h.asking("client_id", documentID), nil))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "The app then registers again.") || !strings.Contains(logged, "outcome=invalid_client") {
		t.Errorf("HTTP %d %s, %s", w.Code, w.Body, logged)
	}
	if answer := h.browser().logIn("ines").answer(t); answer.Get("code") == "" {
		t.Errorf("a registered client received %v", answer)
	}
}

func TestLine_OfARefusalHasTheOAuthErrorCode(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	code := b.logIn("ines").answer(t).Get("code")
	token := func(pairs ...string) *http.Request {
		form := url.Values{"grant_type": {"authorization_code"}, "client_id": {h.client}, "code": {"x"}, "redirect_uri": {goBack}, "code_verifier": {verifier}}
		return posting("/token", with(form, pairs...))
	}
	registers := func(body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, origin+"/register", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	asks := func(changes ...string) *http.Request {
		return httptest.NewRequest(http.MethodGet, h.asking(changes...), nil)
	}
	for _, c := range []struct {
		request *http.Request
		logs    string
	}{
		{registers("{"), "status=400 outcome=invalid_client_metadata"},
		{registers(`{"redirect_uris":["javascript:alert(1)"]}`), "status=400 outcome=invalid_redirect_uri"},
		{registers(`{"client_name":"Plumcot","redirect_uris":["` + goBack + `"],"grant_types":["password"]}`), "client=Plumcot method=POST route=/register"},
		{registers(`{"client_name":"Plumcot","redirect_uris":["` + goBack + `"]}`), "client=Plumcot method=POST route=/register"},
		{asks("client_id", "c_stranger"), "status=400 outcome=invalid_client"},
		{asks("client_id", "-"), "status=400 outcome=invalid_request"},
		{asks("redirect_uri", "https://evil.example/"), "status=400 outcome=invalid_redirect_uri"},
		{asks("scope", "admin"), "status=302 outcome=invalid_scope"},
		{asks("resource", "https://evil.example/mcp"), "status=302 outcome=invalid_target"},
		{asks("response_type", "token"), "status=302 outcome=unsupported_response_type"},
		{asks(), "client=Plumcot method=GET route=\"GET /authorize\""},
		{posting("/authorize", url.Values{"step": {"x"}, "shown": {"watched"}}), "status=400 outcome=invalid_request"},
		{token(), "status=400 outcome=invalid_grant"},
		{token("client_id", "c_stranger"), "status=401 outcome=invalid_client"},
		{token("client_secret", "x"), "status=401 outcome=invalid_client"},
		{token("grant_type", "password"), "status=400 outcome=unsupported_grant_type"},
		{token("code", ""), "status=400 outcome=invalid_request"},
		{token("code", code), "client=Plumcot method=POST route=/token"},
		{posting("/revoke", url.Values{"client_id": {h.client}}), "status=400 outcome=invalid_request"},
		{posting("/revoke", url.Values{"client_id": {h.client}, "token": {"x"}, "client_secret": {"y"}}), "status=401 outcome=invalid_client"},
		{posting("/revoke", url.Values{"client_id": {h.client}, "token": {"x"}}), "client=Plumcot method=POST route=/revoke"},
	} {
		w, logged := line(t, h, c.request)
		if !strings.Contains(logged, c.logs) {
			t.Errorf("%s %s (HTTP %d): want %s, logged %s", c.request.Method, c.request.URL, w.Code, c.logs, logged)
		}
	}
	h.store.failing(1)
	if _, logged := line(t, h, token()); !strings.Contains(logged, "status=503 outcome=temporarily_unavailable") {
		t.Errorf("a failing store: logged %s", logged)
	}
}
