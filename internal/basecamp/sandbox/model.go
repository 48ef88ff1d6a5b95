package sandbox

import (
	"cmp"
	"slices"
	"time"
)

// firstRecordingID is where ids begin; real ones have ten digits, too.
const firstRecordingID = 4812093307

// An account is one company's Basecamp.
type account struct {
	id           int64
	name         string
	inactive     bool
	projectLimit int // 0 is none
	people       []*person
	projects     []*project // in the order of their creation
	recordings   map[int64]*recording
	events       []*event
	accesses     []*event               // changes of who may see a project
	attachments  map[string]*attachment // by sgid
	readings     []*reading
	bubbles      []*reading // what bubbles up
	bookmarks    []*bookmark
	priorities   map[*person][]*recording
	companies    map[string]int64
}

// A project is a bucket of recordings. Its dock holds the tools they hang from.
type project struct {
	id          int64
	account     *account
	name        string
	description *string
	purpose     string
	status      status
	created     time.Time
	updated     time.Time
	dock        []*recording
	people      []*person
	categories  []*category
	clients     bool // whether clients may be on it
	timesheet   bool
}

// A status is the state of publication, which has nothing to do with completion.
type status string

const (
	active   status = "active"
	archived status = "archived"
	trashed  status = "trashed"
	drafted  status = "drafted"
)

// A recording is anything in a project: a tool of its dock, a message, a to-do, a comment. The fields below kind's are
// set where the kind has use for them.
type recording struct {
	id       int64
	kind     kind
	bucket   *project
	parent   *recording // nil for a tool of the dock
	creator  *person
	status   status
	created  time.Time
	updated  time.Time
	title    string // of a to-do its content, of a message its subject, of a list its name
	body     string // HTML, but for plain chat lines
	public   bool   // visible to clients
	children []*recording

	subscribers []*person
	color       string
	pinned      bool

	disabled bool        // a tool that is not in use
	category *category   // of a message
	task     *task       // of a to-do, a subtask, a card
	file     *file       // of an upload, a chat line with a file
	versions []*file     // of an upload, oldest first
	entry    *entry      // of a schedule entry
	schedule *recurrence // of a question
	paused   bool        // a question
	groupOn  string      // of an answer, its day
	from     string      // of a forward, the sender
}

// A task is what can be assigned, dated and completed. Dates are YYYY-MM-DD or empty.
type task struct {
	startsOn   string
	dueOn      string
	assignees  []*person
	notified   []*person // told when it is completed
	completion *completion
}

type completion struct {
	at time.Time
	by *person
}

// An event is a change of a recording.
type event struct {
	id        int64
	recording *recording // nil for a change of who may see a project
	project   *project   // of such a change
	action    string
	details   map[string]any
	at        time.Time
	by        *person
}

// A category is a type of messages, such as Announcement.
type category struct {
	id      int64
	name    string
	icon    string
	created time.Time
	updated time.Time
}

func (r *recording) account() *account { return r.bucket.account }

// effective is the recording's status as Basecamp reports it: what hangs from something archived or trashed is so too.
func (r *recording) effective() status {
	for at := r; at != nil; at = at.parent {
		if at.status != active {
			return at.status
		}
	}
	return r.bucket.status
}

// completed reports whether a task is done. A list is when it has to-dos and all are.
func (r *recording) completed() bool { return r.task != nil && r.task.completion != nil }

// within returns the children of the given kinds.
func (r *recording) within(kinds ...kind) []*recording {
	return filter(r.children, func(c *recording) bool { return slices.Contains(kinds, c.kind) })
}

// position is the recording's place, from 1, among its live siblings of its kind.
func (r *recording) position() int {
	siblings := r.bucket.dock
	if r.parent != nil {
		siblings = r.parent.children
	}
	n := 0
	for _, sibling := range siblings {
		if sibling.status == r.status && sibling.completed() == r.completed() && !sibling.disabled &&
			(r.parent == nil || sibling.kind == r.kind) {
			n++
		}
		if sibling == r {
			return n
		}
	}
	return 0
}

// move puts the recording under a parent, at a place counted from 1 among the parent's children of its kind.
func (r *recording) move(parent *recording, position int) {
	r.parent.children = slices.DeleteFunc(r.parent.children, func(c *recording) bool { return c == r })
	r.parent = parent
	at := len(parent.children)
	for i, n := 0, 0; i < len(parent.children); i++ {
		sibling := parent.children[i]
		if sibling.kind != r.kind || sibling.status != r.status || sibling.completed() != r.completed() {
			continue
		}
		if n++; n == position {
			at = i
			break
		}
	}
	parent.children = slices.Insert(parent.children, at, r)
}

// subscribe adds people to those who hear of comments, each once.
func (r *recording) subscribe(people ...*person) {
	for _, p := range people {
		if !slices.Contains(r.subscribers, p) {
			r.subscribers = append(r.subscribers, p)
		}
	}
}

func filter[T any](items []T, keep func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

func apply[T, V any](items []T, f func(T) V) []V {
	out := make([]V, len(items))
	for i, item := range items {
		out[i] = f(item)
	}
	return out
}

// newestFirst sorts by the time of creation, then by id, descending.
func newestFirst(rs []*recording) []*recording {
	slices.SortStableFunc(rs, func(a, b *recording) int {
		return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id))
	})
	return rs
}
