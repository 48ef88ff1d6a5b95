package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// endpoint answers POSTed messages with mcp-go, but plain tools/list requests from bytes: mcp-go encodes every tool anew
// for each of them, ten times the work of the rest of the answer. A request that is in any way unusual goes to mcp-go,
// which knows what to say of it.
type endpoint struct {
	mcp            *server.StreamableHTTPServer
	modern, legacy func() json.RawMessage
}

func newEndpoint(m *server.StreamableHTTPServer) *endpoint {
	return &endpoint{
		mcp:    m,
		modern: sync.OnceValue(func() json.RawMessage { return listOnce(m, mcp.ProtocolVersion20260728) }),
		legacy: sync.OnceValue(func() json.RawMessage { return listOnce(m, latestLegacy) }),
	}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the request body ended early", http.StatusBadRequest)
		return
	}
	id, modern, ok := plainList(r.Header, body)
	if !ok {
		e.mcp.Handle(wholeAnswer{w}, &server.HTTPRequest{
			Method: r.Method, URL: r.URL, Header: r.Header, Body: body, Context: r.Context(),
		})
		return
	}
	result := e.legacy
	if modern {
		result = e.modern
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), result(), []byte("}")))
}

// wholeAnswer tells mcp-go that nothing can be streamed, so that every POST is answered with one JSON body.
type wholeAnswer struct{ http.ResponseWriter }

func (wholeAnswer) Flush()          {}
func (wholeAnswer) CanStream() bool { return false }

// plainList recognises a tools/list whose answer depends on nothing but the era: it gives the request's id and the era.
// It accepts only what mcp-go would have accepted.
func plainList(header http.Header, body []byte) (id json.RawMessage, modern, ok bool) {
	if len(body) > 4096 || !bytes.Contains(body, []byte(`"tools/list"`)) {
		return nil, false, false
	}
	var request struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  struct {
			Meta *mcp.Meta `json:"_meta"`
		} `json:"params"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields() // a cursor, say
	if decoder.Decode(&request) != nil || request.JSONRPC != mcp.JSONRPC_VERSION || request.Method != string(mcp.MethodToolsList) {
		return nil, false, false
	}
	if !plainID(request.ID) {
		return nil, false, false
	}
	version, metaVersion := header.Get(mcp.HeaderProtocolVersion), request.Params.Meta.ProtocolVersion()
	if version != mcp.ProtocolVersion20260728 {
		known := version == "" || slices.Contains(legacyVersions, version)
		return request.ID, false, known && metaVersion == ""
	}
	method := header.Values("Mcp-Method")
	ok = metaVersion == version &&
		len(method) == 1 && method[0] == request.Method &&
		header.Get("Mcp-Name") == "" && header.Get(mcp.HeaderLastEventID) == "" &&
		request.Params.Meta.ClientCapabilities() != nil
	return request.ID, true, ok
}

// plainID accepts the ids mcp-go gives back unchanged: strings without escapes and small whole numbers.
func plainID(id json.RawMessage) bool {
	text := string(id)
	if len(text) > 2 && len(text) < 200 && text[0] == '"' {
		return !strings.ContainsAny(text, `\<>&`)
	}
	return text != "" && len(text) <= 15 && strings.Trim(text, "0123456789") == ""
}

// listOnce asks mcp-go for the list, the way a client of that protocol version does.
func listOnce(m *server.StreamableHTTPServer, version string) json.RawMessage {
	params := `{}`
	if version == mcp.ProtocolVersion20260728 {
		params = `{"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"` + version + `","` +
			mcp.MetaKeyClientInfo + `":{"name":"list","version":"1"},"` + mcp.MetaKeyClientCapabilities + `":{}}}`
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	header.Set(mcp.HeaderProtocolVersion, version)
	header.Set("Mcp-Method", string(mcp.MethodToolsList))
	answer := &memoryAnswer{header: http.Header{}}
	m.Handle(wholeAnswer{answer}, &server.HTTPRequest{
		Method:  http.MethodPost,
		Header:  header,
		Body:    []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + params + `}`),
		Context: context.Background(),
	})
	var response struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(answer.body.Bytes(), &response); err != nil || response.Result == nil {
		panic("tools/list: " + answer.body.String())
	}
	return response.Result
}

// memoryAnswer is a ResponseWriter that keeps what was written.
type memoryAnswer struct {
	header http.Header
	body   bytes.Buffer
}

func (a *memoryAnswer) Header() http.Header         { return a.header }
func (a *memoryAnswer) WriteHeader(int)             {}
func (a *memoryAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }
