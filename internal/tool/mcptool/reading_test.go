package mcptool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

// library returns a toolset of prompts and resources that end in every possible way, depending on
// the argument.
func library() []Toolset {
	end := func(ctx context.Context, how string) (string, error) {
		switch how {
		case "missing":
			return "", fmt.Errorf("read: %w", fault.New(fault.NotFound, "there is no such bike").Because(errors.New("secret cause")))
		case "ambiguous":
			f := fault.New(fault.Ambiguous, "there are two of them")
			f.Candidates = []fault.Candidate{{ID: 7, Name: "Red bike"}}
			return "", f
		case "disabled":
			return "", fault.New(fault.ToolNotEnabled, "this project has no bikes")
		case "limited":
			f := fault.New(fault.RateLimited, "too fast")
			f.RetryAfter = 1500 * time.Millisecond
			return "", f
		case "broken":
			return "", errors.New("dial tcp 10.0.0.1: secret")
		case "panics":
			panic("secret in a panic")
		case "waits":
			<-ctx.Done()
			return "", fmt.Errorf("wait: %w", ctx.Err())
		case "expired":
			return "", fault.New(fault.TokenExpired, "log in again")
		}
		return "<" + how + ">", nil
	}
	names := func(ctx context.Context, prefix string) ([]string, error) {
		if prefix == "many" {
			return make([]string, 101), nil
		}
		text, err := end(ctx, prefix)
		return []string{text}, err
	}
	review := Prompt{
		Name: "review", Title: "Review", Description: "Reviews a bike.",
		Arguments: []PromptArgument{
			{Name: "bike", Description: "Which bike", Required: true, Complete: names},
			{Name: "tone", Description: "How to put it"},
		},
		Text: func(ctx context.Context, arguments map[string]string) (string, error) {
			text, err := end(ctx, arguments["bike"])
			if tone, ok := arguments["tone"]; ok {
				text += " in " + tone
			}
			return text, err
		},
	}
	sell := Prompt{
		Name: "sell", Title: "Sell", Description: "Sells a bike.", Writes: true,
		Text: func(context.Context, map[string]string) (string, error) { return "Sell it.", nil },
	}
	bikes := Resource{
		Name: "bike", Title: "Bike", Description: "A bike.", URITemplate: "basecamp://bikes/{id}", Complete: map[string]Complete{"id": names},
		Read: func(ctx context.Context, variables map[string]string) (string, error) {
			return end(ctx, variables["id"])
		},
	}
	wheels := Resource{
		Name: "wheel", Title: "Wheel", Description: "A wheel.", URITemplate: "basecamp://bikes/{id}/wheels/{number}",
		Read: func(ctx context.Context, variables map[string]string) (string, error) {
			return fmt.Sprintf("# Wheel %s of %s, %v", variables["number"], variables["id"], ReadOnly(ctx)), nil
		},
	}
	return []Toolset{
		{Name: "library", Provider: "37signals", Prompts: []Prompt{review, sell}, Resources: []Resource{bikes, wheels}},
		{Name: "plain", Prompts: []Prompt{sell}[:0]},
	}
}

func newLibrary() testServer {
	return serve(Options{Meter: threeRequests, Providers: providers}, library()...)
}

// asks are the three ways to read. Each takes an argument.
var asks = map[string]func(how string) (method, params string){
	"prompt": func(how string) (string, string) {
		return "prompts/get", fmt.Sprintf(`"name":"review","arguments":{"bike":%q}`, how)
	},
	"resource": func(how string) (string, string) {
		return "resources/read", fmt.Sprintf(`"uri":"basecamp://bikes/%s"`, how)
	},
	"completion": func(how string) (string, string) {
		return "completion/complete", fmt.Sprintf(`"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"bike","value":%q}`, how)
	},
}

