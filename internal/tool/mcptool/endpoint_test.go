package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
)

// sentBy returns what a client gets from an endpoint, and the log line without its time.
func sentBy(t *testing.T, log *bytes.Buffer, serve http.HandlerFunc, message string, header http.Header) (answer, line string) {
	t.Helper()
	log.Reset()
	ctx := identity.WithRequestID(identity.With(t.Context(), writer), "req-1")
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(message))
	r.Header = header.Clone()
	w := httptest.NewRecorder()
	serve(w, r)
	var entry map[string]any
	if err := json.Unmarshal(log.Bytes(), &entry); err != nil {
		t.Fatalf("%s has the log %s", message, log)
	}
	delete(entry, "time")
	delete(entry, "ms")
	delete(entry, "cause")
	length := w.Header().Get("Content-Length")
	if length != "" && length != fmt.Sprint(w.Body.Len()) {
		t.Errorf("%s: Content-Length %s for %d bytes", message, length, w.Body.Len())
	}
	return fmt.Sprintf("HTTP %d %s\n%s", w.Code, w.Header().Get("Content-Type"), w.Body), fmt.Sprint(entry)
}

func TestEndpoint_AnswersReadyMessagesAsMCPGo(t *testing.T) {
	const (
		version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		info    = `"io.modelcontextprotocol/clientInfo":{"name":"cursor","version":"1"}`
		able    = `"io.modelcontextprotocol/clientCapabilities":{}`
		all     = version + `,` + info + `,` + able
		list    = `"method":"tools/list"`
		call    = `"method":"tools/call"`
		greet   = call + `,"params":{"name":"greet","arguments":{"name":"Ines"}`
	)
	old := http.Header{"Content-Type": {jsonType}}
	modern := http.Header{"Content-Type": {jsonType}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/list"}}
	calling := http.Header{"Content-Type": {jsonType}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"show"}}
	with := func(h http.Header, name string, values ...string) http.Header {
		h = h.Clone()
		h[name] = values
		return h
	}
	var log bytes.Buffer
	repeat := define("hub_greets", Reads, func(_ context.Context, in greetInput) (greeting, error) {
		return greeting{Text: strings.Repeat(in.Name, 3), Marks: []string{in.Name, "&", "\u2029"}}, nil
	})
	sets := append(outcomes(), newAlbums().toolsets[0], Toolset{Name: "hub", Prefix: "hub_", Tools: []Tool{repeat}})
	s := NewServer(sets, Options{
		Name: "test <&>", Title: "Test \u2028", Version: "1", Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Views: []View{{URI: "ui://greet", Name: "greet", Tools: []string{"greet"}, HTML: func() string { return "" }}},
	})
	e := s.Handler(Selection{}).(*endpoint)
	slow := func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		e.pass(w, r, body.Bytes(), mcphttp.Read(body.Bytes()), &wholeAnswer{}, time.Now())
	}
	for _, test := range []struct {
		id, rest string
		header   http.Header
		ready    bool
	}{
		{`1`, `"method":"ping"`, old, true},
		{`0`, `"method":"ping","params":{}`, old, true},
		{`"a b 标牌"`, `"method":"ping","params":{"_meta":{"a":{"b":[1,2.5]},"progressToken":7}}`, old, true},
		{`-999999999999999`, list + `,"extra":1`, with(old, "Mcp-Protocol-Version", "2025-06-18"), true},
		{`1`, list + `,"params":null`, old, true},
		{`1`, list + `,"params":{"_meta":{` + info + `}}`, old, true},
		{`1`, list + `,"params":{"_meta":{` + all + `}}`, modern, true},
		{`"x"`, list + `,"params":{"_meta":{` + all + `,"io.modelcontextprotocol/logLevel":"debug","progressToken":"p"}}`, modern, true},

		{`1`, greet + `}`, old, true},
		{`1`, greet + `,"_meta":{"progressToken":7}}`, with(old, "Mcp-Protocol-Version", "2025-03-26"), true},
		{`1`, call + `,"params":{"name":"missing","arguments":{"name":"<b>&\"\u2028\ud800"}}`, old, true},
		{`1`, call + `,"params":{"name":"panics","arguments":{"name":"x"}}`, old, true},
		{`1`, call + `,"params":{"name":"update","arguments":null}`, old, true},
		{`1`, call + `,"params":{"name":"hub_greets","arguments":{"name":"größer <b>  "}}`, old, true},
		{`1`, call + `,"params":{"name":"show","arguments":{"name":"bikes"},"_meta":{` + all + `}}`, calling, true},
		{`1`, call + `,"params":{"name":"greets","arguments":{"name":"<b>"},"_meta":{` + all + `}}`, with(calling, "Mcp-Name", "greets"), true},
		{`1`, call + `,"params":{"name":"limited","arguments":{"name":"<b>"},"_meta":{` + all + `}}`, with(calling, "Mcp-Name", "limited"), true},
		{`1`, greet + `,"requestState":"x"}`, old, false},
		{`1`, greet + `,"inputResponses":{}}`, old, false},
		{`1`, call + `,"params":{"name":"nothing"}`, old, true},
		{`1`, call + `,"params":{"name":"show","_meta":{` + all + `}}`, with(calling, "Mcp-Name"), false},
		{`1`, call + `,"params":{"name":"show","_meta":{` + all + `}}`, with(calling, "Mcp-Name", "greet"), false},
		{`1`, call + `,"params":{"name":"=?base64?Z3JlZXQ=?=","_meta":{` + all + `}}`, with(calling, "Mcp-Name", "=?base64?Z3JlZXQ=?="), false},
		{`1`, list + `,"params":{"cursor":"x"}`, old, false},
		{`1`, list + `,"params":{"Cursor":7}`, old, false},
		{`1`, list + `,"params":{"_meta":{"x":1e400}}`, old, false},
		{`1`, list + `,"params":{"_meta":{` + version + `}}`, old, false},
		{`1`, list + `,"params":{"_meta":{"io.modelcontextprotocol\/protocolVersion":"2026-07-28"}}`, old, false},
		{`1`, list, with(old, "Mcp-Protocol-Version", "1999-01-01"), false},
		{`1`, `"method":"tools/List"`, old, false},
		{`1`, `"method":"prompts/list"`, old, false},
		{`1`, list, modern, false},
		{`1`, list + `,"params":{"_meta":{` + version + `,` + info + `}}`, modern, false},
		{`1`, list + `,"params":{"_meta":{` + version + `,` + able + `}}`, with(modern, "Mcp-Method"), false},
		{`1`, list + `,"params":{"_meta":{` + all + `}}`, with(modern, "Mcp-Method", "tools/list", "ping"), false},
		{`1`, list + `,"params":{"_meta":{` + all + `}}`, with(modern, "Mcp-Name", "greet"), false},
		{`1`, `"method":"ping","params":{"_meta":{` + all + `}}`, with(modern, "Mcp-Method", "ping"), false},
	} {
		message := `{"jsonrpc":"2.0","id":` + test.id + `,` + test.rest + `}`
		if _, ready := plain(mcphttp.Read([]byte(message)), test.header); ready != test.ready {
			t.Errorf("%s %v: ready %t", message, test.header, ready)
		}
		want, wantLine := sentBy(t, &log, slow, message, test.header)
		if got, line := sentBy(t, &log, e.ServeHTTP, message, test.header); got != want || line != wantLine {
			t.Errorf("%s %v\nmcp-go: %.500s\n%s\nready:  %.500s\n%s", message, test.header, want, wantLine, got, line)
		}
	}
}
