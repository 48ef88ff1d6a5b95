package mcphttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// open makes a session as a client does.
func open(t *testing.T, g *Guard, token string) string {
	t.Helper()
	id := mint(g, token)
	if len(id) != 43 {
		t.Fatalf("initialize gave the session id %q", id)
	}
	return id
}

func mint(g *Guard, token string) string {
	quiet := *g
	quiet.Catalog = &fakeCatalog{}
	return request{token: token, body: initialize}.send(&quiet).Header().Get(sessionHeader)
}

// ownsSession reports whether the ID belongs to the connection of Ines.
func ownsSession(id string) bool {
	_, ok := readSession(id, caller("37s:1", "c1"))
	return ok
}

func TestSession_InitializeIgnoresAnIncomingID(t *testing.T) {
	g, _ := newGuard()
	for _, given := range []string{"rubbish", open(t, g, "ines"), open(t, g, "bo")} {
		w := request{body: initialize, header: map[string]string{sessionHeader: given}}.send(g)
		wantStatus(t, w, http.StatusOK)
		if got := w.Header().Get(sessionHeader); got == given || !ownsSession(got) {
			t.Errorf("given %q it answered %q", given, got)
		}
	}
}

func TestSession_AFailedInitializeIssuesNone(t *testing.T) {
	for what, reply := range map[string]http.HandlerFunc{
		"error": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"error":{"code":-32602}}`)
		},
		"status": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"result":{}}`)
		},
		"empty": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) },
		"text":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "result") },
	} {
		g, c := newGuard()
		c.reply = reply
		if got := (request{body: initialize}).send(g).Header().Get(sessionHeader); got != "" {
			t.Errorf("%s: minted %s", what, got)
		}
	}
}

func TestSession_NoneIsOpenedWithoutAKey(t *testing.T) {
	g, _ := newGuard()
	id := open(t, g, "ines")
	if got := (request{token: "keyless", body: initialize}).send(g).Header().Get(sessionHeader); got != "" {
		t.Errorf("minted %s", got)
	}
	wantStatus(t, request{token: "keyless", header: map[string]string{sessionHeader: id}}.send(g), http.StatusNotFound)
}

func TestSession_TheCheckedIDIsPartOfTheCaller(t *testing.T) {
	g, c := newGuard()
	id := open(t, g, "ines")
	w := request{header: map[string]string{sessionHeader: id, versionHeader: Version20251125}}.send(g)
	wantStatus(t, w, http.StatusOK)
	if got := c.last(t); got.caller.Session != id || got.header.Get(sessionHeader) != "" {
		t.Errorf("session %q, header %q", got.caller.Session, got.header.Get(sessionHeader))
	}
	if got := w.Header().Get(sessionHeader); got != "" {
		t.Errorf("answered with the session id %q", got)
	}
}

func TestSession_AMissingIDIsTolerated(t *testing.T) {
	for _, header := range []map[string]string{nil, {sessionHeader: ""}} {
		g, c := newGuard()
		wantStatus(t, request{header: header}.send(g), http.StatusOK)
		if got := c.last(t).caller.Session; got != "" {
			t.Errorf("session %q", got)
		}
	}
}

func TestSession_AnIDThatIsNotTheCallersIsA404(t *testing.T) {
	g, c := newGuard()
	own := open(t, g, "ines")
	last := own[:42] + string("AEIMQUYcgkosw048"[(strings.IndexByte("AEIMQUYcgkosw048", own[42])+1)%16])
	for what, id := range map[string]string{
		"another person's": open(t, g, "bo"), "another connection's": open(t, g, "elsewhere"), "malformed": "x", "cut": own[:42],
		"longer": own + "A", "padded": own + "=", "two joined": own + "," + own, "other MAC": last, "zeros": strings.Repeat("A", 43),
		"random alone": own[:22], "with a line break": own[:20] + "\n" + own[21:],
	} {
		w := request{header: map[string]string{sessionHeader: id}}.send(g)
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", what, w.Code)
		}
		wantCode(t, w, codeInvalidRequest)
		if !strings.Contains(w.Body.String(), `"id":1`) {
			t.Errorf("%s: the message's id is missing from %s", what, w.Body)
		}
	}
	wantNothingReached(t, c)
}

func TestSession_TwoHeadersAreA404(t *testing.T) {
	g, c := newGuard()
	r := request{}.http()
	r.Header[sessionHeader] = []string{open(t, g, "ines"), open(t, g, "ines")}
	wantStatus(t, serve(g, r), http.StatusNotFound)
	wantNothingReached(t, c)
}