func TestReadings_AreListedInEveryEra(t *testing.T) {
	for _, era := range eras {
		s := newLibrary()
		prompts := s.readIn(t, s.Handler(Selection{}), writer, era, "prompts/list", "").Result.Prompts
		want := []map[string]any{
			{"name": "review", "title": "Review", "description": "Reviews a bike.", "arguments": []any{
				map[string]any{"name": "bike", "description": "Which bike", "required": true},
				map[string]any{"name": "tone", "description": "How to put it"},
			}},
			{"name": "sell", "title": "Sell", "description": "Sells a bike."},
		}
		if diff := cmp.Diff(want, prompts); diff != "" {
			t.Errorf("%s: -want +got:\n%s", era, diff)
		}
		templates := s.read(t, reader, era, "resources/templates/list", "").Result.ResourceTemplates
		want = []map[string]any{
			{"name": "bike", "title": "Bike", "description": "A bike.", "uriTemplate": "basecamp://bikes/{id}", "mimeType": "text/markdown"},
			{"name": "wheel", "title": "Wheel", "description": "A wheel.", "uriTemplate": "basecamp://bikes/{id}/wheels/{number}", "mimeType": "text/markdown"},
		}
		if diff := cmp.Diff(want, templates); diff != "" {
			t.Errorf("%s: -want +got:\n%s", era, diff)
		}
		if got := s.read(t, reader, era, "resources/list", ""); !strings.Contains(got.body, `"resources":[]`) {
			t.Errorf("%s: %s", era, got.body)
		}
	}
}

func TestReadings_AreCapabilitiesOnlyIfThereAreAny(t *testing.T) {
	s := newLibrary()
	for _, test := range []struct {
		toolsets []string
		want     map[string]any
	}{
		{[]string{"library"}, map[string]any{"tools": map[string]any{}, "prompts": map[string]any{}, "resources": map[string]any{}, "completions": map[string]any{}}},
		{[]string{"plain"}, map[string]any{"tools": map[string]any{}}},
	} {
		handler := s.Handler(Selection{Toolsets: test.toolsets, ReadOnly: true})
		for _, got := range []rpc{
			s.readIn(t, handler, reader, eras[0], "server/discover", ""),
			s.readIn(t, handler, reader, eras[1], "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`),
		} {
			if diff := cmp.Diff(test.want, got.Result.Capabilities); diff != "" {
				t.Errorf("%v: -want +got:\n%s", test.toolsets, diff)
			}
		}
	}
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list", "completion/complete"} {
		params := ""
		if method == "completion/complete" {
			_, params = asks["completion"]("x")
		}
		got := s.readIn(t, s.Handler(Selection{Toolsets: []string{"plain"}}), writer, eras[0], method, params)
		if got.Error == nil || got.Error.Code != -32601 {
			t.Errorf("%s: %s", method, got.body)
		}
	}
}

func TestReading_ThatFailsSaysWhatToDoWithoutInternals(t *testing.T) {
	for kind, ask := range asks {
		for how, want := range map[string]struct {
			code int
			says string
		}{
			"ambiguous": {-32602, "there are two of them"},
			"disabled":  {-32602, "this project has no bikes"},
			"limited":   {-32603, "too fast"},
			"broken":    {-32603, "something went wrong on our side; if it happens again, report request req-1"},
			"panics":    {-32603, "something went wrong on our side; if it happens again, report request req-1"},
			"expired":   {-32603, "log in again"},
		} {
			for _, era := range eras {
				s := newLibrary()
				method, params := ask(how)
				got := s.read(t, reader, era, method, params)
				got.refused(t, era, want.code, want.says)
				data := got.Error.Data
				if data["error_code"] == "" || data["retryable"] != (how == "limited") {
					t.Errorf("%s %s: %s", kind, how, got.body)
				}
				if how == "limited" && data["retry_after_seconds"] != 2.0 || how == "ambiguous" && len(data["candidates"].([]any)) != 1 {
					t.Errorf("%s %s: %s", kind, how, got.body)
				}
				if (how == "broken") != strings.Contains(s.log.String(), "secret") || (how == "panics") != strings.Contains(s.log.String(), "panic with a string") || strings.Count(s.log.String(), "\n") != 1 {
					t.Errorf("%s %s: logged %s", kind, how, s.log)
				}
			}
		}
	}
}

