package authserver

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRedirectURI_AllowsHTTPSLoopbackHTTPAndCursor(t *testing.T) { // RFC 8252, 7
	for _, raw := range []string{
		"https://app.example/callback",
		"https://app.example:8443/callback?connector=7",
		"https://app.example/cb?codec=1&states=2&x=code&y=%zz",
		"https://app.example/code/state?",
		"https://APP.example",
		"https://xn--bcher-kva.example/cb",
		"https://[2001:db8::7]/cb",
		"https://app.example/a/%2e%2e/b",
		"https://app.example/a@b:c",
		"http://localhost",
		"http://localhost/callback",
		"http://localhost:1/callback",
		"http://127.0.0.1:65535/callback/x?y=z",
		"http://[::1]:8787/",
		"http://127.0.0.1/",
		"cursor://anysphere.cursor-mcp/oauth/callback",
		"https://app.example/" + strings.Repeat("a", 1024-len("https://app.example/")),
	} {
		if !validRedirectURI(raw) {
			t.Errorf("%q is refused", raw)
		}
	}
}

func TestRedirectURI_RefusesDangerousAndAmbiguousURIs(t *testing.T) { // RFC 8252, 7
	for what, uris := range map[string][]string{
		"schemes": {
			"javascript:alert(1)", "JavaScript:alert(1)", "javascript://localhost/%0aalert(1)", "data:text/html,x", "file:///etc/passwd",
			"vbscript:x", "blob:https://app.example/7", "ftp://app.example/", "ws://localhost/", "intent://app.example/#x", "about:blank",
			"fernhill://app.example/cb", "Cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback/",
			"cursor://anysphere.cursor-mcp/oauth/callback?x=1", "cursor://other/oauth/callback",
			"HTTPS://app.example/cb", "Http://localhost/cb", "https:app.example/cb", "https:/app.example/cb", "https:///cb", "//app.example/cb", "/cb",
			"app.example/cb", "https", "https:", "https://", "http://",
		},
		"http elsewhere": {
			"http://app.example/cb", "http://localhost.app.example/", "http://127.0.0.1.app.example/", "http://app.example/localhost",
			"http://LOCALHOST/cb", "http://localhost./cb", "http://127.1/cb", "http://2130706433/cb", "http://0x7f000001/cb", "http://127.0.0.2/cb",
			"http://0.0.0.0/cb", "http://10.0.0.1/cb", "http://169.254.169.254/cb", "http://[::]/cb", "http://[0:0:0:0:0:0:0:1]/cb",
			"http://[::ffff:127.0.0.1]/cb", "http://[::1%25lo]/cb", "http://::1/cb", "http://[::1/cb", "http://%6cocalhost/cb", "http://localhost%2f/cb",
		},
		"users": {
			"https://user@app.example/cb", "https://user:word@app.example/cb", "https://@app.example/cb", "https://app.example@evil.example/cb",
			"http://localhost@evil.example/cb", "http://user@localhost/cb", "http://localhost:80@evil.example/cb", "https://a:1@evil.example:443/",
		},
		"fragments": {
			"https://app.example/cb#x", "https://app.example/cb#", "http://localhost/cb#", "http://localhost#@evil.example", "https://app.example#/cb",
		},
		"ports": {
			"https://app.example:0/", "https://app.example:65536/", "https://app.example:/", "https://app.example:-1/", "https://app.example:+443/",
			"https://app.example:0443/", "https://app.example:4 43/", "https://app.example:https/", "https://app.example:443:443/", "http://localhost:0/",
			"http://localhost:/cb", "http://localhost:65536/", "http://localhost:080/", "http://[::1]:/", "https://app.example:99999999999999999999/",
		},
		"characters": {
			" https://app.example/cb", "https://app.example/cb ", "\thttps://app.example/cb", "https://app.example/cb\n", "https://app.example/c b",
			"https://app.example\\@evil.example/", "https://app.example/\\evil.example", "http:\\\\localhost/cb", "http://localhost\\.evil.example/",
			"https://app.example/\x00", "https://app.example/\x7f", "https://app.example/<b>", "https://app.example/\"", "https://app.example/`",
			"https://app.example/{x}", "https://app.example/\u202egpj", "https://bücher.example/cb", "https://аpp.example/cb", "https://app\u3002example/cb",
			"\ufeffhttps://app.example/", "https://app.example/%", "https://app.example/%zz", "http://localhost/%zz", "https://app.example/\xff",
		},
		"hosts": {
			"https://./cb", "https://app..example/cb", "https://.app.example/cb", "https://app.example./cb", "https://*.example/cb", "https://app.example,b/cb",
			"https://%61pp.example/cb", "https://[app.example]/cb", "https://[::1%25eth0]/cb", "https://[::1]x/cb", "https://[127.0.0.1]/cb",
		},
		"answers": {
			"https://app.example/cb?code=x", "https://app.example/cb?a=b&state=x", "https://app.example/cb?iss", "https://app.example/cb?error=",
			"https://app.example/cb?error_description=x", "https://app.example/cb?error_uri=x", "https://app.example/cb?session_state=x",
			"https://app.example/cb?response=x", "https://app.example/cb?access_token=x", "https://app.example/cb?id_token=x",
			"http://localhost:7/cb?code=x", "http://127.0.0.1/cb?x=y&&state=", "https://app.example?code", "https://app.example/cb?a=b;code=x",
			"https://app.example/cb?%63ode=x", "https://app.example/cb?c%6Fd%65=x", "https://app.example/cb?CODE=x", "https://app.example/cb?code[]=x",
			"https://app.example/cb?code%5B%5D=x", "https://app.example/cb?+code=x", "https://app.example/cb?%zz=x",
		},
		"length": {"", "https://app.example/" + strings.Repeat("a", 1025-len("https://app.example/"))},
	} {
		for _, raw := range uris {
			if validRedirectURI(raw) {
				t.Errorf("%s: %q is allowed", what, raw)
			}
		}
	}
}

