package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/providertest"
)

// mender makes numbered links and ends connections.
type mender struct {
	links, ended int
	link         string // "-" for none
	err          error
	failed       []string // the IDs of the providers
	scopes       []string // of the last link
}

func (m *mender) ReconnectURL(ctx context.Context, providerID string, scopes []string) (string, error) {
	m.failed, m.scopes = append(m.failed, providerID), scopes
	if m.link == "-" || m.err != nil {
		return "", m.err
	}
	m.links++
	return fmt.Sprintf("%s/oauth/start?t=%d", identity.Origin(ctx), m.links), nil
}

func (m *mender) EndConnection(context.Context, string) error {
	m.ended++
	return m.err
}

// options returns the options of a server that asks m for links.
func (m *mender) options() Options {
	return Options{Providers: providers, ReconnectURL: m.ReconnectURL, EndConnection: m.EndConnection}
}

// providers are Basecamp, the primary one, and Orchard.
var providers = []provider.Provider{{ID: "37signals", Name: "Basecamp"}, orchard()}

// orchard returns Orchard, with words for one of its scopes.
func orchard() provider.Provider {
	p := providertest.New(nil).Provider()
	p.Scopes.Permits = map[string]string{"harvest": "pick apples"}
	return p
}

// deadUntil returns a server with one tool, which Basecamp refuses until the user has reconnected.
func deadUntil(connected *bool, m *mender) testServer {
	tool := Define(Spec{Name: "read", Title: "Read", Description: "Reads."}, func(context.Context, greetInput) (greeting, error) {
		if !*connected {
			return greeting{}, fault.New(fault.TokenExpired, "connect to Basecamp again")
		}
		return greeting{Text: "hello"}, nil
	})
	return serveTools(m.options(), tool)
}

type asked struct {
	mcptest.ToolResult
	Meta          map[string]json.RawMessage `json:"_meta"`
	ResultType    string
	RequestState  string
	InputRequests map[string]struct {
		Method string
		Params map[string]any
	}
	Error *struct {
		Code    int
		Message string
		Data    struct {
			ErrorCode    fault.Code `json:"error_code"`
			Link         *fault.Link
			Elicitations []map[string]any
		}
	}
}

const readIt = `"name":"read","arguments":{"name":"Ines"}`

func (s testServer) ask(t *testing.T, caller identity.Caller, capabilities, params string) asked {
	t.Helper()
	return s.askOf(t, "read", caller, capabilities, params)
}