func TestReading_NeedsTheScope(t *testing.T) {
	for _, ask := range asks {
		method, params := ask("7")
		for _, era := range eras {
			newLibrary().read(t, identity.Caller{Subject: "37s:1"}, era, method, params).refused(t, era, -32603, `it needs the scope "read"`)
		}
	}
}

func TestReading_HasATimeBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ask := range asks {
			start := time.Now()
			method, params := ask("waits")
			got := newLibrary().read(t, reader, eras[0], method, params)
			got.refused(t, eras[0], -32603, "Basecamp did not answer in time")
			if took := time.Since(start); took != maxBudget || got.Error.Data["retryable"] != true {
				t.Errorf("%s: took %v: %s", method, took, got.body)
			}
		}
	})
}

func TestReading_WritesOneLogLineWithoutArguments(t *testing.T) {
	for kind, ask := range asks {
		s := newLibrary()
		method, params := ask("private")
		s.read(t, reader, eras[0], method, params)
		log := s.log.String()
		name := map[string]string{"prompt": "review", "resource": "bike", "completion": "review.bike"}[kind]
		for _, want := range []string{
			`"msg":"` + kind + ` call"`, fmt.Sprintf(`%q:%q`, kind, name), `"upstream_calls":3`, `"outcome":"ok"`, `"request_id":"req-1"`,
		} {
			if !strings.Contains(log, want) {
				t.Errorf("%s: %s is not in %s", kind, want, log)
			}
		}
		if strings.Contains(log, "private") || strings.Count(log, "\n") != 1 {
			t.Errorf("%s: logged %s", kind, log)
		}
	}
}

func TestReading_IsInTheTrailWithoutTheUsersWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, trail := audited(library(), memory.New(nil))
		for _, how := range []string{"7", "Ines", "missing"} {
			for _, kind := range []string{"prompt", "resource", "completion"} {
				method, params := asks[kind](how)
				s.read(t, reader, eras[0], method, params)
				time.Sleep(time.Nanosecond)
			}
		}
		entry := func(tool, argument, value, outcome string) calls.Entry {
			return calls.Entry{
				Tool: tool, Arguments: []calls.Argument{{Name: argument, Value: value}}, Outcome: outcome, Client: "t/1", Door: calls.MCP, RequestID: "req-1",
			}
		}
		wantTrail(t, trail, reader.Subject,
			entry("resource bike", "id", "", "NOT_FOUND"), entry("prompt review", "bike", "", "NOT_FOUND"),
			entry("resource bike", "id", "", "ok"), entry("prompt review", "bike", "", "ok"),
			entry("resource bike", "id", "7", "ok"), entry("prompt review", "bike", "", "ok"))
	})
}

func TestReading_OverAnExpiredConnectionReturnsTheLinkAsText(t *testing.T) {
	for _, kind := range []string{"prompt", "resource", "completion"} {
		for _, era := range eras[:2] {
			m := &mender{}
			s := serve(m.options(), library()...)
			method, params := asks[kind]("expired")
			got := s.read(t, keyed, era, method, params)
			if kind == "completion" {
				got.refused(t, era, -32603, "log in again")
				if m.links+m.ended != 0 {
					t.Errorf("a completion made %d links and ended %d connections", m.links, m.ended)
				}
				continue
			}
			got.refused(t, era, -32603, "Open /oauth/start?t=1 (good for ten minutes)")
			if m.links != 1 || m.ended != 1 || got.Error.Data["error_code"] != "TOKEN_EXPIRED" {
				t.Errorf("%s %s: %d links, %d ended: %s", era, kind, m.links, m.ended, got.body)
			}
		}
	}
}

func TestReading_OverAnExpiredConnectionWithoutALinkReturnsTheFault(t *testing.T) {
	for _, url := range []func(context.Context, string, []string) (string, error){(&mender{link: "-"}).ReconnectURL, (&mender{err: errors.New("secret")}).ReconnectURL, nil} {
		s := serve(Options{Providers: providers, ReconnectURL: url}, library()...)
		method, params := asks["prompt"]("expired")
		s.read(t, keyed, eras[0], method, params).refused(t, eras[0], -32603, "log in again")
	}
}

