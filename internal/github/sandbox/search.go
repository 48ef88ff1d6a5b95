package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
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
			c.s.undocumented("GET /search/issues has no documented %q", name)
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
	made, err := connect("SearchResultItemConnection", found, x.issue)(args)
	if o, ok := made.(*object); ok {
		o.fields["issueCount"] = len(found)
	}
	return made, err
}

// hits returns what has all terms, or what is wrong with one.
func (c *call) hits(terms []string) (found []*issue, problem string) {
	var matches, scopes []condition // of several scopes, one is enough
	in := "title,body,comments"
	for _, term := range terms {
		if where, ok := strings.CutPrefix(term, "in:"); ok {
			in = where
		}
	}
	words := 0
	for _, term := range terms {
		match, problem := c.searchTerm(term, in)
		name, _, qualified := strings.Cut(term, ":")
		if !qualified {
			words += len([]rune(term))
		}
		switch {
		case problem != "":
			return nil, problem
		case words > longestQuery:
			return nil, "The search is longer than 256 characters."
		case match == nil:
		case slices.Contains([]string{"repo", "org", "user"}, name):
			scopes = append(scopes, match)
		default:
			matches = append(matches, match)
		}
	}
	inScope := func(i *issue) bool {
		return len(scopes) == 0 || slices.ContainsFunc(scopes, func(match condition) bool { return match(i) })
	}
	for _, r := range c.s.repos {
		if c.t.inRepository(r) == noAccess {
			continue
		}
		found = append(found, filter(r.issues, func(i *issue) bool {
			return inScope(i) && !slices.ContainsFunc(matches, func(match condition) bool { return !match(i) })
		})...)
	}
	return sorted(found, c.query.Get("sort"), c.query.Get("order")), ""
}

// sorted returns issues by the last change, the number of comments or the creation; the latest
// first, unless order is asc.
func sorted(list []*issue, by, order string) []*issue {
	list = slices.SortedStableFunc(slices.Values(list), func(a, b *issue) int {
		compared := a.created.Compare(b.created)
		switch by {
		case "updated":
			compared = a.updated.Compare(b.updated)
		case "comments":
			compared = cmp.Compare(len(a.comments), len(b.comments))
		}
		return cmp.Or(compared, cmp.Compare(a.number, b.number))
	})
	if order != "asc" {
		slices.Reverse(list)
	}
	return list
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

func (i *issue) says(word string) bool {
	return slices.ContainsFunc(i.comments, func(m *comment) bool { return strings.Contains(strings.ToLower(m.body), strings.ToLower(word)) })
}

// has reports whether an issue is on the account's project with a number, or without one on any.
func (a *account) has(i *issue, number string) bool {
	return slices.ContainsFunc(a.projects, func(p *project) bool {
		return (number == "" || strconv.Itoa(p.number) == number) && slices.ContainsFunc(p.items, func(it *item) bool { return it.content == i })
	})
}

// condition reports whether the search finds an issue or a pull request.
type condition func(*issue) bool

// searchTerm returns the condition of a term, or what is wrong with it. GitHub takes a qualifier
// that it does not have for a word.
func (c *call) searchTerm(term, in string) (match condition, problem string) {
	if without, negated := strings.CutPrefix(term, "-"); negated && strings.Contains(term, ":") {
		positive, problem := c.searchTerm(without, in)
		return func(i *issue) bool { return positive == nil || !positive(i) }, problem
	}
	name, value, _ := strings.Cut(term, ":")
	name = strings.ToLower(name)
	of, is := involved[name], described[name]
	switch {
	case value == "":
	case measured[name] != nil:
		return measures(measured[name], value)
	case name == "in":
		return nil, ""
	case name == "sort": // such as updated-desc
		by, order, _ := strings.Cut(value, "-")
		c.query.Set("sort", by)
		c.query.Set("order", order)
		return nil, ""
	case slices.Contains([]string{"repo", "project", "parent-issue", "blocked-by", "blocking"}, name):
		return c.searchPlace(name, value)
	case name == "assignee" && value == "*":
		return func(i *issue) bool { return len(i.assignees) > 0 }, ""
	case of != nil:
		a := c.s.account(strings.TrimPrefix(value, "app/"))
		if value == "@me" {
			a = c.t.person
		}
		if a == nil {
			return nil, unsearchable
		}
		return func(i *issue) bool { return of(i, a) }, ""
	case is != nil:
		return func(i *issue) bool { return is(c, i, strings.ToLower(value)) }, ""
	}
	word := strings.ToLower(strings.TrimPrefix(term, `"`))
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), word) }
	return func(i *issue) bool {
		return strings.Contains(in, "title") && has(i.title) || strings.Contains(in, "body") && has(i.body) || strings.Contains(in, "comments") && i.says(word)
	}, ""
}