// askOf calls a tool. Without capabilities the client speaks 2025-11-25.
func (s testServer) askOf(t *testing.T, tool string, caller identity.Caller, capabilities, params string) asked {
	t.Helper()
	meta, header := mcptest.Meta(capabilities), mcptest.Header("tools/call", tool)
	if capabilities == "" {
		meta, header = `"_meta":{}`, legacyHeader(eras[1])
	}
	ctx := identity.WithOrigin(t.Context(), "https://mcp.fernhill.example")
	w := mcptest.Post(ctx, s.Handler(Selection{}), caller, mcptest.Message("tools/call", "{"+params+","+meta+"}"), header)
	var response struct {
		Result asked
		Error  json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil {
		t.Fatalf("HTTP %d %s", w.Code, w.Body)
	}
	if response.Error != nil {
		if err := json.Unmarshal(response.Error, &response.Result.Error); err != nil || w.Code != 200 && capabilities == "" {
			t.Fatalf("HTTP %d %s", w.Code, w.Body)
		}
	}
	return response.Result
}

var keyed = identity.Caller{Subject: "37s:1", Connection: "c1", Scopes: []identity.Scope{identity.Read}, Key: []byte("a key of the connection's")}

const opens = `{"elicitation":{"url":{}}}`

func TestReconnect_AsksAClientThatOpensLinks(t *testing.T) {
	connected, m := false, &mender{}
	s := deadUntil(&connected, m)
	first := s.ask(t, keyed, opens, readIt)
	request := first.InputRequests["reconnect_basecamp"]
	if first.ResultType != "input_required" || request.Method != "elicitation/create" || request.Params["mode"] != "url" || first.RequestState == "" {
		t.Fatalf("got %+v", first)
	}
	if request.Params["url"] != "https://mcp.fernhill.example/oauth/start?t=1" || request.Params["elicitationId"] != nil || m.ended != 0 {
		t.Errorf("got %+v, and %d ended", request, m.ended)
	}
	retry := func(state, answer string) asked {
		return s.ask(t, keyed, opens, readIt+`,"requestState":"`+state+`","inputResponses":{"reconnect_basecamp":`+answer+`}`)
	}
	again := retry(first.RequestState, `{"action":"accept"}`) // the page was opened, and no more
	if again.ResultType != "input_required" || again.RequestState == first.RequestState {
		t.Errorf("before the person finished: %+v", again)
	}
	if declined := retry(again.RequestState, `{"action":"decline"}`); !declined.IsError || !strings.Contains(declined.Content[0].Text, "chose not to") {
		t.Errorf("declined: %+v", declined)
	}
	connected = true
	if done := retry(again.RequestState, `{"action":"accept"}`); done.IsError || !strings.Contains(string(done.StructuredContent), "hello") {
		t.Errorf("after: %+v", done)
	}
}

func TestReconnect_AnyOtherClientGetsTheLinkAndMustSignIn(t *testing.T) {
	for what, capabilities := range map[string]string{"no elicitation": `{}`, "forms alone": `{"elicitation":{}}`, "the legacy era": ""} {
		connected, m := false, &mender{}
		got := deadUntil(&connected, m).ask(t, keyed, capabilities, readIt)
		if !got.IsError || got.RequestState != "" || !strings.Contains(got.Content[0].Text, "https://mcp.fernhill.example/oauth/start?t=1") || m.ended != 1 {
			t.Errorf("%s: %+v; %d ended", what, got, m.ended)
		}
		if !strings.Contains(string(got.Meta["mcp/www_authenticate"]), `/.well-known/oauth-protected-resource/mcp`) {
			t.Errorf("%s: _meta %s", what, got.Meta)
		}
	}
}

func TestReconnect_WithoutALinkTheFailureStaysAsItIs(t *testing.T) {
	for what, m := range map[string]*mender{"none would help": {link: "-"}, "the table is down": {err: errors.New("s3cret")}} {
		connected := false
		s := deadUntil(&connected, m)
		got := s.ask(t, keyed, opens, readIt)
		if !got.IsError || !strings.Contains(got.Content[0].Text, "connect to Basecamp again") || strings.Contains(got.Content[0].Text, "s3cret") || m.ended != 0 {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

func TestReconnect_AStateIsValidOnlyForItsCall(t *testing.T) {
	connected, m := true, &mender{}
	s := deadUntil(&connected, m)
	own := round{Tool: "read", Arguments: digest(json.RawMessage(`{"name":"Ines"}`)), Number: 1, Expires: time.Now().Add(time.Minute).Unix()}
	other := func(change func(*round)) string {
		r := own
		change(&r)
		return r.seal(keyed.Key)
	}
	good := own.seal(keyed.Key)
	changed := good[:len(good)-3] + "AA" + good[len(good)-1:]
	if changed == good {
		changed = good[:len(good)-3] + "BB" + good[len(good)-1:]
	}
	accept := `,"inputResponses":{"reconnect_basecamp":{"action":"accept"}}`
	for what, state := range map[string]string{
		"changed":         changed,
		"cut":             good[:20],
		"not ours":        "v1.e30.AAAA",
		"another key's":   own.seal([]byte("another connection's key")),
		"another tool's":  other(func(r *round) { r.Tool = "write" }),
		"other arguments": other(func(r *round) { r.Arguments = digest(json.RawMessage(`{"name":"Sam"}`)) }),
		"too old":         other(func(r *round) { r.Expires = time.Now().Add(-time.Second).Unix() }),
	} {
		if got := s.ask(t, keyed, opens, readIt+`,"requestState":"`+state+`"`+accept); !got.IsError || !strings.Contains(got.Content[0].Text, "INVALID_INPUT") {
			t.Errorf("%s: %+v", what, got)
		}
	}
	reordered := `"name":"read","arguments":{ "name" : "In\u0065s" }`
	if got := s.ask(t, keyed, opens, reordered+`,"requestState":"`+good+`"`+accept); got.IsError {
		t.Errorf("the same arguments, written otherwise: %+v", got)
	}
	if got := s.ask(t, identity.Caller{Subject: "37s:2", Scopes: keyed.Scopes, Key: []byte("theirs")}, opens, readIt+`,"requestState":"`+good+`"`+accept); !got.IsError {
		t.Errorf("another person: %+v", got)
	}
}

// A program without a browser keeps its connection, and names the person who must sign in.
func TestReconnect_AProgramSaysWhoMustSignIn(t *testing.T) {
	connected, m := false, &mender{}
	program := keyed
	program.ActsFor = `Ines "A" Albrecht`
	for _, capabilities := range []string{"", "{}", opens} {
		got := deadUntil(&connected, m).ask(t, program, capabilities, readIt)
		const want = `Basecamp no longer accepts this connection: \"Ines \\\"A\\\" Albrecht\" must open https://mcp.fernhill.example/account and connect Basecamp there; then this program's calls work again`
		if text := got.Content[0].Text; !got.IsError || got.InputRequests != nil || m.links+m.ended > 0 || !strings.Contains(text, want) {
			t.Errorf("with %q: %s, %d links, %d ended", capabilities, text, m.links, m.ended)
		}
	}
}
