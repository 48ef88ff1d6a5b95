package sandbox

import "time"

var personalRoutes = []route{
	{"GET /my/notes", showNote},
	{"PUT /my/notes", func(c *call) reply {
		f := c.fields.object("note")
		refuse(!f.has("content"), badRequest("Bad Request"))
		if c.me.note == nil {
			c.me.note = &recording{ID: c.s.nextID(), Type: kindNote, CreatedAt: c.now()}
		}
		c.me.note.Body, c.me.note.UpdatedAt = c.s.richText(c.account, f.text("content")), c.now()
		return showNote(c)
	}},
	{"GET /people/{id}/out_of_office", onPerson(showAbsence, false)},
	{"POST /people/{id}/out_of_office", onPerson(func(c *call, p *Person) reply {
		f := c.fields.object("out_of_office")
		from, to := f.text("start_date"), f.text("end_date")
		for _, day := range []string{from, to} {
			if _, err := time.Parse(time.DateOnly, day); err != nil {
				return invalid("Dates can't be blank")
			}
		}
		refuse(to < from, invalidField("end_date", "must be on or after the start date"))
		p.Away = &span{from, to}
		return showAbsence(c, p)
	}, true)},
	{"DELETE /people/{id}/out_of_office", onPerson(silently(func(_ *call, p *Person) { p.Away = nil }), true)},
}

// showNote answers with the caller's private note.
func showNote(c *call) reply {
	if c.me.note == nil {
		return ok(c.as("blank_note", &recording{Type: kindNote}))
	}
	return ok(c.show(c.me.note))
}

// onPerson returns a handler that passes the person {id} of the path to handle. Only administrators
// may change the absence of others.
func onPerson(handle func(*call, *Person) reply, changes bool) handler {
	return func(c *call) reply {
		p := first(c.account.people, func(p *Person) bool { return p.ID == c.id(0) })
		refuse(p == nil, notFound())
		refuse(changes && p != c.me && !c.me.Admin, forbidden())
		return handle(c, p)
	}
}

func showAbsence(c *call, p *Person) reply { return ok(c.as("absence", p)) }
