package basecamp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The figures include the server, which runs in the same process.

func BenchmarkFullPageOf50Todos(b *testing.B) {
	benchmarkTodos(b, says(200, fiftyTodos(b)))
}

func BenchmarkUnchangedPageOf50Todos(b *testing.B) {
	benchmarkTodos(b, unchanged(fiftyTodos(b), "If-None-Match", "ETag", `W/"abc"`))
}

func benchmarkTodos(b *testing.B, answer http.HandlerFunc) {
	s := httptest.NewServer(answer)
	b.Cleanup(s.Close)
	c := client(b, Config{BaseURL: s.URL, Unlimited: true})
	b.ReportAllocs()
	for b.Loop() {
		page, err := TodosIn.Page(b.Context(), c, 1, 9)
		if err != nil || len(page.Items) != 50 {
			b.Fatalf("%d to-dos, %v", len(page.Items), err)
		}
	}
}

func fiftyTodos(b *testing.B) string {
	todo := fixture(b, "todo.json")
	return "[" + strings.Repeat(todo+",", 49) + todo + "]"
}
