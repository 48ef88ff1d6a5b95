package sandbox

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

const (
	callback   = "https://mcp.fernhill.example/oauth/callback?via=launchpad"
	plantState = "st4te-\"><script>&=+ %00é"
)

// A browser follows no redirects, and its requests name no application.
type browser struct {
	t      *testing.T
	client *http.Client
}

func newBrowser(t *testing.T, transport http.RoundTripper) browser {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return browser{t, &http.Client{Transport: transport, CheckRedirect: stay}}
}

func (b browser) read(resp *http.Response, err error) response {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response{resp, b.t, body}
}

func (b browser) get(address string) response {
	b.t.Helper()
	return b.read(b.client.Get(address))
}

func (b browser) post(address string, form url.Values) response {
	b.t.Helper()
	return b.read(b.client.PostForm(address, form))
}

// asking returns the URL to which an application sends people, with some parameters changed. An
// empty value removes the parameter.
func asking(base string, changed map[string]string) string {
	query := url.Values{"response_type": {"code"}, "client_id": {ClientID}, "redirect_uri": {callback}, "state": {plantState}}
	for name, value := range changed {
		query.Set(name, value)
		if value == "" {
			query.Del(name)
		}
	}
	return base + signOnPath + "?" + query.Encode()
}

// A form is the form of a page: its action, its hidden fields and the handles to choose from.
type form struct {
	action  string
	fields  url.Values
	handles []string
}

func (r response) form() form {
	r.t.Helper()
	root, err := html.Parse(strings.NewReader(string(r.body)))
	if err != nil {
		r.t.Fatal(err)
	}
	found := form{fields: url.Values{}}
	for n := range root.Descendants() {
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		switch {
		case n.Data == "form":
			found.action = attributes["action"]
		case n.Data == "input":
			found.fields.Add(attributes["name"], attributes["value"])
		case n.Data == "button" && attributes["name"] == "handle":
			found.handles = append(found.handles, attributes["value"])
		}
	}
	return found
}

// choose submits the form of a page as the person with the handle. An empty handle cancels.
func (b browser) choose(page response, handle string) response {
	b.t.Helper()
	form := page.want(http.StatusOK).form()
	to, err := page.Request.URL.Parse(form.action)
	if err != nil {
		b.t.Fatal(err)
	}
	form.fields.Set("handle", handle)
	if handle == "" {
		form.fields = url.Values{"cancel": {"1"}, "response_type": form.fields["response_type"], "client_id": form.fields["client_id"],
			"redirect_uri": form.fields["redirect_uri"], "state": form.fields["state"]}
	}
	return b.post(to.String(), form.fields)
}

// codeFor logs a person in and returns the code.
func codeFor(t *testing.T, s *Sandbox, handle string) string {
	t.Helper()
	b := newBrowser(t, s.Transport())
	back := b.choose(b.get(asking(BaseURL, nil)), handle).want(http.StatusFound)
	return landed(t, back).Query().Get("code")
}

func landed(t *testing.T, r response) *url.URL {
	t.Helper()
	at, err := url.Parse(r.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestSignOn_ListsEachPersonWithALoginOnce(t *testing.T) {
	s := newSandbox(t)
	page := newBrowser(t, s.Transport()).get(asking(BaseURL, nil)).want(http.StatusOK)
	var want []string
	for _, p := range s.People() {
		want = append(want, p.Handle)
	}
	if diff := cmp.Diff(append(want, s.Stranger().Handle), page.form().handles); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{
		"<h1>Choose who you are</h1>", "Sandbox", "mcp.fernhill.example", "Noémie Laurent", "Fernhill Bikes, Brennan Bookkeeping",
		"Fernhill Bikes, Fernhill Repair Café (suspended)", "Haddad Atelier",
	} {
		if !strings.Contains(string(page.body), text) {
			t.Errorf("the page does not contain %q", text)
		}
	}
}

func TestSignOn_ThePageLoadsNoResourcesRunsNoScriptsAndForbidsFraming(t *testing.T) {
	page := newBrowser(t, newSandbox(t).Transport()).get(asking(BaseURL, nil)).want(http.StatusOK)
	policy := page.Header.Get("Content-Security-Policy")
	if strings.Contains(policy, "form-action") || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("policy %q", policy)
	}
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindSubmatch(page.body)
	if style == nil {
		t.Fatalf("no style in %s", page.body)
	}
	sum := sha256.Sum256(style[1])
	if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Error("the policy forbids the page's own style")
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "ETag": "", "Content-Type": "text/html; charset=utf-8"} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if regexp.MustCompile(`(?i)<script|<link|<img|\son\w+=|\sstyle=`).Match(page.body) {
		t.Errorf("%s", page.body)
	}
}

