package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

func TestNew_RefusesAnInvalidConfiguration(t *testing.T) {
	for _, config := range []Config{
		{}, {APIURL: "http://api.github.example"}, {APIURL: "https://"}, {APIURL: "https://nora@api.github.example"}, {APIURL: apiURL + "?a=b"},
		{APIURL: apiURL, WebURL: "github.example"}, {APIURL: apiURL, UserAgent: "-"},
	} {
		if config.UserAgent == "" {
			config.UserAgent, config.Tokens = agent, (&links{}).Credential
		} else {
			config.UserAgent = ""
		}
		if _, err := New(config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
	if _, err := New(Config{APIURL: apiURL, UserAgent: agent}); err == nil {
		t.Error("no token source is accepted")
	}
}

func TestNew_FindsGraphQLBesideTheRESTAPI(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.github.com": "https://api.github.com/graphql", "https://api.fernhill.ghe.com/": "https://api.fernhill.ghe.com/graphql",
		"https://git.fernhill.example/api/v3": "https://git.fernhill.example/api/graphql", "https://git.fernhill.example/api/v3/": "https://git.fernhill.example/api/graphql",
		"http://127.0.0.1:8080/github": "http://127.0.0.1:8080/github/graphql",
	} {
		if c := client(t, Config{APIURL: base}); c.graphql.String() != want {
			t.Errorf("%s: %s", base, c.graphql)
		}
	}
}

func TestRequests_HaveTheHeadersThatGitHubWants(t *testing.T) {
	var got http.Header
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		says(200, issueJSON)(w, r)
	})
	want := http.Header{
		"Authorization": {"Bearer gho_nora"}, "Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"}, "User-Agent": {agent},
	}
	if _, err := c.Issue(t.Context(), shop, 12); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	want.Set("Content-Type", "application/json")
	if _, err := c.CreateIssue(t.Context(), shop, Fields{"title": "Bell"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCredential_IsRenewedOnceAfterA401(t *testing.T) {
	var sent []string
	source := &links{token: "t1", renewed: []string{"t2", "t3"}}
	c := client(t, Config{Tokens: source.Credential, Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		if len(sent) == 1 {
			w.WriteHeader(401)
			return
		}
		says(201, issueJSON)(w, r)
	})})
	if _, err := c.CreateIssue(t.Context(), shop, Fields{"title": "Bell"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Bearer t1", "Bearer t2"}, sent); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"t1"}, source.refused); diff != "" {
		t.Error(diff)
	}
}

func TestCredential_AnErrorOfTheSourceIsReturnedWithWhatGitHubAnswered(t *testing.T) {
	own := fault.New(fault.TokenExpired, "link GitHub first")
	c := client(t, Config{Tokens: (&links{err: own}).Credential, Transport: transportOf(says(401, "", "X-GitHub-Request-Id", "C0DE:3"))})
	f := wantFault(t, errOf(c.Issue(t.Context(), shop, 12)), fault.TokenExpired)
	want := &fault.Upstream{Provider: "github", Status: 401, Message: "unauthorized", RequestID: "C0DE:3"}
	if diff := cmp.Diff(want, f.Upstream); diff != "" || f.Message != own.Message || f.Resource == nil || own.Upstream != nil {
		t.Errorf("%+v %s", f, diff)
	}
	other := errors.New("the store is down")
	c = client(t, Config{Tokens: (&links{err: other}).Credential, Transport: transportOf(says(401, ""))})
	if _, err := c.Issue(t.Context(), shop, 12); !errors.Is(err, other) {
		t.Error(err)
	}
	c = client(t, Config{Tokens: noToken{}.Credential, Transport: transportOf(says(200, ""))})
	wantFault(t, errOf(c.Issue(t.Context(), shop, 12)), fault.InternalError)
}

type noToken struct{}

func (noToken) Credential(context.Context, string) (Credential, error) {
	return Credential{Person: "nora"}, nil
}

func TestCache_AsksWithTheETagAndBelongsToAUserAndALink(t *testing.T) {
	var asked []string
	source := &links{}
	c := client(t, Config{Tokens: source.Credential, Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization")+" "+r.Header.Get("If-None-Match"))
		w.Header().Set("ETag", `W/"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		says(200, issueJSON)(w, r)
	})})
	read := func(ctx context.Context) {
		if issue, err := c.Issue(ctx, shop, 12); err != nil || issue.Title != "Bell rings twice" {
			t.Errorf("%+v, %v", issue, err)
		}
	}
	read(t.Context())
	read(t.Context())
	read(as(t.Context(), "ines"))
	source.link = "2"
	read(t.Context())
	if diff := cmp.Diff([]string{"Bearer gho_nora ", `Bearer gho_nora W/"1"`, "Bearer gho_ines ", "Bearer gho_nora "}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestRedirects_OfARenamedRepositoryAreFollowedWithinTheOrigin(t *testing.T) {
	var foreign int
	other := httptest.NewServer(counted(&foreign, says(200, issueJSON)))
	defer other.Close()
	target := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/repos/") {
			status := http.StatusMovedPermanently
			if r.Method != http.MethodGet {
				status = http.StatusTemporaryRedirect
			}
			http.Redirect(w, r, target, status)
			return
		}
		says(200, issueJSON)(w, r)
	}))
	defer server.Close()
	c, err := New(Config{APIURL: server.URL, UserAgent: agent, Tokens: (&links{}).Credential})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]func() error{
		"read":   func() error { return errOf(c.Issue(t.Context(), shop, 12)) },
		"update": func() error { return errOf(c.UpdateIssue(t.Context(), shop, 12, Fields{"title": "Bell"}, nil)) },
		"create": func() error { return errOf(c.CreateIssue(t.Context(), shop, Fields{"title": "Bell"})) },
	}
	for name, call := range calls {
		if target = "/repositories/7/issues/12"; call() != nil {
			t.Errorf("%s: %v", name, call())
		}
		target = other.URL + "/repositories/7/issues/12"
		f := wantFault(t, call(), fault.UpstreamError)
		if f.Retryable || f.MayHaveHappened || foreign != 0 {
			t.Errorf("%s: %+v, %d requests elsewhere", name, f, foreign)
		}
	}
}

// Other programs answer below other paths of an Enterprise Server: its pages, and what its users
// publish with GitHub Pages.
func TestRedirects_OfAnEnterpriseServerStayBelowItsAPI(t *testing.T) {
	target := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/v3/repos/"):
			http.Redirect(w, r, target, http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/api/v3/repositories/"):
			says(200, issueJSON)(w, r)
		default:
			t.Errorf("%s received a request, with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
	}))
	defer server.Close()
	c, err := New(Config{APIURL: server.URL + "/api/v3", UserAgent: agent, Tokens: (&links{}).Credential})
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"read":   func() error { return errOf(c.Issue(t.Context(), shop, 12)) },
		"update": func() error { return errOf(c.UpdateIssue(t.Context(), shop, 12, Fields{"title": "Bell"}, nil)) },
	} {
		if target = "/api/v3/repositories/7/issues/12"; call() != nil {
			t.Errorf("%s: %v", name, call())
		}
		for _, target = range []string{"/pages/nora/steal", "/api/v3x/issues/12", "/api/v3/%2e%2e/steal", "/"} {
			f := wantFault(t, call(), fault.UpstreamError)
			if f.Retryable || f.MayHaveHappened {
				t.Errorf("%s to %s: %+v", name, target, f)
			}
		}
	}
}

func TestScopes_AreRequiredBeforeGitHubIsAsked(t *testing.T) {
	for scope, want := range map[string]bool{"": true, "read:org read:project": false, "public_repo": true, "repo": true, "project": false} {
		c := client(t, Config{Tokens: (&links{scope: scope}).Credential})
		err := c.Require(t.Context(), "repo", "public_repo")
		if (err == nil) != want {
			t.Errorf("%q: %v", scope, err)
		}
		if err == nil {
			continue
		}
		f := wantFault(t, err, fault.PermissionDenied)
		if diff := cmp.Diff(&fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"repo"}}, f.Link); diff != "" || f.Provider != "github" {
			t.Error(diff)
		}
	}
	if err := client(t, Config{Tokens: (&links{scope: "project"}).Credential}).Require(t.Context(), "read:project"); err != nil {
		t.Error(err)
	}
}

func TestFaults_ContainNoSecrets(t *testing.T) {
	const token, planted = "gho_s3cr3t", "planted-secret"
	headers := []string{
		"X-GitHub-Request-Id", planted + "\t!", "Retry-After", planted, "X-GitHub-SSO", "required; url=https://planted.example/" + planted,
		"Location", "https://" + planted + ".example", "Link", planted, "X-RateLimit-Limit", planted, "X-OAuth-Scopes", planted + "!", "X-Accepted-OAuth-Scopes", planted + "!",
	}
	bodies := []string{
		planted, "<html>" + planted, `{"message": "` + token + `", "documentation_url": "https://planted.example/` + planted + `"}`,
		`{"errors": [{"type": "` + planted + `", "message": "` + planted + `", "path": ["` + planted + `"]}], "data": null}`,
		`{"errors": [{"type": "INSUFFICIENT_SCOPES", "message": "['Planted-Secret!', '` + planted + `!']"}]}`, `{"data": {"node": {"id": "` + planted + `"}}}`,
	}
	calls := []func(*Client) error{
		func(c *Client) error { return errOf(c.Issue(t.Context(), shop, 12)) },
		func(c *Client) error { return errOf(c.CreateIssue(t.Context(), shop, Fields{"title": "x"})) },
		func(c *Client) error { return errOf(c.Items(t.Context(), "PVT_7", 1, "")) },
		func(c *Client) error { return c.DeleteProject(t.Context(), "PVT_7") },
	}
	check := func(f *fault.Error) {
		shown, _ := json.Marshal(f)
		if bytes.Contains(shown, []byte(token)) || strings.Contains(f.Error(), token) {
			t.Errorf("the token is in %s or in %s", shown, f.Error())
		}
		if f.Code == fault.InvalidInput { // it may contain GitHub's words
			shown = []byte(f.Message)
		}
		for _, secret := range []string{"planted", "Planted", "<html", "://", "json:", "Go "} {
			if bytes.Contains(shown, []byte(secret)) {
				t.Errorf("%q is in %s", secret, shown)
			}
		}
	}
	for _, status := range []int{200, 302, 304, 400, 401, 403, 404, 406, 409, 410, 418, 422, 429, 451, 500} {
		for _, body := range bodies {
			for _, call := range calls {
				c := client(t, Config{Tokens: (&links{token: token}).Credential, Transport: transportOf(says(status, body, headers...))})
				if err := call(c); err != nil {
					check(fault.From(err))
				}
			}
		}
	}
	c := client(t, Config{Tokens: (&links{token: token}).Credential, Transport: transport(func(*http.Request) (*http.Response, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "planted.example"}
	})})
	for _, call := range calls[1:2] {
		check(wantFault(t, call(c), fault.UpstreamError))
	}
}

func FuzzRefusals(f *testing.F) {
	for _, x := range restRefusals {
		h := ""
		if len(x.headers) > 1 {
			h = x.headers[1]
		}
		f.Add(x.status, x.body, h, h, h)
	}
	for _, x := range graphqlRefusals {
		f.Add(200, x.body, "", "", "0")
	}
	f.Fuzz(func(t *testing.T, status int, body, sso, scopes, limit string) {
		if status < 200 || status > 599 {
			return
		}
		header := http.Header{"X-Github-Sso": {sso}, "X-Oauth-Scopes": {scopes}, "X-Accepted-Oauth-Scopes": {scopes}, "Retry-After": {limit}, "X-Ratelimit-Remaining": {limit}, "X-Ratelimit-Reset": {limit}}
		c := fuzzed(t, status, body, header)
		ctx := withTimeout(t, answerTime) // too short for a second attempt
		for _, err := range []error{errOf(c.Issue(ctx, shop, 12)), errOf(c.Items(ctx, "PVT_7", 5, "")), errOf(c.CreateProject(ctx, Fields{"ownerId": "O", "title": "x"}))} {
			if err == nil {
				continue
			}
			x, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("not a fault: %v", err)
			}
			wantSoundFault(t, x)
		}
	})
}

const answerTime = 500 * time.Millisecond

// fuzzed returns a client whose requests all have one answer.
func fuzzed(t *testing.T, status int, body string, header http.Header) *Client {
	return client(t, Config{Transport: transport(func(r *http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		maps.Copy(recorder.Header(), header)
		recorder.WriteHeader(status)
		_, _ = recorder.WriteString(body)
		return recorder.Result(), nil
	})})
}

func wantSoundFault(t *testing.T, f *fault.Error) {
	t.Helper()
	if f.Code.Number() == 0 || f.Message == "" || f.Code == fault.RateLimited && f.RetryAfter <= 0 {
		t.Errorf("%+v", f)
	}
	if f.RateLimit != nil {
		for _, n := range []*int{f.RateLimit.Limit, f.RateLimit.Remaining, f.RateLimit.RetryAfter} {
			if n != nil && *n < 0 {
				t.Errorf("a negative figure: %+v", f.RateLimit)
			}
		}
	}
	if f.Upstream != nil && (len([]rune(f.Upstream.Message)) > maxSentence || strings.Contains(f.Upstream.Message, "<b>")) {
		t.Errorf("upstream says %q", f.Upstream.Message)
	}
	if f.Link != nil && f.Link.URL != "" && !strings.HasPrefix(f.Link.URL, "https://github.example/") {
		t.Errorf("a link to %s", f.Link.URL)
	}
	for _, v := range f.Validation {
		if len([]rune(v.Message)) > maxSentence || v.Code == "" || len(v.Path) > 60 {
			t.Errorf("violation %+v", v)
		}
	}
}
