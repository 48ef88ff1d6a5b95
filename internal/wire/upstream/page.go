package upstream

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/text/lazyregexp"
)

// Page is one page of a list. Pages differ in size, so the number of items does not say whether
// another page follows.
type Page[T any] struct {
	Items []T
	Next  int // number of the next page; 0 after the last page
	Total int // items on all pages; -1 if the provider does not say
	// Likely is how many items the list probably has, if a source knows that better than Total. It
	// only decides which pages are read early.
	Likely int
}

// Count returns Total.
func (p Page[T]) Count() int { return p.Total }

// WithPage adds a page number to a query. The first page needs none.
func WithPage(query url.Values, page int) url.Values {
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

// WithHeaders returns p with the next page and the total that the headers of an answer name. An
// unchanged answer (304) can still name a new total, because a list grows behind its first page. If
// such an answer has neither header, WithHeaders returns p as it is.
func (p Page[T]) WithHeaders(a Answer) (Page[T], error) {
	if a.Unchanged() && a.Header.Get("Link") == "" && a.Header.Get("X-Total-Count") == "" {
		return p, nil
	}
	next, err := nextPage(a.Header.Values("Link"), a.URL)
	if err != nil {
		return Page[T]{}, err
	}
	p.Next, p.Total = next, totalCount(a.Header)
	return p, nil
}

func totalCount(h http.Header) int {
	total, err := strconv.ParseUint(h.Get("X-Total-Count"), 10, 31)
	if err != nil {
		return -1
	}
	return int(total)
}

// nextPage returns the number of the next page that the Link headers of an answer name, or 0 if
// they name none. The link itself is never followed. A link to another list is an error, because
// its number would belong to that list.
func nextPage(headers []string, from *url.URL) (int, error) {
	target, ok, err := findLink(headers, "next")
	if err != nil || !ok {
		return 0, err
	}
	next, err := from.Parse(target)
	if err != nil {
		return 0, errors.New("the next link is not a URL")
	}
	if !sameOrigin(next, from) || next.Path != from.Path {
		return 0, errors.New("the next link leads to another list")
	}
	page, err := strconv.ParseUint(next.Query().Get("page"), 10, 31)
	if err != nil || int(page) <= pageOf(from) {
		return 0, errors.New("the next link does not name a later page")
	}
	return int(page), nil
}

// NextURL returns the address of the next page that the Link headers of an answer name, for
// providers whose lists are continued by the link itself. It returns nil after the last page. A
// link that leaves the origin or the path of base is an error, because the request would carry the
// user's token there.
func NextURL(a Answer, base *url.URL) (*url.URL, error) {
	target, ok, err := findLink(a.Header.Values("Link"), "next")
	if err != nil || !ok {
		return nil, err
	}
	next, err := Below(base, a.URL, target)
	if err != nil {
		return nil, fmt.Errorf("the next link: %w", err)
	}
	if next.String() == a.URL.String() {
		return nil, errors.New("the next link leads to the same page")
	}
	return next, nil
}

// Below resolves a reference that from contains. The result has the origin of base, and a path
// below that of base; every other reference is an error.
func Below(base, from *url.URL, reference string) (*url.URL, error) {
	u, err := from.Parse(reference) // resolves dot segments
	if err != nil {
		return nil, errors.New("not a URL")
	}
	root := strings.TrimSuffix(base.Path, "/") + "/"
	dots := slices.ContainsFunc(strings.FieldsFunc(u.Path, isSlash), isDots) // escaped ones survive
	if !sameOrigin(u, base) || u.User != nil || u.Opaque != "" || dots || !strings.HasPrefix(u.Path, root) {
		return nil, errors.New("leads away from the API")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

func isDots(segment string) bool { return segment == "." || segment == ".." }

func pageOf(u *url.URL) int {
	page, err := strconv.Atoi(u.Query().Get("page"))
	if err != nil {
		return 1
	}
	return page
}

// sameOrigin reports whether scheme, host and port are equal. A missing port is the scheme's
// default.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// The parts of a Link header: the target of a link, and one of its parameters, with a quoted value
// or another.
var (
	linkTarget = lazyregexp.New(`^<([^>]*)>`)
	linkParam  = lazyregexp.New(`(?s)^[ \t]*;([^=;,]*)(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^";,][^;,]*)?))?`)
	escaped    = lazyregexp.New(`(?s)\\(.)`)
)

var errLinkHeader = errors.New("malformed Link header")

// findLink returns the first target with a relation in Link headers (RFC 8288), and whether there
// is one. A malformed header is an error: treating it as the end of a list would lose the other
// pages.
func findLink(headers []string, relation string) (target string, ok bool, err error) {
	for _, header := range headers {
		for rest := skipSeparators(header); rest != ""; rest = skipSeparators(rest) {
			link := linkTarget.FindStringSubmatch(rest)
			if link == nil {
				return "", false, errLinkHeader
			}
			var relations string
			relations, rest = readParams(rest[len(link[0]):])
			if rest != "" && rest[0] != ',' {
				return "", false, errLinkHeader
			}
			if slices.ContainsFunc(strings.Fields(relations), func(r string) bool { return strings.EqualFold(r, relation) }) {
				return strings.TrimSpace(link[1]), true, nil
			}
		}
	}
	return "", false, nil
}

// skipSeparators removes what may separate links.
func skipSeparators(s string) string { return strings.TrimLeft(s, " \t,") }

// readParams returns the relations that the parameters of a link name, of which the first rel
// counts, and what follows the parameters.
func readParams(s string) (relations, rest string) {
	for {
		param := linkParam.FindStringSubmatch(s)
		if param == nil {
			return relations, strings.TrimLeft(s, " \t")
		}
		s = s[len(param[0]):]
		if relations == "" && strings.EqualFold(strings.TrimSpace(param[1]), "rel") {
			relations = escaped.ReplaceAllString(param[2], "$1") + strings.TrimSpace(param[3])
		}
	}
}