func TestSignOn_RedirectsWithTheCodeAndTheUnchangedState(t *testing.T) {
	for _, kind := range []map[string]string{nil, {"response_type": "", "type": "web_server"}} {
		b := newBrowser(t, newSandbox(t).Transport())
		back := b.choose(b.get(asking(BaseURL, kind)), "hanna").want(http.StatusFound)
		at := landed(t, back)
		query := at.Query()
		if len(query.Get("code")) < 20 || query.Get("state") != plantState || query.Get("via") != "launchpad" || query.Has("error") {
			t.Errorf("redirected to %s", at)
		}
		if at.RawQuery = ""; at.String() != "https://mcp.fernhill.example/oauth/callback" || back.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("redirected to %s with %v", at, back.Header)
		}
	}
}

func TestSignOn_CancelRedirectsWithAccessDenied(t *testing.T) {
	b := newBrowser(t, newSandbox(t).Transport())
	query := landed(t, b.choose(b.get(asking(BaseURL, nil)), "").want(http.StatusFound)).Query()
	if query.Get("error") != "access_denied" || query.Get("state") != plantState || query.Has("code") {
		t.Error(query)
	}
}

func TestSignOn_ShowsAPageForAnInvalidRequest(t *testing.T) {
	b := newBrowser(t, newSandbox(t).Transport())
	for name, changed := range map[string]map[string]string{
		"another application":     {"client_id": "unknown"},
		"without an application":  {"client_id": ""},
		"without a redirect URI":  {"redirect_uri": ""},
		"a relative redirect URI": {"redirect_uri": "/callback"},
		"a script":                {"redirect_uri": "javascript:alert(1)"},
		"another scheme":          {"redirect_uri": "ftp://mcp.fernhill.example/"},
		"a fragment":              {"redirect_uri": "https://mcp.fernhill.example/#x"},
		"a user name":             {"redirect_uri": "https://ines@mcp.fernhill.example/"},
		"without a response type": {"response_type": ""},
		"another response type":   {"response_type": "token"},
	} {
		address := asking(BaseURL, changed)
		sent, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		choice := sent.Query()
		choice.Set("handle", "ines")
		for _, r := range []response{b.get(address), b.post(BaseURL+signOnPath, choice)} {
			r.want(http.StatusBadRequest)
			if r.Header.Get("Location") != "" || !strings.HasPrefix(string(r.body), "Sandbox: ") || r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v %s", name, r.Header, r.body)
			}
		}
	}
	b.choose(b.get(asking(BaseURL, nil)), "unknown").want(http.StatusBadRequest)
}

func TestSignOn_WorksUnderAPrefixOverASocket(t *testing.T) {
	s := newSandbox(t)
	mux := http.NewServeMux()
	mux.Handle("/launchpad/", http.StripPrefix("/launchpad", s))
	server := httptest.NewServer(mux)
	defer server.Close()
	b := newBrowser(t, nil)
	back := b.choose(b.get(asking(server.URL+"/launchpad", nil)), "ines").want(http.StatusFound)
	b.post(server.URL+"/launchpad"+tokenPath, redeeming(landed(t, back).Query().Get("code"))).want(http.StatusOK)
}

func TestSignOn_RefusesOtherMethodsAndForms(t *testing.T) {
	b := newBrowser(t, newSandbox(t).Transport())
	b.get(BaseURL + tokenPath).want(http.StatusNotFound)
	for _, path := range []string{signOnPath, tokenPath} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, BaseURL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		b.read(b.client.Do(r)).want(http.StatusNotFound)
		b.read(b.client.Post(BaseURL+path, "application/json", strings.NewReader(`{}`))).want(http.StatusBadRequest)
		b.post(BaseURL+path, url.Values{"code": {strings.Repeat("x", maxForm)}}).want(http.StatusBadRequest)
	}
	if r := b.read(b.client.Head(asking(BaseURL, nil))).want(http.StatusOK); len(r.body) != 0 {
		t.Errorf("%s", r.body)
	}
}

func TestSignOn_LogsRequestsWithoutTheirSecrets(t *testing.T) {
	s := newSandbox(t)
	tokens := logIn(t, s, "ines")
	b := newBrowser(t, s.Transport())
	b.get(asking(BaseURL, map[string]string{"code": "s3cret"}))
	b.get(BaseURL + signOnPath + "?state=s3cret%zz")
	b.post(BaseURL+tokenPath+"?client_secret=s3cret", refreshing(tokens.text("refresh_token")))
	var seen []string
	for _, r := range s.Requests() {
		seen = append(seen, r.Method+" "+r.Path)
		for _, secret := range []string{"s3cret", "st4te", ClientSecret, tokens.text("refresh_token"), tokens.text("access_token")} {
			if strings.Contains(r.Query, secret) || strings.Contains(r.Query, url.QueryEscape(secret)) {
				t.Errorf("%s %s keeps %q: %s", r.Method, r.Path, secret, r.Query)
			}
		}
	}
	want := []string{"GET " + signOnPath, "POST " + signOnPath, "POST " + tokenPath, "GET " + signOnPath, "GET " + signOnPath, "POST " + tokenPath}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	if got := s.Requests()[0].Query; !strings.Contains(got, "client_id="+ClientID) {
		t.Errorf("query %q", got)
	}
	if !slices.ContainsFunc(s.Requests(), func(r Request) bool { return r.Path == tokenPath && r.Status == http.StatusOK }) {
		t.Error("no status in the log")
	}
}
