package sandbox

import (
	"slices"
	"strconv"
	"time"
)

// A note is the private note of a person.
type note struct {
	id      int64
	body    string
	created time.Time
	updated time.Time
}

type noteJSON struct {
	ID                 *int64       `json:"id"`
	Type               kind         `json:"type"`
	CreatedAt          *stamp       `json:"created_at"`
	UpdatedAt          *stamp       `json:"updated_at"`
	Content            string       `json:"content"`
	ContentAttachments []inlineJSON `json:"content_attachments"`
	URL                string       `json:"url"`
	AppURL             string       `json:"app_url"`
}

func showNote(c *call) reply {
	v := noteJSON{Type: "Notebook::Note", ContentAttachments: []inlineJSON{}, URL: c.url("/my/notes.json"), AppURL: c.appURL("/my/navigation/notes")}
	if n := c.me.note; n != nil {
		made, changed := stamp(n.created), stamp(n.updated)
		v.ID, v.CreatedAt, v.UpdatedAt, v.Content, v.ContentAttachments = &n.id, &made, &changed, n.body, c.inline(n.body)
	}
	return ok(v)
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

type absenceJSON struct {
	Person     map[string]any `json:"person"`
	Enabled    bool           `json:"enabled"`
	Ongoing    *bool          `json:"ongoing,omitempty"`
	StartDate  string         `json:"start_date,omitempty"`
	EndDate    string         `json:"end_date,omitempty"`
	BackOnDate string         `json:"back_on_date,omitempty"`
}

// onPerson returns a handler that passes the person {id} of the path to handle. Only administrators
// may change the absence of others.
func onPerson(handle func(*call, *person) reply, changes bool) handler {
	return func(c *call) reply {
		i := slices.IndexFunc(c.account.people, func(p *person) bool { return p.id == c.id(0) })
		switch {
		case i < 0:
			return notFound()
		case changes && c.account.people[i] != c.me && !c.me.admin:
			return forbidden()
		}
		return handle(c, c.account.people[i])
	}
}

func showAbsence(c *call, p *person) reply {
	v := absenceJSON{Person: map[string]any{"id": p.id, "name": p.name, "avatar_url": c.url("/people/%s/avatar", strconv.FormatInt(p.id, 10))}}
	if p.away != nil {
		today := c.today().Format(time.DateOnly)
		ongoing := p.away.Starts <= today && today <= p.away.Ends
		end, _ := time.Parse(time.DateOnly, p.away.Ends)
		v.Enabled, v.Ongoing, v.StartDate, v.EndDate, v.BackOnDate = true, &ongoing, p.away.Starts, p.away.Ends, end.AddDate(0, 0, 1).Format(time.DateOnly)
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
