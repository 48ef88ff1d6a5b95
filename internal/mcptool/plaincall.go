package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/calls"
	"basecamp-mcp/internal/toolanswer"
)

// call runs the tool of a plain request. If the outcome is plain too, call writes the bytes that
// mcp-go would write; otherwise mcp-go writes them.
func (e *endpoint) call(w http.ResponseWriter, r *http.Request, body []byte, p plainRequest, tool Tool) {
	state := &logState{protocol: servedVersion(r.Header.Get(mcp.HeaderProtocolVersion))}
	ctx := context.WithValue(r.Context(), logStateKey{}, state)
	ctx = server.WithRequestProtocolInfo(ctx, p.client.declared)
	outcome := e.server.call(ctx, toolCall{tool: tool, offered: e.tools, arguments: p.arguments, channel: calls.MCP, readOnly: e.readOnly})
	switch {
	case !outcome.plain():
		e.pass(w, r.WithContext(context.WithValue(r.Context(), outcomeKey{}, outcome)), body, time.Now())
	case ctx.Err() == nil: // mcp-go writes nothing to a client that has disconnected
		e.writeOutcome(ctx, w, p, outcome)
	}
}

type outcomeKey struct{}

// outcomeIn returns the outcome of a call that has run already, or nil.
func outcomeIn(ctx context.Context) *Outcome {
	outcome, _ := ctx.Value(outcomeKey{}).(*Outcome)
	return outcome
}

// plain reports whether an outcome is one text, with or without structured content.
func (o *Outcome) plain() bool {
	return o.asks == nil && o.requires == nil && o.meta == nil && len(o.Images) == 0 && utf8.Valid(o.JSON)
}

// serverMeta returns the _meta of a result of the stateless era, with a comma, as mcp-go writes it.
func (s *Server) serverMeta() []byte {
	encoded, err := json.Marshal(map[string]mcp.Implementation{
		mcp.MetaKeyServerInfo: s.brief(),
	})
	if err != nil {
		panic(err) // strings always encode
	}
	return slices.Concat([]byte(`"_meta":`), encoded, []byte(","))
}

var answers = sync.Pool{New: func() any { return new([]byte) }}

// largestAnswer is the capacity of the largest buffer that is kept for the next answer, in bytes.
const largestAnswer = 1 << 20

