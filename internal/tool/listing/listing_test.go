package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolargs"
	"basecamp-mcp/internal/wire/upstream"
)

// numbers returns a list of numbers on upstream pages of a given size.
func numbers(size int, lists ...[]int64) *List[int64] {
	l := &List[int64]{Of: "numbers", ID: func(n int64) int64 { return n + 1 }}
	for _, list := range lists {
		l.Sources = append(l.Sources, func(_ context.Context, page int) (upstream.Page[int64], error) {
			if page < 1 {
				return upstream.Page[int64]{}, fmt.Errorf("there is no page %d", page)
			}
			begin, end := min((page-1)*size, len(list)), min(page*size, len(list))
			answer := upstream.Page[int64]{Items: list[begin:end], Total: len(list)}
			if end < len(list) {
				answer.Next = page + 1
			}
			return answer, nil
		})
	}
	return l
}

// collected returns what a list has for a question that it must answer.
func collected[T any](t *testing.T, l *List[T], in PageInput) Collected[T] {
	t.Helper()
	c, err := l.Collect(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func span(from, to int64) (list []int64) {
	for n := from; n < to; n++ {
		list = append(list, n)
	}
	return list
}

func TestListing_EveryLimitReachesEveryItemOnce(t *testing.T) {
	lists := [][]int64{span(0, 7), nil, span(7, 8), span(8, 30), nil}
	for size := 1; size < 12; size++ {
		for limit := 1; limit < 40; limit++ {
			var got []int64
			in := PageInput{Limit: limit}
			for more := true; more; {
				l := numbers(size, lists...)
				c := collected(t, l, in)
				if len(c.Items) > limit || c.More && len(c.Items) == 0 || len(got) > 30 {
					t.Fatalf("size %d, limit %d: %d items after %d, more %v", size, limit, len(c.Items), len(got), c.More)
				}
				got, more = append(got, c.Items...), c.More
				if more {
					in.Cursor = l.Cursor(c)
				}
			}
			if !slices.Equal(got, span(0, 30)) {
				t.Fatalf("size %d, limit %d: %v", size, limit, got)
			}
		}
	}
}

func TestListing_EveryPageHasItsNumber(t *testing.T) {
	for size := 1; size < 9; size++ {
		var got []int64
		number := 1
		for more := true; more; number++ {
			if number > 20 {
				t.Fatalf("size %d: no end after page %d", size, number-1)
			}
			c := collected(t, numbers(size, span(0, 5), span(5, 5), span(5, 12)), PageInput{Page: number})
			if more = c.More; more && (c.Next.Offset != 0 || c.Next.Number <= number) {
				t.Fatalf("size %d, page %d: next %+v", size, number, c.Next)
			}
			got = append(got, c.Items...)
		}
		if !slices.Equal(got, span(0, 12)) {
			t.Fatalf("size %d: %v", size, got)
		}
		beyond, err := numbers(size, span(0, 5), span(5, 12)).Collect(t.Context(), PageInput{Page: 99})
		if err != nil || len(beyond.Items) > 0 || beyond.More {
			t.Errorf("size %d: beyond the end: %+v, %v", size, beyond, err)
		}
	}
}

// If items before the end of an answer are removed, the next answer skips no item after it.
func TestListing_SkipsNothingWhenItemsAreRemoved(t *testing.T) {
	for limit := 1; limit < 12; limit++ {
		for gone := int64(0); gone <= int64(limit); gone++ {
			l := numbers(4, span(0, 20))
			c := collected(t, l, PageInput{Limit: limit})
			rest := collected(t, numbers(4, span(gone, 20)), PageInput{Limit: 100, Cursor: l.Cursor(c)})
			if want := span(max(gone, int64(len(c.Items))), 20); !slices.Equal(rest.Items, want) {
				t.Errorf("limit %d, %d gone: %v, want %v", limit, gone, rest.Items, want)
			}
		}
	}
}

// A client that completes the items shown still sees all others, even if users add items at the
// end.
func TestListing_SkipsNothingWhenItemsAreAddedAndRemoved(t *testing.T) {
	for limit := int64(1); limit < 14; limit++ {
		for gone := int64(1); gone <= limit; gone++ {
			for come := range gone + 1 {
				l := numbers(4, span(0, 20))
				c := collected(t, l, PageInput{Limit: int(limit)})
				want := span(limit, 20+come)
				left := append(span(0, limit-gone), want...) // the last items shown are removed
				ctx := WithLastWrite(t.Context(), time.Now())
				rest, err := numbers(4, left).Collect(ctx, PageInput{Limit: 100, Cursor: l.Cursor(c)})
				if err != nil || len(rest.Items) < len(want) || !slices.Equal(rest.Items[len(rest.Items)-len(want):], want) {
					t.Errorf("limit %d, %d gone, %d come: %v, want %v at the end, %v", limit, gone, come, rest.Items, want, err)
				}
			}
		}
	}
}

func TestListing_ContinuesWhenItemsAreInsertedInFront(t *testing.T) {
	for limit := 1; limit < 14; limit++ {
		for fresh := int64(1); fresh <= 4; fresh++ {
			l := numbers(4, span(10, 30))
			c := collected(t, l, PageInput{Limit: limit})
			rest := collected(t, numbers(4, span(10-fresh, 30)), PageInput{Limit: 100, Cursor: l.Cursor(c)})
			// If the cursor does not find its place, the answer may repeat up to four items.
			shown := len(c.Items)
			repeated := len(rest.Items) - (20 - shown)
			if repeated < 0 || repeated > 4 || !slices.Equal(rest.Items[repeated:], span(10+int64(shown), 30)) {
				t.Errorf("limit %d, %d new: %v", limit, fresh, rest.Items)
			}
		}
	}
}

func TestDigest_DistinguishesIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, parts := range [][]any{
		{"a", int64(4812104324)}, {"a", int64(4812104842)}, {"a", toolargs.Ref{ID: 4812104324}}, {"a", toolargs.Ref{Name: "x"}}, {"ab"}, {"a", "b"},
	} {
		if d := Digest(parts...); seen[d] {
			t.Errorf("%v has the same digest as other arguments", parts)
		} else {
			seen[d] = true
		}
	}
}

func TestListing_ContinuesALongSearchInAnotherCall(t *testing.T) {
	in := PageInput{Limit: 1}
	for calls := 1; calls <= 3; calls++ {
		l := numbers(1, span(0, 50))
		l.Keep = func(n int64) bool { return n == 45 }
		c := collected(t, l, in)
		if len(c.Items) == 1 {
			if calls != 3 || c.Items[0] != 45 {
				t.Errorf("found %v in call %d", c.Items, calls)
			}
			return
		}
		if !c.More || len(l.pages) > maxScanned {
			t.Fatalf("call %d: more %v, %d pages", calls, c.More, len(l.pages))
		}
		in.Cursor = l.Cursor(c)
	}
	t.Error("found nothing in three calls")
}

func TestListing_ReturnsAnUpstreamFailure(t *testing.T) {
	broken := fault.New(fault.RateLimited, "too fast")
	l := numbers(3, span(0, 3))
	l.Sources = append(l.Sources, func(context.Context, int) (upstream.Page[int64], error) { return upstream.Page[int64]{}, broken })
	if _, err := l.Collect(t.Context(), PageInput{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestInParallel_TurnsAPanicIntoAnError(t *testing.T) {
	_, err := InParallel(t.Context(), []int{1, 2}, func(context.Context, int) (int, error) { panic("a slip") })
	if err == nil || !strings.Contains(err.Error(), "panic with a string") || strings.Contains(err.Error(), "a slip") {
		t.Errorf("got %v", err)
	}
}

func FuzzResume_AcceptsOrRejectsEveryCursor(f *testing.F) {
	l := numbers(4, span(0, 20))
	c, _ := l.Collect(f.Context(), PageInput{Limit: 5})
	f.Add(l.Cursor(c))
	f.Add(EncodeCursor(Cursor{Position: Position{Page: 1 << 60, Number: 1, Offset: 1 << 60}, Last: []int64{7}, Of: "numbers"}))
	f.Add(EncodeCursor(Cursor{Position: Position{Page: 5, Number: 5}, Last: []int64{99}, Of: "numbers"}))
	f.Fuzz(func(t *testing.T, text string) {
		l := numbers(4, span(0, 20))
		c, err := l.Collect(t.Context(), PageInput{Cursor: text})
		if err != nil && !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%q: %v", text, err)
		}
		if len(l.pages) > 60 || len(c.Items) > DefaultLimit {
			t.Errorf("%q: %d pages, %d items", text, len(l.pages), len(c.Items))
		}
	})
}

// grown returns a list of numbers whose sources have ids. All but the first are added by Rest.
func grown(lists map[int64][]int64, ids ...int64) *List[int64] {
	l := numbers(4)
	add := func(ids []int64) {
		for _, id := range ids {
			l.Add(id, len(lists[id]), numbers(4, lists[id]).Sources[0])
		}
	}
	add(ids[:1])
	l.Rest = func(context.Context) error { add(ids[1:]); return nil }
	return l
}

func TestListing_ACursorGoesOnBehindSourcesThatAreGone(t *testing.T) {
	lists := map[int64][]int64{1: span(0, 6), 2: span(6, 13), 3: span(13, 15), 4: nil, 5: span(15, 30)}
	for limit := 1; limit < 30; limit++ {
		l := grown(lists, 1, 2, 3, 4, 5)
		c, err := l.Collect(t.Context(), PageInput{Limit: limit})
		if err != nil || !slices.Equal(c.Items, span(0, int64(len(c.Items)))) {
			t.Fatalf("limit %d: %v, %v", limit, c.Items, err)
		}
		rest, err := grown(lists, 1, 5).Collect(t.Context(), PageInput{Limit: 100, Cursor: l.Cursor(c)})
		shown := int64(len(c.Items))
		want := span(max(15, shown), 30)
		if shown < 6 {
			want = slices.Concat(span(shown, 6), span(15, 30))
		}
		if err != nil || !slices.Equal(rest.Items, want) {
			t.Errorf("after %d of the first sources: %v, %v", shown, rest.Items, err)
		}
	}
}
