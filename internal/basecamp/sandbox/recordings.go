package sandbox

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

var recordingRoutes = []route{
	// Answers with the recordings of one type in all projects.
	{"GET /projects/recordings", func(c *call) reply {
		want := kind(c.query.Get("type"))
		refuse(!slices.Contains(indexed, want), badRequest("Invalid or missing type"))
		buckets := map[int64]bool{}
		for id := range strings.SplitSeq(c.query.Get("bucket"), ",") {
			if n, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64); err == nil {
				buckets[n] = true
			}
		}
		found := c.account.where(func(r *recording) bool {
			return r.Type == want && (len(buckets) == 0 && r.Bucket.Status == active || buckets[r.Bucket.ID])
		})
		return page(c, c.sorted(c.listed(found)), "full")
	}},
	{"PUT /recordings/{id}/status/active", setStatus(active)},
	{"PUT /recordings/{id}/status/archived", setStatus(archived)},
	{"PUT /recordings/{id}/status/trashed", setStatus(trashed)},
	// Shows a recording to clients, or hides it from them. One that inherits its visibility cannot
	// be set (client_visibility.md).
	{"PUT /recordings/{id}/client_visibility", func(c *call, r *recording) reply {
		refuse(c.me.Client || r.inheritsVisibility(), forbidden())
		r.Public = c.fields.yes("visible_to_clients")
		return ok(c.show(r))
	}},
	{"GET /recordings/{id}/events/{id}/boosts", listNothing},
	{"GET /client/approvals", nothing},
	{"GET /client/correspondences", nothing},
	{"GET /client/recordings/{id}/replies", listNothing},
	{"GET /webhooks", nothing},
}

// nextID returns a new id. Ids grow in steps of different sizes, as if many companies shared the
// sequence.
func (s *Sandbox) nextID() int64 {
	s.lastID += 1 + (s.lastID*7+3)%11
	return s.lastID
}

// add puts a new recording under its parent. The caller sets its kind, creator and the fields of
// its kind, and may set its id. add sets the other fields.
func (s *Sandbox) add(p *project, parent *recording, r *recording) *recording {
	if r.ID == 0 {
		r.ID = s.nextID()
	}
	r.Bucket, r.Parent = p, parent
	if r.Status == "" {
		r.Status = active
	}
	if r.UpdatedAt.IsZero() {
		r.UpdatedAt = r.CreatedAt
	}
	r.subscribe(r.Creator)
	if parent == nil {
		p.Dock = append(p.Dock, r)
	} else {
		parent.children = append(parent.children, r)
	}
	p.account.recordings[r.ID] = r
	if r.Status != drafted {
		s.record(r, r.Creator, "created", r.CreatedAt, nil)
	}
	return r
}

// record adds an event for a change of a recording.
func (s *Sandbox) record(r *recording, by *Person, action string, at time.Time, details map[string]any) {
	if r.Type.apart() {
		return
	}
	if details == nil {
		details = map[string]any{}
	}
	a := r.account()
	a.events = append(a.events, &event{ID: s.nextID(), Recording: r, Action: action, Details: details, CreatedAt: at, Creator: by})
}

// create adds a recording that the caller has written.
func (c *call) create(parent *recording, r *recording) *recording {
	r.Creator = c.me
	r.CreatedAt = c.now()
	r.Parent = parent
	asked := c.fields.yes("visible_to_clients") && parent.Bucket.ClientsEnabled && !r.inheritsVisibility()
	if c.me.Client || asked {
		r.Public = true
	}
	return c.s.add(parent.Bucket, parent, r)
}

// changed marks a recording as updated by the caller and records an event.
func (c *call) changed(r *recording, action string, details map[string]any) {
	r.UpdatedAt = c.now()
	r.Bucket.UpdatedAt = r.UpdatedAt
	c.s.record(r, c.me, action, r.UpdatedAt, details)
}

// setStatus trashes, archives or restores any recording.
func setStatus(want status) func(*call, *recording) reply {
	return func(c *call, r *recording) reply {
		if r.Status != want {
			r.Status = want
			c.changed(r, string(want), nil)
		}
		return noContent()
	}
}

func (c *call) trash(r *recording) {
	r.Status = trashed
	c.changed(r, string(trashed), nil)
}

var indexed = []kind{kindComment, kindDocument, "Door", kindCard, kindStep, kindMessage, kindAnswer, kindEntry, kindTodo,
	kindTodolist, kindUpload, kindVault}

// everyRecording returns a handler that lists the recordings of a kind in all projects.
func everyRecording(k kind) handler {
	return func(c *call) reply { return page(c, c.everywhere(k), "full") }
}
