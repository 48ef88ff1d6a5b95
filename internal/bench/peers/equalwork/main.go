// Command equalwork does the whole work of each call with net/http and encoding/json, without an
// SDK: it reads from the upstream, makes Markdown and encodes the answer.
package main

import (
	"bytes"
	"encoding/json"
	"net/http"

	"basecamp-mcp/internal/bench/peers/work"
)

func main() {
	work.Main(func(s work.Settings) (http.Handler, error) { return handler{s}, nil })
}

type handler struct{ work.Settings }

type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
	}
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, "want a JSON-RPC message", http.StatusBadRequest)
		return
	}
	result, err := h.result(r, m)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":`))
	_, _ = w.Write(result)
	_, _ = w.Write([]byte("}"))
}

func (h handler) result(r *http.Request, m message) ([]byte, error) {
	if m.Method == "tools/list" {
		return h.Listed, nil
	}
	answer, err := h.Upstream.Call(r.Context(), m.Params.Name, m.Params.Arguments)
	if err != nil {
		return nil, err
	}
	structured, err := encode(answer)
	if err != nil {
		return nil, err
	}
	text, err := encode(string(structured))
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{
		[]byte(`{"content":[{"type":"text","text":`), text, []byte(`}],"structuredContent":`), structured, []byte("}"),
	}, nil), nil
}

// encode returns v in JSON, with <, > and & as they are.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
