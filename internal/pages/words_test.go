package pages

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestConsent_SaysWhoGetsWhat(t *testing.T) { // B2, C11
	p := write(t, Consent{
		Client: "Claude", ClientHost: "claude.example", RedirectHost: "assistant.example",
		RedirectURI: "https://assistant.example/callback?x=1", WantsWrite: true,
	})
	for _, want := range []string{
		"It calls itself “Claude”; the description comes from claude.example.",
		"https://assistant.example/callback?x=1",
		"full access to your Basecamp accounts as you, because Basecamp has no smaller permission",
		"only what you allow here",
		"Always included",
	} {
		if !strings.Contains(p.text(), want) {
			t.Errorf("%q is not in: %s", want, p.text())
		}
	}
	host := slices.IndexFunc(p.all(atom.P), func(n *html.Node) bool { return value(n, "class") == "host" })
	if host < 0 || content(p.all(atom.P)[host].FirstChild) != "assistant.example" {
		t.Error("the redirect host does not stand out")
	}
	if heading := p.all(atom.H1)[0]; strings.Contains(content(heading), "Claude") {
		t.Errorf("the name it gives itself stands large: %s", content(heading))
	}
}

func TestConsent_WarnsOfProgramsOnTheSameMachine(t *testing.T) { // C11
	for _, loopback := range []bool{true, false} {
		p := write(t, Consent{Client: "Claude Code", RedirectHost: "localhost", Loopback: loopback})
		if got := strings.Contains(p.text(), "any program on this computer could be behind this"); got != loopback {
			t.Errorf("Loopback %v: warned %v", loopback, got)
		}
	}
}

func TestConsent_DeniesByTheEnterKey(t *testing.T) {
	if first := write(t, Consent{}).all(atom.Button)[0]; value(first, "value") != "deny" {
		t.Errorf("first button %v", first.Attr)
	}
}

func TestConsent_SaysWhenNobodyVouchesForAName(t *testing.T) {
	for client, want := range map[string]string{
		"Claude":       "It calls itself “Claude”. Nobody has checked who it is.",
		"\u202e\u200b": "It gives no name. Nobody has checked who it is.",
	} {
		if p := write(t, Consent{Client: client}); !strings.Contains(p.text(), want) {
			t.Errorf("%q is not in: %s", want, p.text())
		}
	}
}

func TestLanding_ShowsTheNextStepAlone(t *testing.T) {
	p := write(t, Landing{
		URL: "https://mcp.fernhill.example/mcp",
		Setup: &Setup{
			RedirectURI: "https://mcp.fernhill.example/oauth/callback",
			Command:     "aws secretsmanager put-secret-value --secret-id launchpad",
		},
	})
	if fields := p.all(atom.Input); len(fields) != 1 || value(fields[0], "value") != "https://mcp.fernhill.example/oauth/callback" {
		t.Errorf("%d fields", len(fields))
	}
	if !strings.Contains(p.text(), "put-secret-value") {
		t.Error("no command")
	}
	if strings.Contains(p.text(), "/mcp") || len(p.all(atom.Details)) > 0 {
		t.Errorf("more than the next step: %s", p.text())
	}
}

func TestLanding_HasAPlaceForEachClient(t *testing.T) {
	for url, want := range map[string][]string{
		"https://mcp.fernhill.example/mcp": {"Claude", "Claude Code", "ChatGPT", "Cursor", "VS Code", "Gemini CLI", "MCP Inspector"},
		"http://127.0.0.1:8787/mcp":        {"Claude Code", "Cursor", "VS Code", "Gemini CLI", "MCP Inspector"}, // others cannot reach it
	} {
		p := write(t, Landing{URL: url})
		var got []string
		for _, n := range p.all(atom.Summary) {
			got = append(got, content(n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", url, got)
		}
		for i, n := range p.all(atom.Details) {
			if has(n, "open") != (i == 0) {
				t.Errorf("%s: %s open: %v", url, got[i], i != 0)
			}
		}
		for _, command := range []string{
			"claude mcp add --transport http basecamp " + url,
			`code --add-mcp '{"name":"basecamp","type":"http","url":"` + url + `"}'`,
			"gemini mcp add --transport http basecamp " + url,
			"npx @modelcontextprotocol/inspector --cli " + url + " --transport http --method tools/list",
		} {
			if !strings.Contains(p.text(), command) {
				t.Errorf("no %s", command)
			}
		}
	}
}

func TestOverview_TellsHowBasecampStands(t *testing.T) {
	day := time.Date(2026, 9, 3, 23, 30, 0, 0, time.FixedZone("", -3600))
	for _, test := range []struct {
		view Overview
		want string
	}{
		{Overview{Person: "Ines Albrecht", Healthy: true, ConnectedAt: day, ExpiresAt: day}, "✓ Connected as Ines Albrecht since 4 September 2026."},
		{Overview{Person: "Ines Albrecht", ConnectedAt: day}, "Reconnect Basecamp"},
		{Overview{Person: "Ines Albrecht"}, "Not connected, Ines Albrecht."},
	} {
		p := write(t, test.view)
		if !strings.Contains(p.text(), test.want) {
			t.Errorf("%q is not in: %s", test.want, p.text())
		}
		if len(p.all(atom.Form)) == 0 { // even where there seems to be nothing: the last time may have got stuck halfway
			t.Errorf("%s: cannot be ended", test.want)
		}
	}
}

func TestOverview_SaysWhatEachAppMayDo(t *testing.T) {
	p := write(t, Overview{Clients: []Connection{
		{ID: "one", Client: "Claude", Host: "claude.example", Account: "Fernhill Bikes", Write: true},
		{ID: "two", Client: "Cursor"},
	}})
	for _, want := range []string{"“Claude”", "claude.example", "Fernhill Bikes", "read and make changes", "read only", "Disconnect Cursor", "deletes this server’s access to Basecamp, too"} {
		if !strings.Contains(p.text(), want) {
			t.Errorf("%q is not in: %s", want, p.text())
		}
	}
}

func TestFailure_IsAnnounced(t *testing.T) {
	p := write(t, Failure{Title: "This login has ended", Message: "It took too long.", Next: "Start again.", RequestID: "r-1"})
	heading := p.all(atom.H1)[0]
	if value(heading.Parent, "role") != "alert" || content(heading) != "This login has ended" {
		t.Errorf("<h1> in %v", heading.Parent.Attr)
	}
	for _, want := range []string{"It took too long.", "Start again.", "r-1"} {
		if !strings.Contains(p.text(), want) {
			t.Errorf("%q is not in: %s", want, p.text())
		}
	}
}
