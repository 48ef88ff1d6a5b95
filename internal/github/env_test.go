package github

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
)

const (
	apiURL = "https://api.github.example"
	agent  = "fernhill-mcp (ops@fernhill.example)"
)

var shop = Repo{Owner: "fernhill-bikes", Name: "shop"}

// links returns a credential for each user, and the next token after one was refused.
type links struct {
	mu      sync.Mutex
	token   string
	renewed []string // tokens that follow a refused one
	scope   string
	link    string
	refused []string
	err     error // after a refused token
}

type personKey struct{}

// as returns a context whose user is person.
func as(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, personKey{}, person)
}

func (l *links) Credential(ctx context.Context, refused string) (Credential, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	person, ok := ctx.Value(personKey{}).(string)
	if !ok {
		person = "nora"
	}
	token := "gho_" + person
	if l.token != "" {
		token = l.token
	}
	if refused != "" {
		l.refused = append(l.refused, refused)
		if l.err != nil {
			return Credential{}, l.err
		}
		if len(l.renewed) > 0 {
			l.token, l.renewed = l.renewed[0], l.renewed[1:]
			token = l.token
		}
	}
	return Credential{AccessToken: token, Person: person, Link: l.link, Scope: l.scope}, nil
}

// transport passes requests to a function.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return t(r)
}

func transportOf(answer http.HandlerFunc) transport {
	return func(r *http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		answer(recorder, r)
		response := recorder.Result()
		response.Request = r
		return response, nil
	}
}

func client(t testing.TB, config Config) *Client {
	t.Helper()
	if config.APIURL == "" {
		config.APIURL = apiURL
	}
	if config.Tokens == nil {
		config.Tokens = (&links{}).Credential
	}
	if config.WebURL == "" {
		config.WebURL = "https://github.example"
	}
	config.UserAgent = agent
	config.Transport = factual(t, config.Transport)
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answering returns a client whose requests are answered without a network.
func answering(t testing.TB, answer http.HandlerFunc) *Client {
	t.Helper()
	return client(t, Config{Transport: transportOf(answer)})
}

// says answers with a status, a body, and headers as pairs of name and value.
func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// inTurn answers each request with the next answer, and all further requests with the last one.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		mu.Unlock()
		answer(w, r)
	}
}

// counted counts the requests in n.
func counted(n *int, answer http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		*n++
		mu.Unlock()
		answer(w, r)
	}
}

// hang answers a request only with the end of its context.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// wantFault returns the fault that err must be.
func wantFault(t testing.TB, err error, code fault.Code) *fault.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	f := fault.From(err)
	if f.Code != code {
		t.Fatalf("error %v, want %s", err, code)
	}
	return f
}

func withTimeout(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func errOf[T any](_ T, err error) error { return err }

const issueJSON = `{"node_id": "I_12", "number": 12, "repository_url": "` + apiURL + `/repos/fernhill-bikes/shop", "title": "Bell rings twice",
	"body": "a <b> &amp; \u200b", "state": "open", "state_reason": null, "user": {"login": "nora"}, "assignees": [{"login": "ines"}],
	"labels": [{"name": "bug"}, "urgent"], "milestone": {"node_id": "MI_3", "number": 3, "title": "Spring", "state": "open", "due_on": "2026-03-01T08:00:00Z"},
	"comments": 2, "created_at": "2026-02-01T10:00:00Z", "updated_at": "2026-02-02T10:00:00Z", "closed_at": null, "html_url": "https://github.example/fernhill-bikes/shop/issues/12"}`

const projectJSON = `{"__typename": "ProjectV2", "id": "PVT_7", "number": 7, "title": "Spring sale", "shortDescription": null, "closed": false, "public": true,
	"url": "https://github.example/orgs/fernhill-bikes/projects/7", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-02-01T00:00:00Z",
	"items": {"totalCount": 3}, "owner": {"login": "fernhill-bikes"}, "readme": "Read me", "viewerCanUpdate": true, "creator": null,
	"fields": {"totalCount": 2, "pageInfo": {"hasNextPage": false, "endCursor": null}, "nodes": [
		{"__typename": "ProjectV2SingleSelectField", "id": "F_1", "name": "Status", "dataType": "SINGLE_SELECT", "options": [{"id": "o1", "name": "Todo"}]},
		{"__typename": "ProjectV2IterationField", "id": "F_2", "name": "Sprint", "dataType": "ITERATION", "configuration": {
			"iterations": [{"id": "i2", "title": "Two", "startDate": "2026-02-01", "duration": 14}], "completedIterations": []}}]}}`

const itemJSON = `{"id": "PVTI_1", "type": "ISSUE", "isArchived": false, "updatedAt": "2026-02-01T00:00:00Z", "project": {"id": "PVT_7"},
	"content": {"__typename": "Issue", "node_id": "I_12", "number": 12, "title": "Bell rings twice", "state": "OPEN", "url": "https://github.example/fernhill-bikes/shop/issues/12",
		"repository": {"nameWithOwner": "fernhill-bikes/shop"}, "assignees": {"totalCount": 1, "nodes": [{"login": "ines"}]}},
	"fieldValues": {"nodes": [
		{"__typename": "ProjectV2ItemFieldSingleSelectValue", "name": "Todo", "optionId": "o1", "field": {"id": "F_1", "name": "Status", "dataType": "SINGLE_SELECT"}},
		{"__typename": "ProjectV2ItemFieldNumberValue", "number": 2.5, "field": {"id": "F_3", "name": "Points", "dataType": "NUMBER"}},
		{"__typename": "SomethingNewer"}]}}`
