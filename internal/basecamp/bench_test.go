package basecamp

import (
	"net/http"
	"strings"
	"testing"
)

// The server of these runs in the same process: what they count includes it.

func BenchmarkFullPageOf50Todos(b *testing.B) {
	benchmarkTodos(b, says(200, fiftyTodos(b)))
}

func BenchmarkUnchangedPageOf50Todos(b *testing.B) {
	benchmarkTodos(b, unchanged(fiftyTodos(b), "If-None-Match", "ETag", `W/"abc"`))
}

// BenchmarkFloor is the round trip alone, for comparison.
func BenchmarkFloor(b *testing.B) {
	c := unlimited(server(b, says(304, "")))
	for b.Loop() {
		response, err := c.http.Get(c.base.String())
		if err != nil {
			b.Fatal(err)
		}
		_ = response.Body.Close()
	}
}

func benchmarkTodos(b *testing.B, answer http.HandlerFunc) {
	c := unlimited(server(b, answer))
	b.ReportAllocs()
	for b.Loop() {
		page, err := c.Todos(b.Context(), 9, false, 1)
		if err != nil || len(page.Items) != 50 {
			b.Fatalf("%d to-dos, %v", len(page.Items), err)
		}
	}
}

func BenchmarkDecode50Todos(b *testing.B) {
	body := []byte(fiftyTodos(b))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var todos []Todo
		if err := decodeJSON(body, &todos); err != nil {
			b.Fatal(err)
		}
	}
}

func fiftyTodos(b *testing.B) string {
	todo := fixture(b, "todo.json")
	return "[" + strings.Repeat(todo+",", 49) + todo + "]"
}

func unlimited(c *Client) *Client {
	c.unlimited = true
	return c
}
