package mcphttp

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// constant answers every message with the same bytes.
type constant struct{ fakeCatalog }

func (*constant) Handler(Selection) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}}`)
	})
}

// BenchmarkGuard measures only the guard, with a small call of 2026-07-28 and with one that
// carries a file of 700 KB.
func BenchmarkGuard(b *testing.B) {
	for name, content := range map[string]string{"small": "Buy milk", "file": strings.Repeat("QUJD", 175_000)} {
		b.Run(name, func(b *testing.B) {
			g, _ := newGuard()
			g.Catalog = &constant{}
			q := stateless("tools/call", `"name":"create_todo","arguments":{"project":"Website","list":"Launch","content":"`+content+`"}`)
			r := q.http()
			b.ReportAllocs()
			for b.Loop() {
				r.Body = io.NopCloser(strings.NewReader(q.body))
				w := serve(g, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	body := []byte(stateless("tools/call", `"name":"create_todo","arguments":{"project":"Website","content":"Buy milk"}`).body)
	b.ReportAllocs()
	for b.Loop() {
		if _, refused := parse(body); refused != nil {
			b.Fatal(refused)
		}
	}
}
