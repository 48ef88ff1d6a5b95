package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/toolanswer"
)

// linkless returns a fault that a user can resolve at the provider.
func linkless() *fault.Error {
	f := fault.New(fault.PermissionDenied, "sign in to the organization first")
	f.Upstream = &fault.Upstream{Provider: "orchard", Status: 403, DocumentationURL: "https://docs.orchard.example/sso", Type: "FORBIDDEN"}
	f.Link = &fault.Link{Provider: "orchard", URL: "https://orchard.example/sso", Reason: fault.SSO, Scopes: []string{"harvest"}, ExpiresIn: 3600}
	return f
}

const linkJSON = `"link":{"provider":"orchard","url":"https://orchard.example/sso","reason":"sso","scopes":["harvest"],"expires_in":3600}`

func TestFailure_ShowsTheLinkAndThePageOfTheDocumentation(t *testing.T) {
	want := `{"error_code":"PERMISSION_DENIED","message":"sign in to the organization first","retryable":false,"data":{"tool":"pick","code":-31004,` +
		`"upstream":{"provider":"orchard","status":403,"documentation_url":"https://docs.orchard.example/sso","type":"FORBIDDEN"},` + linkJSON + `}}`
	if got := string(failure("pick", linkless()).JSON); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestRefusal_OfAResourceShowsTheLink(t *testing.T) {
	got, err := toolanswer.Encode(newRefusal(true, mcp.MethodResourcesRead, "orchard://trees", linkless()).Data)
	if want := `{"error_code":"PERMISSION_DENIED","retryable":false,"uri":"orchard://trees",` + linkJSON + `}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// unlinked are the faults of links that do not allow a call.
var unlinked = map[string]struct {
	code  fault.Code
	link  fault.Link
	asks  bool   // whether the client is asked to open the link
	words string // of the request
	says  string // the message, before and after the address
}{
	"not linked": {
		fault.NotLinked, fault.Link{Provider: "orchard", Reason: fault.NeverLinked}, true,
		"This needs your Orchard account, which is not linked yet. Link it to continue.",
		"Orchard is not linked yet. Ask the user to open %s (good for ten minutes) and link Orchard, then call again.",
	},
	"no longer accepted": {
		fault.TokenExpired, fault.Link{Provider: "orchard", Reason: fault.Reauthorize}, true,
		"Orchard no longer accepts the link to your account. Link it again to continue.",
		"Orchard no longer accepts this link. Ask the user to open %s (good for ten minutes) and link Orchard again, then call again.",
	},
	"scopes missing": {
		fault.PermissionDenied, fault.Link{Provider: "orchard", Reason: fault.MissingScope, Scopes: []string{"harvest", "prune"}}, true,
		"This needs more access to Orchard than you have granted: pick apples; prune. Grant it to continue.",
		"Orchard needs more access for this: pick apples; prune. Ask the user to open %s (good for ten minutes) and grant it, then call again.",
	},
	"scopes unknown": {
		fault.PermissionDenied, fault.Link{Provider: "orchard", Reason: fault.MissingScope}, true,
		"This needs more access to Orchard than you have granted. Grant it to continue.",
		"Orchard needs more access for this. Ask the user to open %s (good for ten minutes) and grant it, then call again.",
	},
	"perhaps hidden": {
		fault.NotFound, fault.Link{Provider: "orchard", Reason: fault.MissingScope, Scopes: []string{"harvest"}}, false, "", "as the tool says",
	},
	"single sign-on": {
		fault.PermissionDenied, fault.Link{Provider: "orchard", Reason: fault.SSO, URL: "https://orchard.example/sso", ExpiresIn: 3600}, false, "",
		"as the tool says; the page to sign in is https://orchard.example/sso (good for an hour)",
	},
	"single sign-on without a page": {
		fault.PermissionDenied, fault.Link{Provider: "orchard", Reason: fault.SSO}, false, "", "as the tool says",
	},
}

// failingWith returns a function that fails with a code and a link.
func failingWith(code fault.Code, link fault.Link) func(context.Context) error {
	return func(context.Context) error {
		f := fault.New(code, "as the tool says")
		f.Link = &link
		return f
	}
}

// opening is a caller whose client opens links.
var opening = func() identity.Caller { c := keyed; c.OpensLinks = true; return c }()

const ourLink = "https://mcp.fernhill.example/oauth/start?t=1"

// wantLink returns the link of the answer.
func wantLink(of fault.Link) fault.Link {
	if of.Reason != fault.SSO {
		of.URL, of.ExpiresIn = ourLink, 600
	}
	return of
}

func TestLink_EveryClientGetsItInItsOwnWay(t *testing.T) {
	keyless := opening
	keyless.Key, keyless.OpensLinks = nil, false
	for what, test := range unlinked {
		for client, how := range map[string]struct {
			caller        identity.Caller
			capabilities  string
			asks, refuses bool
		}{
			"2026-07-28 with URLs":              {keyed, opens, true, false},
			"2026-07-28 with both":              {keyed, `{"elicitation":{"form":{},"url":{}}}`, true, false},
			"2026-07-28 with forms":             {keyed, `{"elicitation":{"form":{}}}`, false, false},
			"2026-07-28 with an empty object":   {keyed, `{"elicitation":{}}`, false, false},
			"2026-07-28 without":                {keyed, `{}`, false, false},
			"2026-07-28 with a foreign session": {opening, `{}`, false, false},
			"2026-07-28 without a key":          {keyless, opens, false, false},
			"2025-11-25 with URLs":              {opening, "", false, true},
			"2025-11-25 without":                {keyed, "", false, false},
		} {
			m := &mender{}
			s := orchardServer(m, "orchard", failingWith(test.code, test.link))
			got := s.ask(t, how.caller, how.capabilities, readIt)
			where := what + ", " + client
			switch {
			case test.asks && how.asks:
				wantAsked(t, where, got, test.words)
			case test.asks && how.refuses:
				wantRefused(t, where, got, test.code, wantLink(test.link), test.words)
			default:
				wantTold(t, where, got, test.code, wantLink(test.link), test.says)
			}
			if got.Meta["mcp/www_authenticate"] != nil || m.ended != 0 || test.link.Reason == fault.SSO && m.links != 0 || m.links > 1 {
				t.Errorf("%s: _meta %s, %d ended, %d links", where, got.Meta, m.ended, m.links)
			}
			if m.links > 0 && !slices.Equal(m.scopes, test.link.Scopes) {
				t.Errorf("%s: the link asks for %s", where, m.scopes)
			}
			wantLogged(t, where, s, test.code)
		}
	}
}

func wantAsked(t *testing.T, where string, got asked, words string) {
	t.Helper()
	want := map[string]any{"mode": "url", "url": ourLink, "message": words}
	if request := got.InputRequests["link_orchard"]; got.ResultType != "input_required" || len(got.InputRequests) != 1 ||
		request.Method != "elicitation/create" || !cmp.Equal(request.Params, want) || got.RequestState == "" {
		t.Errorf("%s: got %+v", where, got)
	}
}

func wantRefused(t *testing.T, where string, got asked, code fault.Code, link fault.Link, words string) {
	t.Helper()
	if got.Error == nil || got.Error.Code != -32042 || got.Error.Data.ErrorCode != code || len(got.Error.Data.Elicitations) != 1 {
		t.Fatalf("%s: got %+v", where, got)
	}
	e := got.Error.Data.Elicitations[0]
	id, _ := e["elicitationId"].(string)
	delete(e, "elicitationId")
	if want := map[string]any{"mode": "url", "url": ourLink, "message": words}; !cmp.Equal(e, want) || !strings.HasPrefix(id, "link_orchard_") {
		t.Errorf("%s: %q %v", where, id, e)
	}
	if !cmp.Equal(*got.Error.Data.Link, link) || !strings.Contains(got.Error.Message, ourLink) {
		t.Errorf("%s: %q, %+v", where, got.Error.Message, got.Error.Data.Link)
	}
}

func wantTold(t *testing.T, where string, got asked, code fault.Code, link fault.Link, says string) {
	t.Helper()
	if strings.Contains(says, "%s") {
		says = fmt.Sprintf(says, link.URL)
	}
	var f mcptest.Failure
	if len(got.Content) != 1 || !got.IsError || got.Error != nil || got.RequestState != "" {
		t.Fatalf("%s: got %+v", where, got)
	}
	if err := json.Unmarshal([]byte(got.Content[0].Text), &f); err != nil || f.ErrorCode != code || f.Message != says || f.Retryable || !cmp.Equal(f.Data.Link, &link) {
		t.Errorf("%s: got %s\nwant %s, %+v", where, got.Content[0].Text, says, link)
	}
}

// wantLogged checks that the log and the trail have one entry of the call, with its code.
func wantLogged(t *testing.T, where string, s testServer, code fault.Code) {
	t.Helper()
	if log := s.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, `"outcome":"`+string(code)+`"`) || strings.Contains(log, "oauth/start") {
		t.Errorf("%s: logged %s", where, log)
	}
	kept, err := s.options.Calls.Recent(t.Context(), keyed.Subject, 10)
	if err != nil || len(kept) != 1 || kept[0].Outcome != string(code) || kept[0].Provider != "orchard" {
		t.Errorf("%s: kept %+v, %v", where, kept, err)
	}
}

func TestLink_IsInTheAnswerOfTheBridge(t *testing.T) {
	for what, test := range unlinked {
		m := &mender{}
		s := orchardServer(m, "orchard", failingWith(test.code, test.link))
		run, _ := s.Tool(Selection{}, "read")
		got := run(identity.WithOrigin(identity.With(t.Context(), opening), "https://mcp.fernhill.example"), json.RawMessage(`{"name":"Ines"}`))
		var f struct {
			Error     string
			ErrorCode fault.Code `json:"error_code"`
			Data      struct{ Link fault.Link }
		}
		says := test.says
		if strings.Contains(says, "%s") {
			says = fmt.Sprintf(says, ourLink)
		}
		if err := json.Unmarshal(got, &f); err != nil || f.ErrorCode != test.code || f.Error != says || !cmp.Equal(f.Data.Link, wantLink(test.link)) || m.ended != 0 {
			t.Errorf("%s: %s", what, got)
		}
	}
}

func TestLink_IsInTheRefusalOfAPrompt(t *testing.T) {
	for what, test := range unlinked {
		for _, era := range eras {
			m := &mender{}
			s := orchardServer(m, "orchard", failingWith(test.code, test.link))
			got := s.read(t, keyed, era, "prompts/get", `"name":"pick"`)
			link, _ := got.Error.Data["link"].(map[string]any)
			want := wantLink(test.link)
			if want.URL == ourLink {
				want.URL = "/oauth/start?t=1"
			}
			if link["reason"] != string(test.link.Reason) || fmt.Sprint(link["url"]) != fmt.Sprint(orNil(want.URL)) || m.ended != 0 || got.Error.Code == -32042 {
				t.Errorf("%s, %s: %s", what, era, got.body)
			}
			if test.asks && !strings.Contains(got.Error.Message, "Open /oauth/start?t=1 (good for ten minutes) and ") {
				t.Errorf("%s, %s: %s", what, era, got.Error.Message)
			}
		}
	}
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func TestLink_ThatCannotBeMadeLeavesTheFailureAsItIs(t *testing.T) {
	for what, test := range unlinked {
		for _, capabilities := range []string{opens, `{}`, ""} {
			m := &mender{err: errors.New("the table is down")}
			s := orchardServer(m, "orchard", failingWith(test.code, test.link))
			got := s.ask(t, keyed, capabilities, readIt)
			if test.link.Reason == fault.SSO {
				continue
			}
			wantTold(t, what, got, test.code, test.link, "as the tool says")
			if log := s.log.String(); !strings.Contains(log, "make a reconnect link") || m.ended != 0 {
				t.Errorf("%s: logged %s; %d ended", what, log, m.ended)
			}
		}
	}
}

func TestLink_OfACallThatMayHaveHappenedIsNotFollowedByTheSameCall(t *testing.T) {
	run := func(context.Context) error {
		f := fault.New(fault.TokenExpired, "created, but not read")
		f.Link, f.MayHaveHappened = &fault.Link{Provider: "orchard", Reason: fault.Reauthorize}, true
		return f
	}
	for _, capabilities := range []string{opens, ""} {
		got := orchardServer(&mender{}, "orchard", run).ask(t, opening, capabilities, readIt)
		wantTold(t, capabilities, got, fault.TokenExpired, wantLink(fault.Link{Provider: "orchard", Reason: fault.Reauthorize}), "created, but not read")
	}
}

func TestLink_DeclinedFailsAsBeforeInWordsAboutLinking(t *testing.T) {
	for what, says := range map[string]string{
		"not linked":         "the user chose not to link Orchard now; no changes were made",
		"no longer accepted": "the user chose not to link Orchard again now; no changes were made",
		"scopes missing":     "the user chose not to grant more access to Orchard now; no changes were made",
	} {
		for _, action := range []string{"decline", "cancel", "shrug"} {
			m, test := &mender{}, unlinked[what]
			s := orchardServer(m, "orchard", failingWith(test.code, test.link))
			state := s.ask(t, keyed, opens, readIt).RequestState
			got := s.ask(t, keyed, opens, readIt+`,"requestState":"`+state+`","inputResponses":{"link_orchard":{"action":"`+action+`"}}`)
			wantTold(t, what, got, test.code, fault.Link{Provider: "orchard", Reason: test.link.Reason}, says)
			if m.links != 1 || m.ended != 0 {
				t.Errorf("%s: %d links, %d ended", what, m.links, m.ended)
			}
		}
	}
}

func TestLink_IsAskedForFiveTimesAtMost(t *testing.T) {
	for what, id := range map[string]string{"accepted": "link_orchard", "an answer to another request": "reconnect_basecamp", "a provider that was not asked about": "link_37signals"} {
		m := &mender{}
		s := orchardServer(m, "orchard", failingWith(fault.NotLinked, fault.Link{Provider: "orchard", Reason: fault.NeverLinked}))
		action, rounds := "accept", 0
		if id != "link_orchard" {
			action = "decline" // which does not count: the server did not ask for that
		}
		got := s.ask(t, keyed, opens, readIt)
		for got.ResultType == "input_required" && rounds < 20 {
			rounds++
			got = s.ask(t, keyed, opens, readIt+`,"requestState":"`+got.RequestState+`","inputResponses":{"`+id+`":{"action":"`+action+`"}}`)
		}
		link := fault.Link{Provider: "orchard", URL: "https://mcp.fernhill.example/oauth/start?t=6", Reason: fault.NeverLinked, ExpiresIn: 600}
		wantTold(t, what, got, fault.NotLinked, link, unlinked["not linked"].says)
		if rounds != 5 || m.ended != 0 {
			t.Errorf("%s: %d rounds, %d ended", what, rounds, m.ended)
		}
	}
}

func TestLink_OfTheProviderWithWhichUsersSignInIsNoLink(t *testing.T) {
	m := &mender{}
	got := orchardServer(m, "37signals", dead("")).ask(t, opening, "", readIt)
	if got.Error != nil || !got.IsError || m.ended != 1 || got.Meta["mcp/www_authenticate"] == nil || strings.Contains(got.Content[0].Text, `"link"`) {
		t.Errorf("got %+v, %d ended", got, m.ended)
	}
}
