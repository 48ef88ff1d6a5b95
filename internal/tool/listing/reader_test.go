package listing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/wire/upstream"
)

// pages is an upstream list of numbers with pages of the given sizes. Every page takes a second.
type pages struct {
	sizes []int
	total int // -1: upstream does not say

	mu    sync.Mutex
	asked []int
}

func (p *pages) read(ctx context.Context, number int) (upstream.Page[int], error) {
	p.mu.Lock()
	p.asked = append(p.asked, number)
	p.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return upstream.Page[int]{}, ctx.Err()
	}
	page := upstream.Page[int]{Total: p.total}
	if number > len(p.sizes) {
		return page, nil
	}
	from := 0
	for _, size := range p.sizes[:number-1] {
		from += size
	}
	for i := range p.sizes[number-1] {
		page.Items = append(page.Items, from+i)
	}
	if number < len(p.sizes) {
		page.Next = number + 1
	}
	return page, nil
}

func TestCollect_ReadsThePagesTogetherThatItCertainlyNeeds(t *testing.T) {
	for name, test := range map[string]struct {
		upstream *pages
		limit    int
		asked    []int
		seconds  int
	}{
		"one page is enough":                  {&pages{sizes: []int{15, 30}, total: 45}, 10, []int{1}, 1},
		"two are needed":                      {&pages{sizes: []int{15, 30, 50}, total: 95}, 25, []int{1, 2}, 2},
		"all of a long list":                  {&pages{sizes: []int{15, 30, 50, 5}, total: 100}, 100, []int{1, 2, 3, 4}, 2},
		"pages of one size":                   {&pages{sizes: []int{20, 20, 20, 20}, total: 80}, 100, []int{1, 2, 3, 4}, 2},
		"upstream does not say how many":      {&pages{sizes: []int{15, 30, 50}, total: -1}, 90, []int{1, 2, 3}, 3},
		"the list became shorter meanwhile":   {&pages{sizes: []int{15, 30}, total: 95}, 100, []int{1, 2, 3}, 2},
		"pages are smaller than those of now": {&pages{sizes: []int{15, 10, 10, 10}, total: 45}, 45, []int{1, 2, 3, 4}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				l := &List[int]{ID: func(i int) int64 { return int64(i) }, Sources: []Source[int]{test.upstream.read}}
				found := collected(t, l, PageInput{Limit: test.limit})
				for i, item := range found.Items {
					if item != i {
						t.Fatalf("item %d is %d", i, item)
					}
				}
				whole := 0
				for _, size := range test.upstream.sizes {
					whole += size
				}
				if len(found.Items) != min(test.limit, whole) || found.More != (whole > test.limit) {
					t.Errorf("%d items, more %v", len(found.Items), found.More)
				}
				if asked := slices.Sorted(slices.Values(test.upstream.asked)); !slices.Equal(asked, test.asked) || time.Since(start) != time.Duration(test.seconds)*time.Second {
					t.Errorf("asked for pages %v in %v, want %v in %d s", asked, time.Since(start), test.asked, test.seconds)
				}
			})
		})
	}
}

func TestEverything_ReadsFivePagesAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		long := &pages{sizes: []int{15, 30, 50, 100, 100, 100, 100, 100, 5}, total: 600}
		all, err := Everything(t.Context(), long.read)
		if err != nil || len(all) != 600 || !slices.IsSorted(all) || len(long.asked) != 9 {
			t.Errorf("%d items, asked for %v, %v", len(all), long.asked, err)
		}
		if took := time.Since(start); took > 4*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestAhead_ReturnsAPanicAsAnError(t *testing.T) {
	await := Ahead(t.Context(), func(context.Context) (int, error) { panic("out of range") })
	if _, err := await(); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Error(err)
	}
}

