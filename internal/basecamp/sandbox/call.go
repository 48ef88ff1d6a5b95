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

// A call is one request of an authenticated person to their account. The sandbox's lock is held as
// long as it exists.
type call struct {
	s       *Sandbox
	account *account
	me      *Person
	bucket  *project // set for legacy routes, otherwise nil
	params  []string // of the path, without the project of a legacy route
	query   url.Values
	fields  fields
	raw     []byte
	origin  string
	base    string // of URLs of the API, with the account
	appBase string // of URLs of the web application
	r       *http.Request
	encoded map[*Person]encoded // what the answer says of people
}

// A handler answers a route.
type handler func(*call) reply

// on returns a handler that passes what the path names to handle. It answers 404 if there is no
// such thing, or the caller may not see it.
func on[T any](find func(*call) *T, handle func(*call, *T) reply) handler {
	return func(c *call) reply {
		found := find(c)
		refuse(found == nil, notFound())
		return handle(c, found)
	}
}

// onKinds does the same as on, for the recording {id}, which must have one of the kinds.
func onKinds(handle func(*call, *recording) reply, kinds ...kind) handler {
	return on(func(c *call) *recording { return c.find(c.id(0), kinds...) }, handle)
}

// theProject returns the project {id} of the path, and thePerson the person, whom the caller may
// see.
func theProject(c *call) *project { return c.findProject(c.id(0)) }
func thePerson(c *call) *Person   { return c.findPerson(c.id(0)) }

// shows answers with what a view shows.
func shows[T, V any](view func(*call, *T) V) func(*call, *T) reply {
	return func(c *call, of *T) reply { return ok(view(c, of)) }
}

// showAs answers in the form of an object.
func showAs[T any](object string) func(*call, *T) reply {
	return func(c *call, of *T) reply { return ok(c.as(object, of)) }
}

// silently answers with nothing after a change.
func silently[T any](change func(*call, *T)) func(*call, *T) reply {
	return func(c *call, of *T) reply {
		change(c, of)
		return noContent()
	}
}

// children answers with the recordings of a kind within another.
func children(k kind) func(*call, *recording) reply {
	return func(c *call, r *recording) reply { return page(c, c.listed(r.within(k)), "full") }
}

// sortedChildren does the same in the order of the query.
func sortedChildren(k kind) func(*call, *recording) reply {
	return func(c *call, r *recording) reply { return page(c, c.sorted(c.listed(r.within(k))), "full") }
}

// nothing answers with an empty list, and listNothing with that of a recording.
func nothing(*call) reply                 { return ok([]view{}) }
func listNothing(*call, *recording) reply { return ok([]view{}) }

// id returns a number from the path, or 0 if it is too large.
func (c *call) id(n int) int64 {
	id, _ := strconv.ParseInt(c.params[n], 10, 64)
	return id
}

// find returns a recording by id. It returns nil if the caller may not see it, or if it is outside
// the project of the URL.
func (c *call) find(id int64, kinds ...kind) *recording {
	r := c.account.recordings[id]
	switch {
	case r == nil, len(kinds) > 0 && !slices.Contains(kinds, r.Type), len(kinds) == 0 && r.Type.apart(), c.bucket != nil && r.Bucket != c.bucket,
		r.Type.apart() && r.effective() != active, !c.sees(r):
		return nil
	}
	return r
}

// findProject returns a project by id, or nil if the caller is not a member.
func (c *call) findProject(id int64) *project {
	return first(c.account.projects, func(p *project) bool { return p.ID == id && slices.Contains(p.People, c.me) })
}

// projects returns the caller's projects with a status.
func (c *call) projects(s status) []*project {
	return filter(c.account.projects, func(p *project) bool { return p.Status == s && slices.Contains(p.People, c.me) })
}

// sees reports whether the caller may see a recording. Only its author sees a draft. Clients see
// only what is shared with them.
func (c *call) sees(r *recording) bool {
	if !slices.Contains(r.Bucket.People, c.me) {
		return false
	}
	for at := r; at != nil; at = at.Parent {
		if at.Status == drafted && at.Creator != c.me {
			return false
		}
	}
	return !c.me.Client || r.shared()
}