// searchPlace returns the condition of a qualifier that names a repository, a project or an issue.
func (c *call) searchPlace(name, value string) (match condition, problem string) {
	place, number, _ := strings.Cut(value, "#")
	owner, rest, _ := strings.Cut(place, "/")
	if a := c.s.account(owner); name == "project" && a != nil {
		return func(i *issue) bool { return a.has(i, rest) }, ""
	}
	r, renamed := c.s.repository(owner, rest)
	if r == nil || renamed || c.t.inRepository(r) == noAccess {
		return nil, unsearchable
	}
	n, _ := strconv.Atoi(number)
	other := r.issue(n)
	return func(i *issue) bool {
		switch name {
		case "repo":
			return i.repository == r
		case "parent-issue":
			return other != nil && i.parent == other
		case "blocked-by":
			return slices.Contains(i.blockers, other)
		}
		return other != nil && slices.Contains(other.blockers, i)
	}, ""
}

func (i *issue) mentions(name string) bool {
	return strings.Contains(strings.ToLower(i.body), "@"+strings.ToLower(name)) || i.says("@"+name)
}

func (i *issue) commentedBy(a *account) bool {
	return slices.ContainsFunc(i.comments, func(m *comment) bool { return m.author == a })
}

func (i *issue) asks(a *account) bool { return i.pull && slices.Contains(i.reviewers, keyed(a)) }

func (i *issue) belongs(a *account) bool { return i.repository.owner == a }

// involved has the qualifiers that name a user or an organization.
var involved = map[string]func(*issue, *account) bool{
	"author":           func(i *issue, a *account) bool { return i.author == a },
	"assignee":         func(i *issue, a *account) bool { return slices.Contains(i.assignees, a) },
	"mentions":         func(i *issue, a *account) bool { return i.mentions(a.login) },
	"commenter":        (*issue).commentedBy,
	"review-requested": (*issue).asks, "user-review-requested": (*issue).asks,
	"reviewed-by": func(i *issue, a *account) bool {
		return i.asks(a) && (i.review() == "APPROVED" || i.review() == "CHANGES_REQUESTED")
	},
	"user": (*issue).belongs, "org": (*issue).belongs,
	"involves": func(i *issue, a *account) bool {
		return i.author == a || slices.Contains(i.assignees, a) || i.mentions(a.login) || i.commentedBy(a)
	},
}

// described has the qualifiers whose values are words, in lower case. The sandbox has no code: no
// languages, no branches.
var described = map[string]func(c *call, i *issue, value string) bool{
	"is": (*call).searchIs, "state": (*call).searchIs, "language": nothing, "head": nothing, "base": nothing,
	"type": func(c *call, i *issue, value string) bool {
		return c.searchIs(i, value) || i.kindOf != "" && slices.Contains(strings.Split(value, ","), strings.ToLower(i.kindOf))
	},
	"label": func(_ *call, i *issue, value string) bool {
		return slices.ContainsFunc(i.labels, func(l *label) bool { return slices.Contains(strings.Split(value, ","), strings.ToLower(l.name)) })
	},
	"milestone": func(_ *call, i *issue, value string) bool {
		return i.milestone != nil && strings.EqualFold(i.milestone.title, value)
	},
	"reason": func(_ *call, i *issue, value string) bool {
		return i.reason != "" && strings.ReplaceAll(i.reason, "_", " ") == value
	},
	"no":       func(c *call, i *issue, value string) bool { return !c.searchHas(i, value, true) },
	"has":      func(c *call, i *issue, value string) bool { return c.searchHas(i, value, false) },
	"archived": func(_ *call, i *issue, value string) bool { return strconv.FormatBool(i.repository.archived) == value },
	"draft":    func(_ *call, i *issue, value string) bool { return i.pull && strconv.FormatBool(i.draft) == value },
	"linked": func(c *call, i *issue, value string) bool {
		return value == "pr" && len(i.pulls) > 0 || value == "issue" && i.pull && len(c.s.closedBy(i, func(*repository) bool { return true })) > 0
	},
	"status": func(_ *call, i *issue, value string) bool { return i.pull && strings.EqualFold(i.checks(), value) },
	"review": func(_ *call, i *issue, value string) bool {
		return i.pull && map[string]string{"none": "", "required": "REVIEW_REQUIRED", "approved": "APPROVED", "changes_requested": "CHANGES_REQUESTED"}[value] == i.review()
	},
	"team": func(_ *call, i *issue, value string) bool { return i.mentions(value) },
	"team-review-requested": func(_ *call, i *issue, value string) bool {
		return slices.ContainsFunc(i.reviewers, func(r keyed) bool {
			t, ok := r.(*team)
			return ok && t.organization.login+"/"+t.slug == value
		})
	},
}

