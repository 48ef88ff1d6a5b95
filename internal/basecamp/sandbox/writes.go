package sandbox

import "cmp"

// A writing is the row of a noun: how requests make and change its recordings. Each noun's file has
// its row.
type writing struct {
	kind     kind
	within   []kind  // where requests make and list them
	list     string  // segment of that list in URLs
	in       string  // object in which the fields may be
	inputs   []input // in the order in which they are checked
	agree    func(*recording) reply
	fill     func(c *call, r *recording, f fields) reply // instead of inputs
	replaces bool                                        // a change clears the fields that the request does not have
	drafts   bool                                        // a new one is a draft unless status is active
	inherits bool                                        // clients see a new one if they see what it is in
	silent   bool                                        // the answer to a change has no body
	action   string                                      // of the event of a change, content_changed if empty

	mayMake   func(c *call, parent *recording) reply // refuses before the fields are read
	mayChange func(c *call, r *recording) reply
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
	set      func(c *call, r *recording, f fields, name string) (problem string)
}

// makes returns the handler that makes a recording in the one of the path.
func makes(w writing) func(*call, *recording) reply {
	return func(c *call, parent *recording) reply {
		r := &recording{Type: w.kind, Bucket: parent.Bucket, Parent: parent, Public: w.inherits && parent.Public}
		if w.drafts && c.fields.text("status") != string(active) {
			r.Status = drafted
		}
		if w.mayMake != nil {
			if refusal := w.mayMake(c, parent); refusal.status != 0 {
				return refusal
			}
		}
		if refusal := w.set(c, r, true); refusal.status != 0 {
			return refusal
		}
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
			if refusal := w.mayChange(c, r); refusal.status != 0 {
				return refusal
			}
		}
		before, after := *r, *r
		if refusal := w.set(c, &after, false); refusal.status != 0 {
			return refusal
		}
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
func (w writing) set(c *call, r *recording, making bool) reply {
	f := c.fields.object(w.in)
	if w.fill != nil {
		return w.fill(c, r, f)
	}
	for _, in := range w.inputs {
		if making && in.later || !making && (in.first || !w.replaces && !f.has(in.name)) {
			continue
		}
		problem := blank
		if !in.required || f.trimmed(in.name) != "" {
			problem = in.set(c, r, f, in.name)
		}
		if problem != "" && in.bare {
			return invalidBare(in.name, problem)
		}
		if problem != "" {
			return invalidField(in.name, problem)
		}
	}
	if w.agree == nil {
		return reply{}
	}
	return w.agree(r)
}

// refusedIf returns a refusal under a condition. The zero reply refuses nothing.
func refusedIf(condition bool, refusal reply) reply {
	if condition {
		return refusal
	}
	return reply{}
}

func setTitle(_ *call, r *recording, f fields, name string) string {
	r.Title = f.trimmed(name)
	return ""
}

func setBody(c *call, r *recording, f fields, name string) string {
	r.Body = c.s.richText(c.account, f.text(name))
	return ""
}

func setPlainBody(_ *call, r *recording, f fields, name string) string {
	r.Body = f.text(name)
	return ""
}

func setDue(_ *call, r *recording, f fields, name string) string {
	return setDate(&r.DueOn, f, name)
}

func setStarts(_ *call, r *recording, f fields, name string) string {
	return setDate(&r.StartsOn, f, name)
}

func setDate(into *string, f fields, name string) string {
	day, valid := f.date(name)
	if !valid {
		return "is not a valid date"
	}
	*into = day
	return ""
}

func setAssignees(c *call, r *recording, f fields, name string) string {
	r.Assignees = c.known(r.Bucket, f.numbers(name))
	return ""
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
