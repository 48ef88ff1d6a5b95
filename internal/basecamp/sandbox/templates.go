package sandbox

import "slices"

var templateRoutes = []route{
	{"GET /templates", func(c *call) reply {
		found := filter(c.account.templates, func(t *project) bool { return t.Status == c.status() && !c.me.Client })
		slices.Reverse(found)
		return page(c, found, "template")
	}},
	{"POST /templates", func(c *call) reply {
		c.mayMakeProject(c.fields)
		t := &project{ID: c.s.nextID(), Status: active, CreatedAt: c.now()}
		c.account.templates = append(c.account.templates, t)
		return created(c.fillTemplate(t))
	}},
	{"GET /templates/{id}", on((*call).findTemplate, showAs[project]("template"))},
	{"PUT /templates/{id}", on((*call).findTemplate, func(c *call, t *project) reply {
		c.mayMakeProject(c.fields)
		return ok(c.fillTemplate(t))
	})},
	{"DELETE /templates/{id}", on((*call).findTemplate, silently(func(_ *call, t *project) { t.Status = trashed }))},
	{"POST /templates/{id}/project_constructions", on((*call).findTemplate, func(c *call, t *project) reply {
		f := c.fields.object("project")
		c.mayMakeProject(f)
		made := &construction{ID: c.s.nextID(), by: c.me, Template: t, Project: c.newProject(f)}
		c.account.constructing = append(c.account.constructing, made)
		return created(c.as("construction", made))
	})},
	{"GET /templates/{id}/project_constructions/{id}", on((*call).findTemplate, func(c *call, t *project) reply {
		made := first(c.account.constructing, func(made *construction) bool { return made.ID == c.id(1) && made.by == c.me && made.Template == t })
		refuse(made == nil, notFound())
		made.reads++
		return ok(c.as("construction", made))
	})},
}

// A construction makes a project from a template. It is done when it is read for the second time.
type construction struct {
	ID       int64
	by       *Person
	Template *project
	Project  *project
	reads    int
}

func (c *call) fillTemplate(t *project) view {
	t.Name, t.Description, t.UpdatedAt = c.fields.trimmed("name"), c.fields.text("description"), c.now()
	return c.as("template", t)
}

// findTemplate returns the template {id}, or nil.
func (c *call) findTemplate() *project {
	return first(c.account.templates, func(t *project) bool { return t.ID == c.id(0) && !c.me.Client })
}
