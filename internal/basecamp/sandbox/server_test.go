package sandbox

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAuth_RefusesUnknownTokens(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	expired := s.IssueToken(s.People()[0].ID)
	s.ExpireToken(expired)
	for name, token := range map[string]string{"no token": "", "unknown token": "unknown", "expired token": expired} {
		t.Run(name, func(t *testing.T) {
			c := c
			c.t, c.token = t, token
			r := c.get("/projects.json").want(http.StatusUnauthorized)
			if r.object().text("error") == "" {
				t.Errorf("no error in %s", r.body)
			}
		})
	}
	c.token = expired
	if got := c.get("/projects.json").object().text("error"); !strings.HasPrefix(got, "OAuth token expired (old age).") {
		t.Errorf("expired: %q", got)
	}
}

func TestAuth_AnIssuedTokenIsThePersons(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	c.token = s.IssueToken(s.Person("Hanna Koivisto").ID)
	if got := c.get("/my/profile.json").object().text("name"); got != "Hanna Koivisto" {
		t.Error(got)
	}
}

func TestUserAgent_NeedsANameAndAContact(t *testing.T) {
	s := newSandbox(t)
	for agent, want := range map[string]int{
		"Go-http-client/1.1":               400,
		"":                                 400,
		"Basecamp MCP (ops@fernhill.test)": 200,
		"Basecamp MCP (https://x.example)": 200,
	} {
		r := ines(t, s).with("User-Agent", agent).get("/my/profile.json").want(want)
		if want == 400 && !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%q: %s", agent, r.Header.Get("Content-Type"))
		}
	}
}

