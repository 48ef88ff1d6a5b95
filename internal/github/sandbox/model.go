package sandbox

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"time"
)

// A thing has a number and a node ID, which is how GraphQL names it.
type thing struct {
	id   int64
	node string
}

func (t thing) key() string { return t.node }

type keyed interface{ key() string }

// withKey returns the thing with a node ID, or nil.
func withKey[T keyed](things []T, node string) T {
	return first(things, func(t T) bool { return t.key() == node })
}

// An account is a user, an organization, or a bot.
type account struct {
	thing
	kind     string // User, Organization, Bot or Mannequin, as in GraphQL
	login    string
	name     string
	members  []*account // of an organization
	teams    []*team
	projects []*project
	numbers  int           // the highest number of a project so far
	types    []string      // of an organization: the names of its issue types
	fields   []*issueField // of an organization
}

// An issueField is a field of all issues of an organization.
type issueField struct {
	id         int64
	name, kind string // text, date, single_select, multi_select or number
	options    []string
}

type team struct {
	thing
	slug, name   string
	organization *account
}

// access is what a person may do in a repository.
type access int

const (
	noAccess access = iota
	mayRead
	mayPush
)

// A repository has issues and pull requests in one numbering.
type repository struct {
	thing
	owner      *account
	name       string
	formerly   string // a name that redirects to this one
	private    bool
	archived   bool
	issuesOff  bool
	closedTo   []*account // members of the organization without access
	labels     []*label
	milestones []*milestone
	issues     []*issue
	gone       map[int]bool   // numbers of deleted issues
	moved      map[int]*issue // transferred issues by their old number
	last       int            // the highest number so far
}

func (r *repository) fullName() string { return r.owner.login + "/" + r.name }

func (r *repository) issue(number int) *issue {
	return first(r.issues, func(i *issue) bool { return i.number == number })
}

func (r *repository) label(name string) *label {
	return first(r.labels, func(l *label) bool { return strings.EqualFold(l.name, name) })
}

func (r *repository) milestone(number int) *milestone {
	return first(r.milestones, func(m *milestone) bool { return m.number == number })
}

type label struct {
	thing
	name, color, description string
}

type milestone struct {
	thing
	repository         *repository
	number             int
	title, description string
	closed             bool
	due                *time.Time
	creator            *account
	created, updated   time.Time
}

// An issue is an issue or a pull request.
type issue struct {
	thing
	repository *repository
	number     int
	pull       bool
	draft      bool // of a pull request
	merged     bool // of a pull request
	title      string
	body       string
	closed     bool
	closer     *account // who closed it
	reason     string   // completed, not_planned, duplicate, reopened or empty
	author     *account // nil if the account is gone
	assignees  []*account
	labels     []*label
	milestone  *milestone
	comments   []*comment
	reviewers  []keyed  // accounts and teams
	pulls      []*issue // that close this one
	parent     *issue
	subs       []*issue            // in their order
	blockers   []*issue            // by which this one is blocked
	kindOf     string              // the name of its issue type; empty for none
	duplicate  *issue              // that this one duplicates
	values     map[*issueField]any // a string, a float64 or a list of strings
	created    time.Time
	updated    time.Time
	closedAt   *time.Time
}

type comment struct {
	thing
	issue            *issue
	author           *account
	body             string
	created, updated time.Time
}

// A project is a board of Projects, ProjectV2 in the API.
type project struct {
	thing
	number           int
	owner            *account
	creator          *account
	title            string
	description      string
	readme           string
	public           bool
	closedAt         *time.Time
	created, updated time.Time
	fields           []*field
	items            []*item
	updates          []*statusUpdate // the latest last
}

func (p *project) field(name string) *field {
	return first(p.fields, func(f *field) bool { return strings.EqualFold(f.name, name) })
}

// A field has options or iterations if its kind needs them.
type field struct {
	thing
	name       string
	kind       string // ProjectV2FieldType
	options    []option
	iterations []iteration
}

type option struct{ id, name string }

type iteration struct {
	id, title string
	start     string // a date
	days      int
}

func (i iteration) ended(today string) bool {
	start, err := time.Parse(time.DateOnly, i.start)
	return err == nil && start.AddDate(0, 0, i.days).Format(time.DateOnly) <= today
}

// An item is an issue or pull request on a board, or a draft.
type item struct {
	thing
	project          *project
	content          *issue // nil for a draft
	draft            *draft
	archived         bool
	created, updated time.Time
	values           map[*field]value
}

func (i *item) title() string {
	if i.draft != nil {
		return i.draft.title
	}
	return i.content.title
}

type draft struct {
	thing
	title     string
	assignees []*account
}

// A value is what an item has in a custom field. One part is set, as the kind of the field says.
type value struct {
	text    string
	number  float64
	date    string
	chosen  []string // ids of options, or the id of an iteration
	updated time.Time
}

// next returns an unused numeric ID and its node ID with a prefix.
func (s *Server) next(prefix string) thing {
	s.lastID += 7
	return thing{s.lastID, nodeID(prefix, s.lastID)}
}

// nodeID returns an opaque ID in the form of GitHub's newer ones.
func nodeID(prefix string, id int64) string {
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64([]byte{0x93, 0x00}, uint64(id)))
}

func apply[T, V any](items []T, f func(T) V) []V {
	out := make([]V, len(items))
	for i, v := range items {
		out[i] = f(v)
	}
	return out
}

// first returns the first entry for which is returns true; the zero value if there is none.
func first[T any](items []T, is func(T) bool) (found T) {
	if i := slices.IndexFunc(items, is); i >= 0 {
		return items[i]
	}
	return found
}

func filter[T any](items []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(items), func(v T) bool { return !keep(v) })
}