// shared reports whether clients may see a recording. The flag of a recording that inherits its
// visibility counts for nothing. Clients see every tool, except a chat or a card table that is not
// visible to them: what these hold inherits from them.
func (r *recording) shared() bool {
	for at := r; ; at = at.Parent {
		if !at.inheritsVisibility() {
			return at.Public || at.Parent == nil && at.Type != kindChat && at.Type != kindCardTable
		}
	}
}

// inheritsVisibility reports whether clients see a recording exactly if they see its parent
// (client_visibility.md). Lists, documents, files and folders are visible by themselves directly in
// a tool, and inherit in a list or a folder.
func (r *recording) inheritsVisibility() bool {
	if r.Parent == nil {
		return false
	}
	switch r.Type {
	case kindTodolist, kindVault, kindDocument, kindUpload:
		return r.Parent.Parent != nil
	case kindMessage, kindEntry, kindQuestion, kindForward:
		return false
	}
	return true
}

// listed returns the recordings that the caller may see and that have the status of the query, by
// default active.
func (c *call) listed(rs []*recording) []*recording {
	want := c.status()
	return filter(rs, func(r *recording) bool { return r.effective() == want && c.sees(r) })
}

// status returns the status of the query, by default active.
func (c *call) status() status {
	if s := status(c.query.Get("status")); s == archived || s == trashed {
		return s
	}
	return active
}

// active returns the active recordings that the caller may see.
func (c *call) active(rs []*recording) []*recording {
	return filter(rs, func(r *recording) bool { return r.effective() == active && c.sees(r) })
}

// everywhere returns the active recordings of some kinds in all active projects.
func (c *call) everywhere(kinds ...kind) []*recording {
	return newestFirst(c.active(c.account.where(func(r *recording) bool { return slices.Contains(kinds, r.Type) })))
}

// sorted orders recordings by ?sort=created_at|updated_at and ?direction=asc|desc. By default, the
// newest are first.
func (c *call) sorted(rs []*recording) []*recording {
	newestFirst(rs)
	if c.query.Get("sort") == "updated_at" {
		slices.SortStableFunc(rs, func(a, b *recording) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	}
	if c.query.Get("direction") == "asc" {
		slices.Reverse(rs)
	}
	return rs
}

// now returns the time to the millisecond, which is Basecamp's precision.
func (c *call) now() time.Time { return c.s.now().UTC().Truncate(time.Millisecond) }

// today returns the date in the caller's time zone.
func (c *call) today() time.Time {
	y, m, d := c.s.now().In(c.me.location).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// readBody parses the request's body as JSON, unless the route takes bytes.
func (c *call) readBody(wantsBytes bool) {
	if wantsBytes || len(bytes.TrimSpace(c.raw)) == 0 || c.r.Method == http.MethodGet || c.r.Method == http.MethodDelete {
		return
	}
	media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	refuse(media != "application/json", unsupported())
	refuse(json.Unmarshal(c.raw, &c.fields) != nil, badRequest("Bad Request"))
}

// fields is a JSON object of a request. Like Rails, its methods treat a value of an unexpected type
// as missing.
type fields map[string]json.RawMessage

// object returns the object with the name, in which some routes expect their fields. If that is
// missing, it returns f itself.
func (f fields) object(name string) fields {
	var inner fields
	if json.Unmarshal(f[name], &inner) == nil && inner != nil {
		return inner
	}
	return f
}

func (f fields) has(name string) bool { _, ok := f[name]; return ok }

// text returns a string. A number is returned as it was written.
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

// trimmed returns text without surrounding space.
func (f fields) trimmed(name string) string { return strings.TrimSpace(f.text(name)) }

func (f fields) yes(name string) bool { return f.text(name) == "true" || string(f[name]) == "true" }

func (f fields) number(name string) int64 {
	n, _ := strconv.ParseInt(f.text(name), 10, 64)
	return n
}

// numbers returns an array of ids, which may be integers or strings of digits.
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

// date returns a day. It returns false for a value that is not a day, empty or null.
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
