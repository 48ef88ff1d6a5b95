package sandbox

import "time"

// showNote answers with the caller's private note.
func showNote(c *call) reply {
	if c.me.note == nil {
		return ok(c.as("blank_note", &recording{Type: kindNote}))
	}
	return ok(c.show(c.me.note))
}

func updateNote(c *call) reply {
	f := c.fields.object("note")
	if !f.has("content") {
		return badRequest("Bad Request")
	}
	if c.me.note == nil {
		c.me.note = &recording{ID: c.s.nextID(), Type: kindNote, CreatedAt: c.now()}
	}
	c.me.note.Body, c.me.note.UpdatedAt = c.s.richText(c.account, f.text("content")), c.now()
	return showNote(c)
}

// onPerson returns a handler that passes the person {id} of the path to handle. Only administrators
// may change the absence of others.
func onPerson(handle func(*call, *person) reply, changes bool) handler {
	return func(c *call) reply {
		p := first(c.account.people, func(p *person) bool { return p.ID == c.id(0) })
		switch {
		case p == nil:
			return notFound()
		case changes && p != c.me && !c.me.Admin:
			return forbidden()
		}
		return handle(c, p)
	}
}

func showAbsence(c *call, p *person) reply { return ok(c.as("absence", p)) }

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
	p.Away = &span{from, to}
	return showAbsence(c, p)
}

func disableAbsence(_ *call, p *person) { p.Away = nil }
