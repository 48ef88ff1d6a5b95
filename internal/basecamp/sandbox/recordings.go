package sandbox

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// nextID returns a new id. Ids grow in steps of different sizes, as if many companies shared the
// sequence.
func (s *Sandbox) nextID() int64 {
	s.lastID += 1 + (s.lastID*7+3)%11
	return s.lastID
}

// add puts a new recording under its parent. The caller sets its kind, creator and the fields of
// its kind, and may set its id. add sets the other fields.
func (s *Sandbox) add(p *project, parent *recording, r *recording) *recording {
	if r.id == 0 {
		r.id = s.nextID()
	}
	r.bucket, r.parent = p, parent
	if r.status == "" {
		r.status = active
	}
	if r.updated.IsZero() {
		r.updated = r.created
	}
	r.subscribe(r.creator)
	if parent == nil {
		p.dock = append(p.dock, r)
	} else {
		parent.children = append(parent.children, r)
	}
	p.account.recordings[r.id] = r
	if r.status != drafted {
		s.record(r, r.creator, "created", r.created, nil)
	}
	return r
}

// record adds an event for a change of a recording.
func (s *Sandbox) record(r *recording, by *person, action string, at time.Time, details map[string]any) {
	if r.kind.apart() {
		return
	}
	if details == nil {
		details = map[string]any{}
	}
	a := r.account()
	a.events = append(a.events, &event{id: s.nextID(), recording: r, action: action, details: details, at: at, by: by})
}

// create adds a recording that the caller has written.
func (c *call) create(parent *recording, r *recording) *recording {
	r.creator = c.me
	r.created = c.now()
	r.parent = parent
	asked := c.fields.yes("visible_to_clients") && parent.bucket.clients && !r.inheritsVisibility()
	if c.me.client || asked {
		r.public = true
	}
	return c.s.add(parent.bucket, parent, r)
}

// changed marks a recording as updated by the caller and records an event.
func (c *call) changed(r *recording, action string, details map[string]any) {
	r.updated = c.now()
	r.bucket.updated = r.updated
	c.s.record(r, c.me, action, r.updated, details)
}

// setText replaces a rich text by a field of the request, and notifies the newly mentioned people.
func (c *call) setText(r *recording, field string) {
	before := mentioned(c.account, r.body)
	r.body = c.s.richText(c.account, c.fields.text(field))
	c.mention(r, before)
}

// setStatus trashes, archives or restores any recording.
func setStatus(want status) func(*call, *recording) reply {
	return func(c *call, r *recording) reply {
		if r.status != want {
			r.status = want
			c.changed(r, string(want), nil)
		}
		return noContent()
	}
}

func (c *call) trash(r *recording) {
	r.status = trashed
	c.changed(r, string(trashed), nil)
}

// setVisibility shows a recording to clients, or hides it from them. One that inherits its
// visibility cannot be set (client_visibility.md).
func setVisibility(c *call, r *recording) reply {
	if c.me.client || r.inheritsVisibility() {
		return forbidden()
	}
	r.public = c.fields.yes("visible_to_clients")
	return ok(c.show(r))
}

var indexed = []kind{kindComment, kindDocument, "Door", kindCard, kindStep, kindMessage, kindAnswer, kindEntry, kindTodo,
	kindTodolist, kindUpload, kindVault}

// listRecordings answers with the recordings of one type in all projects.
func listRecordings(c *call) reply {
	want := kind(c.query.Get("type"))
	if !slices.Contains(indexed, want) {
		return badRequest("Invalid or missing type")
	}
	buckets := map[int64]bool{}
	for id := range strings.SplitSeq(c.query.Get("bucket"), ",") {
		if n, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64); err == nil {
			buckets[n] = true
		}
	}
	var found []*recording
	for _, r := range c.account.recordings {
		if r.kind == want && (len(buckets) == 0 && r.bucket.status == active || buckets[r.bucket.id]) {
			found = append(found, r)
		}
	}
	return page(c, c.sorted(c.listed(found)), c.show)
}

// everyRecording returns a handler that lists the recordings of a kind in all projects.
func everyRecording(k kind) handler {
	return func(c *call) reply { return page(c, c.everywhere(k), c.show) }
}
