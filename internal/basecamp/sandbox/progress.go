package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/lazyregexp"
)

// updateHill tracks and untracks to-do lists. Basecamp does not say what it does with other ids;
// the sandbox refuses them.
func updateHill(c *call, todoset *recording) reply {
	lists := todoset.within(kindTodolist)
	for name, track := range map[string]bool{"tracked": true, "untracked": false} {
		for _, id := range c.fields.numbers(name) {
			i := slices.IndexFunc(lists, func(l *recording) bool { return l.id == id })
			if i < 0 {
				return notFound()
			}
			todoset.tracked = slices.DeleteFunc(todoset.tracked, func(l *recording) bool { return l.id == id })
			if track {
				todoset.tracked = append(todoset.tracked, lists[i])
			}
		}
	}
	return ok(c.as("hill", todoset))
}

// A needle is a position on the gauge of a project.
type needle struct {
	id       int64
	bucket   *project
	position int
	color    string
	body     string
	by       *person
	created  time.Time
	updated  time.Time
}

func (c *call) needle(n *needle) view {
	path := fmt.Sprintf("/projects/%d/gauge/needles/%d", n.bucket.id, n.id)
	return view{
		{"id", n.id},
		{"status", active},
		{"visible_to_clients", false},
		{"created_at", n.created},
		{"updated_at", n.updated},
		{"title", "Moved the needle"},
		{"type", "Gauge::Needle"},
		{"url", c.url("%s.json", path)},
		{"app_url", c.appURL("%s", path)},
		{"bucket", c.inBucket(n.bucket)},
		{"creator", c.person(n.by)},
		{"description", n.body},
		{"description_attachments", c.inline(n.body)},
		{"color", n.color},
		{"position", n.position},
	}
}

// listGauges answers with the gauges that have a needle: by risk, or in the order of the query.
func listGauges(c *call) reply {
	gauges := filter(c.projects(active), func(p *project) bool { return len(p.needles) > 0 && !p.gaugeOff })
	risk := []string{"red", "yellow", "green"}
	slices.SortFunc(gauges, func(a, b *project) int {
		return cmp.Or(cmp.Compare(slices.Index(risk, a.needle().color), slices.Index(risk, b.needle().color)), cmp.Compare(a.name, b.name))
	})
	if ids := c.query.Get("bucket_ids"); ids != "" {
		order := strings.Split(ids, ",")
		at := func(p *project) int { return slices.Index(order, strconv.FormatInt(p.id, 10)) }
		gauges = filter(gauges, func(p *project) bool { return at(p) >= 0 })
		slices.SortFunc(gauges, func(a, b *project) int { return at(a) - at(b) })
	}
	return page(c, gauges, c.gauge)
}

// needle returns the last needle of a project.
func (p *project) needle() *needle { return p.needles[len(p.needles)-1] }

func (c *call) gauge(p *project) view {
	last := p.needle()
	var before any
	if n := len(p.needles); n > 1 {
		before = p.needles[n-2].position
	}
	return view{
		{"id", p.id + 1}, // no recording has the id of a gauge
		{"status", active},
		{"visible_to_clients", false},
		{"created_at", p.created},
		{"updated_at", last.updated},
		{"title", "How far along are we?"},
		{"inherits_status", true},
		{"type", "Gauge"},
		{"url", c.url("/projects/%d/gauge.json", p.id)},
		{"app_url", c.appURL("/projects/%d/gauge", p.id)},
		{"bookmark_url", c.url("/my/bookmarks/%s.json", sgid("Recording", p.id+1, "readable"))},
		{"bucket", c.inBucket(p)},
		{"creator", c.person(last.by)},
		{"description", plain(last.body)},
		{"enabled", true},
		{"last_needle_color", last.color},
		{"last_needle_position", last.position},
		{"previous_needle_position", before},
	}
}

func listNeedles(c *call, p *project) reply {
	newest := slices.Clone(p.needles)
	slices.Reverse(newest)
	return page(c, newest, c.needle)
}

func createNeedle(c *call, p *project) reply {
	f := c.fields.object("gauge_needle")
	position, err := strconv.Atoi(f.text("position"))
	color := f.text("color")
	switch {
	case c.me.client || p.gaugeOff:
		return forbidden()
	case err != nil || position < 0 || position > 100:
		return invalidField("position", "must be between 0 and 100")
	case color == "":
		color = "green"
	case !slices.Contains([]string{"green", "yellow", "red"}, color):
		return invalidField("color", "is not included in the list")
	}
	n := &needle{id: c.s.nextID(), bucket: p, position: position, color: color, body: c.s.richText(c.account, f.text("description")), by: c.me, created: c.now(), updated: c.now()}
	p.needles = append(p.needles, n)
	return created(c.needle(n))
}

// findNeedle returns the needle {id}, or nil.
func (c *call) findNeedle() *needle {
	var all []*needle
	for _, p := range c.projects(active) {
		all = append(all, p.needles...)
	}
	return first(all, func(n *needle) bool { return n.id == c.id(0) })
}

func updateNeedle(c *call, n *needle) reply {
	if f := c.fields.object("gauge_needle"); f.has("description") {
		n.body, n.updated = c.s.richText(c.account, f.text("description")), c.now()
	}
	return ok(c.needle(n))
}

func deleteNeedle(_ *call, n *needle) {
	n.bucket.needles = slices.DeleteFunc(n.bucket.needles, func(other *needle) bool { return other == n })
}

