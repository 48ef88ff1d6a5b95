package sandbox

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// firstRecordingID is the lowest id of a recording. Real ids have ten digits too.
const firstRecordingID = 4812093307

// An account is one company in Basecamp.
type account struct {
	ID           int64
	Name         string
	inactive     bool
	people       []*Person
	projects     []*project // in the order of creation
	circles      []*project // of pings
	recordings   map[int64]*recording
	events       []*event
	epoch        int64                 // the feed begins after the event with this id
	accesses     []*event              // changes of project membership
	attachments  map[string]*recording // by sgid
	readings     []*reading
	readingOf    map[readingKey]*reading
	bubbles      []*reading // scheduled and shown bubble-ups
	bookmarks    []*bookmark
	priorities   map[*Person][]*recording
	companies    []*employer
	templates    []*project
	constructing []*construction
}

// A project is a bucket of recordings. Its dock contains the tools, and each other recording is
// below a tool.
type project struct {
	ID               int64
	account          *account
	Name             string
	Description      any    // a string, or nil
	StartDate        string // first day, YYYY-MM-DD or empty
	EndDate          string // last day
	Status           status
	CreatedAt        time.Time
	UpdatedAt        time.Time
	Dock             []*recording
	People           []*Person
	categories       []*category
	ClientsEnabled   bool // clients may be members
	circle           bool // it holds a ping, and is not a project
	TimesheetEnabled bool
	gauge            *recording
}

// A status is the state of publication. It is independent of completion.
type status string

const (
	active   status = "active"
	archived status = "archived"
	trashed  status = "trashed"
	drafted  status = "drafted"
)

// A recording is anything in a project: a tool of its dock, a message, a to-do, a comment. The
// fields after subscribers are set only for the kinds that use them.
type recording struct {
	ID        int64
	Type      kind
	Bucket    *project
	Parent    *recording // nil for a tool of the dock
	Creator   *Person
	Status    status
	CreatedAt time.Time
	UpdatedAt time.Time
	Title     string // the content of a to-do, the subject of a message, the name of a list
	Body      string // HTML, or plain text for plain chat lines
	Public    bool   // visible to clients
	children  []*recording

	Subscribers []*Person
	boosts      []*boost
	Color       string
	Pinned      bool

	Disabled bool         // for a tool that is not in use
	Category *category    // for a message
	File     *file        // for an upload or a chat line with a file
	Versions []*file      // for an upload, oldest first
	Entry    *entry       // for a schedule entry
	Schedule *recurrence  // for a question
	Paused   bool         // for a question
	GroupOn  string       // day of an answer
	From     string       // sender of a forward
	Tracked  []*recording // for a to-do set: the lists on its hill chart
	Level    int          // of a needle, 0 to 100
	Hours    string       // of a timesheet entry
	Person   *Person      // of a timesheet entry

	// Of a task. Dates are YYYY-MM-DD or empty.
	StartsOn              string
	DueOn                 string
	Assignees             []*Person
	CompletionSubscribers []*Person // notified when the task is completed
	Completion            *completion
}

type completion struct {
	CreatedAt time.Time
	Creator   *Person
}

// An event is a change of a recording.
type event struct {
	ID        int64
	Recording *recording // nil for a change of project membership
	Project   *project   // set for a change of project membership
	Action    string
	Details   map[string]any
	CreatedAt time.Time
	Creator   *Person
}

