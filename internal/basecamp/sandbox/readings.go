package sandbox

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A reading is an item of a person's Hey! menu, unread or read.
type reading struct {
	id      int64
	who     *person
	about   *recording // the thread: a comment is news about its parent
	latest  *recording // the latest news
	section string     // inbox, chats, pings, mentions
	unread  int
	created time.Time
	updated time.Time
	read    time.Time
	rises   time.Time // when a scheduled bubble-up appears; zero if it has appeared
}

// announce notifies the subscribers of a new recording, and the people whom it mentions.
func (c *call) announce(r *recording) {
	c.mention(r, nil)
	named := mentioned(c.account, r.body)
	c.notifyAll(r, filter(r.thread().subscribers, func(p *person) bool { return !slices.Contains(named, p) }), "inbox")
}

// mention notifies the people whom a text mentions, except those in before.
func (c *call) mention(r *recording, before []*person) {
	if r.status == drafted || slices.Contains(columnKinds, r.kind) || r.kind.apart() { // a column has no rich text
		return
	}
	c.notifyAll(r, filter(mentioned(c.account, r.body), func(p *person) bool { return !slices.Contains(before, p) }), "mentions")
}

// notifyAll adds news to the menus of people who can see the recording, except to the caller's.
func (c *call) notifyAll(r *recording, people []*person, section string) {
	for _, p := range people {
		if p != c.me && slices.Contains(r.bucket.people, p) && (!p.client || r.shared()) {
			c.s.notify(p, r.thread(), r, section, c.now())
		}
	}
}

// thread returns the recording that news belongs to: for a comment or an answer its parent,
// otherwise the recording itself.
func (r *recording) thread() *recording {
	if r.kind == kindComment || r.kind == kindAnswer {
		return r.parent
	}
	return r
}

// A readingKey identifies a reading: an account has one of each.
type readingKey struct {
	who     *person
	about   *recording
	section string
}

// notify adds news to a person's menu. If the menu has an item for the same thread and section,
// notify updates that item.
func (s *Sandbox) notify(p *person, about, latest *recording, section string, at time.Time) *reading {
	a, key := about.account(), readingKey{p, about, section}
	if old := a.readingOf[key]; old != nil {
		old.latest, old.updated = latest, at
		old.unread++
		return old
	}
	n := &reading{id: s.nextID(), who: p, about: about, latest: latest, section: section, unread: 1, created: at, updated: at}
	a.readings = append(a.readings, n)
	a.readingOf[key] = n
	return n
}

// handle returns the id that marks a reading as read.
func (n *reading) handle() string {
	return sgid("Recording", n.about.id, "readable-"+n.section)
}

func (c *call) reading(n *reading) view {
	about := n.about
	within := fmt.Sprintf("/buckets/%d/recordings/%d", about.bucket.id, about.id)
	var unread, read any = nil, n.read
	if n.unread > 0 {
		unread, read = n.updated, nil
	}
	v := view{
		{"id", n.id},
		{"created_at", n.created},
		{"updated_at", n.updated},
		{"section", n.section},
		{"unread_count", n.unread},
		{"unread_at", unread},
		{"read_at", read},
		{"readable_sgid", n.handle()},
		{"readable_identifier", base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "gid://bc3/Recording/%d", about.id))},
		{"title", about.headline()},
		{"type", "Recording"},
		{"bucket_name", about.bucket.name},
		{"creator", c.person(n.latest.creator)},
		{"content_excerpt", shorten(strings.ReplaceAll(plain(n.latest.body), "\n", " "), 200)},
		{"previewable_attachments", []view{}},
		{"app_url", c.appURL("%s", n.latest.anchor())},
		{"unread_url", c.url("/my/unreads/%s", n.handle())},
		{"bookmark_url", c.url("/my/bookmarks/%s.json", sgid("Recording", about.id, "readable"))},
		{"subscribed", slices.Contains(about.subscribers, c.me)},
		{"subscription_url", c.url("%s/subscription.json", within)},
		{"bubble_up_url", c.url("%s/bubble_up.json", within)},
		{"bubble_up_at", present(n.rises.After(c.s.now()), n.rises)},
	}
	if others := about.bucket.others(c.me); about.bucket.circle {
		v = append(v, field{"participants", present(len(others) > 0, apply(others, c.person))}, field{"named", false})
	}
	return v
}

