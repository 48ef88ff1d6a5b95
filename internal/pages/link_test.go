package pages

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html/atom"
)

func wantText(t *testing.T, p written, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(p.text(), want) {
			t.Errorf("%q is not in: %s", want, p.text())
		}
	}
}

func TestLink_SaysWhatIsAskedForAndThatNothingElseChanges(t *testing.T) {
	first := write(t, Link{Provider: "Otherworks", First: "Basecamp", Person: "Ines Albrecht", Asks: []string{"read projects"}})
	wantText(t, first, "Link Otherworks", "You are signed in here with Basecamp as Ines Albrecht.", "This links your Otherworks account to you.",
		"It replaces nothing else: Basecamp and your apps stay connected as they are.", "This server asks Otherworks for permission to read projects")
	if strings.Contains(first.text(), "You have allowed") {
		t.Error("a first link shows earlier permissions")
	}
	more := write(t, Link{Provider: "Otherworks", First: "Basecamp", Account: "@ines", Asks: []string{"change projects"}, Keeps: []string{"see your organizations"}})
	wantText(t, more, "This renews the link to your Otherworks account @ines.", "You have allowed this server to see your organizations")
}

func TestLinked_NamesWhatWasAllowedAndWhatWasNot(t *testing.T) {
	all := write(t, Linked{Provider: "Otherworks", Account: "@ines", May: []string{"read projects"}})
	wantText(t, all, "Otherworks is linked", "@ines", "go back to your assistant", "This server may read projects")
	if strings.Contains(all.text(), "less than") {
		t.Errorf("complains without a reason: %s", all.text())
	}
	less := write(t, Linked{Provider: "Otherworks", May: []string{"read projects"}, Refused: []string{"see your organizations"}})
	wantText(t, less, "You allowed less than this server asked Otherworks for.", "needs permission to see your organizations")
	wantText(t, write(t, Linked{Provider: "Otherworks"}), "The permissions of the application that your team registered with Otherworks")
}

func TestOverview_ShowsTheStateOfEachLink(t *testing.T) {
	day := time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		provider   Provider
		want       []string
		mayUnlink  bool
		wantButton string
	}{
		{
			Provider{Link: &LinkState{Asks: []string{"read projects"}}},
			[]string{"Not linked. If you link Otherworks, this server asks for permission to read projects"}, false, "Link Otherworks",
		},
		{Provider{Link: &LinkState{}}, []string{"Not linked. Link Otherworks"}, false, "Link Otherworks"},
		{
			Provider{Healthy: true, ConnectedAt: day, Link: &LinkState{Account: "@ines", May: []string{"read projects"}, Asks: []string{"x"}}},
			[]string{"✓ Linked as @ines since 3 September 2026. This server may read projects Unlink Otherworks"}, true, "",
		},
		{
			Provider{Healthy: true, ConnectedAt: day, Link: &LinkState{Account: "@ines"}},
			[]string{"The permissions of the application that your team registered with Otherworks say what"}, true, "",
		},
		{
			Provider{ConnectedAt: day, Link: &LinkState{Account: "@ines"}},
			[]string{"Otherworks no longer accepts this server’s access to @ines."}, true, "Link Otherworks again",
		},
	} {
		test.provider.Name, test.provider.Connect = "Otherworks", "/oauth/start?link=other"
		p := write(t, Overview{Providers: []Provider{{Name: "Basecamp", Healthy: true}, test.provider}})
		wantText(t, p, test.want...)
		if got := strings.Contains(p.text(), "Unlink Otherworks"); got != test.mayUnlink {
			t.Errorf("%v: can unlink %t", test.want, got)
		}
		button := ""
		for _, a := range p.all(atom.A) {
			if value(a, "class") == "button" {
				button = content(a)
			}
		}
		if button != test.wantButton {
			t.Errorf("%v: button %q", test.want, button)
		}
	}
}

func TestLanding_TellsTheOperatorTheCallbackOfAnUnregisteredLink(t *testing.T) {
	view := Landing{URL: "https://mcp.fernhill.example/mcp", Provider: "Basecamp", Links: []Setup{{
		Provider: "Otherworks", RedirectURI: "https://mcp.fernhill.example/oauth/other/callback", Command: "aws secretsmanager put-secret-value --secret-id other",
	}}}
	p := write(t, view)
	wantText(t, p, "finish setting up Otherworks", "Redirect URI for Otherworks", "--secret-id other", "Paste this into your assistant")
	if fields := p.all(atom.Input); len(fields) != 2 || value(fields[1], "value") != "https://mcp.fernhill.example/oauth/other/callback" {
		t.Errorf("%d fields", len(fields))
	}
	view.Setup = &Setup{Provider: "Basecamp"}
	if p := write(t, view); strings.Contains(p.text(), "Otherworks") {
		t.Errorf("more than the next step: %s", p.text())
	}
}
