package sandbox

import (
	"net/http"
	"slices"
	"sync"
)

// projectFields has the values of the fields of projects, templates and pings.
var projectFields = sync.OnceValue(func() fieldsOf[*project] {
	return fieldsOf[*project]{
		"id":                func(_ *call, p *project) any { return p.id },
		"status":            func(_ *call, p *project) any { return p.status },
		"created_at":        func(_ *call, p *project) any { return p.created },
		"updated_at":        func(_ *call, p *project) any { return p.updated },
		"name":              func(_ *call, p *project) any { return p.name },
		"description":       func(_ *call, p *project) any { return p.description },
		"start_date":        func(_ *call, p *project) any { return present(p.starts != "", p.starts) },
		"end_date":          func(_ *call, p *project) any { return present(p.ends != "", p.ends) },
		"clients_enabled":   func(_ *call, p *project) any { return p.clients },
		"timesheet_enabled": func(_ *call, p *project) any { return p.timesheet },
		"bookmark":          func(_ *call, p *project) any { return sgid("Bucket", p.id, "readable") },
		"dock": func(c *call, p *project) any {
			return c.each("dock", filter(p.dock, func(tool *recording) bool { return tool.status == active }))
		},
		"people": func(c *call, p *project) any { return apply(p.people, c.person) },
		"team": func(c *call, p *project) any {
			return view{{"team", view{{"count", len(p.people)}, {"sample", apply(p.people[:min(8, len(p.people))], c.brief)}}}}
		},
		"clientside": func(c *call, p *project) any {
			return present(p.clients, c.place("clientside", p))
		},
		"room":         func(_ *call, p *project) any { return p.dock[0].id },
		"room_updated": func(_ *call, p *project) any { return p.dock[0].updated },
		"links":        func(c *call, p *project) any { return c.place("links", p) },
		"avatar_url":   func(c *call, p *project) any { return c.avatar(p.others(c.me)[0]) },
	}
})

// place returns a project or a ping in the form of an object.
func (c *call) place(object string, p *project) view {
	return c.s.places.show(c, shapes()[object].fields, p)
}

func (c *call) project(p *project) view    { return c.place("project", p) }
func (c *call) template(p *project) view   { return c.place("template", p) }
func (c *call) ping(p *project) view       { return c.place("ping", p) }
func (c *call) bucketLink(p *project) view { return c.place("bucket_link", p) }

func (c *call) inBucket(p *project) view {
	if p.circle {
		return c.place("circle", p)
	}
	return c.place("bucket", p)
}

// listProjects answers with the active projects, or with those of ?status (archived or trashed),
// the newest first.
func listProjects(c *call) reply {
	projects := c.projects(c.status())
	slices.SortStableFunc(projects, func(a, b *project) int { return b.created.Compare(a.created) })
	return page(c, projects, c.project)
}

// listRecentProjects answers with the newest projects: the sandbox does not keep visits.
func listRecentProjects(c *call) reply {
	newest := c.projects(active)
	slices.Reverse(newest)
	return whole(newest[:min(10, len(newest))], c.project)
}

func createProject(c *call) reply {
	if refusal := c.mayMakeProject(c.fields); refusal.status != 0 {
		return refusal
	}
	p := c.newProject(c.fields)
	return created(c.project(p)).located(c.appURL("/projects/%d", p.id))
}

// mayMakeProject refuses the fields of a project or a template.
func (c *call) mayMakeProject(f fields) reply {
	if c.me.client {
		return forbidden()
	}
	return refusedIf(f.trimmed("name") == "", invalid("Name can't be blank"))
}

// newProject adds a project with the caller as its only member.
func (c *call) newProject(f fields) *project {
	p := &project{
		id: c.s.nextID(), account: c.account, name: f.trimmed("name"), status: active,
		created: c.now(), updated: c.now(), people: []*person{c.me},
	}
	if f.has("description") {
		p.description = f.text("description")
	}
	p.gauge = newGauge(p)
	c.account.projects = append(c.account.projects, p)
	c.s.addDock(p, c.me, dockOrder[:5]...)
	return p
}

// addDock adds the dock to a new project. The given tools are enabled, and all others disabled.
func (s *Sandbox) addDock(p *project, by *person, inUse ...kind) {
	for _, k := range dockOrder {
		s.addTool(p, &recording{kind: k, title: kinds[k].title, creator: by, created: p.created, disabled: !slices.Contains(inUse, k)})
	}
	for _, c := range usualCategories {
		c.id, c.created, c.updated = s.nextID(), p.created, p.created
		p.categories = append(p.categories, &c)
	}
}

// addTool adds a tool to a dock, and its columns to a card table.
func (s *Sandbox) addTool(p *project, tool *recording) *recording {
	s.add(p, nil, tool)
	if tool.kind == kindCardTable {
		s.addColumns(tool)
	}
	return tool
}

// usualCategories are the categories of messages in a new project.
var usualCategories = []category{
	{name: "Announcement", icon: "📢"}, {name: "FYI", icon: "✨"}, {name: "Heartbeat", icon: "❤️"}, {name: "Pitch", icon: "💡"},
	{name: "Question", icon: "👋"},
}

// updateProject changes name, description and dates. Like Basecamp, it ignores a status.
func updateProject(c *call, p *project) reply {
	if refusal := c.mayMakeProject(c.fields); refusal.status != 0 {
		return refusal
	}
	starts, ends := p.starts, p.ends
	if c.fields.has("schedule_attributes") {
		var startsOK, endsOK bool
		dates := c.fields.object("schedule_attributes")
		starts, startsOK = dates.date("start_date")
		ends, endsOK = dates.date("end_date")
		if !startsOK || !endsOK || starts == "" || ends == "" || ends < starts {
			return invalid("Schedule is invalid")
		}
	}
	p.name, p.starts, p.ends = c.fields.trimmed("name"), starts, ends
	if c.fields.has("description") {
		p.description = c.fields.text("description")
	}
	p.updated = c.now()
	return ok(c.project(p))
}

func setProjectStatus(want status) func(*call, *project) reply {
	return func(c *call, p *project) reply {
		if c.me.client {
			return forbidden()
		}
		p.status, p.updated = want, c.now()
		return noContent()
	}
}

// createTool adds a tool to a project's dock, or enables a disabled one.
func createTool(c *call) reply {
	k := kind(c.fields.text("tool_type"))
	if k.tool() == "" {
		return invalid("Tool type is not included in the list")
	}
	title := c.fields.trimmed("title")
	if title == "" {
		title = kinds[k].title
	}
	tool := c.s.addTool(c.bucket, &recording{
		kind: k, title: title, creator: c.me, created: c.now(), public: c.fields.yes("visible_to_clients"),
	})
	return created(c.envelope(tool))
}

func enableTool(c *call, tool *recording) reply {
	tool.disabled = false
	return replyWith(http.StatusCreated, nil)
}

func disableTool(_ *call, tool *recording) { tool.disabled = true }

func renameTool(c *call, tool *recording) reply {
	if c.fields.trimmed("title") == "" {
		return invalidField("title", blank)
	}
	tool.title = c.fields.trimmed("title")
	c.changed(tool, "title_changed", nil)
	return ok(c.envelope(tool))
}
