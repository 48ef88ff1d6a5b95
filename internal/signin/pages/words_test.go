package pages

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"basecamp-mcp/internal/signin/look"
)

func TestConsent_NamesTheClientAndItsAccess(t *testing.T) { // MCP Security Best Practices, "Consent UI"
	p := write(t, Consent{
		Provider: "Basecamp", Client: "Claude", ClientHost: "claude.example", RedirectHost: "assistant.example",
		RedirectURI: "https://assistant.example/callback?x=1", WantsWrite: true,
	})
	wantText(t, p,
		"The app gave its name itself; its description comes from claude.example.",
		"https://assistant.example/callback?x=1",
		"full access to your Basecamp accounts as you, because Basecamp has no smaller permission",
		"only the access that you allow here",
		"Always included",
		"Basecamp will ask you once more",
	)
	host := slices.IndexFunc(p.all(atom.P), func(n *html.Node) bool { return value(n, "class") == "host" })
	if host < 0 || textOf(p.all(atom.P)[host]) != "Access goes to assistant.example" {
		t.Error("the redirect host does not stand out")
	}
	if heading := textOf(p.all(atom.H1)[0]); heading != "Let “Claude” use your Basecamp?" {
		t.Errorf("the heading is %s", heading)
	}
}

func TestPages_Say(t *testing.T) {
	const onThisMachine = "access goes to a program on this computer. Any program here can ask for it, under any name."
	const alsoDeletes = "It is your last app. To disconnect it also deletes this server’s access to Basecamp and Otherworks."
	both := []Provider{{Name: "Basecamp"}, {Name: "Otherworks"}}
	for what, test := range map[string]struct {
		view       View
		has, lacks []string
	}{
		"another machine":  {Consent{Client: "Claude Code", RedirectHost: "localhost"}, nil, []string{onThisMachine, "link"}},
		"the same machine": {Consent{Client: "Claude Code", RedirectHost: "localhost", Loopback: true}, []string{onThisMachine}, nil},
		"a link":           {Consent{Links: []string{"Otherworks"}}, []string{"If you link Otherworks here, the app gets the same access there."}, nil},
		"two links":        {Consent{Links: []string{"Otherworks", "Thirdworks"}}, []string{"If you link Otherworks or Thirdworks here, the app gets the same access there."}, nil},
		"a name":           {Consent{Client: "Claude"}, []string{"The app gave its name itself; we have not verified it."}, nil},
		"no visible name":  {Consent{Client: "\u202e\u200b"}, []string{"The app gave no name. We have not verified who made it."}, nil},
		"each app": {
			Overview{Providers: both, Clients: []Connection{{ID: "one", Client: "Claude", Host: "claude.example", Account: "Fernhill Bikes", Write: true}, {ID: "two", Client: "Cursor"}}},
			[]string{"“Claude”", "claude.example", "Fernhill Bikes", "Reads and writes in Fernhill Bikes.", "Only reads.", "Disconnect Cursor", "deletes this server’s access to Basecamp and Otherworks"}, []string{alsoDeletes},
		},
		"no app":       {Overview{Providers: both}, nil, []string{alsoDeletes}},
		"the last app": {Overview{Providers: both, Clients: make([]Connection, 1)}, []string{alsoDeletes}, nil},
		"why":          {Start{Provider: "Basecamp", Account: true}, []string{"Sign in to see your connected apps"}, nil},
		"an address for further providers, and an answer": {
			Landing{URL: "https://mcp.fernhill.example/mcp", Further: []string{"Otherworks"}},
			[]string{"With Otherworks Each user links it once.", "https://mcp.fernhill.example/mcp/all", "Five things are overdue."}, nil,
		},
		"what a first link asks for": {
			Link{Provider: "Otherworks", First: "Basecamp", Person: "Ines Albrecht", Asks: []string{"read projects"}},
			[]string{
				"Link Otherworks", "You are signed in here with Basecamp as Ines Albrecht.", "This links your Otherworks account to you.",
				"It replaces nothing else: Basecamp and your apps stay connected as they are.", "This server asks Otherworks for permission to read projects",
			}, []string{"You have allowed"},
		},
		"what a link asks for in addition": {
			Link{Provider: "Otherworks", First: "Basecamp", Account: "@ines", Asks: []string{"change projects"}, Keeps: []string{"see your organizations"}},
			[]string{"This renews the link to your Otherworks account @ines.", "You have allowed this server to see your organizations"}, nil,
		},
		"what was allowed": {
			Linked{Provider: "Otherworks", Account: "@ines", May: []string{"read projects"}},
			[]string{"Otherworks is linked", "@ines", "go back to your assistant", "This server may read projects"}, []string{"less than"},
		},
		"what was not allowed": {
			Linked{Provider: "Otherworks", May: []string{"read projects"}, Refused: []string{"see your organizations"}},
			[]string{"You allowed less than this server asked Otherworks for.", "needs permission to see your organizations"}, nil,
		},
		"who decides": {Linked{Provider: "Otherworks"}, []string{"The permissions of the application that your team registered with Otherworks"}, nil},
	} {
		t.Run(what, func(t *testing.T) {
			p := write(t, test.view)
			wantText(t, p, test.has...)
			for _, text := range test.lacks {
				if strings.Contains(p.text(), text) {
					t.Errorf("%q is in: %s", text, p.text())
				}
			}
		})
	}
}

