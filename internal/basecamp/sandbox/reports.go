package sandbox

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

var reportRoutes = []route{
	// Answers with documents, uploads and the files within texts, the newest first.
	{"GET /files", func(c *call) reply {
		people := c.query["people_ids[]"]
		all := newestFirst(append(c.everywhere(kindDocument, kindUpload), c.inlineFiles()...))
		files := filter(all, func(r *recording) bool {
			return (len(people) == 0 || slices.Contains(people, strconv.FormatInt(r.Creator.ID, 10))) && fits(c.query.Get("kind"), r)
		})
		return page(c, files, "full")
	}},
	{"GET /reports/todos/assigned", func(c *call) reply {
		return whole(c, filter(c.visiblePeople(), func(p *Person) bool { return p.Kind == "User" }), "")
	}},
	// Answers with a person's open to-dos, by project, or by date with ?group_by=date.
	{"GET /reports/todos/assigned/{id}", func(c *call, p *Person) reply {
		todos := filter(c.everywhere(kindTodo), func(r *recording) bool { return open(r) && slices.Contains(r.Assignees, p) })
		grouped := cmp.Or(c.query.Get("group_by"), "bucket")
		slices.SortStableFunc(todos, func(a, b *recording) int {
			if grouped == "date" {
				return byDue(a, b)
			}
			return cmp.Or(cmp.Compare(a.Bucket.ID, b.Bucket.ID), byDue(a, b))
		})
		return ok(view{{"grouped_by", grouped}, {"person", c.person(p)}, {"todos", apply(todos, c.show)}})
	}},
	// Answers with overdue to-dos in groups by how late they are.
	{"GET /reports/todos/overdue", func(c *call) reply {
		late := map[string][]view{}
		for _, r := range c.overdue(kindTodo) {
			due, _ := time.Parse(time.DateOnly, r.DueOn)
			group := "over_three_months_late"
			switch days := int(c.today().Sub(due).Hours() / 24); {
			case days < 7:
				group = "under_a_week_late"
			case days < 30:
				group = "over_a_week_late"
			case days <= 90:
				group = "over_a_month_late"
			}
			late[group] = append(late[group], c.show(r))
		}
		var v view
		for _, group := range []string{"over_a_month_late", "over_a_week_late", "over_three_months_late", "under_a_week_late"} {
			v = append(v, field{group, late[group]})
		}
		return ok(v)
	}},
	// Answers with the schedule entries and due tasks of a period. Both its first and its last day
	// belong to it.
	{"GET /reports/schedules/upcoming", func(c *call) reply {
		from, err1 := time.Parse(time.DateOnly, c.query.Get("window_starts_on"))
		to, err2 := time.Parse(time.DateOnly, c.query.Get("window_ends_on"))
		refuse(err1 != nil || err2 != nil, badRequest("window_starts_on and window_ends_on are required dates"))
		to = to.AddDate(0, 0, 1)
		if limit := from.AddDate(0, 0, longestWindow); to.After(limit) {
			to = limit
		}
		type occurrence struct {
			of     *recording
			starts time.Time
		}
		var once, recurring []occurrence
		for _, r := range c.everywhere(kindEntry) {
			e := r.Entry
			if e.Recurs == nil {
				if e.StartsAt.Before(to) && !e.EndsAt.Before(from) {
					once = append(once, occurrence{r, e.StartsAt})
				}
				continue
			}
			for day := from; day.Before(to); day = day.AddDate(0, 0, 1) {
				if e.happensOn(day) {
					recurring = append(recurring, occurrence{r, e.on(day)})
				}
			}
		}
		due := filter(c.everywhere(kindTodo, kindCard, kindStep), func(r *recording) bool {
			day, err := time.Parse(time.DateOnly, r.DueOn)
			return err == nil && !day.Before(from) && day.Before(to)
		})
		slices.SortStableFunc(due, byDue)
		bySchedule := func(a, b occurrence) int {
			return cmp.Compare(a.of.Entry.sortedBy(a.starts), b.of.Entry.sortedBy(b.starts))
		}
		slices.SortStableFunc(once, bySchedule)
		slices.SortStableFunc(recurring, bySchedule)
		show := func(o occurrence) view { return c.as("occasion", o.of.occurringAt(o.starts)) }
		return ok(view{
			{"assignables", c.each("assignable", due)},
			{"recurring_schedule_entry_occurrences", apply(recurring, show)},
			{"schedule_entries", apply(once, show)},
		})
	}},
}

