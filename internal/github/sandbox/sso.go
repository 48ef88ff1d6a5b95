package sandbox

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// ssoURL returns the page where a person signs in to an organization.
func ssoURL(origin string, owner *account, t *token) string {
	return fmt.Sprintf("%s/orgs/%s/sso?authorization_request=%s", origin, owner.login, nodeID("AR", t.person.id))
}

func isSSO(path string) bool {
	return strings.HasPrefix(path, "/orgs/") && strings.HasSuffix(path, "/sso")
}

// singleSignOnPage shows the page that ssoURL names, and signs the person in. Then all tokens of
// the person reach the organization.
func (s *Server) singleSignOnPage(r *http.Request) reply {
	owner := s.account(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/orgs/"), "/sso"))
	var person *account
	for _, a := range s.accounts {
		if a.kind == "User" && nodeID("AR", a.id) == r.URL.Query().Get("authorization_request") {
			person = a
		}
	}
	if owner == nil || owner.kind != "Organization" || person == nil {
		return problemPage(http.StatusNotFound, "There is no such page.")
	}
	switch r.Method {
	case http.MethodPost:
		s.signIn(person, owner)
		return problemPage(http.StatusOK, person.login+" is signed in to "+owner.login+".")
	case http.MethodGet:
		page := fmt.Sprintf("<!doctype html><html lang=\"en\"><title>Sandbox: single sign-on</title><h1>%s</h1>"+
			"<form method=\"post\"><button>Sign in as %s</button></form></html>\n", html.EscapeString(owner.name), html.EscapeString(person.name))
		return replyWith(http.StatusOK, []byte(page)).withHeader("Content-Type", "text/html; charset=utf-8").withHeader("Cache-Control", "no-store")
	}
	return problemPage(http.StatusNotFound, "There is no such page.")
}

func (s *Server) signIn(person, owner *account) {
	for _, t := range s.tokens {
		if t.person == person {
			t.unsaid = filter(t.unsaid, func(a *account) bool { return a != owner })
		}
	}
}