// writeOutcome writes a plain outcome. mcp-go sorts the members of a result.
func (e *endpoint) writeOutcome(ctx context.Context, w http.ResponseWriter, p plainRequest, o *Outcome) {
	buffer := answers.Get().(*[]byte)
	b := append(append((*buffer)[:0], beforeID...), p.id...)
	b = append(b, resultKey...)
	b = append(b, '{')
	if p.modern {
		b = append(b, e.serverIs...)
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	b = appendQuoted(b, o.JSON)
	b = append(b, `}]`...)
	if o.IsError {
		b = append(b, `,"isError":true`...)
	}
	if p.modern {
		b = append(b, `,"resultType":"complete"`...)
	}
	if !o.IsError {
		b = appendHTMLSafe(append(b, `,"structuredContent":`...), o.JSON)
	}
	b = append(b, "}}\n"...)

	declareJSON(w.Header(), len(b))
	// An error means that the client has disconnected. Over HTTP/2, b may then still be read.
	if _, err := w.Write(b); err == nil && cap(b) <= largestAnswer {
		*buffer = b
		answers.Put(buffer)
	}
}

// declareJSON sets the headers of an answer of that many bytes.
func declareJSON(h http.Header, length int) {
	h["Content-Type"] = jsonTypes
	h["Content-Length"] = []string{strconv.Itoa(length)}
}

// jsonTypes is the value of a header. It never changes.
var jsonTypes = []string{jsonType}

// The places where encoding/json escapes a byte: in a string, and everywhere for HTML.
const (
	inString = 1 << iota
	inHTML
)

// escapes says where each byte of a compact JSON text is escaped. 0xE2 begins the separators of
// lines and paragraphs.
var escapes = [256]byte{'"': inString, '\\': inString, '<': inString | inHTML, '>': inString | inHTML, '&': inString | inHTML, 0xE2: inString | inHTML}

const hexDigits = "0123456789abcdef"

// appendQuoted writes a compact JSON text as a string.
func appendQuoted(b, text []byte) []byte {
	b = append(b, '"')
	b = appendEscaped(b, text, inString)
	return append(b, '"')
}

// appendHTMLSafe writes a compact JSON text with the escapes that encoding/json makes for HTML.
func appendHTMLSafe(b, text []byte) []byte { return appendEscaped(b, text, inHTML) }

func appendEscaped(b, text []byte, where byte) []byte {
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if escapes[c]&where == 0 {
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(append(b, text[start:i]...), '\\', c)
		case c != 0xE2:
			b = append(append(b, text[start:i]...), '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case i+2 < len(text) && text[i+1] == 0x80 && text[i+2]&^1 == 0xA8:
			b = append(append(b, text[start:i]...), '\\', 'u', '2', '0', '2', hexDigits[text[i+2]&15])
			i += 2
		default:
			continue
		}
		start = i + 1
	}
	return append(b, text[start:]...)
}

// lists are the answers to tools/list from the result on, equal to those of mcp-go. mcp-go would
// take longer to make them than everything else that a process does to start. The eras differ only
// in what precedes the tools, so they share the tools.
type lists struct {
	modern, legacy []byte        // up to the tools
	tools          func() []byte // the tools and the end of the message
}

func (s *Server) newLists(chosen Selection) lists {
	head, err := json.Marshal(modernHead{
		Meta:       map[string]any{mcp.MetaKeyServerInfo: s.brief()},
		ResultType: mcp.ResultTypeComplete, TTL: listTTL, CacheScope: mcp.CacheScopePublic,
	})
	if err != nil {
		panic(err) // strings always encode
	}
	return lists{
		modern: slices.Concat([]byte(resultKey), head[:len(head)-1], []byte(`,"tools":`)),
		legacy: []byte(resultKey + `{"tools":`),
		tools:  sync.OnceValue(func() []byte { return slices.Clip(append(s.listJSON(chosen), "}}\n"...)) }),
	}
}

// ListDigest returns the SHA-256 of the list of tools that clients receive by default. It is the
// same on every instance of a build.
func (s *Server) ListDigest() string { return s.digest() }

// listTTL is how long clients may cache a list, in milliseconds.
const listTTL = 300_000

type modernHead struct {
	Meta       map[string]any `json:"_meta"`
	ResultType mcp.ResultType `json:"resultType"`
	TTL        int            `json:"ttlMs"`
	CacheScope mcp.CacheScope `json:"cacheScope"`
}

// listJSON returns the definitions of a selection's tools, sorted by name.
func (s *Server) listJSON(chosen Selection) json.RawMessage {
	type entry struct {
		toolset Toolset
		tool    Tool
	}
	var entries []entry
	for toolset, tool := range s.selectedTools(chosen) {
		entries = append(entries, entry{toolset, tool})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.tool.Name, b.tool.Name) })
	b := []byte{'['}
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.tool.appendDefinition(appendView(append(b, '{'), s.viewOf(e.tool.Name).URI), e.toolset)
	}
	return append(b, ']')
}

// appendDefinition adds the members of the definition after those that b has.
func (t Tool) appendDefinition(b []byte, toolset Toolset) []byte {
	hints := t.Effect.annotations(toolset.ClosedWorld)
	b = toolanswer.AppendString(append(b, `"annotations":{"title":`...), t.Title)
	b = strconv.AppendBool(append(b, `,"readOnlyHint":`...), hints.readOnly)
	b = strconv.AppendBool(append(b, `,"destructiveHint":`...), hints.destructive)
	b = strconv.AppendBool(append(b, `,"idempotentHint":`...), hints.idempotent)
	b = strconv.AppendBool(append(b, `,"openWorldHint":`...), hints.openWorld)
	b = toolanswer.AppendString(append(b, `},"description":`...), t.Description)
	b = append(append(b, `,"inputSchema":`...), t.InputSchema()...)
	b = toolanswer.AppendString(append(b, `,"name":`...), t.Name)
	b = append(append(b, `,"outputSchema":`...), t.OutputSchema()...)
	b = toolanswer.AppendString(append(b, `,"title":`...), t.Title)
	return append(b, '}')
}

// WarmUp makes the lists of the default endpoint, which most clients ask for first. That also runs
// the code of an answer once.
func (s *Server) WarmUp(context.Context) {
	if e, ok := s.Handler(Selection{}).(*endpoint); ok {
		e.lists.tools()
	}
}
