// Command floor is the least that an HTTP server in Go can do for a call: it finds the method and
// the ID in the request and answers with constant bytes.
package main

import (
	"encoding/json"
	"io"
	"net/http"

	"basecamp-mcp/internal/bench/peers/work"
)

func main() { work.Main(newFloor) }

func newFloor(s work.Settings) (http.Handler, error) {
	tasks, err := json.Marshal(work.NoTasks())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(string(tasks))
	if err != nil {
		return nil, err
	}
	answers := map[string][]byte{
		"tools/list": s.Listed,
		"tools/call": []byte(`{"content":[{"type":"text","text":` + string(text) + `}],"structuredContent":` + string(tasks) + `}`),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, answers) }), nil
}

func answer(w http.ResponseWriter, r *http.Request, answers map[string][]byte) {
	body, err := io.ReadAll(r.Body)
	var message struct {
		ID     json.RawMessage
		Method string
	}
	if err != nil || json.Unmarshal(body, &message) != nil || answers[message.Method] == nil {
		http.Error(w, "want tools/list or tools/call", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for _, part := range [][]byte{[]byte(`{"jsonrpc":"2.0","id":`), message.ID, []byte(`,"result":`), answers[message.Method], []byte("}")} {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}