func TestAllows_ComparesRedirectURIsAsStrings(t *testing.T) { // RFC 9700, 2.1; CVE-2025-4143
	const registered = "https://app.example/oauth/callback?tenant=7"
	c := Client{RedirectURIs: []string{"https://other.example/", registered}}
	if !c.allows(registered) {
		t.Error("the registered one is refused")
	}
	for _, asked := range []string{
		"", "https://app.example/oauth/callback", registered + "&x=1", registered + "#", registered + "/", registered + " ", " " + registered,
		"https://app.example/oauth/callback/?tenant=7", "https://app.example/oauth/callback%3ftenant=7", "https://APP.example/oauth/callback?tenant=7",
		"HTTPS://app.example/oauth/callback?tenant=7", "https://app.example:443/oauth/callback?tenant=7", "http://app.example/oauth/callback?tenant=7",
		"https://app.example/oauth/./callback?tenant=7", "https://app.example/x/../oauth/callback?tenant=7", "https://app.example//oauth/callback?tenant=7",
		"https://app.example/oauth/%63allback?tenant=7", "https://app.example/OAuth/callback?tenant=7", "https://app.example./oauth/callback?tenant=7",
		"https://user@app.example/oauth/callback?tenant=7", "https://app.example@evil.example/oauth/callback?tenant=7",
		"https://app.example.evil.example/oauth/callback?tenant=7", "https://app.example\\@evil.example/oauth/callback?tenant=7",
		"https://other.example", "https://other.example/oauth", "https://other.example/%2e%2e",
	} {
		if c.allows(asked) {
			t.Errorf("%q is allowed", asked)
		}
	}
	if (Client{}).allows("") || (Client{}).allows("http://localhost/") {
		t.Error("a client without redirect URIs accepts a redirect URI")
	}
}

func TestAllows_RefusesARegisteredURIWithAnswerParameters(t *testing.T) { // RFC 6749, 3.1.2
	for _, uri := range []string{"https://app.example/cb?code=x", "http://localhost:7/cb?iss=https://evil.example"} {
		if (Client{RedirectURIs: []string{uri}}).allows(uri) {
			t.Errorf("%q is allowed", uri)
		}
	}
}

