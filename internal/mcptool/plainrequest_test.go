package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/toolanswer"
)

// generator makes messages of both eras: mostly plain ones, and every kind of unusual one.
type generator struct{ *rand.Rand }

func (g generator) one(of ...string) string { return of[g.IntN(len(of))] }

// rarely returns one of the unusual values in one of n cases.
func (g generator) rarely(n int, usual string, unusual ...string) string {
	if g.IntN(n) > 0 {
		return usual
	}
	return g.one(unusual...)
}

// strange are texts in JSON, without their quotes.
var strange = []string{
	"Ines", "", "a b", "größer", "标牌", "<b>&amp;</b>", `\"quoted\"`, `\\`, `back\/slash`, `\u003c`, `line\nbreak\ttab`, "\u2028and\u2029",
	`\u2028`, "\u20ac\u2027\u202a", `\ud83d\ude00`, "😀", `\ud800`, "\x7f", `\u0000\u001f`, strings.Repeat("long <text> ", 300),
}

func (g generator) id() string {
	return g.rarely(4, g.one("1", "0", "42", "999999999999999", `"a-1"`, `"`+g.one(strange...)+`"`, `"x"`),
		"-1", "1.5", "1e3", "1.0", "9007199254740993", "12345678901234567890", "null", "true", "[1]", `{"a":1}`, "01", `"a\u0062"`, "-0", "1E400")
}

func (g generator) meta(modern bool) string {
	token := g.one("", "", `,"progressToken":7`, `,"progressToken":"p-1"`, `,"com.example/trace":{"a":[1,2.5,"x"]}`, `,"x":null`)
	token = g.rarely(20, token, `,"x":1e400`, `,"x":{"y":[1e999]}`)
	if !modern {
		return g.one("", "", "", `,"_meta":{}`, `,"_meta":null`, `,"_meta":{"a":1`+token+`}`, g.rarely(4, "", `,"_meta":7`, `,"_meta":[]`,
			`,"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`,
			`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}`,
			`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`,
			`,"_meta":{"io.modelcontextprotocol\/protocolVersion":"2026-07-28"}`))
	}
	info := g.rarely(6, `{"name":"t","version":"`+g.one("1", "2", "3")+`"}`, "null", "7", `{"name":7}`, `{"Name":"T","name":"t"}`, `{"name":"t","title":"<T>","icons":[{"src":"a"}]}`)
	capabilities := g.rarely(8, g.one("{}", `{"elicitation":{}}`, `{"roots":{"listChanged":true}}`), "null", "[]", "7", `{"elicitation":7}`, `{"experimental":{"a":{"b":1e400}}}`)
	version := g.rarely(15, "2026-07-28", "2025-11-25", "2026-07-29", "1999-01-01", `2026\u002d07-28`)
	meta := `"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientInfo":` + info +
		`,"io.modelcontextprotocol/clientCapabilities":` + capabilities + token
	meta = g.rarely(15, meta, meta+`,"io.modelcontextprotocol/logLevel":"debug"`, meta+`,"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"a":1`)
	return `,"_meta":{` + meta + `}`
}

func (g generator) arguments() string {
	name := g.one(strange...)
	return g.rarely(6, `,"arguments":{"name":"`+name+`"}`, "", `,"arguments":null`, `,"arguments":{}`, `,"arguments":[]`, `,"arguments":"{}"`,
		`,"arguments":{"name":7}`, `,"arguments":{"name":"a","extra":1e400}`, `,"arguments":{"Name":"a"}`, `,"arguments":{"name":"a"},"arguments":{"name":"b"}`)
}

// spaced returns a message with blanks between its tokens.
func (g generator) spaced(message string) string {
	if g.IntN(3) > 0 {
		return message
	}
	var wide bytes.Buffer
	if json.Indent(&wide, []byte(message), g.one("", "\r"), g.one(" ", "\t", "")) != nil {
		return message
	}
	return g.one("", "\n", "  ") + wide.String() + g.one("", "\n", "\t ")
}

