package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

// orchardServer returns a server with the tool "read" and more tools of a toolset of the given
// provider.
func orchardServer(m *mender, providerID string, run func(context.Context) error, more ...Tool) testServer {
	tool := Define(Spec{Name: "read", Title: "Read", Description: "Reads."}, func(ctx context.Context, _ greetInput) (greeting, error) {
		return greeting{}, run(ctx)
	})
	prompt := Prompt{Name: "pick", Title: "Pick", Description: "Picks.", Text: func(ctx context.Context, _ map[string]string) (string, error) {
		return "pick", run(ctx)
	}}
	options := m.options()
	options.Calls = newCalls(memory.New(nil))
	return serve(options, Toolset{Name: "t", Provider: providerID, Tools: append(more, tool), Prompts: []Prompt{prompt}})
}

// dead returns a function that fails as a dead grant does. The fault names a provider, or none.
func dead(providerID string) func(context.Context) error {
	return func(context.Context) error {
		f := fault.New(fault.TokenExpired, "connect again")
		f.Provider = providerID
		return f
	}
}

func TestReconnect_ToAnotherProviderKeepsTheConnectionAndAsksForNoLogin(t *testing.T) {
	for what, of := range map[string]struct{ toolset, fault string }{
		"the fault names the provider":            {"orchard", "orchard"},
		"only the toolset names the provider":     {"orchard", ""},
		"the fault of one within another's tools": {"37signals", "orchard"},
	} {
		for _, capabilities := range []string{"", `{}`} {
			m := &mender{}
			got := orchardServer(m, of.toolset, dead(of.fault)).ask(t, keyed, capabilities, readIt)
			const want = "Orchard no longer accepts this link. Ask the user to open https://mcp.fernhill.example/oauth/start?t=1 (good for ten minutes) and link Orchard again, then call again."
			if !got.IsError || !strings.Contains(got.Content[0].Text, want) {
				t.Errorf("%s: %+v", what, got)
			}
			if got.Meta["mcp/www_authenticate"] != nil || m.ended != 0 || !slices.Equal(m.failed, []string{"orchard"}) {
				t.Errorf("%s: _meta %s, %d ended, links to %s", what, got.Meta, m.ended, m.failed)
			}
		}
	}
}

func TestInvocation_ThatRunsOutOfTimeNamesItsProvider(t *testing.T) {
	for providerID, want := range map[string]string{"orchard": "Orchard", "37signals": "Basecamp", "": "this server"} {
		synctest.Test(t, func(t *testing.T) {
			s := orchardServer(&mender{}, providerID, func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
			got := s.callAs(t, writer, "read", `{"name":"x"}`)
			if !got.IsError || !strings.Contains(got.Content[0].Text, `"`+want+` did not answer in time; try again, or ask for less at once"`) {
				t.Errorf("%s: %+v", providerID, got)
			}
		})
	}
}

func TestInvocation_OfAnotherProviderNamesItInTheLogAndTheTrail(t *testing.T) {
	for providerID, want := range map[string]string{"orchard": "orchard", "37signals": "", "": ""} {
		s := orchardServer(&mender{}, providerID, func(context.Context) error { return nil })
		for name, params := range map[string]string{"tools/call": readIt, "prompts/get": `"name":"pick"`} {
			s.log.Reset()
			ctx := telemetry.With(identity.With(t.Context(), writer), &telemetry.Request{Start: time.Now()})
			post(ctx, t, s.Handler(Selection{}), name, map[string]string{"tools/call": "read", "prompts/get": "pick"}[name], params)
			var line map[string]any
			if err := json.Unmarshal(s.log.Bytes(), &line); err != nil {
				t.Fatalf("%v: %s", err, s.log)
			}
			if got, _ := line["provider"].(string); got != want || line["outcome"] != "ok" || strings.Count(s.log.String(), "provider") > 1 {
				t.Errorf("provider %q: logged %s", providerID, s.log)
			}
		}
		kept, err := s.options.Calls.Recent(t.Context(), writer.Subject, 10)
		if err != nil || len(kept) != 2 || kept[0].Provider != want || kept[1].Provider != want {
			t.Errorf("provider %q: kept %+v, %v", providerID, kept, err)
		}
	}
}

// Clients match these words and names.
func TestReconnect_ToBasecampSaysTheSameInEveryRelease(t *testing.T) {
	s := orchardServer(&mender{}, "37signals", dead(""))
	legacy := s.ask(t, keyed, "", readIt)
	asked := s.ask(t, keyed, opens, readIt)
	declined := s.ask(t, keyed, opens, readIt+`,"requestState":"`+asked.RequestState+`","inputResponses":{"reconnect_basecamp":{"action":"decline"}}`)
	var challenges []string
	if err := json.Unmarshal(legacy.Meta["mcp/www_authenticate"], &challenges); err != nil || len(challenges) != 1 {
		t.Fatalf("%v: _meta %s", err, legacy.Meta)
	}
	for got, want := range map[string]string{
		legacy.Content[0].Text: `"Basecamp no longer accepts this connection. Ask the person to open https://mcp.fernhill.example/oauth/start?t=1` +
			` (good for ten minutes) and log in to Basecamp, then call again; the client may ask them to log in once more."`,
		challenges[0]: `error_description="Basecamp no longer accepts this connection; log in again"`,
		fmt.Sprint(asked.InputRequests["reconnect_basecamp"].Params["message"]): "Basecamp no longer accepts our access, as happens after a change of password. Reconnect to continue.",
		declined.Content[0].Text: "the user chose not to reconnect Basecamp now; no changes were made",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	s.read(t, keyed, eras[1], "prompts/get", `"name":"pick"`).refused(t, eras[1], -32603, "Basecamp no longer accepts this connection. Open /oauth/start?t=3"+
		" (good for ten minutes), log in to Basecamp and try again; your client may ask you to log in once more.")
}

func TestInvocation_ThatComputesForItsWholeTimeBlamesNoProvider(t *testing.T) {
	for waited, want := range map[time.Duration]fault.Code{0: fault.LimitReached, 20 * time.Second: fault.UpstreamError} {
		synctest.Test(t, func(t *testing.T) {
			s := orchardServer(&mender{}, "orchard", func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
			s.options.Waited = func(context.Context) (time.Duration, int) { return waited, 0 }
			got := s.callAs(t, writer, "read", `{"name":"x"}`)
			text := got.Content[0].Text
			if !strings.Contains(text, `"error_code":"`+string(want)+`"`) || strings.Contains(text, "Orchard") != (want == fault.UpstreamError) {
				t.Errorf("%v: %s", waited, text)
			}
		})
	}
}
