package sandbox

import (
	"net/http"
	"slices"
	"time"
)

var readingRoutes = []route{
	// Schedules a bubble-up, or shows it at once. Basecamp fails if at is missing or is not a word
	// or a date that it knows.
	{"POST /recordings/{id}/bubble_up", func(c *call, r *recording) reply {
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
	}},
	{"DELETE /recordings/{id}/bubble_up", func(c *call, r *recording) { pop(c.me, r) }},
	// Answers with up to a hundred unread items, and a page of read ones.
	{"GET /my/readings", func(c *call) reply {
		mine := filter(c.account.readings, func(n *reading) bool {
			return n.who == c.me && n.About.effective() == active && c.sees(n.About)
		})
		slices.SortStableFunc(mine, func(a, b *reading) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
		unread := filter(mine, func(n *reading) bool { return n.UnreadCount > 0 })
		read := filter(mine, func(n *reading) bool { return n.UnreadCount == 0 })
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
	}},
	{"GET /my/readings/bubble_ups", func(c *call) reply {
		up, scheduled := c.bubbles()
		return pageOf(c, readingsAPage, slices.Concat(up, scheduled), c.reading)
	}},
	{"PUT /my/unreads", func(c *call) reply {
		refuse(!c.fields.has("readables"), badRequest("param is missing or the value is empty: readables"))
		handles := c.fields.texts("readables")
		for _, n := range c.account.readings {
			if n.who == c.me && n.UnreadCount > 0 && slices.Contains(handles, n.handle()) {
				n.UnreadCount, n.ReadAt = 0, c.now()
			}
		}
		return ok(nil)
	}},
}

// A reading is an item of a person's Hey! menu, unread or read.
type reading struct {
	ID          int64
	who         *Person
	About       *recording // the thread: a comment is news about its parent
	Latest      *recording // the latest news
	Section     string     // inbox, chats, pings, mentions
	UnreadCount int
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ReadAt      time.Time
	Rises       time.Time // when a scheduled bubble-up appears; zero if it has appeared
}

// announce notifies the subscribers of a new recording, and the people whom it mentions.
func (c *call) announce(r *recording) {
	c.mention(r, nil)
	named := mentioned(c.account, r.Body)
	c.notifyAll(r, filter(r.thread().Subscribers, func(p *Person) bool { return !slices.Contains(named, p) }), "inbox")
}

// mention notifies the people whom a text mentions, except those in before.
func (c *call) mention(r *recording, before []*Person) {
	if r.Status == drafted || slices.Contains(columnKinds, r.Type) || r.Type.apart() { // a column has no rich text
		return
	}
	c.notifyAll(r, filter(mentioned(c.account, r.Body), func(p *Person) bool { return !slices.Contains(before, p) }), "mentions")
}

// notifyAll adds news to the menus of people who can see the recording, except to the caller's.
func (c *call) notifyAll(r *recording, people []*Person, section string) {
	for _, p := range people {
		if p != c.me && slices.Contains(r.Bucket.People, p) && (!p.Client || r.shared()) {
			c.s.notify(p, r.thread(), r, section, c.now())
		}
	}
}

// thread returns the recording that news belongs to: for a comment or an answer its parent,
// otherwise the recording itself.
func (r *recording) thread() *recording {
	if r.Type == kindComment || r.Type == kindAnswer {
		return r.Parent
	}
	return r
}

// A readingKey identifies a reading: an account has one of each.
type readingKey struct {
	who     *Person
	about   *recording
	section string
}

// notify adds news to a person's menu. If the menu has an item for the same thread and section,
// notify updates that item.
func (s *Sandbox) notify(p *Person, about, latest *recording, section string, at time.Time) *reading {
	a, key := about.account(), readingKey{p, about, section}
	if old := a.readingOf[key]; old != nil {
		old.Latest, old.UpdatedAt = latest, at
		old.UnreadCount++
		return old
	}
	n := &reading{ID: s.nextID(), who: p, About: about, Latest: latest, Section: section, UnreadCount: 1, CreatedAt: at, UpdatedAt: at}
	a.readings = append(a.readings, n)
	a.readingOf[key] = n
	return n
}

// handle returns the id that marks a reading as read.
func (n *reading) handle() string {
	return sgid("Recording", n.About.ID, "readable-"+n.Section)
}

func (c *call) reading(n *reading) view { return c.as("reading", n) }

const (
	readingsAPage = 50
	unreadsShown  = 100
	bubblesShown  = 2 // with ?limit_bubble_ups
)

// bubble replaces a person's bubble-up of a recording.
func (s *Sandbox) bubble(who *Person, r *recording, at time.Time) {
	now := s.now()
	pop(who, r)
	a := r.account()
	a.bubbles = append(a.bubbles, &reading{
		ID: s.nextID(), who: who, About: r, Latest: r, Section: "bubbles", CreatedAt: now, UpdatedAt: now, ReadAt: now, Rises: at,
	})
}

func pop(who *Person, r *recording) {
	a := r.account()
	a.bubbles = slices.DeleteFunc(a.bubbles, func(n *reading) bool { return n.who == who && n.About == r })
}

// bubbleHour is when a scheduled bubble-up appears, in the caller's time zone.
const bubbleHour = 8

// bubbles returns the caller's bubble-ups: those that have appeared, the latest first, and the
// scheduled ones, the next first.
func (c *call) bubbles() (up, scheduled []*reading) {
	mine := filter(c.account.bubbles, func(n *reading) bool { return n.who == c.me && n.About.effective() == active && c.sees(n.About) })
	up = filter(mine, func(n *reading) bool { return !n.Rises.After(c.s.now()) })
	scheduled = filter(mine, func(n *reading) bool { return n.Rises.After(c.s.now()) })
	slices.SortStableFunc(up, func(a, b *reading) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	slices.SortStableFunc(scheduled, func(a, b *reading) int { return a.Rises.Compare(b.Rises) })
	return up, scheduled
}
