package lambdahttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// small is a tools/call event in the form that the gateway sends.
const small = `{"version":"2.0","routeKey":"ANY /mcp","rawPath":"/mcp","rawQueryString":"",` +
	`"headers":{"accept":"application/json, text/event-stream","authorization":"Bearer sandbox-ines","content-length":"96",` +
	`"content-type":"application/json","host":"abc123.execute-api.eu-central-1.amazonaws.com","mcp-method":"tools/call",` +
	`"mcp-name":"get_me","mcp-protocol-version":"2026-07-28","user-agent":"claude-code/2.1",` +
	`"x-amzn-trace-id":"Root=1-69200000-0123456789abcdef01234567","x-forwarded-for":"203.0.113.7","x-forwarded-port":"443",` +
	`"x-forwarded-proto":"https"},"requestContext":{"accountId":"123456789012","apiId":"abc123",` +
	`"domainName":"abc123.execute-api.eu-central-1.amazonaws.com","domainPrefix":"abc123","http":{"method":"POST",` +
	`"path":"/mcp","protocol":"HTTP/1.1","sourceIp":"203.0.113.7","userAgent":"claude-code/2.1"},"requestId":"UjKq1hX8liAEMXQ=",` +
	`"routeKey":"ANY /mcp","stage":"$default","time":"21/Nov/2026:09:00:00 +0000","timeEpoch":1795251600000},` +
	`"body":"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"get_me\",\"arguments\":{}}}",` +
	`"isBase64Encoded":false}`

// answering returns a handler that reads its request and answers with body.
func answering(body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
}

func BenchmarkHandler(b *testing.B) {
	benchmark(b, small, []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"id\":1,\"name\":\"Ines\"}"}]}}`))
}

// BenchmarkHandlerLarge answers with 80 KB of JSON inside JSON, like a long list.
func BenchmarkHandlerLarge(b *testing.B) {
	item := `{"id":1069479351,"title":"Order the \"new\" signs","url":"https://3.basecamp.com/195539477/buckets/2085958504"},`
	body, err := json.Marshal(map[string]string{"text": strings.Repeat(item, 80<<10/(len(item)+20))})
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, small, body)
}

func benchmark(b *testing.B, payload string, answer []byte) {
	h := Handler(answering(answer))
	p := []byte(payload)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Invoke(ctx, p); err != nil {
			b.Fatal(err)
		}
	}
}