// Users rarely need it, and it would push the decision off the screen.
func TestConsent_FoldsTheAccessOfThisServer(t *testing.T) {
	p := write(t, Consent{Provider: "Basecamp", RedirectURI: "https://assistant.example/callback"})
	folds := p.all(atom.Details)
	if len(folds) != 2 || has(folds[0], "open") || has(folds[1], "open") || !strings.Contains(textOf(folds[1]), "full access to your Basecamp accounts") ||
		!strings.Contains(textOf(folds[1]), "https://assistant.example/callback") {
		t.Errorf("%d folds", len(folds))
	}
}

// The Enter key in the field of the code must not deny.
func TestConsent_AsksForTheOwnersCodeOnce(t *testing.T) {
	for asked, first := range map[bool]string{true: "approve", false: "deny"} {
		p := write(t, Consent{Owner: true, WantsWrite: true, Unticked: true, Code: OwnerCode{Asked: asked, Refused: "This is not the code."}})
		if got := value(p.all(atom.Button)[0], "value"); got != first || strings.Contains(p.text(), "This is not the code.") != asked || strings.Contains(p.body, " checked") {
			t.Errorf("asked %t: the first button is %s in %s", asked, got, p.text())
		}
	}
}

func TestLanding_SaysWhatACommandWaitsFor(t *testing.T) {
	for command, waits := range map[string]bool{"make credentials STACK=fernhill": true, "CLIENT_ID=... serve": false, "read -rs SECRET && export SECRET && CLIENT_ID=... serve": false} {
		p := write(t, Landing{Provider: "Basecamp", Setup: &Setup{Provider: "Basecamp", Command: command}})
		if got := strings.Contains(p.text(), "It waits for the client secret, which it does not show."); got != strings.Contains(command, "read -rs") {
			t.Errorf("%s: says that it hides its input %t", command, got)
		}
		if got := strings.Contains(p.text(), "it asks for both"); got != waits {
			t.Errorf("%s: says that it asks %t", command, got)
		}
	}
}

func TestLanding_BeforeSetupShowsOnlyTheNextStep(t *testing.T) {
	p := write(t, Landing{
		URL: "https://mcp.fernhill.example/mcp", Provider: "Basecamp",
		Setup: &Setup{
			RegisterURL: "https://launchpad.37signals.com/integrations",
			RedirectURI: "https://mcp.fernhill.example/oauth/callback",
			Command:     "make credentials STACK=launchpad",
		},
	})
	wantText(t, p, "https://mcp.fernhill.example/oauth/callback", "make credentials")
	if strings.Contains(p.text(), "example/mcp") || len(p.all(atom.Details)) > 0 || len(p.all(atom.Input)) > 0 {
		t.Errorf("more than the next step: %s", p.text())
	}
}

