package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// webClient is a client in a web page of another origin. The browser shows it only the headers and
// bodies that the server allows with CORS.
const webClient = `<!doctype html><title>Web client</title><button>Begin</button><script type="module">
const [endpoint, bearer] = [%q, %q];
const at = (path) => new URL(path, endpoint);
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' };
const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const post = (url, headers, body) => fetch(url, { method: 'POST', headers, body });
const seen = {};
const tell = async (what, ask) => { seen[what] = await ask().catch(String); };
const body = async (asked) => { const r = await asked; return r.status + ' ' + await r.text(); };

document.querySelector('button').onclick = async () => {
await tell('challenge', async () => (await post(endpoint, json, JSON.stringify(call))).headers.get('WWW-Authenticate'));
await tell('resource', () => body(fetch(at('/.well-known/oauth-protected-resource/mcp'), { headers: { 'MCP-Protocol-Version': '2025-11-25' } })));
await tell('server', () => body(fetch(at('/.well-known/oauth-authorization-server'), { headers: { 'MCP-Protocol-Version': '2025-11-25' } })));
await tell('client', () => body(post(at('/register'), json, JSON.stringify({ redirect_uris: [location.href] }))));
await tell('token', () => body(post(at('/token'), {}, new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'x' }))));
await tell('revoking', () => body(post(at('/revoke'), {}, new URLSearchParams({ token: 'x', client_id: 'x' }))));
await tell('tools', () => body(post(endpoint, { ...json, Authorization: 'Bearer ' + bearer }, JSON.stringify(call))));
for (const what in seen) seen[what] = seen[what].slice(0, 150);
location.href = '/callback?' + new URLSearchParams(seen);
};
</script>`

func TestBrowser_LetsAWebClientOfAnotherOriginSeeWhatItNeeds(t *testing.T) {
	t.Parallel()
	s := start(t)
	reports := make(arrivals, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			reports <- r.URL.Query()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, webClient, s.url, ines)
	}))
	t.Cleanup(elsewhere.Close)
	b := browse(t, true)
	b.goes(elsewhere.URL)
	b.clicks("Begin")
	seen := reports.next(t)
	for what, want := range map[string]string{
		"challenge": `Bearer resource_metadata="` + s.at("/.well-known/oauth-protected-resource/mcp") + `"`,
		"resource":  `200 {"resource":"` + s.url + `"`,
		"server":    `200 {"issuer":"` + s.at("") + `"`,
		"client":    `201 {"client_id":"`,
		"token":     `401 {"error":"invalid_client"`,
		"revoking":  `401 {"error":"invalid_client"`,
		"tools":     `200 {"jsonrpc":"2.0","id":1,"result":`,
	} {
		if !strings.HasPrefix(seen.Get(what), want) {
			t.Errorf("%s: the client sees %s", what, seen.Get(what))
		}
	}
}
