package pages

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"basecamp-mcp/internal/signin/look"
)

func TestPages_RunOnlyTheScriptOfTheirPolicy(t *testing.T) {
	eachPage(t, func(t *testing.T, p written) {
		policy := p.header.Get("Content-Security-Policy")
		allowed := strings.Count(policy, "script-src")
		if got := len(p.all(atom.Script)); got != allowed {
			t.Errorf("%d scripts, %d in %s", got, allowed, policy)
		}
		for _, s := range p.all(atom.Script) {
			if !strings.Contains(policy, "script-src "+look.Hash(content(s))) || len(s.Attr) > 0 {
				t.Errorf("not in %s: %s", policy, content(s))
			}
		}
		for n := range p.root.Descendants() {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
		}
	})
}

func TestPages_HaveTheStyleOfTheirPolicy(t *testing.T) {
	eachPage(t, func(t *testing.T, p written) {
		styles := p.all(atom.Style)
		if len(styles) != 1 || !strings.Contains(p.header.Get("Content-Security-Policy"), "style-src "+look.Hash(content(styles[0]))+";") {
			t.Errorf("%d styles; policy %s", len(styles), p.header.Get("Content-Security-Policy"))
		}
	})
}

func TestPages_LinkOnlyToThisServerAndTheRegistration(t *testing.T) {
	known := map[string]bool{
		"/": true, "/account": true, "/account/machines": true, "/account/changes": true, "/oauth/start": true, "/oauth/start?for=account": true, "/oauth/start?link=other": true,
		"/somewhere": true, "/account?app=one": true,
		"https://launchpad.37signals.com/integrations": true,
	}
	added := []string{"cursor://anysphere.cursor-deeplink/mcp/install?name=basecamp&config=", "vscode:mcp/install?%7B"}
	loads := []string{"src", "srcset", "data", "poster", "background", "formaction", "ping", "http-equiv"}
	eachPage(t, func(t *testing.T, p written) {
		for n := range p.root.Descendants() {
			for _, name := range []string{"href", "action"} {
				adds := func(start string) bool { return n.DataAtom == atom.A && strings.HasPrefix(value(n, name), start) }
				icon := n.DataAtom == atom.Link && value(n, "rel") == "icon" && value(n, "href") == "/favicon.svg"
				if to, ok := attr(n, name); ok && !known[to] && !icon && !slices.ContainsFunc(added, adds) {
					t.Errorf("<%s %s=%q>", n.Data, name, to)
				}
			}
			for _, name := range loads {
				if has(n, name) {
					t.Errorf("<%s %s=%q>", n.Data, name, value(n, name))
				}
			}
			if n.DataAtom == atom.Link && value(n, "rel") != "icon" || n.DataAtom == atom.Base || n.DataAtom == atom.Iframe || n.DataAtom == atom.Img {
				t.Errorf("<%s>", n.Data)
			}
		}
	})
}

func TestPages_ShowNoCharacterThatChangesTheTextDirection(t *testing.T) {
	eachPage(t, func(t *testing.T, p written) {
		if strings.Contains(t.Name(), "landing") {
			return // it shows only the operator's own settings
		}
		for _, c := range p.text() {
			if unicode.Is(unicode.Bidi_Control, c) || unicode.IsControl(c) {
				t.Fatalf("%U in %s", c, p.text())
			}
		}
	})
}

func TestClaims_AreCutAndIsolated(t *testing.T) {
	name := strings.Repeat("M", 10_000)
	for _, v := range []View{
		Consent{Client: name, ClientHost: name, RedirectHost: name, RedirectURI: name},
		Choose{Client: name, Person: name, Accounts: []Account{{ID: 1, Name: name}}},
		Connected{Person: name},
		Link{Person: name, Account: name, Asks: []string{name}, Keeps: []string{name}},
		Linked{Account: name, May: []string{name}, Refused: []string{name}},
		Overview{Providers: []Provider{{Healthy: true, Link: &LinkState{Account: name, May: []string{name}}}}},
		Overview{Providers: []Provider{{ConnectedAt: time.Unix(1, 0), Link: &LinkState{Account: name}}}},
		Overview{Person: name, Providers: []Provider{{Healthy: true}}, Clients: []Connection{{Client: name, Host: name, Account: name}}},
	} {
		p := write(t, v)
		if strings.Contains(p.body, strings.Repeat("M", 2049)) {
			t.Errorf("%T shows a name of unlimited length", v)
		}
		for n := range p.root.Descendants() {
			if n.Type == html.TextNode && strings.Contains(n.Data, "MMM") && n.Parent.DataAtom != atom.Bdi {
				t.Errorf("%T shows a name in <%s>", v, n.Parent.Data)
			}
		}
	}
}

func TestClaim(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"Ines A.", "Ines A."},
		{"twelve runes", "twelve runes"},
		{"twelve runes, and more", "twelve runes…"},
		{strings.Repeat("é", 13), strings.Repeat("é", 12) + "…"},
		{"  on\ntwo\tlines", "on two lines"},
		{"a\u202eb\u2066c\u0000d\u200be\ufeff", "abcde"},
		{"می\u200cخواهم", "می\u200cخواهم"},
		{" \u200d\u3164\u2028 ", ""},
		{"", ""},
	} {
		if got := claim(12, test.in); got != test.want {
			t.Errorf("claim(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestHeaders_AreTheSameOnEveryPage(t *testing.T) { // MCP Security Best Practices, "Consent UI"
	eachPage(t, func(t *testing.T, p written) {
		got := p.header.Clone()
		policy := got.Get("Content-Security-Policy")
		got.Del("Content-Security-Policy")
		got.Del("Cross-Origin-Opener-Policy")
		want := http.Header{
			"Cache-Control":          {"no-store"},
			"Content-Type":           {"text/html; charset=utf-8"},
			"Permissions-Policy":     {"camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"},
			"Referrer-Policy":        {"no-referrer"},
			"X-Content-Type-Options": {"nosniff"},
			"X-Frame-Options":        {"DENY"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "; img-src 'self'; frame-ancestors 'none'; base-uri 'none'") {
			t.Errorf("policy %s", policy)
		}
		if strings.Contains(policy, "form-action") || strings.Contains(policy, "unsafe") {
			t.Errorf("policy %s", policy)
		}
	})
}

func TestHeaders_PagesOfAClientsSignInKeepTheirOpener(t *testing.T) {
	for name, v := range everyView("x") {
		kind, _, _ := strings.Cut(name, ",")
		want := "same-origin"
		if kind == "consent" || kind == "choose" || kind == "failure" {
			want = ""
		}
		if got := write(t, v).header.Get("Cross-Origin-Opener-Policy"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestHeaders_ThatWereSetBeforeStay(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Strict-Transport-Security", "max-age=31536000")
	w.Header().Add("Set-Cookie", "bcm_x=y")
	Write(w, Start{})
	if w.Header().Get("Strict-Transport-Security") == "" || w.Header().Get("Set-Cookie") == "" {
		t.Errorf("headers %v", w.Header())
	}
}
