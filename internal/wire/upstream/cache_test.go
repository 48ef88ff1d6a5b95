package upstream

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

func TestRead_ReturnsTheCachedValueIfTheAnswerDidNotChange(t *testing.T) {
	for condition, x := range map[string][2]string{
		"If-None-Match":     {"ETag", `W/"abc"`},
		"If-Modified-Since": {"Last-Modified", "Sun, 01 Mar 2026 12:00:04 GMT"},
	} {
		var requests int
		c := answering(counted(&requests, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(condition) == x[1] {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			says(200, `{"id": 5, "name": "Chain"}`, x[0], x[1])(w, r)
		}))
		for range 2 {
			got, err := read(t.Context(), c, newAccount("nora"))
			if err != nil || got != (item{ID: 5, Name: "Chain"}) {
				t.Errorf("%s: %+v, %v", condition, got, err)
			}
		}
		if requests != 2 {
			t.Errorf("%s: %d requests", condition, requests)
		}
	}
}

func TestRead_PrefersTheETag(t *testing.T) {
	c := answering(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-Modified-Since") != "" {
			t.Error("If-Modified-Since was sent in addition to If-None-Match")
		}
		says(200, `{"id": 5}`, "ETag", `"a"`, "Last-Modified", "Sun, 01 Mar 2026 12:00:04 GMT")(w, r)
	})
	for range 2 {
		if err := get(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRead_DoesNotShareTheCacheBetweenUsersOrURLs(t *testing.T) {
	c := answering(unconditionally(t, says(200, `{"id": 5}`, "ETag", `"a"`)))
	for _, x := range []struct{ user, url string }{{"nora", itemURL}, {"nora", itemURL + "?page=2"}, {"idris", itemURL}, {"", itemURL}, {"", itemURL}} {
		if _, err := readURL(t.Context(), c, newAccount(x.user), x.url); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRead_KeepsTheCacheAfterTheCredentialIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		c := answering(inTurn(says(200, `{"id": 5}`, "ETag", `"a"`), says(401, ""), func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Header.Get("Authorization"), r.Header.Get("If-None-Match"))
			w.WriteHeader(304)
		}))
		for range 2 {
			if got, err := read(t.Context(), c, newAccount("nora")); err != nil || got.ID != 5 {
				t.Fatal(got, err)
			}
		}
		if diff := cmp.Diff([]string{"Bearer token-2", `"a"`}, sent); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRead_ReplacesAnAnswerThatChanged(t *testing.T) {
	c := answering(inTurn(says(200, `{"name": "old"}`, "ETag", `"a"`), says(200, `{"name": "new"}`, "ETag", `"b"`),
		func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("If-None-Match"); got != `"b"` {
				t.Errorf("If-None-Match = %q", got)
			}
			w.WriteHeader(304)
		}))
	for _, want := range []string{"old", "new", "new"} {
		if got, err := read(t.Context(), c, newAccount("nora")); err != nil || got.Name != want {
			t.Errorf("name %q, want %q, %v", got.Name, want, err)
		}
	}
}

func TestRead_DoesNotCacheAnAnswerThatCannotBeDecoded(t *testing.T) {
	c := answering(unconditionally(t, inTurn(says(200, `[`, "ETag", `"a"`), says(200, `{"id": 5}`))))
	wantFault(t, get(t.Context(), c), fault.UpstreamError)
	if err := get(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestA304ToAnUnconditionalRequestIsAnUpstreamError(t *testing.T) {
	for method, send := range methods {
		if f := wantFault(t, send(t.Context(), answering(says(304, ""))), fault.UpstreamError); f.Upstream.Status != 304 {
			t.Errorf("%s: %+v", method, f.Upstream)
		}
	}
}

func TestCache_LimitsEntriesAndBytesAndRemovesTheLeastRecentlyUsed(t *testing.T) {
	key := func(i int) cacheKey { return cacheKey{user: "nora", url: fmt.Sprint(i)} }
	answer := cached{validator: validator{etag: "a"}}
	known := func(c *cache, i int) bool { got, _ := c.lookup(t.Context(), key(i)); return got != cached{} }

	few := newCache(2, 100)
	few.keep(key(1), answer, 1, time.Time{})
	few.keep(key(2), answer, 1, time.Time{})
	known(few, 1)
	few.keep(key(3), answer, 1, time.Time{})
	if !known(few, 1) || known(few, 2) || !known(few, 3) || few.bytes != 2 {
		t.Errorf("the wrong one of three entries was removed, %d bytes", few.bytes)
	}

	small := newCache(100, 10)
	small.keep(key(1), answer, 6, time.Time{})
	small.keep(key(1), answer, 5, time.Time{})
	small.keep(key(2), answer, 5, time.Time{})
	small.keep(key(3), answer, 11, time.Time{})
	if !known(small, 1) || !known(small, 2) || known(small, 3) || small.bytes != 10 {
		t.Errorf("%d bytes are counted", small.bytes)
	}
	small.keep(key(4), answer, 6, time.Time{})
	if known(small, 1) || known(small, 2) || !known(small, 4) || len(small.entries) != 1 || small.recent.Len() != 1 {
		t.Errorf("%d entries remain", len(small.entries))
	}
}

func TestRead_AsksAgainForAValueOfAnotherType(t *testing.T) {
	c := answering(unconditionally(t, says(200, "5", "ETag", `"a"`)))
	r := requestFor(newAccount("nora"), http.MethodGet, itemURL)
	number, err := Read(Reuse(t.Context(), time.Time{}), c, r, func(a Answer, _ int) (int, error) { return strconv.Atoi(string(a.Body)) })
	text, again := Read(Reuse(t.Context(), time.Time{}), c, r, func(a Answer, _ string) (string, error) { return string(a.Body), nil })
	if number != 5 || text != "5" || err != nil || again != nil {
		t.Errorf("%d, %q, %v, %v", number, text, err, again)
	}
}

func TestCache_SupportsConcurrentCallers(t *testing.T) {
	c := newCache(4, 40)
	concurrently(16, func() error {
		for i := range 200 {
			key := cacheKey{user: "nora", url: fmt.Sprint(i % 7)}
			c.lookup(t.Context(), key)
			c.keep(key, cached{validator: validator{etag: "a"}}, 9, time.Time{})
		}
		return nil
	})
	if c.bytes != 36 || len(c.entries) != 4 {
		t.Errorf("%d entries with %d bytes", len(c.entries), c.bytes)
	}
}

func TestRead_ReusesAnAnswerOnlyWhereItsContextAllowsThat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := answering(counted(&requests, tagged))
		start := time.Now()
		for _, step := range []struct {
			user  string
			since time.Time // zero: the context allows nothing
			want  int       // requests until then
		}{
			{"nora", time.Time{}, 1},
			{"nora", start.Add(-time.Second), 1},
			{"nora", start, 1},
			{"idris", start, 2},
			{"nora", start.Add(time.Nanosecond), 3}, // unchanged
			{"nora", start.Add(time.Nanosecond), 3},
			{"nora", time.Time{}, 4},
		} {
			ctx := t.Context()
			if !step.since.IsZero() {
				ctx = Reuse(ctx, step.since)
			}
			if got, err := read(ctx, c, newAccount(step.user)); err != nil || got.ID != 5 || requests != step.want {
				t.Errorf("%s since %v: %+v, %v, %d requests, want %d", step.user, step.since.Sub(start), got, err, requests, step.want)
			}
			time.Sleep(time.Second)
		}
	})
}