func TestAhead_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	await := Ahead(ctx, func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() })
	cancel()
	if _, err := await(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// readAll reads a list to its end, and returns how many items each answer has.
func readAll(t *testing.T, upstream *pages, limit int, between func()) (all []int, answers []int) {
	t.Helper()
	in := PageInput{Limit: limit}
	for range 200 {
		l := &List[int]{ID: func(i int) int64 { return int64(i) + 1 }, Sources: []Source[int]{upstream.read}}
		found := collected(t, l, in)
		all, answers = append(all, found.Items...), append(answers, len(found.Items))
		if !found.More {
			return all, answers
		}
		in.Cursor = l.Cursor(found)
		between()
	}
	t.Fatal("no end")
	return nil, nil
}

func TestCollect_EndsAnAnswerWhereAPageEndsIfItHasTwoThirdsOfTheLimit(t *testing.T) {
	for limit, want := range map[int][]int{
		100: {95, 100, 100, 5},
		70:  {70, 25 + 45, 55, 70, 30 + 5},
		50:  {45, 50, 50, 50, 50, 50, 5},
		25:  {25, 20, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 5},
		300: {300},
	} {
		synctest.Test(t, func(t *testing.T) {
			upstream := &pages{sizes: []int{15, 30, 50, 100, 100, 5}, total: 300}
			all, answers := readAll(t, upstream, limit, func() {})
			if !slices.Equal(answers, want) || len(all) != 300 || !slices.IsSorted(all) {
				t.Errorf("limit %d: answers of %v items, want %v", limit, answers, want)
			}
			if limit == 100 && len(upstream.asked) != 6 {
				t.Errorf("limit %d: asked for pages %v", limit, upstream.asked)
			}
		})
	}
}

func TestCollect_ChecksThePageBeforeIfTheTotalChangedOrTheCursorIsOld(t *testing.T) {
	for name, test := range map[string]struct {
		pause time.Duration
		total int
		wrote bool
		asked []int
	}{
		"unchanged":                     {time.Second, 300, false, []int{4}},
		"another total":                 {time.Second, 299, false, []int{3, 4}},
		"an old cursor":                 {maxUnmoved, 300, false, []int{3, 4}},
		"the caller wrote meanwhile":    {time.Second, 300, true, []int{3, 4}},
		"upstream does not say a total": {time.Second, -1, false, []int{3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				upstream := &pages{sizes: []int{15, 30, 50, 100, 105}, total: 300}
				l := &List[int]{ID: func(i int) int64 { return int64(i) + 1 }, Sources: []Source[int]{upstream.read}}
				found, err := l.Collect(t.Context(), PageInput{Limit: 100})
				if err != nil || len(found.Items) != 95 {
					t.Fatalf("%d items, %v", len(found.Items), err)
				}
				time.Sleep(test.pause)
				ctx := t.Context()
				if test.wrote {
					ctx = WithLastWrite(ctx, time.Now())
				}
				upstream.asked, upstream.total = nil, test.total
				next := &List[int]{ID: l.ID, Sources: l.Sources}
				rest, err := next.Collect(ctx, PageInput{Limit: 100, Cursor: l.Cursor(found)})
				if asked := slices.Sorted(slices.Values(upstream.asked)); err != nil || rest.Items[0] != 95 || !slices.Equal(asked, test.asked) {
					t.Errorf("begins with %d, asked for pages %v, %v", rest.Items[0], asked, err)
				}
			})
		})
	}
}

func TestCarried_IsSmallAndExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream := &pages{sizes: []int{15, 30}, total: 45}
		l := &List[int]{ID: func(i int) int64 { return int64(i) }, Sources: []Source[int]{upstream.read}}
		found := collected(t, l, PageInput{Limit: 15})
		var got string
		for _, carry := range []string{"Launch", strings.Repeat("long ", maxCarried)} {
			l.Carry = carry
			cursor := l.Cursor(found)
			ok := Carried(cursor, &got)
			if short := carry == "Launch"; ok != short || short && got != carry || len(cursor) > 400 {
				t.Errorf("%.10s: carried %v, %.10s, cursor of %d characters", carry, ok, got, len(cursor))
			}
		}
		l.Carry = "Launch"
		cursor := l.Cursor(found)
		time.Sleep(maxCarriedAge)
		if Carried(cursor, &got) {
			t.Error("carried for too long")
		}
	})
}
