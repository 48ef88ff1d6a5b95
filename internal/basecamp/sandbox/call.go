package sandbox

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A call is one request by a known person to their account. It lives while the sandbox's lock is held.
type call struct {
	s       *Sandbox
	account *account
	me      *person
	bucket  *project // of the legacy routes, else nil
	params  map[string]string
	query   url.Values
	fields  fields
	raw     []byte
	origin  string
	r       *http.Request
}

// A handler answers a route.
type handler func(*call) reply

// on makes a handler of one that is about the recording {id} of the path, which must be of one of the kinds and visible.
func on(handle func(*call, *recording) reply, kinds ...kind) handler {
	return func(c *call) reply {
		r := c.find(c.id("id"), kinds...)
		if r == nil {
			return notFound()
		}
		return handle(c, r)
	}
}

// onProject is on for the project {id}.
func onProject(handle func(*call, *project) reply) handler {
	return func(c *call) reply {
		p := c.findProject(c.id("id"))
		if p == nil {
			return notFound()
		}
		return handle(c, p)
	}
}

// id reads a number from the path, 0 when it is none.
func (c *call) id(name string) int64 {
	id, _ := strconv.ParseInt(c.params[name], 10, 64)
	return id
}

// find looks a recording up. It finds nothing that the caller may not see, nor what is outside the project of the URL.
func (c *call) find(id int64, kinds ...kind) *recording {
	r := c.account.recordings[id]
	switch {
	case r == nil, len(kinds) > 0 && !slices.Contains(kinds, r.kind), c.bucket != nil && r.bucket != c.bucket, !c.sees(r):
		return nil
	}
	return r
}

// findProject looks a project up that the caller is on.
func (c *call) findProject(id int64) *project {
	for _, p := range c.account.projects {
		if p.id == id && slices.Contains(p.people, c.me) {
			return p
		}
	}
	return nil
}

// projects are those the caller is on, of a status.
func (c *call) projects(s status) []*project {
	return filter(c.account.projects, func(p *project) bool { return p.status == s && slices.Contains(p.people, c.me) })
}

// sees reports whether the caller may know of a recording: drafts are their author's, and clients see what is theirs to see.
func (c *call) sees(r *recording) bool {
	if !slices.Contains(r.bucket.people, c.me) {
		return false
	}
	for at := r; at != nil; at = at.parent {
		if at.status == drafted && at.creator != c.me {
			return false
		}
	}
	return !c.me.client || r.shared()
}

// shared reports whether clients may see a recording: it or what it hangs from is visible to them, or it is a tool.
func (r *recording) shared() bool {
	for at := r; at != nil; at = at.parent {
		if at.public {
			return true
		}
	}
	return r.parent == nil
}

// listed keeps those recordings that the caller sees and that are of the status the query asks for: active by default.
func (c *call) listed(rs []*recording) []*recording {
	want := active
	if s := status(c.query.Get("status")); s == archived || s == trashed {
		want = s
	}
	return filter(rs, func(r *recording) bool { return r.effective() == want && c.sees(r) })
}

// active keeps those recordings that the caller sees and that are active.
func (c *call) active(rs []*recording) []*recording {
	return filter(rs, func(r *recording) bool { return r.effective() == active && c.sees(r) })
}

// everywhere lists the active recordings of some kinds in all active projects.
func (c *call) everywhere(kinds ...kind) []*recording {
	var found []*recording
	for _, r := range c.account.recordings {
		if slices.Contains(kinds, r.kind) {
			found = append(found, r)
		}
	}
	return newestFirst(c.active(found))
}

// sorted orders by ?sort=created_at|updated_at and ?direction=asc|desc, the newest first unless asked otherwise.
func (c *call) sorted(rs []*recording) []*recording {
	newestFirst(rs)
	if c.query.Get("sort") == "updated_at" {
		slices.SortStableFunc(rs, func(a, b *recording) int { return b.updated.Compare(a.updated) })
	}
	if c.query.Get("direction") == "asc" {
		slices.Reverse(rs)
	}
	return rs
}

// now is the time to the millisecond, as precise as Basecamp tells it.
func (c *call) now() time.Time { return c.s.now().UTC().Truncate(time.Millisecond) }

// today is the date where the caller lives.
func (c *call) today() time.Time {
	y, m, d := c.s.now().In(c.me.location).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// readBody takes the request's body for JSON, unless the route is for bytes. Where it refuses, it reports false.
func (c *call) readBody(wantsBytes bool) (reply, bool) {
	if wantsBytes || len(bytes.TrimSpace(c.raw)) == 0 || c.r.Method == http.MethodGet || c.r.Method == http.MethodDelete {
		return reply{}, true
	}
	media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if media != "application/json" {
		return unsupported(), false
	}
	if err := json.Unmarshal(c.raw, &c.fields); err != nil {
		return badRequest("Bad Request"), false
	}
	return reply{}, true
}

// fields is a JSON object as it was sent. Values of an unexpected type are taken as missing, as Rails does.
type fields map[string]json.RawMessage

// in unwraps the object that some routes take their fields in; where it is missing, the fields themselves are as good.
func (f fields) in(name string) fields {
	var inner fields
	if json.Unmarshal(f[name], &inner) == nil && inner != nil {
		return inner
	}
	return f
}

func (f fields) has(name string) bool { _, ok := f[name]; return ok }

// text reads a string; numbers are taken as they are written.
func (f fields) text(name string) string {
	var s string
	if json.Unmarshal(f[name], &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(f[name], &n) == nil {
		return n.String()
	}
	return ""
}

// trimmed is text without the space around it.
func (f fields) trimmed(name string) string { return strings.TrimSpace(f.text(name)) }

func (f fields) yes(name string) bool { return f.text(name) == "true" || string(f[name]) == "true" }

func (f fields) number(name string) int64 {
	n, _ := strconv.ParseInt(f.text(name), 10, 64)
	return n
}

// numbers reads an array of ids, given as integers or as digits.
func (f fields) numbers(name string) []int64 {
	var raw []json.RawMessage
	_ = json.Unmarshal(f[name], &raw)
	var ids []int64
	for _, r := range raw {
		if id, err := strconv.ParseInt(strings.Trim(string(r), `"`), 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// date reads a day. It reports false for what is neither a day, nor empty, nor null.
func (f fields) date(name string) (string, bool) {
	s := f.trimmed(name)
	if s == "" {
		return "", true
	}
	if len(s) > len(time.DateOnly) {
		s = s[:len(time.DateOnly)]
	}
	_, err := time.Parse(time.DateOnly, s)
	return s, err == nil
}

func (f fields) texts(name string) []string {
	var texts []string
	_ = json.Unmarshal(f[name], &texts)
	return texts
}
