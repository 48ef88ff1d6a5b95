package sandbox

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

func TestNew_MakesNoData(t *testing.T) {
	s := New(Options{})
	if s.accounts != nil || s.schema != nil {
		t.Error("the seed is there before the first request")
	}
	s.Person("ines-albrecht")
	if s.accounts == nil {
		t.Error("there is no seed")
	}
}

func TestServer_AnswersOnlyDocumentedRoutes(t *testing.T) {
	var problems []string
	s := New(Options{Undocumented: func(p string) { problems = append(problems, p) }})
	c := ines(t, s)
	for _, path := range []string{
		"/repos/fernhill-bikes/configurator", "/repos/fernhill-bikes/configurator/pulls", "/users/ines-albrecht", "/orgs/fernhill-bikes",
		"/repos/fernhill-bikes/configurator/issues/x", "/repos/fernhill-bikes/configurator/issues/0", "/repos/fernhill-bikes/nowhere/issues", "/",
	} {
		c.get("%s", path).want(t, http.StatusNotFound)
	}
	for _, method := range []string{http.MethodDelete, http.MethodPut, http.MethodHead} {
		c.do(method, "issues/12", nil).want(t, http.StatusNotFound)
	}
	c.do(http.MethodGet, URL+"/fernhill-bikes", nil).want(t, http.StatusNotFound)
	c.do(http.MethodGet, URL+graphqlPath, nil).want(t, http.StatusNotFound)
	before := len(problems)
	c.get("issues?colour=red").want(t, http.StatusOK)
	c.do(http.MethodPatch, "issues/12", values{"colour": "red"}).want(t, http.StatusOK)
	if before == 0 || len(problems) != before+2 {
		t.Errorf("%q", problems)
	}
}

func TestServer_RequiresAUserAgentAndAToken(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	r := c.request(http.MethodGet, "/user", nil)
	r.Header.Del("User-Agent")
	c.send(r).want(t, http.StatusForbidden)
	as(t, s, "").get("/user").want(t, http.StatusUnauthorized)
	as(t, s, "gho_wrong").get("/user").want(t, http.StatusUnauthorized)
	as(t, s, "gho_wrong").ask("{viewer{login}}", nil).want(t, http.StatusUnauthorized)
	r = c.request(http.MethodGet, "/user", nil)
	r.Header.Set("X-GitHub-Api-Version", "1999-01-01")
	c.send(r).want(t, http.StatusBadRequest)
	s.Revoke("ines-albrecht")
	c.get("/user").want(t, http.StatusUnauthorized)
}

func TestServer_HeadersTellScopesAndTheRequest(t *testing.T) {
	h := ines(t, newSandbox(t)).do(http.MethodPost, "issues/12/comments", values{"body": "x"}).Header
	if h.Get("X-OAuth-Scopes") != "project, read:org, repo" || h.Get("X-Accepted-OAuth-Scopes") != "public_repo, repo" || h.Get("X-GitHub-Request-Id") == "" {
		t.Errorf("%v", h)
	}
}

func TestServer_AnUnchangedAnswerIsEmpty(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	first := c.get("issues/12")
	r := c.request(http.MethodGet, "issues/12", nil)
	r.Header.Set("If-None-Match", first.Header.Get("ETag"))
	if a := c.send(r).want(t, http.StatusNotModified); len(a.raw) != 0 {
		t.Errorf("%s", a.raw)
	}
	c.do(http.MethodPatch, "issues/12", values{"title": "Changed"})
	c.send(r).want(t, http.StatusOK)
}

func TestAccess_FollowsScopesAndMembership(t *testing.T) {
	s := newSandbox(t)
	few := as(t, s, s.Person("sam-lindqvist").Token)
	few.get("issues/12").want(t, http.StatusOK)
	a := few.do(http.MethodPost, "issues", values{"title": "x"}).want(t, http.StatusForbidden)
	if a.Header.Get("X-Accepted-OAuth-Scopes") != "public_repo, repo" || strings.Contains(a.Header.Get("X-OAuth-Scopes"), "repo") {
		t.Errorf("%v", a.Header)
	}
	const private = "/repos/fernhill-bikes/frame-drawings/issues/1"
	ines(t, s).get(private).want(t, http.StatusOK)
	few.get(private).want(t, http.StatusNotFound)
	as(t, s, s.Grant("jonas-brandt", "public_repo")).get(private).want(t, http.StatusNotFound)
	as(t, s, s.Grant("jonas-brandt", "repo")).get(private).want(t, http.StatusOK)
	as(t, s, s.Person("lieke-vdmeer").Token).get(private).want(t, http.StatusNotFound)
	s.valid(s.Person("ines-albrecht").Token).scopes = []string{"read:project"} // as the person can do at GitHub
	ines(t, s).get(private).want(t, http.StatusNotFound)
}

func TestServer_ServesASocket(t *testing.T) {
	s := newSandbox(t)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	get := func() (*http.Response, error) {
		r := ines(t, s).request(http.MethodGet, "issues?per_page=1", nil)
		target, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Scheme, r.URL.Host, r.Host = target.Scheme, target.Host, ""
		return server.Client().Do(r)
	}
	response, err := get()
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK || !strings.Contains(response.Header.Get("Link"), server.URL+restBase) {
		t.Errorf("status %d, %v", response.StatusCode, response.Header)
	}
	s.Inject(Fault{Drop: true})
	if response, err := get(); err == nil {
		response.Body.Close()
		t.Error("a dropped connection has an answer")
	}
}

func TestFaults_ReplaceOrFollowTheWork(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	s.Inject(Fault{PathPrefix: "/user", Status: 502, Body: "<html>", Header: http.Header{"content-type": {"text/html"}}, Times: 1})
	c.get("/user").want(t, http.StatusBadGateway)
	c.get("/user").want(t, http.StatusOK)

	s.Inject(Fault{Method: http.MethodPost, PathPrefix: "/repos/", Drop: true, AfterEffect: true, Times: 1})
	if response, err := s.Transport().RoundTrip(c.request(http.MethodPost, "issues/12/comments", values{"body": "lost"})); err == nil {
		response.Body.Close()
		t.Error("the answer was not lost")
	}
	if n := c.get("issues/12/comments").len(); n != 2 {
		t.Errorf("%d comments after a write whose answer was lost", n)
	}
	s.Inject(Fault{Document: "viewer", Garbage: true})
	response, err := s.Transport().RoundTrip(c.request(http.MethodPost, URL+graphqlPath, values{"query": "query V{viewer{login}}"}))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	s.ClearFaults()
	c.ask("query V{viewer{login}}", nil).whole(t)
	log := s.Requests()
	if last := log[len(log)-1]; last.Operation != "V" || last.Person != "ines-albrecht" || last.Status != 200 {
		t.Errorf("%+v", last)
	}
}

func TestServer_IsSafeForConcurrentUse(t *testing.T) {
	s := newSandbox(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			c := ines(t, s)
			c.do(http.MethodPost, "issues", values{"title": "One more"})
			c.ask(`{viewer{login projectsV2(first:3){nodes{title items(first:5){nodes{id}}}}}}`, nil)
			s.Requests()
			s.Inject(Fault{Status: 500, Times: 1, PathPrefix: "/never"})
			s.Grant("sam-okafor", "repo")
		})
	}
	wg.Wait()
	if n := ines(t, s).get("issues/148").StatusCode; n != http.StatusOK {
		t.Errorf("status %d", n)
	}
}