func toggleGauge(c *call, p *project) reply {
	if !c.me.admin {
		return forbidden()
	}
	var enabled bool
	if json.Unmarshal(c.fields.object("gauge")["enabled"], &enabled) != nil {
		return badRequest("Bad Request")
	}
	p.gaugeOff = !enabled
	return replyWith(200, nil)
}

// A timeEntry is time that a person spent on an item.
type timeEntry struct {
	id          int64
	on          *recording
	date        string
	hours       string
	description string
	by, person  *person
	created     time.Time
	updated     time.Time
}

func (c *call) timeEntry(e *timeEntry) view {
	path := fmt.Sprintf("/projects/%d/timesheet/entries/%d", e.on.bucket.id, e.id)
	return view{
		{"id", e.id},
		{"status", active},
		{"created_at", e.created},
		{"updated_at", e.updated},
		{"title", "Timesheet entry"},
		{"type", "Timesheet::Entry"},
		{"url", c.url("%s.json", path)},
		{"app_url", c.appURL("%s", path)},
		{"parent", c.reference(e.on)},
		{"bucket", c.inBucket(e.on.bucket)},
		{"creator", c.person(e.by)},
		{"date", e.date},
		{"description", e.description},
		{"hours", e.hours},
		{"person", c.person(e.person)},
	}
}

// timesheetable are the kinds on which time can be logged.
var timesheetable = []kind{kindMessage, kindTodo, kindCard, kindDocument, kindUpload, kindEntry}

// times returns the entries that the caller may see, of a period and a person of the query.
func (c *call) times(from, to string, keep func(*timeEntry) bool) []*timeEntry {
	person := c.query.Get("person_id")
	return filter(c.account.times, func(e *timeEntry) bool {
		return c.sees(e.on) && keep(e) && (person == "" || person == strconv.FormatInt(e.person.id, 10)) &&
			(from == "" || e.date >= from) && (to == "" || e.date <= to)
	})
}

func listTimes(c *call, on *recording) reply {
	return page(c, c.times(c.query.Get("from"), c.query.Get("to"), func(e *timeEntry) bool { return e.on == on }), c.timeEntry)
}

func listProjectTimes(c *call, p *project) reply {
	if !p.timesheet {
		return notFound()
	}
	return page(c, c.times(c.query.Get("from"), c.query.Get("to"), func(e *timeEntry) bool { return e.on.bucket == p }), c.timeEntry)
}

// listAllTimes lists the entries of the last month, unless the query names a period.
func listAllTimes(c *call) reply {
	from, to, bucket := c.query.Get("start_date"), c.query.Get("end_date"), c.query.Get("bucket_id")
	switch {
	case (from == "") != (to == ""):
		return badRequest("start_date and end_date are both required")
	case from == "":
		from = c.today().AddDate(0, -1, 0).Format(time.DateOnly)
	}
	return whole(c.times(from, to, func(e *timeEntry) bool { return bucket == "" || bucket == strconv.FormatInt(e.on.bucket.id, 10) }), c.timeEntry)
}

var hoursText = lazyregexp.New(`^\d+([.,]\d+|:[0-5]\d)?$`)

// setTime sets the fields of an entry that a request has. It returns a refusal for invalid ones.
func (c *call) setTime(e *timeEntry) (refusal reply, ok bool) {
	if c.fields.has("date") {
		if _, err := time.Parse(time.DateOnly, c.fields.text("date")); err != nil {
			return invalidField("date", "is invalid"), false
		}
		e.date = c.fields.text("date")
	}
	if c.fields.has("hours") {
		if e.hours = c.fields.text("hours"); !hoursText.MatchString(e.hours) {
			return invalidField("hours", "is not a number"), false
		}
	}
	if c.fields.has("description") {
		e.description = c.fields.text("description")
	}
	if c.fields.has("person_id") {
		i := slices.IndexFunc(e.on.bucket.people, func(p *person) bool { return strconv.FormatInt(p.id, 10) == c.fields.text("person_id") && !p.client })
		if i < 0 {
			return invalidField("person", "must be on the project"), false
		}
		e.person = e.on.bucket.people[i]
	}
	e.updated = c.now()
	return reply{}, true
}

func createTime(c *call, on *recording) reply {
	if c.me.client || !on.bucket.timesheet {
		return forbidden()
	}
	e := &timeEntry{on: on, by: c.me, person: c.me, created: c.now()}
	for _, name := range []string{"date", "hours"} {
		if c.fields.text(name) == "" {
			return invalidField(name, blank)
		}
	}
	if refusal, ok := c.setTime(e); !ok {
		return refusal
	}
	e.id = c.s.nextID()
	c.account.times = append(c.account.times, e)
	return created(c.timeEntry(e))
}

// findTime returns the timesheet entry {id}, or nil.
func (c *call) findTime() *timeEntry {
	return first(c.account.times, func(e *timeEntry) bool { return e.id == c.id(0) && c.sees(e.on) })
}

func updateTime(c *call, e *timeEntry) reply {
	changed := *e
	if refusal, ok := c.setTime(&changed); !ok {
		return refusal
	}
	*e = changed
	return ok(c.timeEntry(e))
}

func deleteTime(c *call, e *timeEntry) {
	c.account.times = slices.DeleteFunc(c.account.times, func(other *timeEntry) bool { return other == e })
}
