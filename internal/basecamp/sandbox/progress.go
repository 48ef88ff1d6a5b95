package sandbox

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/text/lazyregexp"
)

var progressRoutes = []route{
	{"GET /todosets/{id}/hill", showAs[recording]("hill")},
	// Untracks and tracks to-do lists. Basecamp does not say what it does with other ids; the
	// sandbox refuses them.
	{"PUT /todosets/{id}/hills/settings", func(c *call, todoset *recording) reply {
		lists := todoset.within(kindTodolist)
		for _, name := range []string{"untracked", "tracked"} {
			for _, id := range c.fields.numbers(name) {
				list := first(lists, func(l *recording) bool { return l.ID == id })
				refuse(list == nil, notFound())
				todoset.Tracked = slices.DeleteFunc(todoset.Tracked, func(l *recording) bool { return l == list })
				if name == "tracked" {
					todoset.Tracked = append(todoset.Tracked, list)
				}
			}
		}
		return ok(c.as("hill", todoset))
	}},
	// Answers with the gauges that have a needle: by risk, or in the order of the query.
	{"GET /reports/gauges", func(c *call) reply {
		gauges := apply(c.projects(active), func(p *project) *recording { return p.gauge })
		gauges = filter(gauges, func(g *recording) bool { return !g.Disabled && g.needle(0) != nil })
		risk := []string{"red", "yellow", "green"}
		slices.SortFunc(gauges, func(a, b *recording) int {
			return cmp.Or(
				cmp.Compare(slices.Index(risk, a.needle(0).Color), slices.Index(risk, b.needle(0).Color)), cmp.Compare(a.Bucket.Name, b.Bucket.Name),
			)
		})
		if ids := c.query.Get("bucket_ids"); ids != "" {
			order := strings.Split(ids, ",")
			at := func(g *recording) int { return slices.Index(order, strconv.FormatInt(g.Bucket.ID, 10)) }
			gauges = filter(gauges, func(g *recording) bool { return at(g) >= 0 })
			slices.SortFunc(gauges, func(a, b *recording) int { return at(a) - at(b) })
		}
		return page(c, gauges, "full")
	}},
	{"GET /projects/{id}/gauge/needles", onGauge(func(c *call, gauge *recording) reply {
		needles := c.active(gauge.children)
		slices.Reverse(needles)
		return page(c, needles, "full")
	})},
	{"POST /projects/{id}/gauge/needles", onGauge(makes(needles))},
	{"PUT /projects/{id}/gauge", onGauge(func(c *call, gauge *recording) reply {
		refuse(!c.me.Admin, forbidden())
		var enabled bool
		refuse(json.Unmarshal(c.fields.object("gauge")["enabled"], &enabled) != nil, badRequest("Bad Request"))
		gauge.Disabled = !enabled
		return replyWith(200, nil)
	})},
	{"GET /gauge_needles/{id}", (*call).show},
	{"PUT /gauge_needles/{id}", changes(needles)},
	{"DELETE /gauge_needles/{id}", (*call).trash},
	{"GET /recordings/{id}/timesheet", listTimes(func(e *recording) *recording { return e.Parent })},
	{"POST /recordings/{id}/timesheet/entries", onKinds(makes(times), timesheetable...)},
	// Lists the entries of the last month, unless the query names a period.
	{"GET /reports/timesheet", func(c *call) reply {
		from, to, bucket := c.query.Get("start_date"), c.query.Get("end_date"), c.query.Get("bucket_id")
		refuse((from == "") != (to == ""), badRequest("start_date and end_date are both required"))
		if from == "" {
			from = c.today().AddDate(0, -1, 0).Format(time.DateOnly)
		}
		return whole(c, c.times(from, to, func(e *recording) bool { return bucket == "" || bucket == strconv.FormatInt(e.Bucket.ID, 10) }), "full")
	}},
	{"GET /timesheet_entries/{id}", (*call).show},
	{"PUT /timesheet_entries/{id}", changes(times)},
	{"DELETE /timesheet_entries/{id}", (*call).trash},
}

// The gauge of a project holds needles. It is disabled if the team does not use it.
func newGauge(p *project) *recording {
	return &recording{ID: p.ID + 1, Type: kindGauge, Bucket: p, Status: active, CreatedAt: p.CreatedAt}
}

// onGauge does the same as on, for the gauge of the project {id}.
func onGauge(handle func(*call, *recording) reply) handler {
	return on(theProject, func(c *call, p *project) reply { return handle(c, p.gauge) })
}

// needle returns the last needle of a gauge, or the one before it. It returns nil if there is none.
func (r *recording) needle(before int) *recording {
	needles := filter(r.children, func(n *recording) bool { return n.Status == active })
	if len(needles) <= before {
		return nil
	}
	return needles[len(needles)-1-before]
}

var needles = writing{
	kind: kindNeedle, in: "gauge_needle",
	mayMake: func(c *call, gauge *recording) { refuse(c.me.Client || gauge.Disabled, forbidden()) },
	inputs: []input{
		{name: "position", first: true, set: func(_ *call, n *recording, v value) {
			var err error
			n.Level, err = strconv.Atoi(v.text())
			v.refuse(err != nil || n.Level < 0 || n.Level > 100, "must be between 0 and 100")
		}},
		{name: "color", first: true, set: func(_ *call, n *recording, v value) {
			n.Color = cmp.Or(v.text(), "green")
			v.refuse(!slices.Contains([]string{"green", "yellow", "red"}, n.Color), "is not included in the list")
		}},
		{name: "description", set: setBody},
	},
}

// timesheetable are the kinds on which time can be logged.
var timesheetable = []kind{kindMessage, kindTodo, kindCard, kindDocument, kindUpload, kindEntry}

// times returns the entries that the caller may see, of a period and a person of the query, the
// oldest first.
func (c *call) times(from, to string, keep func(*recording) bool) []*recording {
	person := c.query.Get("person_id")
	times := filter(c.everywhere(kindTime), func(e *recording) bool {
		return keep(e) && (person == "" || person == strconv.FormatInt(e.Person.ID, 10)) &&
			(from == "" || e.GroupOn >= from) && (to == "" || e.GroupOn <= to)
	})
	slices.Reverse(times)
	return times
}

// listTimes answers with the entries on a recording or in a project.
func listTimes[T comparable](place func(*recording) T) func(*call, T) reply {
	return func(c *call, of T) reply {
		return page(c, c.times(c.query.Get("from"), c.query.Get("to"), func(e *recording) bool { return place(e) == of }), "full")
	}
}

var hoursText = lazyregexp.New(`^\d+([.,]\d+|:[0-5]\d)?$`)

var times = writing{
	kind:    kindTime,
	mayMake: func(c *call, on *recording) { refuse(c.me.Client || !on.Bucket.TimesheetEnabled, forbidden()) },
	inputs: []input{
		{name: "date", required: true, set: func(_ *call, e *recording, v value) {
			_, err := time.Parse(time.DateOnly, v.text())
			v.refuse(err != nil, "is invalid")
			e.GroupOn = v.text()
		}},
		{name: "hours", required: true, set: func(_ *call, e *recording, v value) {
			e.Hours = v.text()
			v.refuse(!hoursText.MatchString(e.Hours), "is not a number")
		}},
		{name: "description", set: setPlainBody},
		{name: "person_id", set: func(c *call, e *recording, v value) {
			e.Person = c.me
			if v.fields.has(v.name) {
				e.Person = first(c.known(e.Bucket, []int64{v.fields.number(v.name)}), func(p *Person) bool { return !p.Client })
				v.refuse(e.Person == nil, "must be on the project")
			}
		}},
	},
}
