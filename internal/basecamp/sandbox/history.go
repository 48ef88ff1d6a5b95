package sandbox

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

var historyRoutes = []route{
	// Answers with the events of a recording, the latest first.
	{"GET /recordings/{id}/events", func(c *call, r *recording) reply {
		events := filter(c.account.events, func(e *event) bool { return e.Recording == r })
		slices.SortFunc(events, func(a, b *event) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
		return page(c, events, "")
	}},
	{"GET /recordings/{id}/subscription", showSubscription},
	{"POST /recordings/{id}/subscription", subscribe},
	{"DELETE /recordings/{id}/subscription", unsubscribe},
	{"PUT /recordings/{id}/subscription", func(c *call, r *recording) reply {
		refuse(!c.fields.has("subscriptions") && !c.fields.has("unsubscriptions"), badRequest("param is missing or the value is empty: subscriptions"))
		r.subscribe(c.known(r.Bucket, c.fields.numbers("subscriptions"))...)
		r.unsubscribe(c.known(r.Bucket, c.fields.numbers("unsubscriptions"))...)
		return showSubscription(c, r)
	}},
	{"GET /recordings/{id}/bookmark", func(c *call, r *recording) reply {
		return ok(view{{"bookmarked", c.bookmarkOf(r) != nil}})
	}},
	{"POST /recordings/{id}/bookmark", func(c *call, r *recording) reply {
		b := c.bookmarkOf(r)
		if b == nil {
			b = &bookmark{c.s.nextID(), c.me, r, c.now()}
			c.account.bookmarks = append(c.account.bookmarks, b)
		}
		return replyWith(http.StatusCreated, c.as("bookmark", b))
	}},
	{"DELETE /recordings/{id}/bookmark", func(c *call, r *recording) {
		c.account.bookmarks = slices.DeleteFunc(c.account.bookmarks, func(b *bookmark) bool { return b.who == c.me && b.Recording == r })
	}},
	{"GET /my/bookmarks", func(c *call) reply {
		mine := filter(c.account.bookmarks, func(b *bookmark) bool { return b.who == c.me && c.sees(b.Recording) })
		slices.Reverse(mine)
		return page(c, mine, "")
	}},
}

// taskChanged records the changes of a task: people who were assigned or unassigned, the due date,
// the text.
func (c *call) taskChanged(r *recording, was recording) {
	switch {
	case !slices.Equal(was.Assignees, r.Assignees):
		c.changed(r, "assignment_changed", map[string]any{
			"added_person_ids":   idsWithout(r.Assignees, was.Assignees),
			"removed_person_ids": idsWithout(was.Assignees, r.Assignees),
		})
	case was.DueOn != r.DueOn || was.StartsOn != r.StartsOn:
		c.changed(r, "due_date_changed", nil)
	default:
		c.changed(r, "content_changed", nil)
	}
}

// idsWithout returns the ids of the people who are not among the others.
func idsWithout(people, others []*Person) []int64 {
	rest := filter(people, func(p *Person) bool { return !slices.Contains(others, p) })
	return apply(rest, func(p *Person) int64 { return p.ID })
}

func showSubscription(c *call, r *recording) reply { return ok(c.as("subscription", r)) }

func subscribe(c *call, r *recording) reply {
	r.subscribe(c.me)
	return showSubscription(c, r)
}

func unsubscribe(c *call, r *recording) { r.unsubscribe(c.me) }

func (r *recording) unsubscribe(people ...*Person) {
	r.Subscribers = filter(r.Subscribers, func(p *Person) bool { return !slices.Contains(people, p) })
}

// A bookmark is a person's link to a recording. Other people do not see it.
type bookmark struct {
	ID        int64
	who       *Person
	Recording *recording
	CreatedAt time.Time
}

func (c *call) bookmarkOf(r *recording) *bookmark {
	return first(c.account.bookmarks, func(b *bookmark) bool { return b.who == c.me && b.Recording == r })
}
