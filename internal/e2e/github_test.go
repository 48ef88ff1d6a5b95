package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// withGitHub is the path below the endpoint at which GitHub's tools are served too.
const withGitHub = "/x/basecamp,github"

// with is the arguments of a call.
type with = map[string]any

// opensLinks are the capabilities of a client that opens links.
var opensLinks = with{"elicitation": with{"url": with{}}}

// hubKind is a kind of client, by how it can ask its user.
type hubKind struct {
	version      string
	capabilities with
}

// hubKinds are the kinds of clients that a link to GitHub reaches in different ways.
var hubKinds = map[string]hubKind{
	"2026-07-28":                     {modern, opensLinks},
	"2025-11-25":                     {legacy, opensLinks},
	"2026-07-28 without elicitation": {modern, nil},
	"2025-11-25 without elicitation": {legacy, nil},
}

// hubClient is a client of GitHub's tools, without a client library.
type hubClient struct {
	t       testing.TB
	s       *server
	bearer  string
	session string // of the legacy era
	hubKind
}

func connectHub(t testing.TB, s *server, bearer string, kind hubKind) *hubClient {
	t.Helper()
	c := &hubClient{t: t, s: s, bearer: bearer, hubKind: kind}
	if c.version == modern {
		return c
	}
	capabilities := kind.capabilities
	if capabilities == nil {
		capabilities = with{}
	}
	opened := message{method: "initialize", version: legacy, bearer: bearer, path: withGitHub, params: with{
		"protocolVersion": legacy, "capabilities": capabilities, "clientInfo": with{"name": "e2e", "version": "1"},
	}}.post(t, s)
	opened.wants(t, http.StatusOK)
	c.session = opened.header.Get("Mcp-Session-Id")
	return c
}

// hubAnswer is the answer to a call of one of GitHub's tools.
type hubAnswer struct {
	tool      string
	arguments with
	body      string

	result
	failure hubFailure // of a call that failed

	link  string // the address that the user must open; empty if there is none
	words string // what the client shows its user with it
	asks  bool   // whether the server asks for more than a failure does
	asked string // the name of the request of the modern era
	state string
}

type hubFailure struct {
	Data struct {
		Link struct {
			URL       string
			ExpiresIn int `json:"expires_in"`
		}
	}
}

func (c *hubClient) call(tool string, arguments with) hubAnswer {
	c.t.Helper()
	return c.sends(tool, arguments, nil)
}

// again repeats a call after the user has done what it asked for.
func (c *hubClient) again(a hubAnswer) hubAnswer {
	c.t.Helper()
	if a.state == "" {
		return c.call(a.tool, a.arguments)
	}
	return c.sends(a.tool, a.arguments, with{"requestState": a.state, "inputResponses": with{a.asked: with{"action": "accept"}}})
}

func (c *hubClient) sends(tool string, arguments, more with) hubAnswer {
	c.t.Helper()
	params := with{"name": tool, "arguments": arguments}
	maps.Copy(params, more)
	said := message{
		method: "tools/call", version: c.version, bearer: c.bearer, path: withGitHub, params: params,
		capabilities: c.capabilities, header: map[string]string{"Mcp-Session-Id": c.session},
	}.post(c.t, c.s)
	said.wants(c.t, http.StatusOK)
	if challenge := said.header.Get("WWW-Authenticate"); challenge != "" {
		c.t.Errorf("%s: the connection is challenged: %s", tool, challenge)
	}
	a := hubAnswer{tool: tool, arguments: arguments, body: said.body}
	switch {
	case said.Error != nil:
		a.readError(c.t, said)
	default:
		a.readResult(c.t, said.Result)
	}
	return a
}

