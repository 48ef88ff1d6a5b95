package basecamp

import (
	"context"
	"net/http"
	"testing"
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

func TestCache_IsNotSharedBetweenUsersOrAccounts(t *testing.T) {
	who := Credential{AccessToken: "t", Account: 1, Person: "nora"}
	c := client(t, Config{
		Tokens: func(context.Context, string) (Credential, error) { return who, nil },
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
