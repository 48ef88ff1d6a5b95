package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// condition reports whether the search finds an issue or a pull request.
type condition func(*issue) bool

// searchTerm returns the condition of a term, or what is wrong with it. GitHub takes a qualifier
// that it does not have for a word.
func (c *call) searchTerm(term, in string) (match condition, problem string) {
	if without, negated := strings.CutPrefix(term, "-"); negated && strings.Contains(term, ":") {
		positive, problem := c.searchTerm(without, in)
		return func(i *issue) bool { return positive == nil || !positive(i) }, problem
	}
	name, value, qualified := strings.Cut(term, ":")
	name = strings.ToLower(name)
	if qualified && value != "" {
		if compared := measured[name]; compared != nil {
			return compared.condition(value)
		}
		switch name {
		case "in":
			return nil, ""
		case "sort": // such as updated-desc
			by, order, _ := strings.Cut(value, "-")
			c.query.Set("sort", by)
			c.query.Set("order", order)
			return nil, ""
		case "repo", "project", "parent-issue", "blocked-by", "blocking":
			return c.searchPlace(name, value)
		case "assignee":
			if value == "*" {
				return func(i *issue) bool { return len(i.assignees) > 0 }, ""
			}
		}
		if of := involved[name]; of != nil {
			return c.searchPerson(of, value)
		}
		if is := described[name]; is != nil {
			return func(i *issue) bool { return is(c, i, strings.ToLower(value)) }, ""
		}
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
	if name == "project" {
		if a := c.s.account(owner); a != nil {
			return func(i *issue) bool { return a.has(i, rest) }, ""
		}
		return nil, unsearchable
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

func (i *issue) asks(reviewer keyed) bool { return i.pull && slices.Contains(i.reviewers, reviewer) }

// involved has the qualifiers that name a user or an organization.
var involved = map[string]func(*issue, *account) bool{
	"author":                func(i *issue, a *account) bool { return i.author == a },
	"assignee":              func(i *issue, a *account) bool { return slices.Contains(i.assignees, a) },
	"mentions":              func(i *issue, a *account) bool { return i.mentions(a.login) },
	"commenter":             (*issue).commentedBy,
	"review-requested":      func(i *issue, a *account) bool { return i.asks(a) },
	"user-review-requested": func(i *issue, a *account) bool { return i.asks(a) },
	"reviewed-by": func(i *issue, a *account) bool {
		return i.asks(a) && (i.review() == "APPROVED" || i.review() == "CHANGES_REQUESTED")
	},
	"user": func(i *issue, a *account) bool { return i.repository.owner == a },
	"org":  func(i *issue, a *account) bool { return i.repository.owner == a },
	"involves": func(i *issue, a *account) bool {
		return i.author == a || slices.Contains(i.assignees, a) || i.mentions(a.login) || i.commentedBy(a)
	},
}

func (c *call) searchPerson(is func(*issue, *account) bool, login string) (match condition, problem string) {
	a := c.s.account(strings.TrimPrefix(login, "app/"))
	if login == "@me" {
		a = c.t.person
	}
	if a == nil {
		return nil, unsearchable
	}
	return func(i *issue) bool { return is(i, a) }, ""
}

// described has the qualifiers whose values are words, in lower case.
var described = map[string]func(c *call, i *issue, value string) bool{
	"is":    (*call).searchIs,
	"state": (*call).searchIs,
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
	// The sandbox has no code: no languages, no branches.
	"language": func(*call, *issue, string) bool { return false },
	"head":     func(*call, *issue, string) bool { return false },
	"base":     func(*call, *issue, string) bool { return false },
}

// review returns the decision of the reviews of a pull request; empty if none is required.
func (i *issue) review() string {
	return []string{"REVIEW_REQUIRED", "APPROVED", "CHANGES_REQUESTED", ""}[i.number%4]
}

// checks returns the state of the checks of a pull request.
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
	switch part {
	case "assignee":
		return len(i.assignees) > 0
	case "milestone":
		return i.milestone != nil
	case "label":
		return len(i.labels) > 0
	case "type":
		return i.kindOf != ""
	case "parent-issue":
		return i.parent != nil
	case "sub-issue":
		return len(i.subs) > 0
	case "project":
		return slices.ContainsFunc(c.s.accounts, func(a *account) bool {
			return slices.ContainsFunc(a.projects, func(p *project) bool { return a.has(i, strconv.Itoa(p.number)) })
		})
	}
	return unknown
}

// measure is a number or a time of an issue, in seconds; ok is false if it has none.
type measure func(*issue) (n int64, ok bool)

// compare says what a qualifier compares, and how its values are read: a value stands for all from
// one number to before another.
type compare struct {
	of   measure
	read func(string) (from, to int64, err error)
}

// measured has the qualifiers whose values are numbers or times.
var measured = map[string]*compare{
	"comments":     {func(i *issue) (int64, bool) { return int64(len(i.comments)), true }, readNumber},
	"interactions": {func(i *issue) (int64, bool) { return int64(len(i.comments)), true }, readNumber},
	"reactions":    {func(*issue) (int64, bool) { return 0, true }, readNumber},
	"created":      {func(i *issue) (int64, bool) { return i.created.Unix(), true }, readTime},
	"updated":      {func(i *issue) (int64, bool) { return i.updated.Unix(), true }, readTime},
	"closed":       {func(i *issue) (int64, bool) { return seconds(i.closedAt) }, readTime},
	"merged": {func(i *issue) (int64, bool) {
		n, closed := seconds(i.closedAt)
		return n, closed && i.merged
	}, readTime},
}

func seconds(at *time.Time) (int64, bool) {
	if at == nil {
		return 0, false
	}
	return at.Unix(), true
}

func readNumber(text string) (from, to int64, err error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, n + 1, err
}

func readTime(text string) (from, to int64, err error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Unix(), day.AddDate(0, 0, 1).Unix(), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.Unix(), at.Unix() + 1, err
}

// condition reads a value: one, or with >, >=, < or <= before it, or two with .. between them.
func (q compare) condition(value string) (match condition, problem string) {
	is := func(within func(n int64) bool) condition {
		return func(i *issue) bool {
			n, ok := q.of(i)
			return ok && within(n)
		}
	}
	if first, last, ranges := strings.Cut(value, ".."); ranges {
		from, _, badFirst := q.read(first)
		_, to, badLast := q.read(last)
		if badFirst != nil && first != "*" || badLast != nil && last != "*" {
			return nil, fmt.Sprintf("%q is not a recognized range.", value)
		}
		return is(func(n int64) bool { return (first == "*" || n >= from) && (last == "*" || n < to) }), ""
	}
	bound := strings.TrimLeft(value, "<>=")
	from, to, err := q.read(bound)
	if err != nil {
		return nil, fmt.Sprintf("%q is not a recognized date/time or number.", value)
	}
	return is(func(n int64) bool {
		switch strings.TrimSuffix(value, bound) {
		case ">":
			return n >= to
		case ">=":
			return n >= from
		case "<":
			return n < from
		case "<=":
			return n < to
		}
		return n >= from && n < to
	}), ""
}
