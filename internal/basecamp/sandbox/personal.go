package sandbox

import (
	"slices"
	"time"
)

// A note is the private note of a person.
type note struct {
	id      int64
	body    string
	created time.Time
	updated time.Time
}

func showNote(c *call) reply {
	n := c.me.note
	if n == nil {
		n = &note{}
	}
	written := func(value any) any {
		if c.me.note == nil {
			return nil
		}
		return value
	}
	return ok(view{
		{"id", written(n.id)},
		{"type", "Notebook::Note"},
		{"created_at", written(n.created)},
		{"updated_at", written(n.updated)},
		{"content", n.body},
		{"content_attachments", c.inline(n.body)},
		{"url", c.url("/my/notes.json")},
		{"app_url", c.appURL("/my/navigation/notes")},
	})
}

func updateNote(c *call) reply {
	f := c.fields.object("note")
	if !f.has("content") {
		return badRequest("Bad Request")
	}
	if c.me.note == nil {
		c.me.note = &note{id: c.s.nextID(), created: c.now()}
	}
	c.me.note.body, c.me.note.updated = c.s.richText(c.account, f.text("content")), c.now()
	return showNote(c)
}

// onPerson returns a handler that passes the person {id} of the path to handle. Only administrators
// may change the absence of others.
func onPerson(handle func(*call, *person) reply, changes bool) handler {
	return func(c *call) reply {
		p := first(c.account.people, func(p *person) bool { return p.id == c.id(0) })
		switch {
		case p == nil:
			return notFound()
		case changes && p != c.me && !c.me.admin:
			return forbidden()
		}
		return handle(c, p)
	}
}

func showAbsence(c *call, p *person) reply {
	v := view{
		{"person", view{{"avatar_url", c.url("/people/%d/avatar", p.id)}, {"id", p.id}, {"name", p.name}}},
		{"enabled", p.away != nil},
	}
	if p.away != nil {
		today := c.today().Format(time.DateOnly)
		end, _ := time.Parse(time.DateOnly, p.away.ends)
		v = append(v, view{
			{"ongoing", p.away.starts <= today && today <= p.away.ends},
			{"start_date", p.away.starts},
			{"end_date", p.away.ends},
			{"back_on_date", end.AddDate(0, 0, 1).Format(time.DateOnly)},
		}...)
	}
	return ok(v)
}

func enableAbsence(c *call, p *person) reply {
	f := c.fields.object("out_of_office")
	from, to := f.text("start_date"), f.text("end_date")
	for _, day := range []string{from, to} {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return invalid("Dates can't be blank")
		}
	}
	if to < from {
		return invalidField("end_date", "must be on or after the start date")
	}
	p.away = &span{from, to}
	return showAbsence(c, p)
}

func disableAbsence(_ *call, p *person) { p.away = nil }

// A template is a project that others are made from.
type template struct {
	id            int64
	name          string
	description   any // a string, or nil
	status        status
	created       time.Time
	updated       time.Time
	constructions []*construction
}

// A construction makes a project from a template. It is done when it is read for the second time.
type construction struct {
	id      int64
	by      *person
	project *project
	reads   int
}

func (c *call) template(t *template) view {
	return view{
		{"id", t.id},
		{"status", t.status},
		{"created_at", t.created},
		{"updated_at", t.updated},
		{"name", t.name},
		{"description", t.description},
		{"url", c.url("/templates/%d.json", t.id)},
		{"app_url", c.appURL("/templates/%d", t.id)},
		{"dock", []view{}},
	}
}

func (c *call) construction(t *template, made *construction, status string) view {
	return view{{"id", made.id}, {"status", status}, {"url", c.url("/templates/%d/project_constructions/%d.json", t.id, made.id)}}
}

func listTemplates(c *call) reply {
	found := filter(c.account.templates, func(t *template) bool { return t.status == c.status() && !c.me.client })
	slices.Reverse(found)
	return page(c, found, c.template)
}

func createTemplate(c *call) reply {
	name := c.fields.trimmed("name")
	switch {
	case c.me.client:
		return forbidden()
	case name == "":
		return invalid("Name can't be blank")
	case c.full():
		return overLimit("project/team")
	}
	t := &template{id: c.s.nextID(), name: name, description: c.fields.optional("description"), status: active, created: c.now(), updated: c.now()}
	c.account.templates = append(c.account.templates, t)
	return created(c.template(t))
}

// findTemplate returns the template {id}, or nil.
func (c *call) findTemplate() *template {
	return first(c.account.templates, func(t *template) bool { return t.id == c.id(0) && !c.me.client })
}

func updateTemplate(c *call, t *template) reply {
	name := c.fields.trimmed("name")
	if name == "" {
		return invalid("Name can't be blank")
	}
	t.name, t.description, t.updated = name, c.fields.optional("description"), c.now()
	return ok(c.template(t))
}

func trashTemplate(_ *call, t *template) { t.status = trashed }

func constructProject(c *call, t *template) reply {
	f := c.fields.object("project")
	name := f.trimmed("name")
	switch {
	case name == "":
		return invalid("Name can't be blank")
	case c.full():
		return overLimit("project")
	}
	made := &construction{id: c.s.nextID(), by: c.me, project: c.newProject(name, f)}
	t.constructions = append(t.constructions, made)
	return created(c.construction(t, made, "pending"))
}

func showConstruction(c *call, t *template) reply {
	for _, made := range t.constructions {
		if made.id != c.id(1) || made.by != c.me {
			continue
		}
		if made.reads++; made.reads > 1 {
			return ok(append(c.construction(t, made, "completed"), field{"project", c.project(made.project)}))
		}
		return ok(c.construction(t, made, "pending"))
	}
	return notFound()
}
