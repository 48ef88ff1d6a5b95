package sandbox

import "slices"

// A construction makes a project from a template. It is done when it is read for the second time.
type construction struct {
	id       int64
	by       *person
	template *project
	project  *project
	reads    int
}

func (c *call) construction(made *construction) reply {
	status := "pending"
	if made.reads > 1 {
		status = "completed"
	}
	return ok(view{
		{"id", made.id},
		{"status", status},
		{"url", c.url("/templates/%d/project_constructions/%d.json", made.template.id, made.id)},
		{"project", present(made.reads > 1, c.project(made.project))},
	})
}

func listTemplates(c *call) reply {
	found := filter(c.account.templates, func(t *project) bool { return t.status == c.status() && !c.me.client })
	slices.Reverse(found)
	return page(c, found, c.template)
}

func createTemplate(c *call) reply {
	if refusal := c.mayMakeProject(c.fields); refusal.status != 0 {
		return refusal
	}
	t := &project{id: c.s.nextID(), status: active, created: c.now()}
	c.account.templates = append(c.account.templates, t)
	return created(c.fillTemplate(t))
}

func (c *call) fillTemplate(t *project) view {
	t.name, t.description, t.updated = c.fields.trimmed("name"), c.fields.optional("description"), c.now()
	return c.template(t)
}

// findTemplate returns the template {id}, or nil.
func (c *call) findTemplate() *project {
	return first(c.account.templates, func(t *project) bool { return t.id == c.id(0) && !c.me.client })
}

func updateTemplate(c *call, t *project) reply {
	if refusal := c.mayMakeProject(c.fields); refusal.status != 0 {
		return refusal
	}
	return ok(c.fillTemplate(t))
}

func trashTemplate(_ *call, t *project) { t.status = trashed }

func constructProject(c *call, t *project) reply {
	f := c.fields.object("project")
	if refusal := c.mayMakeProject(f); refusal.status != 0 {
		return refusal
	}
	made := &construction{id: c.s.nextID(), by: c.me, template: t, project: c.newProject(f)}
	c.account.constructing = append(c.account.constructing, made)
	r := c.construction(made)
	r.status = 201
	return r
}

func showConstruction(c *call, t *project) reply {
	made := first(c.account.constructing, func(made *construction) bool { return made.id == c.id(1) && made.by == c.me && made.template == t })
	if made == nil {
		return notFound()
	}
	made.reads++
	return c.construction(made)
}