func TestCache_ConfirmsOnlyTheEntryThatWasAskedAbout(t *testing.T) {
	c, key := newCache(2, 10), cacheKey{user: "nora"}
	c.keep(key, cached{validator{etag: "b"}, 2}, 1, time.Time{})
	c.confirm(key, cached{validator{etag: "a"}, 1}, time.Now())
	if got, _ := c.lookup(t.Context(), key); got.value != 2 {
		t.Errorf("a late answer about the entry before has replaced the value by %v", got.value)
	}
}

// The value may have parts from the headers.
func TestRead_KeepsTheValueOfAnAnswerThatDidNotChange(t *testing.T) {
	c := answering(inTurn(says(200, "a", "ETag", `"a"`), says(304, "", "X-Total", "6")))
	r := requestFor(newAccount("nora"), http.MethodGet, itemURL)
	for i, ctx := range []context.Context{t.Context(), t.Context(), Reuse(t.Context(), time.Time{})} {
		total, err := Read(ctx, c, r, func(a Answer, _ string) (string, error) { return a.Header.Get("X-Total"), nil })
		if want := []string{"", "6", "6"}[i]; total != want || err != nil {
			t.Errorf("%d: total %q, want %q, %v", i, total, want, err)
		}
	}
}

// What changed while the answer was on its way is not in it.
func TestRead_ReusesAnAnswerByTheTimeOfItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := answering(slowly(&requests, says(200, `{"id": 5}`, "ETag", `"a"`)))
		meanwhile := time.Now().Add(time.Second / 2)
		if first, again := get(t.Context(), c), get(Reuse(t.Context(), meanwhile), c); first != nil || again != nil || requests.Load() != 2 {
			t.Errorf("%d requests, %v, %v", requests.Load(), first, again)
		}
	})
}
