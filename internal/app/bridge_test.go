package app

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// ask sends a request to the bridge like a program without MCP.
func ask(t testing.TB, method, url, bearer, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	r := must(http.NewRequest(method, url, strings.NewReader(body)))
	r.Header.Set("Authorization", "Bearer "+bearer)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response := must(http.DefaultClient.Do(r))
	defer response.Body.Close()
	text := must(io.ReadAll(response.Body))
	return response.StatusCode, response.Header, string(text)
}

func decoded(text []byte) (v any) {
	_ = json.Unmarshal(text, &v)
	return v
}