// readError reads the error with which a client of the legacy era must open a link.
func (a *hubAnswer) readError(t testing.TB, said answer) {
	t.Helper()
	var data struct {
		Elicitations []struct{ Mode, ElicitationID, URL, Message string }
	}
	if err := json.Unmarshal(said.Error.Data, &data); err != nil || said.Error.Code != -32042 || len(data.Elicitations) != 1 {
		t.Fatalf("%s: %.600s", a.tool, said.body)
	}
	one := data.Elicitations[0]
	if one.Mode != "url" || !strings.HasPrefix(one.ElicitationID, "link_github") {
		t.Errorf("%s: the elicitation is %+v", a.tool, one)
	}
	a.asks, a.link, a.words = true, one.URL, one.Message
}

// readResult reads a result, a failure that the tool reports, or what a client of the modern era
// must ask its user.
func (a *hubAnswer) readResult(t testing.TB, read json.RawMessage) {
	t.Helper()
	var asked struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]struct {
			Method string
			Params struct {
				Mode, URL, Message string
			}
		}
	}
	if err := json.Unmarshal(read, &asked); err != nil {
		t.Fatalf("%s: %v: %.600s", a.tool, err, a.body)
	}
	if asked.ResultType == "input_required" {
		for name, request := range asked.InputRequests {
			a.asked, a.link, a.words = name, request.Params.URL, request.Params.Message
			if request.Method != "elicitation/create" || (request.Params.Mode == "url") != (name == "link_github") {
				t.Errorf("%s: the request %s is %+v", a.tool, name, request)
			}
		}
		if a.asks, a.state = true, asked.RequestState; len(asked.InputRequests) != 1 || a.state == "" {
			t.Fatalf("%s: %.600s", a.tool, a.body)
		}
		return
	}
	if err := json.Unmarshal(read, &a.result); err != nil {
		t.Fatalf("%s: %v: %.600s", a.tool, err, a.body)
	}
	if !a.IsError {
		return
	}
	if err := json.Unmarshal([]byte(a.text()), &a.failure); err != nil {
		t.Fatalf("%s: %v: %.600s", a.tool, err, a.body)
	}
	if a.link, a.words = a.failure.Data.Link.URL, a.text(); !strings.Contains(a.text(), a.link) || a.link != "" && a.failure.Data.Link.ExpiresIn != 600 {
		t.Errorf("%s: the failure is %s", a.tool, a.text())
	}
}

// succeeds checks that a call has succeeded.
func (a hubAnswer) succeeds(t testing.TB) {
	t.Helper()
	if a.asks || a.IsError {
		t.Fatalf("%s %v: %.600s", a.tool, a.arguments, a.body)
	}
}

// wantsLink checks that a call asks its user, in the way of the client, to open a link about
// something, and returns the link.
func (c *hubClient) wantsLink(a hubAnswer, about string) string {
	c.t.Helper()
	if a.asks != (c.capabilities != nil) || !strings.HasPrefix(a.link, c.s.at("/oauth/start?t=")) || !strings.Contains(a.words, about) {
		c.t.Fatalf("%s %v: want a link about %q: %.600s", a.tool, a.arguments, about, a.body)
	}
	return a.link
}

// links opens a link to GitHub and grants what GitHub asks for. It returns the scopes that GitHub
// asked for, and the last page. If the link does not lead to GitHub, it returns the page that says
// why.
func (p *person) links(address, login string) (asked []string, end webpage) {
	p.t.Helper()
	at := p.open(address)
	if slices.Contains(at.buttons(), "Continue to Basecamp") {
		at = p.signsOn(p.arrives(p.submit(at.formOf(p.t, "Continue to Basecamp"), nil)), false)
	}
	if !slices.Contains(at.buttons(), "Continue to GitHub") {
		return nil, at
	}
	consent := p.arrives(p.submit(at.formOf(p.t, "Continue to GitHub"), nil)).formOf(p.t, "Deny")
	asked = consent.fields["grant"]
	return asked, p.arrives(p.submit(consent, map[string][]string{"person": {login}}))
}

// arrives opens the page to which a redirect leaves.
func (p *person) arrives(at webpage) webpage {
	p.t.Helper()
	if at.leaves == nil {
		return at
	}
	return p.open(at.leaves.String())
}