func TestSession_DeleteByItsOwnerEndsItPermanently(t *testing.T) {
	g, c := newGuard()
	id := open(t, g, "ines")
	del := request{method: "DELETE", header: map[string]string{sessionHeader: id, versionHeader: Version20250618}}
	bos := del
	bos.token = "bo"
	wantStatus(t, bos.send(g), http.StatusNotFound) // only its owner ends it
	w := del.send(g)
	wantStatus(t, w, http.StatusNoContent)
	if w.Body.Len() > 0 {
		t.Errorf("204 with the body %s", w.Body)
	}
	wantStatus(t, request{header: map[string]string{sessionHeader: id}}.send(g), http.StatusNotFound)
	wantStatus(t, del.send(g), http.StatusNotFound)
	wantNothingReached(t, c)
}

func TestSession_AnEndedIDHasNoSecondSpelling(t *testing.T) {
	g, _ := newGuard()
	id := open(t, g, "ines")
	raw, _ := base64.RawURLEncoding.DecodeString(id)
	alphabet := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for _, c := range alphabet {
		twin := id[:42] + string(c)
		decoded, _ := base64.RawURLEncoding.DecodeString(twin)
		if twin != id && bytes.Equal(decoded, raw) && ownsSession(twin) {
			t.Errorf("%s passes for %s", twin, id)
		}
	}
}

func TestSession_DeleteWithoutAnIDIsA400(t *testing.T) {
	g, _ := newGuard()
	w := request{method: "DELETE"}.send(g)
	wantStatus(t, w, http.StatusBadRequest)
	wantCode(t, w, codeInvalidRequest)
}

func TestSession_TheStatelessEraHasNoneToEnd(t *testing.T) {
	g, _ := newGuard()
	id := open(t, g, "ines")
	w := request{method: "DELETE", header: map[string]string{versionHeader: Version20260728, sessionHeader: id}}.send(g)
	wantStatus(t, w, http.StatusMethodNotAllowed)
	if got := w.Header().Get("Allow"); got != "POST" {
		t.Errorf("Allow = %q", got)
	}
	wantStatus(t, request{header: map[string]string{sessionHeader: id}}.send(g), http.StatusOK)
}

func TestSession_TheStatelessEraIgnoresTheHeader(t *testing.T) {
	g, c := newGuard()
	for _, id := range []string{"x", open(t, g, "ines"), open(t, g, "bo")} {
		q := stateless("tools/list", "")
		q.header[sessionHeader] = id
		w := q.send(g)
		wantStatus(t, w, http.StatusOK)
		if got := c.last(t); got.caller.Session != "" || got.header.Get(sessionHeader) != "" || w.Header().Get(sessionHeader) != "" {
			t.Errorf("session %q, header %q, answered %q", got.caller.Session, got.header.Get(sessionHeader), w.Header().Get(sessionHeader))
		}
	}
}

// lost cannot end a session, because its store does not answer.
type lost struct{ tokens }

func (*lost) End(context.Context, string) error { return errDown }

func TestSession_AStoreThatDoesNotAnswerIsA503(t *testing.T) {
	g, c := newGuard()
	id := open(t, g, "ines")
	g.Authenticator = &lost{}
	w := request{method: "DELETE", header: map[string]string{sessionHeader: id}}.send(g)
	wantStatus(t, w, http.StatusServiceUnavailable)
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	wantNothingReached(t, c)
}

func TestMemorySessions_KeepsALimitedNumber(t *testing.T) {
	var s MemorySessions
	for i := range memorySessions + 2 {
		_ = s.End(t.Context(), fmt.Sprint(i))
	}
	if last := fmt.Sprint(memorySessions + 1); !s.Ended(last) || s.Ended("x") || len(s.ended) != 2 {
		t.Errorf("%d IDs are kept", len(s.ended))
	}
}

func FuzzSessionID(f *testing.F) {
	random := []byte("sixteen bytes ok")
	own := caller("37s:1", "c1")
	id := strict.EncodeToString(append(random, signSession(plainSession, random, own.Key)...))
	linking := strict.EncodeToString(append([]byte("16 other bytes.."), signSession(linkingSession, []byte("16 other bytes.."), own.Key)...))
	for _, seed := range []string{id, linking, linking[:42], id[:42], id + "=", strings.Repeat("A", 43), "", "\n", strings.Repeat("\xff", 43)} {
		f.Add(seed, "c1")
	}
	f.Add(id, "c2")
	f.Fuzz(func(t *testing.T, given, connection string) {
		s, ok := readSession(given, caller("37s:1", connection))
		if ok && (given != id && given != linking || connection != "c1") || s.opensLinks && given != linking {
			t.Errorf("%q passes for a session of %q: %+v", given, connection, s)
		}
	})
}

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