func TestAllows_ALoopbackPortMayDiffer(t *testing.T) { // RFC 8252, 7.3
	for _, pair := range [][2]string{
		{"http://localhost/callback", "http://localhost:49152/callback"},
		{"http://localhost:33418/", "http://localhost:1/"},
		{"http://127.0.0.1:33418/", "http://127.0.0.1/"},
		{"http://127.0.0.1/", "http://127.0.0.1:65535/"},
		{"http://[::1]/cb?x=%2F", "http://[::1]:8080/cb?x=%2F"},
		{"http://localhost", "http://localhost:8080"},
		{"http://localhost?a", "http://localhost:8080?a"},
		{"http://127.0.0.1:7/callback/a@b:9", "http://127.0.0.1:8/callback/a@b:9"},
	} {
		if !(Client{RedirectURIs: pair[:1]}).allows(pair[1]) {
			t.Errorf("registered %s, asked %s: refused", pair[0], pair[1])
		}
	}
}

func TestAllows_OnlyTheLoopbackPortMayDiffer(t *testing.T) { // RFC 8252, 7.3
	for registered, asked := range map[string][]string{
		"http://localhost:33418/callback": {
			"http://127.0.0.1:33418/callback", "http://[::1]:33418/callback", "http://LOCALHOST:33418/callback", "http://localhost.:33418/callback",
			"https://localhost:33418/callback", "HTTP://localhost:33418/callback", "http://localhost:33418/callback/", "http://localhost:33418/Callback",
			"http://localhost:33418/callback?", "http://localhost:33418/callback?x=1", "http://localhost:33418/callback#", "http://localhost:33418/callback#x",
			"http://localhost:33418/%63allback", "http://localhost:33418/./callback", "http://localhost:33418//callback", "http://localhost:33418",
			"http://localhost:0/callback", "http://localhost:65536/callback", "http://localhost:/callback", "http://localhost:08/callback",
			"http://localhost:-1/callback", "http://localhost:x/callback", "http://localhost:1:2/callback", "http://user@localhost:33418/callback",
			"http://localhost:1@evil.example/callback", "http://localhost@evil.example:1/callback", "http://evil.example:33418/callback",
			"http://localhost.evil.example:33418/callback", "http://localhost:33418\\@evil.example/callback", "http://localhost:33418/callback\n",
			"http://localhost:33418/callback\u202e", " http://localhost:33418/callback", "http:/localhost:33418/callback", "http:localhost:33418/callback",
		},
		"http://127.0.0.1/cb":   {"http://127.0.0.2/cb", "http://127.1/cb", "http://0x7f.0.0.1/cb", "http://2130706433/cb", "http://localhost/cb"},
		"http://[::1]/cb":       {"http://[::01]/cb", "http://[0:0:0:0:0:0:0:1]/cb", "http://[::ffff:127.0.0.1]/cb", "http://::1/cb", "http://localhost/cb"},
		"https://localhost/cb":  {"https://localhost:8443/cb", "http://localhost/cb", "http://localhost:8443/cb"},
		"http://app.example/cb": {"http://app.example:8080/cb"},
		"http://localhost/":     {"http://localhost", "http://localhost:80", "http://localhost:80/x"},
		"http://localhost/a\\b": {"http://localhost:1/a\\b"},
		"http://localhost/#b":   {"http://localhost:1/#b"},
		cursorURI:               {"cursor://anysphere.cursor-mcp:1/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback/"},
	} {
		for _, uri := range asked {
			if (Client{RedirectURIs: []string{registered}}).allows(uri) {
				t.Errorf("registered %s, asked %q: allowed", registered, uri)
			}
		}
	}
}

