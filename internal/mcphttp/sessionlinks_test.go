package mcphttp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// openWith opens a session as a client that declares capabilities. The MCP server agrees on a
// version.
func openWith(t *testing.T, g *Guard, asked, capabilities, agreed string) string {
	t.Helper()
	g.Catalog.(*fakeCatalog).reply = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":%q}}`, agreed)
	}
	defer func() { g.Catalog.(*fakeCatalog).reply = nil }()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":%s}}`, asked, capabilities)
	w := request{body: body}.send(g)
	wantStatus(t, w, http.StatusOK)
	id := w.Header().Get(sessionHeader)
	if !isSessionID(id) {
		t.Fatalf("the session id is %q", id)
	}
	return id
}

func TestSession_RemembersThatTheClientOpensLinks(t *testing.T) {
	for _, test := range []struct {
		asked, capabilities, agreed string
		want                        bool
	}{
		{Version20251125, `{"elicitation":{"url":{}}}`, Version20251125, true},
		{Version20251125, `{"roots":{},"elicitation": {"form":{}, "url" : {"x":1}}}`, Version20251125, true},
		{"2099-01-01", `{"elicitation":{"url":{}}}`, Version20251125, true}, // the server offered its newest
		{Version20251125, `{"elicitation":{}}`, Version20251125, false},
		{Version20251125, `{"elicitation":{"form":{}}}`, Version20251125, false},
		{Version20251125, `{"elicitation":{"url":null}}`, Version20251125, false},
		{Version20251125, `{"elicitation":{"url":true}}`, Version20251125, false},
		{Version20251125, `{"elicitation":[{"url":{}}]}`, Version20251125, false},
		{Version20251125, `{"elicitation":null}`, Version20251125, false},
		{Version20251125, `{"url":{}}`, Version20251125, false},
		{Version20251125, `{"elicitation":{"url":{}},"Elicitation":{}}`, Version20251125, false},
		{Version20251125, `[]`, Version20251125, false},
		{Version20251125, `null`, Version20251125, false},
		{Version20250618, `{"elicitation":{"url":{}}}`, Version20250618, false},
		{Version20250326, `{"elicitation":{"url":{}}}`, Version20250326, false},
		{Version20251125, `{"elicitation":{"url":{}}}`, "", false},
	} {
		g, c := newGuard()
		id := openWith(t, g, test.asked, test.capabilities, test.agreed)
		wantStatus(t, request{header: map[string]string{sessionHeader: id}}.send(g), http.StatusOK)
		if got := c.last(t).caller; got.OpensLinks != test.want || got.Session != id {
			t.Errorf("%s %s: opens links %t", test.asked, test.capabilities, got.OpensLinks)
		}
	}
}

func TestSession_OnlyRequestsOf20251125OpenLinks(t *testing.T) {
	g, c := newGuard()
	id := openWith(t, g, Version20251125, `{"elicitation":{"url":{}}}`, Version20251125)
	for version, want := range map[string]bool{"": true, Version20251125: true, Version20250618: false, Version20250326: false, Version20260728: false} {
		q := request{header: map[string]string{}}
		if version == Version20260728 {
			q = stateless("tools/list", "")
		} else if version != "" {
			q.header[versionHeader] = version
		}
		q.header[sessionHeader] = id
		wantStatus(t, q.send(g), http.StatusOK)
		if got := c.last(t).caller.OpensLinks; got != want {
			t.Errorf("%q: opens links %t", version, got)
		}
	}
	old := request{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"` + metaVersion + `":"2025-06-18"}}}`, header: map[string]string{sessionHeader: id}}
	wantStatus(t, old.send(g), http.StatusOK)
	if c.last(t).caller.OpensLinks {
		t.Error("a message of 2025-06-18 opens links")
	}
	wantStatus(t, request{}.send(g), http.StatusOK)
	if c.last(t).caller.OpensLinks {
		t.Error("a request without a session opens links")
	}
}

func TestSession_OfAClientThatOpensLinksIsBoundAndEndsLikeAnyOther(t *testing.T) {
	g, c := newGuard()
	id := openWith(t, g, Version20251125, `{"elicitation":{"url":{}}}`, Version20251125)
	if plain := open(t, g, "ines"); len(plain) != len(id) {
		t.Errorf("the lengths %d and %d tell the sessions apart", len(plain), len(id))
	}
	last := id[:42] + string("AEIMQUYcgkosw048"[(strings.IndexByte("AEIMQUYcgkosw048", id[42])+1)%16])
	for _, q := range []request{{token: "bo"}, {token: "elsewhere"}, {header: map[string]string{sessionHeader: last}}} {
		if q.header == nil {
			q.header = map[string]string{sessionHeader: id}
		}
		wantStatus(t, q.send(g), http.StatusNotFound)
	}
	c.reached = nil
	wantStatus(t, request{method: "DELETE", header: map[string]string{sessionHeader: id}}.send(g), http.StatusNoContent)
	wantStatus(t, request{header: map[string]string{sessionHeader: id}}.send(g), http.StatusNotFound)
	wantNothingReached(t, c)
}