func (g generator) message() (message string, header http.Header) {
	modern := g.IntN(2) == 0
	method := g.rarely(30, g.one("tools/call", "tools/call", "tools/call", "tools/list", "ping"), "tools/Call", "prompts/list", "server/discover", "initialize", "")
	tool := g.rarely(30, g.one("greet", "hub_greet", "greets", "missing", "limited", "show", "broken", "panics", "update"), "", "nothing", `gr\u0065et`, "<greet>", "=?base64?Z3JlZXQ=?=")
	params := g.meta(modern)
	if method == "tools/call" || g.IntN(30) == 0 {
		params = `,"name":"` + tool + `"` + g.arguments() + params
	}
	params += g.rarely(20, "", `,"cursor":"x"`, `,"task":{"ttl":1}`, `,"requestState":"x"`, `,"inputResponses":{}`, `,"Name":"missing"`, `,"name":"missing"`, `,"_Meta":{}`)
	params = `,"params":{` + strings.TrimPrefix(params, ",") + `}`
	if params == `,"params":{}` {
		params = g.one("", params, `,"params":null`)
	}
	params = g.rarely(60, params, `,"params":[]`, `,"params":"x"`, params+params, `,"Params":{}`+params)
	members := `"jsonrpc":"` + g.rarely(60, "2.0", "1.0", `2\u002e0`) + `"` + g.rarely(40, `,"id":`+g.id(), "", `,"id":1,"id":2`, `,"ID":3`) +
		`,"method":"` + method + `"` + params + g.rarely(40, "", `,"extra":1`, `,"method":"ping"`, `,"Method":"ping"`, `,"result":{}`, `,"error":null`)
	message = g.rarely(50, g.spaced("{"+members+"}"), "["+members+"]", members, "", "{"+members, "{"+members+"}}", "{"+members+",}", "{"+members+"}"+strings.Repeat(" ", maxPlain))

	header = http.Header{"Content-Type": {g.rarely(40, "application/json", "application/json; charset=utf-8", "text/plain")}}
	if modern || g.IntN(40) == 0 {
		header.Set("MCP-Protocol-Version", g.rarely(30, "2026-07-28", "2025-11-25", "2027-01-01"))
		header.Set("Mcp-Method", g.rarely(30, method, "tools/call", ""))
		if method == "tools/call" || g.IntN(30) == 0 {
			header.Set("Mcp-Name", g.rarely(30, tool, "", "missing", "=?base64?Z3JlZXQ=?=", "=?base64?!?="))
		}
	} else if g.IntN(3) > 0 {
		header.Set("MCP-Protocol-Version", g.rarely(20, g.one(legacyVersions...), "2024-11-05", "1999-01-01"))
	}
	for _, unusual := range []string{"Last-Event-Id", "Mcp-Session-Id"} {
		if g.IntN(50) == 0 {
			header.Set(unusual, g.one("1", "2"))
		}
	}
	if g.IntN(60) == 0 {
		header.Add(g.one("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"), "greet")
	}
	return message, header
}

