package sandbox

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

const (
	usualPage   = 30
	largestPage = 100
)

// page replies with one page of a list, and links to the others. A size or page that is not a
// positive number counts as the usual one.
func page[T, V any](c *call, items []T, show func(T) V) reply {
	size := min(positive(c.query.Get("per_page"), usualPage), largestPage)
	number := positive(c.query.Get("page"), 1)
	last := max(1, (len(items)+size-1)/size)
	from := min(min(number-1, last)*size, len(items))
	to := min(from+size, len(items))
	r := replyWith(http.StatusOK, apply(items[from:to], show))
	var links []string
	link := func(rel string, page int) {
		query := c.r.URL.Query()
		query.Set("page", strconv.Itoa(page))
		below := "search/issues"
		if c.repo != nil {
			below = fmt.Sprintf("repositories/%d/%s", c.repo.id, strings.Replace(c.route.path, "{n}", strconv.Itoa(c.number), 1))
		}
		links = append(links, fmt.Sprintf(`<%s%s/%s?%s>; rel="%s"`, c.origin, restBase, below, query.Encode(), rel))
	}
	if number > 1 {
		link("prev", min(number-1, last))
	}
	if number < last {
		link("next", number+1)
		link("last", last)
	}
	if number > 1 {
		link("first", 1)
	}
	if len(links) > 0 {
		r.header.Set("Link", strings.Join(links, ", "))
	}
	return r
}

func positive(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}