func TestAccount_OthersAreNotFoundAndASuspendedOneHasAReason(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Sam Okafor")
	for account, reason := range map[int64]string{999: "", s.OtherAccount(): "", s.InactiveAccount(): "Account Inactive"} {
		c.account = account
		r := c.get("/projects.json").want(http.StatusNotFound)
		if got := r.Header.Get("Reason"); got != reason {
			t.Errorf("account %d: reason %q, want %q", account, got, reason)
		}
		if diff := cmp.Diff(`{"error":"Not Found","status":404}`, string(r.body)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestIsolation_TheStrangerReadsNoneOfTheMainAccountsData(t *testing.T) {
	s := newSandbox(t)
	c := caller{t, s, s.Stranger().Token, s.OtherAccount(), http.Header{}}
	todo := s.Find("Todo", "Write the safety page of the manual")
	c.get("/todos/%d.json", todo).want(http.StatusNotFound)
	c.get("/projects/%d.json", s.ProjectID(launch)).want(http.StatusNotFound)
	if got := titles(c.get("/search.json?q=manual").list()); len(got) != 0 {
		t.Errorf("found %v", got)
	}
	if got := c.get("/people.json").list(); len(got) != 1 {
		t.Errorf("%d people", len(got))
	}
	c.account = s.Account()
	c.get("/my/profile.json").want(http.StatusNotFound)
}

func TestRoutes_FlatAndLegacyFormsWithAndWithoutJSONAreEqual(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	id, p := s.Find("Todo", "Write the safety page of the manual"), s.ProjectID(launch)
	want := c.get("/todos/%d.json", id).want(200).body
	for _, path := range []string{"/todos/%[1]d", "/buckets/%[2]d/todos/%[1]d.json", "/buckets/%[2]d/todos/%[1]d"} {
		if diff := cmp.Diff(string(want), string(c.get(path, id, p).want(200).body)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	c.get("/buckets/%d/todos/%d.json", s.ProjectID("Company HQ"), id).want(http.StatusNotFound)
}

func TestRoutes_UnknownOnesAreNotFoundInJSON(t *testing.T) {
	c := ines(t, newSandbox(t))
	for _, path := range []string{"/", "/nothing.json", "/todos.json", "/todos/abc.json", "/todos/0.json", "/projects//1.json", "/buckets/1", "/../x"} {
		r := c.get("%s", path).want(http.StatusNotFound)
		if r.object().text("error") != "Not Found" {
			t.Errorf("%s: %s", path, r.body)
		}
	}
	for _, method := range []string{"PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO"} {
		c.do(method, "/projects.json", nil).want(http.StatusNotFound)
	}
}

func TestPages_GrowFrom15To30To50To100(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/chats/%d/lines.json", s.ToolID(launch, "chat"))
	var sizes []int
	seen := map[string]bool{}
	total := ""
	for next := path; next != ""; {
		if len(sizes) == 20 {
			t.Fatalf("no end after pages of %v", sizes)
		}
		r := c.get("%s", next).want(200)
		lines := r.list()
		sizes = append(sizes, len(lines))
		for _, l := range lines {
			seen[l.text("id")] = true
		}
		total = r.Header.Get("X-Total-Count")
		next = nextLink(r.Header)
	}
	if diff := cmp.Diff([]int{15, 30, 50}, sizes[:min(3, len(sizes))]); diff != "" {
		t.Error(diff)
	}
	if fmt.Sprint(len(seen)) != total {
		t.Errorf("%d different lines, X-Total-Count %s", len(seen), total)
	}
}

func TestPages_LinkLeadsToTheSameRouteOnTheSameHost(t *testing.T) {
	s := newSandbox(t)
	id := s.FindIn(launch, "Todolist", "Launch checklist")
	r := ines(t, s).get("https://3.basecampapi.com/%d/buckets/%d/todolists/%d/todos.json?completed=false", s.Account(), s.ProjectID(launch), id)
	want := fmt.Sprintf("https://3.basecampapi.com/%d/buckets/%d/todolists/%d/todos.json?completed=false&page=2", s.Account(), s.ProjectID(launch), id)
	if got := nextLink(r.want(200).Header); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestPages_BeyondTheEndAreEmptyAndInvalidNumbersAreTheFirst(t *testing.T) {
	c := ines(t, newSandbox(t))
	if got := string(c.get("/projects.json?page=99").want(200).body); got != "[]" {
		t.Errorf("page 99: %s", got)
	}
	first := string(c.get("/projects.json").body)
	for _, page := range []string{"0", "-3", "one", "1.5", ""} {
		if got := string(c.get("/projects.json?page=%s", page).want(200).body); got != first {
			t.Errorf("page %q is not the first", page)
		}
	}
}

func TestETag_Answers304UntilTheAnswerChanges(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/todos/%d.json", s.Find("Todo", "Write the safety page of the manual"))
	tag := c.get("%s", path).want(200).Header.Get("ETag")
	if tag == "" {
		t.Fatal("no ETag")
	}
	again := c.with("If-None-Match", tag)
	if r := again.get("%s", path).want(http.StatusNotModified); len(r.body) != 0 || r.Header.Get("ETag") != tag {
		t.Errorf("304 with %d bytes and tag %s", len(r.body), r.Header.Get("ETag"))
	}
	c.put(path, object{"content": "Write both safety pages"}).want(200)
	if r := again.get("%s", path).want(200); r.Header.Get("ETag") == tag {
		t.Error("the tag is the same after a change")
	}
}

func TestRequestID_IsOnEveryResponse(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$`)
	s.Inject(Fault{Status: 500, Times: 1, PathPrefix: "/people"})
	seen := map[string]bool{}
	for _, path := range []string{"/projects.json", "/nothing", "/people.json"} {
		id := c.get("%s", path).Header.Get("X-Request-Id")
		if !uuid.MatchString(id) || seen[id] {
			t.Errorf("%s: %q", path, id)
		}
		seen[id] = true
	}
}

func TestRateLimit_Is50In10SecondsWithRetryAfter(t *testing.T) {
	at := &clock{noon}
	s := New(Options{Now: at.now})
	c := ines(t, s)
	for range 50 {
		c.get("/my/profile.json").want(200)
		at.at = at.at.Add(100 * time.Millisecond)
	}
	r := c.get("/my/profile.json").want(http.StatusTooManyRequests)
	if got := r.Header.Get("Retry-After"); got != "5" {
		t.Errorf("Retry-After %q", got)
	}
	at.at = at.at.Add(5 * time.Second)
	c.get("/my/profile.json").want(200)
}

func TestContentType_IsRequiredOnlyWithABody(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	comments := fmt.Sprintf("/recordings/%d/comments.json", s.Find("Message", "We have a date"))
	c.with("Content-Type", "").post(comments, object{"content": "hello"}).want(http.StatusUnsupportedMediaType)
	c.with("Content-Type", "text/plain").post(comments, object{"content": "hello"}).want(http.StatusUnsupportedMediaType)
	c.post(comments, object{"content": "hello"}).want(http.StatusCreated)
	c.do("POST", comments, []byte(`{"content":`)).want(http.StatusBadRequest)
	c.do("POST", fmt.Sprintf("/todos/%d/completion.json", s.Find("Todo", "Name the bike's colours properly")), nil).want(http.StatusNoContent)
	c.get("/search.json?q=brakes").want(200)
	c.with("Content-Type", "application/json").get("/search.json?q=brakes").want(http.StatusBadRequest)
	c.with("Content-Type", "application/json").get("/projects.json").want(200)
}

func TestIntegers_BeyondTwoToThe53AreExact(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	for path, id := range map[string]int64{
		"todos":     s.Find("Todo", "Agree on the wording of the ten-year frame promise"),
		"messages":  s.Find("Message", "Field diary: forty-six rides"),
		"documents": s.Find("Document", "Assembly handbook"),
	} {
		if id <= 1<<53 {
			t.Errorf("%s: %d is small", path, id)
		}
		r := c.get("/%s/%d.json", path, id).want(200)
		if !strings.HasPrefix(string(r.body), fmt.Sprintf(`{"id":%d,`, id)) {
			t.Errorf("%.60s", r.body)
		}
	}
}

func TestRequests_AreLogged(t *testing.T) {
	s := newSandbox(t)
	as(t, s, "Hanna Koivisto").get("/projects.json?status=archived")
	ines(t, s).post("/nothing.json", object{})
	want := []Request{
		{"GET", "5094412", "/projects.json", "status=archived", "Hanna Koivisto", 200},
		{"POST", "5094412", "/nothing.json", "", "Ines Albrecht", 404},
	}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Error(diff)
	}
	s.ResetRequests()
	for range 2010 {
		ines(t, s).get("/x")
	}
	if got := len(s.Requests()); got != 2000 {
		t.Errorf("%d kept", got)
	}
}

func TestServeHTTP_ServesOverASocketToo(t *testing.T) {
	s := newSandbox(t)
	server := httptest.NewServer(s)
	defer server.Close()
	c := ines(t, s)
	r := c.request("GET", fmt.Sprintf("%s/%d/projects.json", server.URL, s.Account()), nil)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if want := fmt.Sprintf("%s/%d/projects.json?page=2", server.URL, s.Account()); nextLink(resp.Header) != want {
		t.Errorf("got %s, want %s", nextLink(resp.Header), want)
	}
	s.Inject(Fault{Drop: true, Times: 1})
	if _, err := http.DefaultClient.Do(r.Clone(t.Context())); err == nil {
		t.Error("a dropped connection returned a response")
	}
}

func TestAuthorization_HasLaunchpadsFormatAndTheNewerOne(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Sam Okafor")
	for _, host := range []string{BaseURL, "https://launchpad.37signals.com"} {
		o := c.get("%s/authorization.json", host).want(200).object()
		if got := o.text("identity", "first_name") + o.text("identity", "email_address"); got != "Samsam.okafor@fernhillbikes.example" {
			t.Errorf("%s: %s", host, got)
		}
		if _, err := time.Parse(time.RFC3339, o.text("expires_at")); err != nil {
			t.Error(err)
		}
		products := apply(o.list("accounts"), func(a object) string { return a.text("product") + " " + a.text("name") })
		if diff := cmp.Diff([]string{"hey Sam's HEY", "bc3 Fernhill Bikes", "bc3 Fernhill Repair Café"}, products); diff != "" {
			t.Error(diff)
		}
	}
	if got := c.get("%s/authorization.json", BaseURL).object().list("accounts")[1].text("href"); got != fmt.Sprintf("%s/%d", BaseURL, s.Account()) {
		t.Errorf("href %s", got)
	}
}
