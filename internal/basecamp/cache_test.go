package basecamp

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
)

// unchanged answers with body and validator once, and 304 to whoever holds that validator.
func unchanged(body, condition, validator, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(condition) == value {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		says(200, body, validator, value, "Link", `<`+r.URL.Path+`?page=2>; rel="next"`, "X-Total-Count", "31")(w, r)
	}
}

func TestCache_ServesTheDecodedAnswerWhenNothingChanged(t *testing.T) {
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

func TestCache_PrefersTheETag(t *testing.T) {
	c := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-Modified-Since") != "" {
			t.Error("If-Modified-Since was sent beside If-None-Match")
		}
		says(200, `{"id": 5}`, "ETag", `"a"`, "Last-Modified", "Sun, 01 Mar 2026 12:00:04 GMT")(w, r)
	})
	for range 2 {
		if err := read5(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCache_IsNeverSharedAcrossPersonsOrAccounts_B58(t *testing.T) {
	who := Credential{AccessToken: "t", Account: 1, Person: "nora"}
	c := client(t, Config{
		Tokens: sourceFunc(func(context.Context, string) (Credential, error) { return who, nil }),
		Transport: transportOf(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				t.Errorf("%+v was served what another had read", who)
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

func TestCache_SurvivesARefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		fresh := says(200, `{"id": 5}`, "ETag", `"a"`)
		c := wired(t, replies(fresh, says(401, ""), func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Header.Get("Authorization"), r.Header.Get("If-None-Match"))
			w.WriteHeader(304)
		}))
		for range 2 {
			if todo, err := c.Todo(t.Context(), 5); err != nil || todo.ID != 5 {
				t.Fatal(todo, err)
			}
		}
		if diff := cmp.Diff([]string{"Bearer token-2", `"a"`}, sent); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCache_TakesTheNewAnswerWhenItChanged(t *testing.T) {
	c := server(t, replies(says(200, `{"id": 5, "content": "old"}`, "ETag", `"a"`), says(200, `{"id": 5, "content": "new"}`, "ETag", `"b"`),
		func(w http.ResponseWriter, r *http.Request) {
			wantHeader(t, r, "If-None-Match", `"b"`)
			w.WriteHeader(304)
		}))
	for _, want := range []string{"old", "new", "new"} {
		if todo, err := c.Todo(t.Context(), 5); err != nil || todo.Content != want {
			t.Errorf("content %q, want %q, %v", todo.Content, want, err)
		}
	}
}

func TestCache_KeepsNothingThatWentWrong(t *testing.T) {
	c := server(t, replies(says(200, `[`, "ETag", `"a"`), func(w http.ResponseWriter, r *http.Request) {
		wantHeader(t, r, "If-None-Match", "")
		says(200, `{"id": 5}`)(w, r)
	}))
	failed(t, read5(t.Context(), c), fault.UpstreamError)
	if err := read5(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestCache_A304OutOfTheBlueIsBasecampsError(t *testing.T) {
	failed(t, read5(t.Context(), server(t, says(304, ""))), fault.UpstreamError)
	failed(t, put(t.Context(), server(t, says(304, ""))), fault.UpstreamError)
}

func TestCache_LearnsOfPagesBehindOneThatDidNotChange_B41(t *testing.T) {
	const link = `</77001/todolists/9/todos.json?page=2>; rel="next"`
	c := wired(t, replies(
		says(200, `[{"id": 1}]`, "ETag", `"a"`, "X-Total-Count", "1"),
		says(304, "", "X-Total-Count", "2", "Link", link),
		says(304, ""),
		says(304, "", "Link", `<https://evil.example/>; rel="next"`),
	))
	for _, want := range []Page[Todo]{{Total: 1}, {Total: 2, Next: 2}, {Total: 1}} {
		got, err := c.Todos(t.Context(), 9, false, 1)
		if err != nil || len(got.Items) != 1 || got.Next != want.Next || got.Total != want.Total {
			t.Errorf("page %+v, %v; want %+v", got, err, want)
		}
	}
	failed(t, errOf(c.Todos(t.Context(), 9, false, 1)), fault.UpstreamError)
}

func TestCache_HandsOutListsOfTheCallersOwn(t *testing.T) {
	c := server(t, unchanged(`[{"id": 1}, {"id": 2}]`, "If-None-Match", "ETag", `"a"`))
	for range 3 {
		page, err := c.Todos(t.Context(), 9, false, 1)
		if err != nil || page.Items[0].ID != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		page.Items[0] = Todo{}
	}
}

func TestCache_IsBoundedInEntriesAndBytesAndForgetsTheOldest(t *testing.T) {
	key := func(i int) cacheKey { return cacheKey{person: "nora", account: 1, url: fmt.Sprint(i)} }
	etag := fresh[int]{freshness: freshness{etag: "a"}}
	known := func(c *cache, i int) bool { return lookup[int](c, key(i)) != fresh[int]{} }

	few := newCache(2, 100)
	keep(few, key(1), etag, 1)
	keep(few, key(2), etag, 1)
	known(few, 1)
	keep(few, key(3), etag, 1)
	if !known(few, 1) || known(few, 2) || !known(few, 3) || few.bytes != 2 {
		t.Errorf("of three entries the wrong one went, %d bytes", few.bytes)
	}

	small := newCache(100, 10)
	keep(small, key(1), etag, 6)
	keep(small, key(1), etag, 5)
	keep(small, key(2), etag, 5)
	keep(small, key(3), etag, 11)
	if !known(small, 1) || !known(small, 2) || known(small, 3) || small.bytes != 10 {
		t.Errorf("%d bytes are counted", small.bytes)
	}
	keep(small, key(4), etag, 6)
	if known(small, 1) || known(small, 2) || !known(small, 4) || len(small.entries) != 1 || small.recent.Len() != 1 {
		t.Errorf("%d entries are left", len(small.entries))
	}
}

func TestCache_GivesNothingOfAnotherType(t *testing.T) {
	c := newCache(1, 1)
	keep(c, cacheKey{person: "nora"}, fresh[int]{freshness: freshness{etag: "a"}, value: 1}, 1)
	if got := lookup[string](c, cacheKey{person: "nora"}); got != (fresh[string]{}) {
		t.Errorf("lookup = %+v", got)
	}
}

func TestCache_BearsManyCallersAtOnce(t *testing.T) {
	c := newCache(4, 40)
	atOnce(16, func() error {
		for i := range 200 {
			key := cacheKey{person: "nora", url: fmt.Sprint(i % 7)}
			lookup[int](c, key)
			keep(c, key, fresh[int]{freshness: freshness{etag: "a"}}, 9)
		}
		return nil
	})
	if c.bytes != 36 || len(c.entries) != 4 {
		t.Errorf("%d entries of %d bytes", len(c.entries), c.bytes)
	}
}