const (
	readingsAPage = 50
	unreadsShown  = 100
	bubblesShown  = 2 // with ?limit_bubble_ups
)

// bubble replaces a person's bubble-up of a recording.
func (s *Sandbox) bubble(who *person, r *recording, at time.Time) {
	now := s.now()
	pop(who, r)
	a := r.account()
	a.bubbles = append(a.bubbles, &reading{
		id: s.nextID(), who: who, about: r, latest: r, section: "bubbles", created: now, updated: now, read: now, rises: at,
	})
}

func pop(who *person, r *recording) {
	a := r.account()
	a.bubbles = slices.DeleteFunc(a.bubbles, func(n *reading) bool { return n.who == who && n.about == r })
}

// bubbleHour is when a scheduled bubble-up appears, in the caller's time zone.
const bubbleHour = 8

// bubbleUp schedules a bubble-up, or shows it at once. Basecamp fails if at is missing or is not a
// word or a date that it knows.
func bubbleUp(c *call, r *recording) reply {
	var day time.Time
	switch at := c.fields.text("at"); at {
	case "now":
		c.s.bubble(c.me, r, time.Time{})
		return noContent()
	case "today":
		day = c.today()
	case "tomorrow":
		day = c.today().AddDate(0, 0, 1)
	default:
		var err error
		if day, err = time.Parse(time.DateOnly, at); err != nil {
			return failure(http.StatusInternalServerError, "Internal Server Error")
		}
	}
	c.s.bubble(c.me, r, time.Date(day.Year(), day.Month(), day.Day(), bubbleHour, 0, 0, 0, c.me.location))
	return noContent()
}

func popBubble(c *call, r *recording) { pop(c.me, r) }

// bubbles returns the caller's bubble-ups: those that have appeared, the latest first, and the
// scheduled ones, the next first.
func (c *call) bubbles() (up, scheduled []*reading) {
	mine := filter(c.account.bubbles, func(n *reading) bool { return n.who == c.me && n.about.effective() == active && c.sees(n.about) })
	up = filter(mine, func(n *reading) bool { return !n.rises.After(c.s.now()) })
	scheduled = filter(mine, func(n *reading) bool { return n.rises.After(c.s.now()) })
	slices.SortStableFunc(up, func(a, b *reading) int { return b.updated.Compare(a.updated) })
	slices.SortStableFunc(scheduled, func(a, b *reading) int { return a.rises.Compare(b.rises) })
	return up, scheduled
}

func listBubbleUps(c *call) reply {
	up, scheduled := c.bubbles()
	return pageOf(c, readingsAPage, slices.Concat(up, scheduled), c.reading)
}

// listReadings answers with up to a hundred unread items, and a page of read ones.
func listReadings(c *call) reply {
	mine := filter(c.account.readings, func(n *reading) bool {
		return n.who == c.me && n.about.effective() == active && c.sees(n.about)
	})
	slices.SortStableFunc(mine, func(a, b *reading) int { return b.updated.Compare(a.updated) })
	unread := filter(mine, func(n *reading) bool { return n.unread > 0 })
	read := filter(mine, func(n *reading) bool { return n.unread == 0 })
	up, scheduled := c.bubbles()
	r := pageOf(c, readingsAPage, read, c.reading)
	all, shown := c.query.Get("limit_bubble_ups") != "true", up
	if !all {
		shown = up[:min(bubblesShown, len(up))]
	}
	r.body = view{
		{"bubble_ups", apply(shown, c.reading)},
		{"bubble_ups_count", len(up)},
		{"memories", []view{}},
		{"reads", r.body},
		{"scheduled_bubble_ups", present(all, apply(scheduled, c.reading))},
		{"scheduled_bubble_ups_count", len(scheduled)},
		{"unreads", apply(unread[:min(unreadsShown, len(unread))], c.reading)},
	}
	return r
}

func markRead(c *call) reply {
	if !c.fields.has("readables") {
		return badRequest("param is missing or the value is empty: readables")
	}
	handles := c.fields.texts("readables")
	for _, n := range c.account.readings {
		if n.who == c.me && n.unread > 0 && slices.Contains(handles, n.handle()) {
			n.unread, n.read = 0, c.now()
		}
	}
	return ok(nil)
}
