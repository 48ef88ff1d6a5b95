package basecamp

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Page is one page of a list. Pages differ in size, so that nothing follows from the number of items.
type Page[T any] struct {
	Items []T
	Next  int // number of the next page, 0 after the last
	Total int // items on all pages, -1 when Basecamp does not say
}

// withPage asks for a page; the first is what Basecamp gives unasked.
func withPage(query url.Values, page int) url.Values {
	if page <= 1 {
		return query
	}
	query = maps.Clone(query)
	if query == nil {
		query = url.Values{}
	}
	query.Set("page", strconv.Itoa(page))
	return query
}

func decodePage[T any](a answer, kept Page[T]) (Page[T], error) {
	if a.unchanged() {
		return kept.recounted(a)
	}
	var items []T
	if err := decodeJSON(a.body, &items); err != nil {
		return Page[T]{}, err
	}
	if items == nil {
		return Page[T]{}, errors.New("null for a list")
	}
	return Page[T]{Items: items}.counted(a)
}

// recounted is a page that is as it was, among pages that need not be: a list grows behind its first page without changing
// it. A 304 that says nothing of the list leaves the page alone.
func (p Page[T]) recounted(a answer) (Page[T], error) {
	if a.header.Get("Link") == "" && a.header.Get("X-Total-Count") == "" {
		return p, nil
	}
	return p.counted(a)
}

func (p Page[T]) counted(a answer) (Page[T], error) {
	next, err := nextPage(a.header.Values("Link"), a.url)
	if err != nil {
		return Page[T]{}, err
	}
	p.Next, p.Total = next, totalCount(a.header)
	return p, nil
}

func totalCount(h http.Header) int {
	total, err := strconv.ParseUint(h.Get("X-Total-Count"), 10, 31)
	if err != nil {
		return -1
	}
	return int(total)
}

// nextPage is the number of the page that the Link headers of an answer name next, 0 for none. The link is never
// followed as it stands; one that leads away from the list it came with is an error, as its number would be of something
// else (B-43).
func nextPage(headers []string, from *url.URL) (int, error) {
	target, ok, err := linked(headers, "next")
	if err != nil || !ok {
		return 0, err
	}
	next, err := from.Parse(target)
	if err != nil {
		return 0, errors.New("next link is no URL")
	}
	if !sameOrigin(next, from) || next.Path != from.Path {
		return 0, errStray
	}
	page, err := strconv.ParseUint(next.Query().Get("page"), 10, 31)
	if err != nil || int(page) <= pageOf(from) {
		return 0, errors.New("next link names no further page")
	}
	return int(page), nil
}

var errStray = errors.New("next link leads elsewhere")

func pageOf(u *url.URL) int {
	page, err := strconv.Atoi(u.Query().Get("page"))
	if err != nil {
		return 1
	}
	return page
}

// sameOrigin compares scheme, host and port, default ports included.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
