package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// popupClient is a client in a web page that logs in with a popup: its callback page passes the
// answer to the page that opened the popup. At first it knows only the URL of the endpoint.
const popupClient = `<!doctype html><title>Web client</title><h1>Web client</h1><button id="prepare">Prepare</button><button id="log-in">Log in</button>
<p role="status"></p><script type="module">
const endpoint = 'ENDPOINT';
const show = (words) => { document.querySelector('[role=status]').textContent = words; };
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' };
const rpc = (headers, method, params) =>
  fetch(endpoint, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
const state = crypto.randomUUID();
const redirect_uri = new URL('/callback', location).href;
const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'web', version: '1' } };
let about, client;

document.querySelector('#prepare').onclick = async () => {
  const asked = await rpc({}, 'initialize', hello);
  const [, described] = /resource_metadata="([^"]*)"/.exec(asked.headers.get('WWW-Authenticate'));
  const resource = await (await fetch(described, { headers: { 'MCP-Protocol-Version': '2025-06-18' } })).json();
  const server = new URL('/.well-known/oauth-authorization-server', resource.authorization_servers[0]);
  about = await (await fetch(server, { headers: { 'MCP-Protocol-Version': '2025-06-18' } })).json();
  client = await (await fetch(about.registration_endpoint, { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Web client', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }) })).json();
  about.challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
  show('Ready');
};

document.querySelector('#log-in').onclick = () => {
  window.open(about.authorization_endpoint + '?' + new URLSearchParams({ response_type: 'code', client_id: client.client_id, redirect_uri, state,
    code_challenge: about.challenge, code_challenge_method: 'S256', resource: endpoint }), 'login', 'popup,width=600,height=700');
};

addEventListener('message', async ({ data, origin }) => {
  if (origin !== location.origin || data.state !== state) return;
  const tokens = await (await fetch(about.token_endpoint, { method: 'POST', body: new URLSearchParams({ grant_type: 'authorization_code',
    client_id: client.client_id, code: data.code, redirect_uri, code_verifier: verifier }) })).json();
  const login = { Authorization: 'Bearer ' + tokens.access_token };
  const session = (await rpc(login, 'initialize', hello)).headers.get('Mcp-Session-Id');
  const called = await rpc({ ...login, 'Mcp-Session-Id': session }, 'tools/call', { name: 'get_me', arguments: {} });
  const refused = await rpc({ Authorization: 'Bearer x' }, 'tools/list', {});
  const spent = await fetch(about.token_endpoint, { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) });
  await fetch('/report?' + new URLSearchParams({ issuer: data.iss, session, called: await called.text(),
    refused: refused.headers.get('WWW-Authenticate'), spent: (await spent.json()).error }));
  show('Logged in');
});
</script>`

// popupCallback is the callback page of popupClient.
const popupCallback = `<!doctype html><title>Callback</title><h1>This page must be a popup</h1><script>
opener.postMessage(Object.fromEntries(new URLSearchParams(location.search)), location.origin);
close();
</script>`

func TestBrowser_LogsInAWebClientOfAnotherOriginWithAPopup(t *testing.T) {
	t.Parallel()
	s := start(t)
	reports := make(arrivals, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/report":
			reports <- r.URL.Query()
		case "/callback":
			_, _ = io.WriteString(w, popupCallback)
		default:
			_, _ = io.WriteString(w, strings.Replace(popupClient, "ENDPOINT", s.url, 1))
		}
	}))
	t.Cleanup(elsewhere.Close)

	b := browse(t, true)
	b.goes(strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)) // localhost is also another site
	b.does("click", "Prepare")
	b.does("read", "Ready")
	if asked := b.does("popup", "Log in"); asked.Heading != "Let “Web client” use your Basecamp?" {
		t.Fatalf("the popup is at %s: %q", asked.URL, asked.Heading)
	}
	b.clicks("Approve")
	b.does("unfold", "Somebody else")
	b.does("closeOn", "Marguerite Osei")
	b.does("read", "Logged in")
	seen := reports.next(t)
	if seen.Get("issuer") != s.at("") || len(seen.Get("session")) < 32 || !strings.Contains(seen.Get("called"), "Marguerite Osei") {
		t.Errorf("the client sees %q", seen)
	}
	if !strings.HasPrefix(seen.Get("refused"), `Bearer error="invalid_token"`) || seen.Get("spent") != "invalid_request" {
		t.Errorf("the client sees the refusals %q", seen)
	}
}
