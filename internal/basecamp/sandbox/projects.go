package sandbox

import (
	"net/http"
	"slices"
)

var projectRoutes = []route{
	// Answers with the active projects, or with those of ?status (archived or trashed), the newest
	// first.
	{"GET /projects", func(c *call) reply {
		projects := c.projects(c.status())
		slices.SortStableFunc(projects, func(a, b *project) int { return b.CreatedAt.Compare(a.CreatedAt) })
		return page(c, projects, "project")
	}},
	{"POST /projects", func(c *call) reply {
		c.mayMakeProject(c.fields)
		p := c.newProject(c.fields)
		return created(c.as("project", p)).located(c.appURL("/projects/%d", p.ID))
	}},
	{"GET /projects/{id}", showAs[project]("project")},
	// Changes name, description and dates. Like Basecamp, it ignores a status.
	{"PUT /projects/{id}", func(c *call, p *project) reply {
		c.mayMakeProject(c.fields)
		starts, ends := p.StartDate, p.EndDate
		if c.fields.has("schedule_attributes") {
			var startsOK, endsOK bool
			dates := c.fields.object("schedule_attributes")
			starts, startsOK = dates.date("start_date")
			ends, endsOK = dates.date("end_date")
			refuse(!startsOK || !endsOK || starts == "" || ends == "" || ends < starts, invalid("Schedule is invalid"))
		}
		p.Name, p.StartDate, p.EndDate = c.fields.trimmed("name"), starts, ends
		if c.fields.has("description") {
			p.Description = c.fields.text("description")
		}
		p.UpdatedAt = c.now()
		return ok(c.as("project", p))
	}},
	{"DELETE /projects/{id}", setProjectStatus(trashed)},
	{"PUT /projects/{id}/status/active", setProjectStatus(active)},
	{"PUT /projects/{id}/status/archived", setProjectStatus(archived)},
	// Answers with the newest projects: the sandbox does not keep visits.
	{"GET /my/recent_projects", func(c *call) reply {
		newest := c.projects(active)
		slices.Reverse(newest)
		return whole(c, newest[:min(10, len(newest))], "project")
	}},
	// Adds a tool to a project's dock, or enables a disabled one.
	{"POST /dock/tools", func(c *call) reply {
		k := kind(c.fields.text("tool_type"))
		refuse(k.tool() == "", invalid("Tool type is not included in the list"))
		title := c.fields.trimmed("title")
		if title == "" {
			title = kinds()[k].Title
		}
		tool := c.s.addTool(c.bucket, &recording{
			Type: k, Title: title, Creator: c.me, CreatedAt: c.now(), Public: c.fields.yes("visible_to_clients"),
		})
		return created(c.envelope(tool))
	}},
	{"GET /dock/tools/{id}", (*call).envelope},
	{"PUT /dock/tools/{id}", func(c *call, tool *recording) reply {
		refuse(c.fields.trimmed("title") == "", invalidField("title", blank))
		tool.Title = c.fields.trimmed("title")
		c.changed(tool, "title_changed", nil)
		return ok(c.envelope(tool))
	}},
	{"POST /recordings/{id}/position", func(c *call, tool *recording) reply {
		tool.Disabled = false
		return replyWith(http.StatusCreated, nil)
	}},
	{"DELETE /recordings/{id}/position", func(_ *call, tool *recording) { tool.Disabled = true }},
	{"GET /projects/{id}/timesheet", func(c *call, p *project) reply {
		refuse(!p.TimesheetEnabled, notFound())
		return listTimes(func(e *recording) *project { return e.Bucket })(c, p)
	}},
}

// mayMakeProject refuses the fields of a project or a template.
func (c *call) mayMakeProject(f fields) {
	refuse(c.me.Client, forbidden())
	refuse(f.trimmed("name") == "", invalid("Name can't be blank"))
}

// newProject adds a project with the caller as its only member.
func (c *call) newProject(f fields) *project {
	p := &project{
		ID: c.s.nextID(), account: c.account, Name: f.trimmed("name"), Status: active,
		CreatedAt: c.now(), UpdatedAt: c.now(), People: []*Person{c.me},
	}
	if f.has("description") {
		p.Description = f.text("description")
	}
	p.gauge = newGauge(p)
	c.account.projects = append(c.account.projects, p)
	c.s.addDock(p, c.me, dockOrder[:5]...)
	return p
}

// addDock adds the dock to a new project. The given tools are enabled, and all others disabled.
func (s *Sandbox) addDock(p *project, by *Person, inUse ...kind) {
	for _, k := range dockOrder {
		s.addTool(p, &recording{Type: k, Title: kinds()[k].Title, Creator: by, CreatedAt: p.CreatedAt, Disabled: !slices.Contains(inUse, k)})
	}
	for _, c := range usualCategories {
		c.ID, c.CreatedAt, c.UpdatedAt = s.nextID(), p.CreatedAt, p.CreatedAt
		p.categories = append(p.categories, &c)
	}
}

// addTool adds a tool to a dock, and its columns to a card table.
func (s *Sandbox) addTool(p *project, tool *recording) *recording {
	s.add(p, nil, tool)
	if tool.Type == kindCardTable {
		s.addColumns(tool)
	}
	return tool
}

// usualCategories are the categories of messages in a new project.
var usualCategories = []category{
	{Name: "Announcement", Icon: "📢"}, {Name: "FYI", Icon: "✨"}, {Name: "Heartbeat", Icon: "❤️"}, {Name: "Pitch", Icon: "💡"},
	{Name: "Question", Icon: "👋"},
}

func setProjectStatus(want status) func(*call, *project) reply {
	return func(c *call, p *project) reply {
		refuse(c.me.Client, forbidden())
		p.Status, p.UpdatedAt = want, c.now()
		return noContent()
	}
}