func FuzzAllows(f *testing.F) {
	f.Add("http://localhost/callback", "http://localhost:49152/callback")
	f.Add("http://[::1]:8080/cb?x", "http://[::1]/cb?x")
	f.Add("https://app.example/cb", "https://app.example:443/cb")
	f.Add("http://127.0.0.1:7/%2e%2e/", "http://127.0.0.1@evil.example:7/%2e%2e/")
	f.Fuzz(func(t *testing.T, registered, asked string) {
		if validRedirectURI(registered) && registered != cursorURI {
			wantHarmless(t, registered)
		}
		if registered == asked || !(Client{RedirectURIs: []string{registered}}).allows(asked) {
			return
		}
		wantHarmless(t, asked)
		one, err := url.Parse(registered)
		if err != nil {
			t.Fatalf("%q is no URL", registered)
		}
		other, _ := url.Parse(asked)
		if one.Scheme != "http" || other.Scheme != "http" || one.Hostname() != other.Hostname() || !isLoopbackURI(asked) {
			t.Errorf("registered %q, asked %q: another host", registered, asked)
		}
		if one.EscapedPath() != other.EscapedPath() || one.RawQuery != other.RawQuery || one.ForceQuery != other.ForceQuery {
			t.Errorf("registered %q, asked %q: another path", registered, asked)
		}
	})
}

// wantHarmless checks a URI with net/url, a second parser.
func wantHarmless(t *testing.T, raw string) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopbackURI(raw)) || u.User != nil || u.Host == "" || u.Fragment != "" || u.Opaque != "" {
		t.Errorf("%q has scheme %q, user %v, host %q, fragment %q", raw, u.Scheme, u.User, u.Host, u.Fragment)
	}
}

func TestRedirectHost_IsTheHostThatUsersSee(t *testing.T) {
	for uri, want := range map[string]string{
		"https://app.example/callback":      "app.example",
		"https://APP.example:8443/cb?x":     "app.example:8443",
		"https://app.example?x=@b.example":  "app.example",
		"http://localhost:49152/callback":   "localhost",
		"http://[::1]:8080/":                "[::1]",
		"http://127.0.0.1":                  "127.0.0.1",
		cursorURI:                           "cursor://anysphere.cursor-mcp",
		"https://xn--bcher-kva.example/cb":  "xn--bcher-kva.example",
		"https://[2001:db8::7]:8443/a/b?c=": "[2001:db8::7]:8443",
	} {
		if got := redirectHost(uri); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}

func TestIsLoopbackURI_RecognisesTheUsersMachine(t *testing.T) {
	for uri, want := range map[string]bool{
		"http://localhost/cb": true, "http://localhost:8080": true, "https://localhost/cb": true, "https://LOCALHOST/cb": true,
		"https://app.localhost/cb": true, "http://127.0.0.1:7/": true, "https://127.8.8.8/": true, "http://[::1]:7/": true,
		"https://[::ffff:127.0.0.1]/": true,
		"https://app.example/":        false, "https://localhost.example/": false, "https://app.example/localhost": false,
		"https://128.0.0.1/": false, cursorURI: false, "": false, "localhost": false,
	} {
		if got := isLoopbackURI(uri); got != want {
			t.Errorf("%q: %v", uri, got)
		}
	}
}

func TestCleanName_KeepsVisibleCharacters(t *testing.T) {
	for given, want := range map[string]string{
		"Claude Code (basecamp)":                 "Claude Code (basecamp)",
		"  two\n\tlines \u00a0 here ":            "two lines here",
		"Jürgens Fahrräder 自転車":                  "Jürgens Fahrräder 自転車",
		"bell\x07 null\x00 escape\x1b[31m":       "bell null escape[31m",
		"\u202eedualC\u202c":                     "edualC",
		"a\u2066b\u2069c\u200ed\u200f\u061ce":    "abcde",
		"zero\u200b\u200c\u200d\ufeff\u2060wide": "zerowide",
		"soft\u00adhyphen \u034f\u115f\u3164.":   "softhyphen .",
		"line\u2028para\u2029":                   "line para",
		"bad \xff\xfe bytes":                     "bad bytes",
		"tag\U000e0041s \ufe0f\U000e0101":        "tags",
		"\u200b \u3164":                          "",
		"<b>\"quoted\"</b>":                      "<b>\"quoted\"</b>", // the page escapes it
		strings.Repeat("ä", 101):                 strings.Repeat("ä", 100),
		strings.Repeat("x", 99) + " yz":          strings.Repeat("x", 99),
	} {
		got := cleanName(given)
		if got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
		if cleanName(got) != got || utf8.RuneCountInString(got) > 100 {
			t.Errorf("%q is not clean", got)
		}
	}
}