// overdue returns the open tasks of a kind with a past due date, the oldest first.
func (c *call) overdue(k kind) []*recording {
	today := c.today().Format(time.DateOnly)
	late := filter(c.everywhere(k), func(r *recording) bool { return open(r) && r.DueOn != "" && r.DueOn < today })
	slices.SortStableFunc(late, byDue)
	return late
}

// longestWindow bounds the number of days for which recurring entries are computed.
const longestWindow = 400

// everyTask answers with the matching tasks of a kind in all projects. Pages count projects and not
// tasks.
func everyTask(k kind, keep func(*recording) bool) handler {
	return func(c *call) reply {
		return page(c, apply(c.projects(active), func(p *project) view {
			tasks := filter(c.tasksOf(p, k), func(r *recording) bool { return keep(r) && c.wanted(r) })
			return view{{"bucket", c.as("bucket", p)}, {assignmentTypes[k] + "s", apply(tasks, c.show)}}
		}), "")
	}
}

// tasksOf returns a project's active tasks of a kind in the order of the page, without the tasks of
// disabled tools.
func (c *call) tasksOf(p *project, k kind) []*recording {
	var found []*recording
	var walk func(*recording)
	walk = func(r *recording) {
		if r.Type == k && r.effective() == active && c.sees(r) {
			found = append(found, r)
		}
		for _, child := range r.children {
			walk(child)
		}
	}
	for _, tool := range p.Dock {
		if !tool.Disabled {
			walk(tool)
		}
	}
	return found
}

// wanted reports whether a task matches ?assignee_ids[] and ?due.
func (c *call) wanted(r *recording) bool {
	if ids := c.query["assignee_ids[]"]; len(ids) > 0 && !slices.ContainsFunc(r.Assignees, func(p *Person) bool {
		return slices.Contains(ids, strconv.FormatInt(p.ID, 10))
	}) {
		return false
	}
	switch due := r.DueOn; c.query.Get("due") {
	case "with":
		return due != ""
	case "without":
		return due == ""
	case "overdue":
		return due != "" && due < c.today().Format(time.DateOnly)
	}
	return true
}

func unassigned(r *recording) bool { return open(r) && len(r.Assignees) == 0 }
func undated(r *recording) bool    { return open(r) && r.DueOn == "" }
func notNow(r *recording) bool     { return r.Parent.Type == kindNotNow }

// openNow reports whether a task is open and not in the column Not now.
func openNow(r *recording) bool { return open(r) && !notNow(r) }

func everyOverdue(k kind) handler {
	return func(c *call) reply { return whole(c, filter(c.overdue(k), c.wanted), "full") }
}

// inlineFiles returns the files within texts in the form of recordings.
func (c *call) inlineFiles() []*recording {
	var files []*recording
	for _, r := range c.everywhere(kindMessage, kindComment, kindDocument, kindTodo, kindCard, kindForward) {
		for _, f := range c.embedded(r.Body) {
			files = append(files, &recording{
				ID: f.ID, Type: kindAttachment, Bucket: r.Bucket, Parent: r, Creator: r.Creator, Status: active,
				CreatedAt: r.CreatedAt, UpdatedAt: r.CreatedAt, Title: f.File.Filename, File: f.File,
			})
		}
	}
	return files
}

// fits reports whether a file belongs to a kind of the Files page.
func fits(wanted string, r *recording) bool {
	extension := ""
	if r.File != nil {
		extension = strings.TrimPrefix(strings.ToLower(path.Ext(r.File.Filename)), ".")
	}
	switch wanted {
	case "images":
		return r.File != nil && strings.HasPrefix(r.File.ContentType, "image/")
	case "pdfs":
		return extension == "pdf"
	case "videos":
		return r.File != nil && strings.HasPrefix(r.File.ContentType, "video/")
	case "documents":
		return r.Type == kindDocument || slices.Contains([]string{"doc", "docx", "md", "odt", "pages", "rtf", "txt"}, extension)
	}
	return true
}
