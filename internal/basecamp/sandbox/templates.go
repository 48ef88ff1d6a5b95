package sandbox

import (
	"slices"
	"time"
)

// A template is a project that others are made from.
type template struct {
	id            int64
	name          string
	description   *string
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

type templateJSON struct {
	ID          int64   `json:"id"`
	Status      status  `json:"status"`
	CreatedAt   stamp   `json:"created_at"`
	UpdatedAt   stamp   `json:"updated_at"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	URL         string  `json:"url"`
	AppURL      string  `json:"app_url"`
	Dock        []any   `json:"dock"`
}

type constructionJSON struct {
	ID      int64        `json:"id"`
	Status  string       `json:"status"`
	URL     string       `json:"url"`
	Project *projectJSON `json:"project,omitempty"`
}

func (c *call) template(t *template) templateJSON {
	return templateJSON{
		t.id, t.status, stamp(t.created), stamp(t.updated), t.name, t.description,
		c.url("/templates/%d.json", t.id), c.appURL("/templates/%d", t.id), []any{},
	}
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
	t := &template{id: c.s.nextID(), name: name, description: orNull(c.fields.text("description")), status: active, created: c.now(), updated: c.now()}
	c.account.templates = append(c.account.templates, t)
	return created(c.template(t))
}

// findTemplate returns the template {id}, or nil.
func (c *call) findTemplate() *template {
	for _, t := range c.account.templates {
		if t.id == c.id(0) && !c.me.client {
			return t
		}
	}
	return nil
}

func updateTemplate(c *call, t *template) reply {
	name := c.fields.trimmed("name")
	if name == "" {
		return invalid("Name can't be blank")
	}
	t.name, t.description, t.updated = name, orNull(c.fields.text("description")), c.now()
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
	return created(constructionJSON{made.id, "pending", c.url("/templates/%d/project_constructions/%d.json", t.id, made.id), nil})
}

func showConstruction(c *call, t *template) reply {
	for _, made := range t.constructions {
		if made.id != c.id(1) || made.by != c.me {
			continue
		}
		v := constructionJSON{made.id, "pending", c.url("/templates/%d/project_constructions/%d.json", t.id, made.id), nil}
		if made.reads++; made.reads > 1 {
			project := c.project(made.project)
			v.Status, v.Project = "completed", &project
		}
		return ok(v)
	}
	return notFound()
}
