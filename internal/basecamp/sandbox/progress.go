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

// updateHill untracks and tracks to-do lists. Basecamp does not say what it does with other ids;
// the sandbox refuses them.
func updateHill(c *call, todoset *recording) reply {
	lists := todoset.within(kindTodolist)
	for _, name := range []string{"untracked", "tracked"} {
		for _, id := range c.fields.numbers(name) {
			list := first(lists, func(l *recording) bool { return l.ID == id })
			if list == nil {
				return notFound()
			}
			todoset.Tracked = slices.DeleteFunc(todoset.Tracked, func(l *recording) bool { return l == list })
			if name == "tracked" {
				todoset.Tracked = append(todoset.Tracked, list)
			}
		}
	}
	return ok(c.as("hill", todoset))
}

// The gauge of a project holds needles. It is disabled if the team does not use it.
func newGauge(p *project) *recording {
	return &recording{ID: p.ID + 1, Type: kindGauge, Bucket: p, Status: active, CreatedAt: p.CreatedAt}
}

// onGauge does the same as on, for the gauge of the project {id}.
func onGauge(handle func(*call, *recording) reply) handler {
	return onProject(func(c *call, p *project) reply { return handle(c, p.gauge) })
}

// needle returns the last needle of a gauge, or the one before it. It returns nil if there is none.
func (r *recording) needle(before int) *recording {
	needles := filter(r.children, func(n *recording) bool { return n.Status == active })
	if len(needles) <= before {
		return nil
	}
	return needles[len(needles)-1-before]
}

// listGauges answers with the gauges that have a needle: by risk, or in the order of the query.
func listGauges(c *call) reply {
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
	return page(c, gauges, c.show)
}

func listNeedles(c *call, gauge *recording) reply {
	needles := c.active(gauge.children)
	slices.Reverse(needles)
	return page(c, needles, c.show)
}

var needles = writing{
	kind: kindNeedle, in: "gauge_needle",
	mayMake: func(c *call, gauge *recording) reply { return refusedIf(c.me.Client || gauge.Disabled, forbidden()) },
	inputs: []input{
		{name: "position", first: true, set: func(_ *call, n *recording, f fields, name string) string {
			var err error
			if n.Level, err = strconv.Atoi(f.text(name)); err != nil || n.Level < 0 || n.Level > 100 {
				return "must be between 0 and 100"
			}
			return ""
		}},
		{name: "color", first: true, set: func(_ *call, n *recording, f fields, name string) string {
			if n.Color = cmp.Or(f.text(name), "green"); !slices.Contains([]string{"green", "yellow", "red"}, n.Color) {
				return "is not included in the list"
			}
			return ""
		}},
		{name: "description", set: setBody},
	},
}

func toggleGauge(c *call, gauge *recording) reply {
	if !c.me.Admin {
		return forbidden()
	}
	var enabled bool
	if json.Unmarshal(c.fields.object("gauge")["enabled"], &enabled) != nil {
		return badRequest("Bad Request")
	}
	gauge.Disabled = !enabled
	return replyWith(200, nil)
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
		return page(c, c.times(c.query.Get("from"), c.query.Get("to"), func(e *recording) bool { return place(e) == of }), c.show)
	}
}

// findTimesheet returns the project {id} if it has a timesheet, or nil.
func (c *call) findTimesheet() *project {
	if p := c.findProject(c.id(0)); p != nil && p.TimesheetEnabled {
		return p
	}
	return nil
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
	return whole(c.times(from, to, func(e *recording) bool { return bucket == "" || bucket == strconv.FormatInt(e.Bucket.ID, 10) }), c.show)
}

var hoursText = lazyregexp.New(`^\d+([.,]\d+|:[0-5]\d)?$`)

var times = writing{
	kind: kindTime,
	mayMake: func(c *call, on *recording) reply {
		return refusedIf(c.me.Client || !on.Bucket.TimesheetEnabled, forbidden())
	},
	inputs: []input{
		{name: "date", required: true, set: func(_ *call, e *recording, f fields, name string) string {
			if _, err := time.Parse(time.DateOnly, f.text(name)); err != nil {
				return "is invalid"
			}
			e.GroupOn = f.text(name)
			return ""
		}},
		{name: "hours", required: true, set: func(_ *call, e *recording, f fields, name string) string {
			if e.Hours = f.text(name); !hoursText.MatchString(e.Hours) {
				return "is not a number"
			}
			return ""
		}},
		{name: "description", set: setPlainBody},
		{name: "person_id", set: func(c *call, e *recording, f fields, name string) string {
			if !f.has(name) {
				e.Person = c.me
				return ""
			}
			members := filter(c.known(e.Bucket, []int64{f.number(name)}), func(p *person) bool { return !p.Client })
			if len(members) == 0 {
				return "must be on the project"
			}
			e.Person = members[0]
			return ""
		}},
	},
}
