package basecamp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
)

func TestNew_RejectsAnInvalidConfiguration(t *testing.T) {
	good := Config{BaseURL: "https://basecamp.example", UserAgent: agent, Tokens: tokens("t").Credential}
	for name, spoil := range map[string]func(*Config){
		"no base URL":                    func(c *Config) { c.BaseURL = "" },
		"only a path":                    func(c *Config) { c.BaseURL = "/api" },
		"no scheme":                      func(c *Config) { c.BaseURL = "basecamp.example" },
		"http":                           func(c *Config) { c.BaseURL = "http://basecamp.example" },
		"http to an IP address":          func(c *Config) { c.BaseURL = "http://10.0.0.1" },
		"another scheme":                 func(c *Config) { c.BaseURL = "ftp://127.0.0.1" },
		"a password":                     func(c *Config) { c.BaseURL = "https://a:b@basecamp.example" },
		"a query":                        func(c *Config) { c.BaseURL = "https://basecamp.example?a=b" },
		"not a URL":                      func(c *Config) { c.BaseURL = "https://%zz" },
		"no user agent":                  func(c *Config) { c.UserAgent = "" },
		"a user agent without a contact": func(c *Config) { c.UserAgent = "fernhill-mcp" },
		"a user agent without a name":    func(c *Config) { c.UserAgent = "ops@fernhill.example" },
		"a header in the user agent":     func(c *Config) { c.UserAgent = agent + "\r\nX-Evil: 1" },
		"no token source":                func(c *Config) { c.Tokens = nil },
	} {
		config := good
		spoil(&config)
		if _, err := New(config); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestNew_AcceptsHTTPSAndLoopbackHTTP(t *testing.T) {
	for _, base := range []string{
		"https://3.basecampapi.com", "https://3.basecampapi.com/", "https://gateway.example/basecamp",
		"http://127.0.0.1:4000", "http://localhost:4000", "http://[::1]:4000",
	} {
		if _, err := New(Config{BaseURL: base, UserAgent: "fernhill (https://fernhill.example)", Tokens: tokens("t").Credential}); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func TestRead_SendsTheRequiredHeadersAndNoContentType(t *testing.T) {
	var got *http.Request
	c := server(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		says(200, fixture(t, "project.json"))(w, r)
	})
	if _, err := c.Project(t.Context(), 7001); err != nil {
		t.Fatal(err)
	}
	if got.Method != "GET" || got.RequestURI != account+"/projects/7001.json" {
		t.Errorf("requested %s %s", got.Method, got.RequestURI)
	}
	wantHeader(t, got, "User-Agent", agent)
	wantHeader(t, got, "Accept", "application/json")
	wantHeader(t, got, "Authorization", "Bearer token-1")
	wantHeader(t, got, "Content-Type", "")
	wantHeader(t, got, "Accept-Encoding", "gzip")
}

func TestRead_AppendsToThePathOfTheBaseURL(t *testing.T) {
	var path string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		says(200, `{"id": 5}`)(w, r)
	}))
	defer s.Close()
	if err := read5(t.Context(), client(t, Config{BaseURL: s.URL + "/basecamp/"})); err != nil {
		t.Fatal(err)
	}
	if path != "/basecamp"+account+"/todos/5.json" {
		t.Errorf("requested %s", path)
	}
}

func TestWrite_HasAContentTypeOnlyWithABody(t *testing.T) {
	var got []string
	c := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+string(body))
		wantHeader(t, r, "User-Agent", agent)
		w.WriteHeader(204)
	})
	for _, write := range []error{post(t.Context(), c), put(t.Context(), c), remove(t.Context(), c)} {
		if write != nil {
			t.Error(write)
		}
	}
	want := []string{
		`POST /77001/todolists/5/todos.json application/json; charset=utf-8 {"content":"x"}`,
		`PUT /77001/todos/5.json application/json; charset=utf-8 {"content":"x"}`,
		`DELETE /77001/todos/5/completion.json  `,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrite_ReturnsTheCreatedItem(t *testing.T) {
	c := server(t, says(201, `{"id": "9007199254741623"}`))
	made, err := send[note](t.Context(), c, http.MethodPost, request{path: "x.json"}, map[string]int{})
	if err != nil || made.ID != 9007199254741623 {
		t.Errorf("made %+v, %v", made, err)
	}
}

func TestAccount_ComesFromTheCredential(t *testing.T) {
	got, err := client(t, Config{}).Account(t.Context())
	if err != nil || got != 77001 {
		t.Errorf("account = %d, %v", got, err)
	}
}

func TestRead_SendsNothingWithAnIncompleteCredential(t *testing.T) {
	for _, credential := range []Credential{{Account: 1, Person: "x"}, {AccessToken: "t", Person: "x"}, {AccessToken: "t", Account: -1}} {
		c := client(t, Config{Tokens: fixed(credential).Credential, Transport: transport(unreachable(t))})
		wantFault(t, read5(t.Context(), c), fault.InternalError)
	}
}

func wantHeader(t *testing.T, r *http.Request, name, want string) {
	t.Helper()
	if got := strings.Join(r.Header.Values(name), " | "); got != want {
		t.Errorf("%s = %q, want %q", name, got, want)
	}
}
