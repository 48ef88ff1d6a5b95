package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// answered sends any request and fails unless the answer is one that a client can read.
func answered(t *testing.T, s *Server, method string, target *url.URL, contentType string, body []byte) {
	t.Helper()
	r := (&http.Request{
		Method: method, URL: target, Host: target.Host, Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"User-Agent": {"fuzz"}, "Authorization": {"Bearer " + s.Person("ines-albrecht").Token}},
	}).WithContext(t.Context())
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	w := httptest.NewRecorder()
	if s.serve(w, r) {
		t.Fatal("dropped")
	}
	if w.Code < 200 || w.Code > 499 {
		t.Fatalf("status %d", w.Code)
	}
	if w.Body.Len() > 0 && w.Header().Get("Content-Type") == jsonType && !json.Valid(w.Body.Bytes()) {
		t.Fatalf("%.200s", w.Body.Bytes())
	}
}

// FuzzREST sends any request to the REST API and the sign-on.
func FuzzREST(f *testing.F) {
	s := New(Options{})
	for _, r := range routes {
		path := strings.ReplaceAll(r.path, "{n}", "12")
		f.Add(r.method, restBase+"/repos/fernhill-bikes/configurator/"+path, "page=2&per_page=7&state=all", `{"title":"t","body":null,"labels":[{"name":"x"}],"milestone":"2"}`, "application/json")
		f.Add(r.method, restBase+"/repositories/7310002124/"+path, "page=-1&per_page=x&since=2031", `{"title":null,"assignees":[null]}`, "")
	}
	f.Add("GET", authorizePath, "client_id="+ClientID+"&redirect_uri=http://a&scope=repo", "", "")
	f.Add("POST", authorizePath, "", "client_id="+ClientID+"&redirect_uri=http://a&person=ines-albrecht", "application/x-www-form-urlencoded")
	f.Add("POST", tokenPath, "", "client_id="+ClientID+"&client_secret="+ClientSecret+"&code=x", "application/x-www-form-urlencoded")
	f.Add("DELETE", restBase+"/applications/"+ClientID+"/token", "", `{"access_token":null}`, "")
	f.Fuzz(func(t *testing.T, method, path, query, body, contentType string) {
		target := &url.URL{Scheme: "https", Host: "github.sandbox", Path: path, RawQuery: query}
		answered(t, s, method, target, contentType, []byte(body))
	})
}

// FuzzGraphQL sends any document to the GraphQL API.
func FuzzGraphQL(f *testing.F) {
	s := New(Options{})
	board := s.ProjectID(organization, 1)
	f.Add(ownerProjects, `{"login":"fernhill-bikes","query":"is:open"}`)
	f.Add(projectDetails, `{"id":"`+board+`"}`)
	f.Add(itemsPage, `{"id":"`+board+`","first":3}`)
	f.Add(`mutation($i:UpdateProjectV2ItemFieldValueInput!){updateProjectV2ItemFieldValue(input:$i){projectV2Item{id}}}`,
		`{"i":{"projectId":"`+board+`","itemId":"x","fieldId":"y","value":{"number":1e400}}}`)
	f.Add(`{viewer{projectV2(number:99999999999999999999){id}}}`, `null`)
	f.Add(`query A{viewer{login}} query B{viewer{login @skip(if:true)}}`, `[]`)
	f.Add(`{__schema{types{name}} __type(name:"User"){name}}`, `{}`)
	f.Fuzz(func(t *testing.T, document, variables string) {
		body, err := json.Marshal(map[string]any{"query": document, "variables": json.RawMessage(variables)})
		if err != nil {
			body, _ = json.Marshal(map[string]any{"query": document, "variables": variables})
		}
		answered(t, s, http.MethodPost, &url.URL{Scheme: "https", Host: "github.sandbox", Path: graphqlPath}, "application/json", body)
	})
}
