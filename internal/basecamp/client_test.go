package basecamp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
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
	if _, err := ProjectAt.Get(t.Context(), c, 7001); err != nil {
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

func TestWrite_ReturnsTheCreatedItem(t *testing.T) {
	c := server(t, says(201, `{"id": "9007199254741623"}`))
	made, err := send[note](t.Context(), c, http.MethodPost, request{path: "x.json"}, map[string]int{})
	if err != nil || made.ID != 9007199254741623 {
		t.Errorf("made %+v, %v", made, err)
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

func TestClient_SendsAtMostFortyFiveRequestsInTenSeconds(t *testing.T) {
	for unlimited, atLeast := range map[bool]time.Duration{false: 10 * time.Second, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			c := client(t, Config{Transport: transportOf(says(200, `{"id": 5}`)), Unlimited: unlimited})
			start := time.Now()
			for range 46 {
				if err := read5(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(start); took < atLeast || unlimited && took != 0 {
				t.Errorf("46 requests took %s", took)
			}
		})
	}
}

// unchanged answers with body and a validator, and with 304 to a request that sends the validator.
func unchanged(body, condition, validator, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(condition) == value {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		says(200, body, validator, value, "Link", `<`+r.URL.Path+`?page=2>; rel="next"`, "X-Total-Count", "31")(w, r)
	}
}

func TestCache_IsNotSharedBetweenUsersOrAccounts(t *testing.T) {
	who := Credential{AccessToken: "t", Account: 1, Person: "nora"}
	c := client(t, Config{
		Tokens: func(context.Context, string) (Credential, error) { return who, nil },
		Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				t.Errorf("%+v received another answer's ETag", who)
			}
			says(200, `{"id": 5}`, "ETag", `"a"`)(w, r)
		}),
	})
	for _, who = range []Credential{{"t", 1, "nora"}, {"t", 2, "nora"}, {"t", 1, "idris"}, {"t", 1, ""}, {"t", 1, ""}} {
		if err := read5(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCache_ReturnsACopyOfAList(t *testing.T) {
	c := server(t, unchanged(`[{"id": 1}, {"id": 2}]`, "If-None-Match", "ETag", `"a"`))
	for range 3 {
		page, err := TodosIn.Page(t.Context(), c, 1, 9)
		if err != nil || page.Items[0].ID != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		page.Items[0] = Todo{}
	}
}

func TestCache_KeepsReportsAndListsInObjects(t *testing.T) {
	const body = `{"unreads": [], "reads": [{"id": 1}], "events": [{"id": 1}], "priorities": [{"id": 1}], "non_priorities": []}`
	c := server(t, unchanged(body, "If-None-Match", "ETag", `"a"`))
	for range 2 {
		menu, err1 := c.Readings(t.Context(), 1)
		events, err2 := TimelineBy.Page(t.Context(), c, 1, 7)
		mine, err3 := MyAssignments.Get(t.Context(), c)
		if err := errors.Join(err1, err2, err3); err != nil || len(menu.Read.Items) != 1 || len(events.Items) != 1 || len(mine.Priorities) != 1 {
			t.Errorf("%v: %+v, %+v, %+v", err, menu, events, mine)
		}
	}
}

var calls = map[string]func(context.Context, *Client) error{"GET": read5, "POST": post, "PUT": put, "DELETE": remove}

func TestARefusedTokenIsReplacedOnce(t *testing.T) {
	for method, call := range calls {
		keys, sent := tokens("stale", "good"), []string(nil)
		c := client(t, Config{Tokens: keys.Credential, Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Header.Get("Authorization"))
			if sent[len(sent)-1] == "Bearer stale" {
				w.WriteHeader(401)
				return
			}
			says(200, `{"id": 5}`)(w, r)
		})})
		if err := call(t.Context(), c); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if diff := cmp.Diff([]string{"Bearer stale", "Bearer good"}, sent); diff != "" {
			t.Errorf("%s sent %s", method, diff)
		}
		if diff := cmp.Diff([]string{"stale"}, keys.refused); diff != "" {
			t.Errorf("%s: refused %s", method, diff)
		}
	}
}

func TestAUserWhoIsNotConnectedCausesNoRequest(t *testing.T) {
	own := fault.New(fault.TokenExpired, "connect")
	source := func(context.Context, string) (Credential, error) { return Credential{}, own }
	c := client(t, Config{Tokens: source, Transport: transport(unreachable(t))})
	for method, call := range calls {
		if f := wantFault(t, call(t.Context(), c), fault.TokenExpired); f != own {
			t.Errorf("%s: %v", method, f)
		}
	}
	if _, err := c.Account(t.Context()); fault.From(err) != own {
		t.Errorf("account: %v", err)
	}
}

func TestANewTokenOfAnotherUserIsNotUsed(t *testing.T) {
	source := func(_ context.Context, refused string) (Credential, error) {
		if refused != "" {
			return Credential{AccessToken: "theirs", Account: 77001, Person: "idris"}, nil
		}
		return Credential{AccessToken: "mine", Account: 77001, Person: "nora"}, nil
	}
	var asked int
	c := client(t, Config{Tokens: source, Transport: transportOf(counted(&asked, says(401, "")))})
	wantFault(t, read5(t.Context(), c), fault.InternalError)
	if asked != 1 {
		t.Errorf("%d requests", asked)
	}
}