func TestLanding_ExplainsEachClient(t *testing.T) {
	for url, want := range map[string][]string{
		"https://mcp.fernhill.example/mcp": {"Claude", "Claude Code", "ChatGPT", "Codex", "Cursor", "VS Code", "Gemini CLI", "MCP Inspector"},
		"http://127.0.0.1:8787/mcp":        {"Claude Code", "Claude Desktop", "Codex", "Cursor", "VS Code", "Gemini CLI", "MCP Inspector"},
	} {
		p := write(t, Landing{URL: url})
		var got []string
		for _, n := range p.all(atom.Label) {
			got = append(got, content(n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", url, got)
		}
		for i, n := range p.all(atom.Input) {
			if has(n, "checked") != (i == 0) {
				t.Errorf("%s: %s is open: %v", url, got[i], i != 0)
			}
		}
		for _, command := range []string{
			"claude mcp add --transport http basecamp " + url,
			`code --add-mcp '{"name":"basecamp","type":"http","url":"` + url + `"}'`,
			"gemini mcp add --transport http --scope user basecamp " + url,
			"codex mcp add basecamp --url " + url + " codex mcp login basecamp",
			"It needs Node.js 22.19 or newer.",
			"npx @modelcontextprotocol/inspector --cli " + url + " --transport http --method tools/list",
		} {
			wantText(t, p, command)
		}
	}
}

func TestOverview_ShowsTheStateOfEachProvider(t *testing.T) {
	day := time.Date(2026, 9, 3, 23, 30, 0, 0, time.FixedZone("", -3600))
	for _, test := range []struct {
		view Overview
		want string
	}{
		{
			Overview{Person: "Ines Albrecht", Providers: []Provider{{Name: "Basecamp", Healthy: true, ConnectedAt: day, ExpiresAt: day}}},
			"✓ Connected as Ines Albrecht since 4 September 2026.",
		},
		{Overview{Person: "Ines Albrecht", Providers: []Provider{{Name: "Basecamp", ConnectedAt: day}}}, "Reconnect Basecamp"},
		{Overview{Person: "Ines Albrecht", Providers: []Provider{{Name: "Otherworks"}}}, "Not connected. You are signed in here as Ines Albrecht. Connect Otherworks"},
	} {
		p := write(t, test.view)
		wantText(t, p, test.want)
		if len(p.all(atom.Form)) == 0 { // always offered: an earlier attempt may have failed halfway
			t.Errorf("%s: has no way to disconnect", test.want)
		}
	}
}

func TestFailure_IsAnnouncedToScreenReaders(t *testing.T) {
	p := write(t, Failure{Title: "This sign-in has ended", Message: "It took too long.", Next: "Start again.", RequestID: "r-1"})
	heading := p.all(atom.H1)[0]
	if value(heading.Parent, "role") != "alert" || content(heading) != "This sign-in has ended" {
		t.Errorf("<h1> in %v", heading.Parent.Attr)
	}
	wantText(t, p, "It took too long.", "Start again.", "r-1")
}

// The exact time is in the title, and the time element lets the page's script put it in the time
// zone of the user.
func TestOverview_SaysInWordsWhatHappenedAndWhen(t *testing.T) {
	now := time.Date(2026, 9, 3, 21, 5, 0, 0, time.UTC)
	call := func(ago time.Duration, did ...Deed) Call {
		return Call{Time: now.Add(-ago), Did: did, Client: "Claude"}
	}
	p := write(t, Overview{
		Now: now, Clients: []Connection{{Client: "Claude", Host: "claude.example", CreatedAt: now, UsedAt: now.Add(-2 * time.Hour)}},
		Calls: []Call{
			call(0, Deed{"Created the to-do", "Order gas", "Cargo Bike Launch"}), call(3*time.Hour, Deed{What: "Read to-dos"}),
			call(24*time.Hour, Deed{What: "Read messages"}), call(9*24*time.Hour, Deed{What: "Read files"}),
		},
	})
	wantText(t, p, "claude.example · used 2 hours ago", "Today Created the to-do Order gas in Cargo Bike Launch “Claude” just now", "Read to-dos “Claude” 3 hours ago",
		"Yesterday Read messages “Claude” 1 day ago", "Tuesday 25 August Read files “Claude” on 25 August 2026")
	hidden := 0
	for _, n := range p.all(atom.H3) {
		if has(n, "hidden") {
			hidden++
		}
	}
	if first := p.all(atom.Time)[0]; hidden != 1 || value(first, "datetime") != "2026-09-03T19:05:00Z" || value(first, "title") != "3 September 2026, 19:05 UTC" {
		t.Errorf("%d headings are hidden; %v", hidden, first.Attr)
	}
}

func TestChanges_SaysUndoneAndNothingElse(t *testing.T) {
	p := write(t, Changes{Runs: []Run{{Client: "Claude", Changes: []Change{{ID: "u1", Did: []Deed{{What: "Archived", Title: "Bell"}}, Undone: true}, {ID: "u2", Reason: "it is gone"}}}}})
	wantText(t, p, "Archived Bell undone Cannot be undone: it is gone.")
	if n := len(p.all(atom.Button)); n > 0 {
		t.Errorf("%d buttons", n)
	}
}

// A line break in a word would be copied by hand as a part of it.
func TestLanding_BreaksNoWordOfACommand(t *testing.T) {
	const url = "https://mcp.fernhill.example/mcp"
	for _, n := range write(t, Landing{URL: url, Bearer: "b"}).all(atom.Pre) {
		for d := range n.Descendants() {
			if d.Type == html.TextNode && strings.ContainsAny(d.Data, "-/?") && value(d.Parent, "class") != "whole" {
				t.Errorf("may break: %s", d.Data)
			}
		}
	}
}

// The links work without a script, and hold the address however strange it is.
func TestLanding_AddsTheServerToCursorAndCodeWithOneClick(t *testing.T) {
	for _, address := range append([]string{"https://mcp.fernhill.example/mcp", "http://127.0.0.1:8787/mcp", "https://mcp.fernhill.example/mcp/x/a,b?c=d&e#f"}, hostile...) {
		links := map[string]string{}
		for _, a := range write(t, Landing{URL: address}).all(atom.A) {
			links[content(a)] = value(a, "href")
		}
		cursor, err := url.Parse(links["Add it to Cursor with one click"])
		if err != nil {
			t.Fatal(err)
		}
		config, err := base64.StdEncoding.DecodeString(cursor.Query().Get("config"))
		var got struct{ Name, Type, URL string }
		if err != nil || json.Unmarshal(config, &got) != nil || cursor.Scheme != "cursor" || cursor.Query().Get("name") != "basecamp" || got.URL != strings.ToValidUTF8(address, "\ufffd") {
			t.Errorf("%q: %s (%s), %v", address, cursor, config, err)
		}
		code, found := strings.CutPrefix(links["Add it to VS Code with one click"], "vscode:mcp/install?")
		decoded, err := url.PathUnescape(code)
		got = struct{ Name, Type, URL string }{}
		if err != nil || !found || json.Unmarshal([]byte(decoded), &got) != nil {
			t.Fatalf("%q: %s, %v", address, code, err)
		}
		if diff := cmp.Diff(struct{ Name, Type, URL string }{"basecamp", "http", address}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// Screen readers read generated content, and say themselves whether a summary is open.
func TestStyle_WritesNoCharacters(t *testing.T) {
	for _, rule := range regexp.MustCompile(`[^-]content:[^;}]*`).FindAllString(look.Style, -1) {
		if !strings.HasSuffix(rule, `content: ""`) {
			t.Error(rule)
		}
	}
}

func wantText(t *testing.T, p written, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(p.text(), want) {
			t.Errorf("%q is not in: %s", want, p.text())
		}
	}
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
			[]string{"✓ Linked as @ines since 3 September 2026. What this server may do there read projects Unlink Otherworks"}, true, "",
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
		Provider: "Otherworks", RedirectURI: "https://mcp.fernhill.example/oauth/other/callback", Command: "make credentials STACK=other",
	}}}
	p := write(t, view)
	wantText(t, p, "finish setting up Otherworks", "https://mcp.fernhill.example/oauth/other/callback", "STACK=other", "Copy the address")
	view.Setup = &Setup{Provider: "Basecamp"}
	if p := write(t, view); strings.Contains(p.text(), "Otherworks") {
		t.Errorf("more than the next step: %s", p.text())
	}
}
