package sandbox

import "cmp"

// A writing is the row of a noun: how requests make and change its recordings. Each noun's file has
// its row.
type writing struct {
	kind     kind
	within   []kind                                // where requests make and list them
	list     string                                // segment of that list in URLs
	in       string                                // object in which the fields may be
	inputs   []input                               // in the order in which they are checked
	agree    func(*recording)                      // refuses fields that do not fit together
	fill     func(c *call, r *recording, f fields) // instead of inputs
	replaces bool                                  // a change clears the fields that the request does not have
	drafts   bool                                  // a new one is a draft unless status is active
	inherits bool                                  // clients see a new one if they see what it is in
	silent   bool                                  // the answer to a change has no body
	action   string                                // of the event of a change, content_changed if empty

	mayMake   func(c *call, parent *recording) // refuses before the fields are read
	mayChange func(c *call, r *recording)
	made      func(*call, *recording)                    // changes what is around a new one, and notifies people
	changed   func(c *call, r *recording, was recording) // instead of the event
}

// An input is a field of the body.
type input struct {
	name     string
	required bool // a blank one is refused
	bare     bool // in the format {field: ...}
	first    bool // only of a request that makes
	later    bool // only of a request that changes
	set      func(c *call, r *recording, v value)
}

// A value is that of an input.
type value struct {
	fields fields
	input
}

func (v value) text() string { return v.fields.text(v.name) }
func (v value) people(c *call, r *recording) []*Person {
	return c.known(r.Bucket, v.fields.numbers(v.name))
}

// refuse refuses the value under a condition.
func (v value) refuse(condition bool, problem string) {
	refuse(condition && v.bare, invalidBare(v.name, problem))
	refuse(condition, invalidField(v.name, problem))
}

// makes returns the handler that makes a recording in the one of the path.
func makes(w writing) func(*call, *recording) reply {
	return func(c *call, parent *recording) reply {
		r := &recording{Type: w.kind, Bucket: parent.Bucket, Parent: parent, Public: w.inherits && parent.Public}
		if w.drafts && c.fields.text("status") != string(active) {
			r.Status = drafted
		}
		if w.mayMake != nil {
			w.mayMake(c, parent)
		}
		w.set(c, r, true)
		c.create(parent, r)
		if w.made != nil {
			w.made(c, r)
		}
		answer := created(c.show(r))
		if r.Type != kindStep && !r.Type.apart() {
			answer.located(c.appURL("%s", r.anchor()))
		}
		return answer
	}
}

// changes returns the handler that changes a recording. A request that is refused changes nothing.
func changes(w writing) func(*call, *recording) reply {
	return func(c *call, r *recording) reply {
		if w.mayChange != nil {
			w.mayChange(c, r)
		}
		before, after := *r, *r
		w.set(c, &after, false)
		*r = after
		c.mention(r, mentioned(c.account, before.Body))
		if w.changed != nil {
			w.changed(c, r, before)
		} else {
			c.changed(r, cmp.Or(w.action, "content_changed"), nil)
		}
		if w.silent {
			return noContent()
		}
		answer := ok(c.show(r))
		if r.Type == kindComment {
			answer.located(c.appURL("%s", r.anchor()))
		}
		return answer
	}
}

// set sets the fields of the request, and refuses invalid ones.
func (w writing) set(c *call, r *recording, making bool) {
	f := c.fields.object(w.in)
	if w.fill != nil {
		w.fill(c, r, f)
	}
	for _, in := range w.inputs {
		if making && in.later || !making && (in.first || !w.replaces && !f.has(in.name)) {
			continue
		}
		v := value{f, in}
		v.refuse(in.required && f.trimmed(in.name) == "", blank)
		in.set(c, r, v)
	}
	if w.agree != nil {
		w.agree(r)
	}
}

func setTitle(_ *call, r *recording, v value)     { r.Title = v.fields.trimmed(v.name) }
func setBody(c *call, r *recording, v value)      { r.Body = c.s.richText(c.account, v.text()) }
func setPlainBody(_ *call, r *recording, v value) { r.Body = v.text() }
func setDue(_ *call, r *recording, v value)       { r.DueOn = v.date() }
func setStarts(_ *call, r *recording, v value)    { r.StartsOn = v.date() }
func setAssignees(c *call, r *recording, v value) { r.Assignees = v.people(c, r) }

func (v value) date() string {
	day, valid := v.fields.date(v.name)
	v.refuse(!valid, "is not a valid date")
	return day
}

// publish publishes a draft if the request asks for it. Otherwise it records a change.
func (c *call) publish(r *recording, _ recording) {
	if r.Status != drafted || c.fields.text("status") != string(active) {
		c.changed(r, "content_changed", nil)
		return
	}
	r.Status = active
	r.CreatedAt = c.now()
	c.changed(r, "created", nil)
	c.announce(r)
}