func nothing(*call, *issue, string) bool { return false }

// review returns the decision of the reviews of a pull request; empty if none is required.
func (i *issue) review() string {
	return []string{"REVIEW_REQUIRED", "APPROVED", "CHANGES_REQUESTED", ""}[i.number%4]
}

func (i *issue) checks() string { return []string{"SUCCESS", "FAILURE", "PENDING"}[i.number%3] }

func (c *call) searchIs(i *issue, value string) bool {
	switch value {
	case "issue", "pr":
		return i.pull == (value == "pr")
	case "open", "closed":
		return i.closed == (value == "closed")
	case "merged", "unmerged":
		return i.pull && i.merged == (value == "merged")
	case "draft":
		return i.pull && i.draft
	case "public", "private":
		return i.repository.private == (value == "private")
	case "blocked":
		return slices.ContainsFunc(i.blockers, func(b *issue) bool { return !b.closed })
	case "blocking":
		return !i.closed && len(c.s.blockedBy(i)) > 0
	}
	return value == "unlocked" // no conversation is locked, no repository internal, nothing queued
}

// searchHas reports whether an issue has a part; of a part that GitHub does not know, it says what
// it is told.
func (c *call) searchHas(i *issue, part string, unknown bool) bool {
	has, known := map[string]bool{
		"assignee": len(i.assignees) > 0, "milestone": i.milestone != nil, "label": len(i.labels) > 0, "type": i.kindOf != "",
		"parent-issue": i.parent != nil, "sub-issue": len(i.subs) > 0, "project": slices.ContainsFunc(c.s.accounts, func(a *account) bool { return a.has(i, "") }),
	}[part]
	return has || !known && unknown
}

// measured has the qualifiers whose values are numbers or times, with what they measure; ok is
// false if an issue has none.
var measured = map[string]func(*issue) (n int64, ok bool){
	"comments":     func(i *issue) (int64, bool) { return int64(len(i.comments)), true },
	"interactions": func(i *issue) (int64, bool) { return int64(len(i.comments)), true },
	"reactions":    func(*issue) (int64, bool) { return 0, true },
	"created":      func(i *issue) (int64, bool) { return seconds(&i.created) },
	"updated":      func(i *issue) (int64, bool) { return seconds(&i.updated) },
	"closed":       func(i *issue) (int64, bool) { return seconds(i.closedAt) },
	"merged": func(i *issue) (int64, bool) {
		n, closed := seconds(i.closedAt)
		return n, closed && i.merged
	},
}

func seconds(at *time.Time) (int64, bool) {
	if at == nil {
		return 0, false
	}
	return at.Unix(), true
}

// bounds reads a number, a day or a time: it stands for all from one number to before another.
func bounds(text string) (from, to int64, err error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, n + 1, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Unix(), day.AddDate(0, 0, 1).Unix(), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.Unix(), at.Unix() + 1, err
}

// measures reads a value: one, or with >, >=, < or <= before it, or two with .. between them.
func measures(of func(*issue) (int64, bool), value string) (match condition, problem string) {
	bound := strings.TrimLeft(value, "<>=")
	sign := strings.TrimSuffix(value, bound)
	first, last, ranges := strings.Cut(bound, "..")
	if !ranges {
		last = first
	}
	from, _, badFirst := bounds(first)
	_, to, badLast := bounds(last)
	if badFirst != nil && first != "*" || badLast != nil && last != "*" {
		return nil, fmt.Sprintf("%q is not a recognized date/time or number.", value)
	}
	return func(i *issue) bool {
		n, ok := of(i)
		switch sign {
		case ">":
			return ok && n >= to
		case ">=":
			return ok && n >= from
		case "<":
			return ok && n < from
		case "<=":
			return ok && n < to
		}
		return ok && (first == "*" || n >= from) && (last == "*" || n < to)
	}, ""
}
