package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	maxHits      = 1000
	longestQuery = 256 // characters without qualifiers; here, of all words
	unsearchable = "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them."
	searchPage   = "/search/search#search-issues-and-pull-requests"
)

// searchIssues answers GET /search/issues with the qualifiers that GitHub documents.
func (c *call) searchIssues() reply {
	c.route = &route{page: searchPage, query: []string{"q", "sort", "order", "per_page", "page", "advanced_search"}}
	for name := range c.query {
		if !slices.Contains(c.route.query, name) {
			c.s.undocumented("GET /search/issues has no documented " + strconv.Quote(name))
		}
	}
	terms := searchTerms(c.query.Get("q"))
	if len(terms) == 0 {
		return invalid(searchPage, flaw{Resource: "Search", Field: "q", Code: "missing"})
	}
	found, problem := c.hits(terms)
	if problem != "" {
		return invalid(searchPage, flaw{Resource: "Search", Field: "q", Code: "invalid", Message: problem})
	}
	total := len(found)
	if positive(c.query.Get("page"), 1)*min(positive(c.query.Get("per_page"), usualPage), largestPage) > maxHits {
		return refused(http.StatusUnprocessableEntity, "Only the first 1000 search results are available", searchPage)
	}
	r := page(c, found[:min(total, maxHits)], c.elsewhere)
	r.body = map[string]any{"total_count": total, "incomplete_results": false, "items": r.body}
	return r
}

// search answers the search of the GraphQL API, which finds nothing if a term is wrong.
func (x *run) search(args map[string]any) (any, error) {
	if args["type"] != "ISSUE" {
		return nil, problemf("", "Only issues can be searched here.")
	}
	c := &call{s: x.s, t: x.t, query: url.Values{}}
	found, _ := c.hits(searchTerms(word(args, "query")))
	for _, r := range x.s.repos {
		if x.t.lacksSSO(r.owner) {
			x.leaveOut(r.owner)
		}
	}
	made, err := connect("SearchResultItemConnection", found, x.issue)(args)
	if o, ok := made.(*object); ok {
		o.fields["issueCount"] = len(found)
	}
	return made, err
}

// hits returns what has all terms, or what is wrong with one.
func (c *call) hits(terms []string) (found []*issue, problem string) {
	var matches, scopes []func(*issue) bool // of several scopes, one is enough
	in := "title,body,comments"
	for _, term := range terms {
		if where, ok := strings.CutPrefix(term, "in:"); ok {
			in = where
		}
	}
	words := 0
	for _, term := range terms {
		match, problem := c.searchTerm(term, in)
		if problem != "" {
			return nil, problem
		}
		name, _, qualified := strings.Cut(term, ":")
		if !qualified {
			words += len([]rune(term))
		}
		switch {
		case match == nil:
		case slices.Contains([]string{"repo", "org", "user"}, name):
			scopes = append(scopes, match)
		default:
			matches = append(matches, match)
		}
	}
	if len(scopes) > 0 {
		matches = append(matches, func(i *issue) bool {
			return slices.ContainsFunc(scopes, func(match func(*issue) bool) bool { return match(i) })
		})
	}
	if words > longestQuery {
		return nil, "The search is longer than 256 characters."
	}
	for _, r := range c.s.repos {
		if c.t.inRepository(r) == noAccess || c.t.lacksSSO(r.owner) {
			continue
		}
		found = append(found, filter(r.issues, func(i *issue) bool {
			return !slices.ContainsFunc(matches, func(match func(*issue) bool) bool { return !match(i) })
		})...)
	}
	c.sortHits(found)
	return found, ""
}

// sortHits sorts what a search found, the latest first.
func (c *call) sortHits(found []*issue) {
	slices.SortStableFunc(found, func(a, b *issue) int {
		by := a.created.Compare(b.created)
		switch c.query.Get("sort") {
		case "updated":
			by = a.updated.Compare(b.updated)
		case "comments":
			by = len(a.comments) - len(b.comments)
		}
		if c.query.Get("order") == "asc" {
			return by
		}
		return -by
	})
}

// searchTerms splits a query at blanks outside quotes. A phrase in quotes keeps the first of them.
func searchTerms(q string) (terms []string) {
	var term strings.Builder
	quoted := false
	for _, r := range q + " " {
		switch {
		case r == '"':
			if quoted = !quoted; term.Len() == 0 {
				term.WriteRune(r)
			}
		case r == ' ' && !quoted:
			if term.Len() > 0 {
				terms = append(terms, term.String())
			}
			term.Reset()
		default:
			term.WriteRune(r)
		}
	}
	return terms
}

// says reports whether a comment of an issue has a word.
func (i *issue) says(word string) bool {
	return slices.ContainsFunc(i.comments, func(m *comment) bool { return strings.Contains(strings.ToLower(m.body), strings.ToLower(word)) })
}

// has reports whether an issue is on the account's project with a number.
func (a *account) has(i *issue, number string) bool {
	return slices.ContainsFunc(a.projects, func(p *project) bool {
		return strconv.Itoa(p.number) == number && slices.ContainsFunc(p.items, func(it *item) bool { return it.content == i })
	})
}
