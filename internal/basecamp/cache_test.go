package basecamp

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
)

// unchanged answers with body and a validator, and with 304 to a request that sends the validator.
func unchanged(body, condition, validator, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(condition) == value {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		says(200, body, validator, value, "Link", `<`+r.URL.Path+`?page=2>; rel="next"`, "X-Total-Count", "31")(w, r)
	}
}

func TestCache_ReturnsThePageIfItDidNotChange(t *testing.T) {
	for condition, x := range map[string][2]string{
		"If-None-Match":     {"ETag", `W/"abc"`},
		"If-Modified-Since": {"Last-Modified", "Sun, 01 Mar 2026 12:00:04 GMT"},
	} {
		var asked int
		c := server(t, counted(&asked, unchanged(`[{"id": 1}, {"id": 2}]`, condition, x[0], x[1])))
		first, err := c.Todos(t.Context(), 9, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.Todos(t.Context(), 9, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, second); diff != "" || asked != 2 || second.Next != 2 || second.Total != 31 {
			t.Errorf("%s: %d requests, %s", condition, asked, diff)
		}
	}
}

func TestCache_IsNotSharedBetweenUsersOrAccounts(t *testing.T) {
	who := Credential{AccessToken: "t", Account: 1, Person: "nora"}
	c := client(t, Config{
		Tokens: sourceFunc(func(context.Context, string) (Credential, error) { return who, nil }),
		Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				t.Errorf("%+v received another answer's ETag", who)
			}
			says(200, `{"id": 5}`, "ETag", `"a"`)(w, r)
		}),
	})
	for _, who = range []Credential{{"t", 1, "nora"}, {"t", 2, "nora"}, {"t", 1, "idris"}, {"t", 1, ""}, {"t", 1, ""}} {
		if err := read5(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCache_TakesTheNextPageAndTheTotalFromAnUnchangedAnswer(t *testing.T) {
	const link = `</77001/todolists/9/todos.json?page=2>; rel="next"`
	c := answering(t, inTurn(
		says(200, `[{"id": 1}]`, "ETag", `"a"`, "X-Total-Count", "1"),
		says(304, "", "X-Total-Count", "2", "Link", link),
		says(304, ""),
		says(304, "", "Link", `<https://evil.example/>; rel="next"`),
	))
	for _, want := range []Page[Todo]{{Total: 1}, {Total: 2, Next: 2}, {Total: 2, Next: 2}} {
		got, err := c.Todos(t.Context(), 9, false, 1)
		if err != nil || len(got.Items) != 1 || got.Next != want.Next || got.Total != want.Total {
			t.Errorf("page %+v, %v; want %+v", got, err, want)
		}
	}
	wantFault(t, errOf(c.Todos(t.Context(), 9, false, 1)), fault.UpstreamError)
}

func TestCache_ReturnsACopyOfAList(t *testing.T) {
	c := server(t, unchanged(`[{"id": 1}, {"id": 2}]`, "If-None-Match", "ETag", `"a"`))
	for range 3 {
		page, err := c.Todos(t.Context(), 9, false, 1)
		if err != nil || page.Items[0].ID != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		page.Items[0] = Todo{}
	}
}