func TestReading_KeepsTheConnectionOfAClientThatOpensLinks(t *testing.T) {
	m := &mender{}
	ask := mcptest.Message("prompts/get", `{"name":"review","arguments":{"bike":"expired"},`+mcptest.Meta(opens)+"}")
	w := mcptest.Post(t.Context(), serve(m.options(), library()...).Handler(Selection{}), keyed, ask, mcptest.Header("prompts/get", "review"))
	if !strings.Contains(w.Body.String(), "Open /oauth/start") || m.ended != 0 {
		t.Errorf("%d ended: %s", m.ended, w.Body)
	}
}

func TestRefusal_OfMalformedParams(t *testing.T) {
	s, _ := audited(outcomes(), memory.New(nil))
	for method, params := range map[string]string{"resources/list": `"cursor":7`, "tools/list": `"cursor":[]`} {
		for _, era := range eras {
			s.read(t, reader, era, method, params).refused(t, era, -32602, "params do not have the form of "+method)
		}
	}
	s.read(t, reader, eras[1], "tools/list", `"cursor":"%"`).refused(t, eras[1], -32602, "cursor must be the nextCursor")
	s.read(t, reader, eras[1], "resources/read", `"uri":7`).refused(t, eras[1], -32602, "params must be uri, a string")
}

func TestNewServer_PanicsOnReadingsThatCannotBeServed(t *testing.T) {
	say := func(context.Context, map[string]string) (string, error) { return "", nil }
	prompt := Prompt{Name: "p", Title: "P", Description: "P.", Text: say}
	resource := Resource{Name: "r", Title: "R", Description: "R.", URITemplate: "basecamp://r/{id}", Read: say}
	with := func(change func(*Prompt, *Resource)) Toolset {
		p, r := prompt, resource
		change(&p, &r)
		return Toolset{Name: "t", Prompts: []Prompt{p}, Resources: []Resource{r}}
	}
	for name, toolset := range map[string]Toolset{
		"":                           with(func(*Prompt, *Resource) {}),
		"a prompt with a blank":      with(func(p *Prompt, _ *Resource) { p.Name = "a b" }),
		"a prompt without a title":   with(func(p *Prompt, _ *Resource) { p.Title = "" }),
		"a prompt without words":     with(func(p *Prompt, _ *Resource) { p.Description = "" }),
		"a prompt without a text":    with(func(p *Prompt, _ *Resource) { p.Text = nil }),
		"an argument without words":  with(func(p *Prompt, _ *Resource) { p.Arguments = []PromptArgument{{Name: "a"}} }),
		"an argument without a name": with(func(p *Prompt, _ *Resource) { p.Arguments = []PromptArgument{{Description: "A"}} }),
		"two arguments of a name": with(func(p *Prompt, _ *Resource) {
			p.Arguments = []PromptArgument{{Name: "a", Description: "A"}, {Name: "a", Description: "A"}}
		}),
		"two prompts of a name":        {Name: "t", Prompts: []Prompt{prompt, prompt}},
		"a resource without a reader":  with(func(_ *Prompt, r *Resource) { r.Read = nil }),
		"a resource without a title":   with(func(_ *Prompt, r *Resource) { r.Title = "" }),
		"a template without a path":    with(func(_ *Prompt, r *Resource) { r.URITemplate = "basecamp://{id}" }),
		"a template of another kind":   with(func(_ *Prompt, r *Resource) { r.URITemplate = "basecamp://r/{+id}" }),
		"a template that does not end": with(func(_ *Prompt, r *Resource) { r.URITemplate = "basecamp://r/{id}/" }),
		"two resources at a URI":       {Name: "t", Resources: []Resource{resource, {Name: "s", Title: "S", Description: "S.", URITemplate: "basecamp://r/{name}", Read: say}}},
		"a completion of nothing":      with(func(_ *Prompt, r *Resource) { r.Complete = map[string]Complete{"name": nil} }),
	} {
		func() {
			defer func() {
				if panicked := recover() != nil; panicked != (name != "") {
					t.Errorf("%q: panicked: %v", name, panicked)
				}
			}()
			NewServer([]Toolset{toolset}, Options{Name: "test", Version: "1"})
		}()
	}
}