// generated serves tools with short, failing, long and illustrated results, one of them by a bare
// name too.
func generated(log *bytes.Buffer) *endpoint {
	sets := outcomes()
	sets[0].Tools = append(sets[0].Tools, newAlbums().toolsets[0].Tools...)
	sets = append(sets, Toolset{Name: "hub", Prefix: "hub_", Tools: []Tool{
		define("hub_greet", Reads, failWith(nil)),
		define("hub_greets", Reads, func(_ context.Context, in greetInput) (greeting, error) {
			return greeting{Text: strings.Repeat(in.Name, 3), Marks: []string{in.Name, "&", "\u2029"}}, nil
		}),
	}})
	s := NewServer(sets, Options{Name: "test <&>", Title: "Test \u2028", Version: "1", Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	return s.Handler(Selection{}).(*endpoint)
}

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
	for _, varies := range []string{"time", "ms", "cause"} {
		delete(entry, varies)
	}
	length := w.Header().Get("Content-Length")
	if length != "" && length != fmt.Sprint(w.Body.Len()) {
		t.Errorf("%s: Content-Length %s for %d bytes", message, length, w.Body.Len())
	}
	return fmt.Sprintf("HTTP %d %s\n%s", w.Code, w.Header().Get("Content-Type"), w.Body), fmt.Sprint(entry)
}

func TestReadPlain_LeavesAnEscapedNameInMetaToMCPGo(t *testing.T) {
	const declared = `"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}`
	for _, meta := range []string{
		`"io.modelcontextprotocol\/protocolVersion":"2026-07-28"`,
		`"io.modelcontextprotocol/protocolVersio\u006e":"2026-07-28"`,
		declared + `,"io.modelcontextprotocol\/clientInfo":{"name":"u","version":"2"}`,
	} {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + meta + `}}}`
		if _, ok := new(clients).readPlain(http.Header{"Content-Type": {jsonType}}, []byte(message), false); ok {
			t.Errorf("%s is read as plain", message)
		}
	}
}

func TestReadPlain_RemembersNoClientOfALongMessage(t *testing.T) {
	var known clients
	for _, length := range []int{10, maxPlain} {
		message := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"` + strings.Repeat("t", length) + `"}}}}`
		_, ok := known.readPlain(http.Header{"Content-Type": {jsonType}}, []byte(message), false)
		if short := length < maxPlain; ok != short || len(known.known) != 1 {
			t.Errorf("a name of %d bytes: plain %t, and %d clients are remembered", length, ok, len(known.known))
		}
	}
}

// handedBody is the body of a message that has been checked already.
type handedBody struct {
	io.ReadCloser
	body []byte
}

func (b handedBody) Checked() []byte { return b.body }

func TestReadPlain_AnswersTenThousandMessagesAsMCPGo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var log bytes.Buffer
	e := generated(&log)
	slow := func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		e.pass(w, r, body.Bytes(), time.Now())
	}
	handed := func(w http.ResponseWriter, r *http.Request) { // as the guard hands a message on
		body, _ := io.ReadAll(r.Body)
		r.Body = handedBody{io.NopCloser(bytes.NewReader(body)), body}
		e.ServeHTTP(w, r)
	}
	g := generator{rand.New(rand.NewPCG(20260728, 1))}
	plain := map[string]int{}
	for range 10_000 {
		message, header := g.message()
		p, ok := new(clients).readPlain(header, []byte(message), false)
		if ok {
			plain[fmt.Sprint(p.method, " modern ", p.modern)]++
		}
		want, wantLine := sentBy(t, &log, slow, message, header)
		got, line := sentBy(t, &log, e.ServeHTTP, message, header)
		if got != want || line != wantLine {
			t.Fatalf("%s\n%v\nmcp-go: %.500s\n%s\nplain:  %.500s\n%s", message, header, want, wantLine, got, line)
		}
		if !utf8.ValidString(message) || !json.Valid([]byte(message)) {
			continue // the guard refuses it
		}
		if got, line := sentBy(t, &log, handed, message, header); got != want || line != wantLine {
			t.Fatalf("%s, checked before\n%v\nmcp-go: %.500s\n%s\nplain:  %.500s\n%s", message, header, want, wantLine, got, line)
		}
	}
	for _, kind := range []string{"tools/call modern true", "tools/call modern false", "tools/list modern true", "tools/list modern false", "ping modern false"} {
		if plain[kind] < 200 {
			t.Errorf("only %d messages were plain: %s", plain[kind], kind)
		}
	}
	t.Log(plain)
}

func FuzzAppendQuoted(f *testing.F) {
	for _, seed := range strange {
		f.Add([]byte(`{"text":"` + seed + `","n":[1,{"<":null}]}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact, want bytes.Buffer
		if !utf8.Valid(text) || json.Compact(&compact, text) != nil {
			t.Skip()
		}
		quoted, err := json.Marshal(compact.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := appendQuoted(nil, compact.Bytes()); !bytes.Equal(got, quoted) {
			t.Errorf("%s as a string is %s, want %s", text, got, quoted)
		}
		json.HTMLEscape(&want, compact.Bytes())
		if got := appendHTMLSafe(nil, compact.Bytes()); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s for HTML is %s, want %s", text, got, want.Bytes())
		}
	})
}

func TestPlainCall_RunsItsToolOnceIfMCPGoWritesTheAnswer(t *testing.T) {
	runs := 0
	tool := Define(Spec{Name: "show", Title: "Show", Description: "Shows."}, func(_ context.Context, in greetInput) (album, error) {
		runs++
		return album{in.Name, []toolanswer.Image{{Data: []byte("red"), MIMEType: "image/png"}}}, nil
	})
	s := serveTools(Options{}, tool)
	w := post(identity.With(t.Context(), writer), t, s.Handler(Selection{ReadOnly: true}), "tools/call", "show", `"name":"show","arguments":{"name":"bikes"}`)
	if lines := strings.Count(s.log.String(), "\n"); runs != 1 || lines != 1 || !strings.Contains(w.Body.String(), `"type":"image"`) {
		t.Errorf("%d runs and %d log lines for %s", runs, lines, w.Body)
	}
}

// breaking is an http.ResponseWriter that fails, and reads the bytes of a Write after it.
type breaking struct {
	http.ResponseWriter
	held []byte
}

func (b *breaking) Write(p []byte) (int, error) {
	b.held = p
	return 0, errors.New("stream closed")
}

func TestPlainCall_DoesNotReuseTheBytesOfAFailedWrite(t *testing.T) {
	e := generated(new(bytes.Buffer))
	call := func(w http.ResponseWriter, name string) {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_greets","arguments":{"name":"` + name + `"}}}`
		r := httptest.NewRequestWithContext(identity.With(t.Context(), writer), http.MethodPost, "/mcp", strings.NewReader(message))
		r.Header.Set("Content-Type", jsonType)
		e.ServeHTTP(w, r)
	}
	for range 10 { // the pool may drop any buffer
		broken := &breaking{ResponseWriter: httptest.NewRecorder()}
		call(broken, "Ines")
		before := string(broken.held)
		call(httptest.NewRecorder(), "Otto")
		if !strings.Contains(before, "Ines") || string(broken.held) != before {
			t.Fatalf("%s became %s", before, broken.held)
		}
	}
}
