package basecamp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// pageOfAny reads a page of a list. It returns its items, and the number of the next page.
type pageOfAny func(ctx context.Context, page int) (items, next int, err error)

func anyPage[T any](list pager[T]) pageOfAny {
	return func(ctx context.Context, page int) (int, int, error) {
		p, err := list(ctx, page)
		return len(p.Items), p.Next, err
	}
}

// everyList returns a list of each form.
func everyList(c *Client) map[string]pageOfAny {
	return map[string]pageOfAny{
		"a list":     anyPage(CommentsOn.Source(c, 7)),
		"in a field": anyPage(TimelineBy.Source(c, 7)),
		"with a query": anyPage(func(ctx context.Context, page int) (Page[SearchResult], error) {
			return c.Search(ctx, Search{Text: "a"}, page)
		}),
		"undecoded": anyPage(Raw("inboxes/7/inbox_forwards", nil, fault.Resource{}).Source(c)),
		"readings": func(ctx context.Context, page int) (int, int, error) {
			r, err := c.Readings(ctx, page)
			return len(r.Read.Items), r.Read.Next, err
		},
	}
}

// growing is a list of every path, with two items on a page. Its answers do not say in their ETags
// how long it is, and an unchanged answer says nothing else.
type growing struct{ total int }

func (g *growing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = max(1, page)
	var items []string
	for n := 2*page - 1; n <= min(2*page, g.total); n++ {
		items = append(items, fmt.Sprintf(`{"id":%d,"title":"%d"}`, n, n))
	}
	list := "[" + strings.Join(items, ",") + "]"
	tag := fmt.Sprintf(`"%d-%d"`, page, len(items))
	w.Header().Set("ETag", tag)
	if page > 1 && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if w.Header().Set("X-Total-Count", strconv.Itoa(g.total)); 2*page < g.total {
		next := *r.URL
		next.RawQuery = upstream.WithPage(next.Query(), page+1).Encode()
		w.Header().Set("Link", fmt.Sprintf(`<https://basecamp.example%s>; rel="next"`, next.RequestURI()))
	}
	switch path := r.URL.Path; {
	case strings.Contains(path, "users/progress"):
		list = `{"events":` + list + `}`
	case strings.HasSuffix(path, "my/readings.json"):
		list = `{"unreads":[],"reads":` + list + `}`
	}
	_, _ = fmt.Fprint(w, list)
}

// A page that was kept at the end of a list does not end it once the list is known to be longer,
// whether the page is used again or Basecamp says that it is unchanged.
func TestLists_GoOnBehindAPageThatWasTheLastOne(t *testing.T) {
	for _, reused := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			g := &growing{}
			for name, list := range everyList(client(t, Config{Transport: transportOf(g.ServeHTTP), Unlimited: true})) {
				var walked int
				for _, g.total = range []int{4, 10} {
					walked = 0
					for page, calls := 1, 0; page > 0 && calls < 9; calls++ {
						ctx := t.Context()
						if reused && page > 1 {
							ctx = upstream.Reuse(ctx, time.Now().Add(-time.Minute))
						}
						items, next, err := list(ctx, page)
						if err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						walked, page = walked+items, next
					}
				}
				if walked != 10 {
					t.Errorf("%s: read %d of 10, reused: %v", name, walked, reused)
				}
			}
		})
	}
}