// A category is a type of messages, such as Announcement.
type category struct {
	ID        int64
	Name      string
	Icon      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (r *recording) account() *account { return r.Bucket.account }

// where returns the recordings that fit, in any order.
func (a *account) where(fits func(*recording) bool) []*recording {
	return filter(slices.Collect(maps.Values(a.recordings)), fits)
}

// effective returns the status that Basecamp reports for a recording. A recording below an archived
// or trashed one has the status of that one.
func (r *recording) effective() status {
	for at := r; at != nil; at = at.Parent {
		if at.Status != active {
			return at.Status
		}
	}
	return r.Bucket.Status
}

// completed reports whether a task is done. For lists, see progress.
func (r *recording) completed() bool { return r.Completion != nil }

// within returns the children of the given kinds.
func (r *recording) within(kinds ...kind) []*recording {
	return filter(r.children, func(c *recording) bool { return slices.Contains(kinds, c.Type) })
}

// position returns the recording's position, from 1, among the active siblings of its kind.
func (r *recording) position() int {
	siblings := r.Bucket.Dock
	if r.Parent != nil {
		siblings = r.Parent.children
	}
	n := 0
	for _, sibling := range siblings {
		if sibling.Status == r.Status && sibling.completed() == r.completed() && !sibling.Disabled &&
			(r.Parent == nil || sibling.Type == r.Type) {
			n++
		}
		if sibling == r {
			return n
		}
	}
	return 0
}

// move puts the recording under a parent, at a position counted from 1 among the parent's children
// of its kind.
func (r *recording) move(parent *recording, position int) {
	r.Parent.children = slices.DeleteFunc(r.Parent.children, func(c *recording) bool { return c == r })
	r.Parent = parent
	at := len(parent.children)
	for i, n := 0, 0; i < len(parent.children); i++ {
		sibling := parent.children[i]
		if sibling.Type != r.Type || sibling.Status != r.Status || sibling.completed() != r.completed() {
			continue
		}
		if n++; n == position {
			at = i
			break
		}
	}
	parent.children = slices.Insert(parent.children, at, r)
}

// subscribe adds people to the subscribers, without duplicates.
func (r *recording) subscribe(people ...*Person) {
	for _, p := range people {
		if !slices.Contains(r.Subscribers, p) {
			r.Subscribers = append(r.Subscribers, p)
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

// first returns the first of the items that fits, or nil.
func first[T any](items []*T, fits func(*T) bool) *T {
	for _, item := range items {
		if fits(item) {
			return item
		}
	}
	return nil
}

// named returns the first of the items that fits. It panics if there is none: tests and
// company.json name what exists.
func named[T any](items []*T, what string, fits func(*T) bool) *T {
	if item := first(items, fits); item != nil {
		return item
	}
	panic("sandbox: there is no " + what)
}

func apply[T, V any](items []T, f func(T) V) []V {
	out := make([]V, len(items))
	for i, item := range items {
		out[i] = f(item)
	}
	return out
}

// newestFirst sorts by time of creation and then by id, descending.
func newestFirst(rs []*recording) []*recording {
	slices.SortStableFunc(rs, func(a, b *recording) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return rs
}

// A kind is a recording's type, in Basecamp's own words.
type kind string

// The kinds of recordings.
const (
	kindBoard         kind = "Message::Board"
	kindMessage       kind = "Message"
	kindComment       kind = "Comment"
	kindTodoset       kind = "Todoset"
	kindTodolist      kind = "Todolist" // a group is a to-do list inside another one
	kindTodo          kind = "Todo"
	kindStep          kind = "Kanban::Step"
	kindVault         kind = "Vault"
	kindDocument      kind = "Document"
	kindUpload        kind = "Upload"
	kindChat          kind = "Chat::Transcript"
	kindTextLine      kind = "Chat::Lines::Text"
	kindRichLine      kind = "Chat::Lines::RichText"
	kindUploadLine    kind = "Chat::Lines::Upload"
	kindSchedule      kind = "Schedule"
	kindEntry         kind = "Schedule::Entry"
	kindQuestionnaire kind = "Questionnaire"
	kindQuestion      kind = "Question"
	kindAnswer        kind = "Question::Answer"
	kindInbox         kind = "Inbox"
	kindForward       kind = "Inbox::Forward"
	kindReply         kind = "Inbox::Reply"
	kindCardTable     kind = "Kanban::Board"
	kindTriage        kind = "Kanban::Triage"
	kindColumn        kind = "Kanban::Column"
	kindNotNow        kind = "Kanban::NotNowColumn"
	kindDone          kind = "Kanban::DoneColumn"
	kindOnHold        kind = "Kanban::OnHold" // a column's section for cards on hold
	kindCard          kind = "Kanban::Card"
	kindGauge         kind = "Gauge"
	kindNeedle        kind = "Gauge::Needle"
	kindTime          kind = "Timesheet::Entry"
	kindNote          kind = "Notebook::Note"
	kindAttachment    kind = "Attachment" // a file within a text: listed like a recording, but not one
)

var (
	lineKinds   = []kind{kindTextLine, kindRichLine, kindUploadLine}
	columnKinds = []kind{kindTriage, kindColumn, kindNotNow, kindDone}
	cardHolders = []kind{kindTriage, kindColumn, kindNotNow, kindDone, kindOnHold}
)

// traits are the properties of a kind that its URLs and the dock depend on.
type traits struct {
	Path  string // segment in URLs
	Tool  string // name in the dock
	Title string // of the tool of a new project, and of what has no title
}

//go:embed kinds.json
var kindsJSON []byte

// kinds returns the traits of all kinds.
var kinds = sync.OnceValue(func() map[kind]traits {
	all := map[kind]traits{}
	if err := json.Unmarshal(kindsJSON, &all); err != nil {
		panic(fmt.Sprintf("sandbox: kinds.json: %v", err))
	}
	return all
})

// apart reports whether recordings of a kind have routes of their own only, and no events.
func (k kind) apart() bool { return kinds()[k].Path == "" }

// tool returns the kind's name in the dock, or "" if it is not a tool of the dock.
func (k kind) tool() string { return kinds()[k].Tool }

// dockOrder is the order of a new project's tools.
var dockOrder = []kind{kindBoard, kindTodoset, kindVault, kindSchedule, kindChat, kindCardTable, kindQuestionnaire, kindInbox}
