package sandbox

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

func (c *call) event(e *event) view {
	return view{
		{"id", e.id},
		{"recording_id", e.recording.id},
		{"action", e.action},
		{"details", e.details},
		{"created_at", e.at},
		{"creator", c.person(e.by)},
	}
}

// taskChanged records the changes of a task: people who were assigned or unassigned, the due date,
// the text.
func (c *call) taskChanged(r *recording, was recording) {
	before, after := *was.task, *r.task
	switch {
	case !slices.Equal(before.assignees, after.assignees):
		c.changed(r, "assignment_changed", map[string]any{
			"added_person_ids":   idsWithout(after.assignees, before.assignees),
			"removed_person_ids": idsWithout(before.assignees, after.assignees),
		})
	case before.dueOn != after.dueOn || before.startsOn != after.startsOn:
		c.changed(r, "due_date_changed", nil)
	default:
		c.changed(r, "content_changed", nil)
	}
}

// idsWithout returns the ids of the people who are not among the others.
func idsWithout(people, others []*person) []int64 {
	rest := filter(people, func(p *person) bool { return !slices.Contains(others, p) })
	return apply(rest, func(p *person) int64 { return p.id })
}

// listEvents answers with the events of a recording, the latest first.
func listEvents(c *call, r *recording) reply {
	events := filter(c.account.events, func(e *event) bool { return e.recording == r })
	slices.SortFunc(events, func(a, b *event) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.id, a.id)) })
	return page(c, events, c.event)
}

func showSubscription(c *call, r *recording) reply {
	return ok(view{
		{"subscribed", slices.Contains(r.subscribers, c.me)},
		{"count", len(r.subscribers)},
		{"url", c.url("/buckets/%d/recordings/%d/subscription.json", r.bucket.id, r.id)},
		{"subscribers", apply(r.subscribers, c.person)},
	})
}

func subscribe(c *call, r *recording) reply {
	r.subscribe(c.me)
	return showSubscription(c, r)
}

func unsubscribe(c *call, r *recording) { r.unsubscribe(c.me) }

func updateSubscription(c *call, r *recording) reply {
	if !c.fields.has("subscriptions") && !c.fields.has("unsubscriptions") {
		return badRequest("param is missing or the value is empty: subscriptions")
	}
	r.subscribe(c.known(r.bucket, c.fields.numbers("subscriptions"))...)
	r.unsubscribe(c.known(r.bucket, c.fields.numbers("unsubscriptions"))...)
	return showSubscription(c, r)
}

func (r *recording) unsubscribe(people ...*person) {
	r.subscribers = filter(r.subscribers, func(p *person) bool { return !slices.Contains(people, p) })
}

// A bookmark is a person's link to a recording. Other people do not see it.
type bookmark struct {
	id      int64
	who     *person
	about   *recording
	created time.Time
}

func (c *call) bookmark(b *bookmark) view {
	return view{{"id", b.id}, {"created_at", b.created}, {"updated_at", b.created}, {"recording", c.envelope(b.about)}}
}

func (c *call) bookmarkOf(r *recording) *bookmark {
	return first(c.account.bookmarks, func(b *bookmark) bool { return b.who == c.me && b.about == r })
}

func listBookmarks(c *call) reply {
	mine := filter(c.account.bookmarks, func(b *bookmark) bool { return b.who == c.me && c.sees(b.about) })
	slices.Reverse(mine)
	return page(c, mine, c.bookmark)
}

func showBookmark(c *call, r *recording) reply {
	return ok(view{{"bookmarked", c.bookmarkOf(r) != nil}})
}

func createBookmark(c *call, r *recording) reply {
	b := c.bookmarkOf(r)
	if b == nil {
		b = &bookmark{c.s.nextID(), c.me, r, c.now()}
		c.account.bookmarks = append(c.account.bookmarks, b)
	}
	return replyWith(http.StatusCreated, c.bookmark(b))
}

func deleteBookmark(c *call, r *recording) {
	c.account.bookmarks = slices.DeleteFunc(c.account.bookmarks, func(b *bookmark) bool { return b.who == c.me && b.about == r })
}
