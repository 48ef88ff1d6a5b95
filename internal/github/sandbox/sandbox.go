// Package sandbox is a stateful GitHub in memory: its sign-on, the documented part of its REST API
// that the tools use, and its GraphQL API over the same data. It is the upstream of local
// installations and of tests. One origin has it all, as an Enterprise Server does: the sign-on
// below /login/oauth, REST below /api/v3, GraphQL at /api/graphql. The data is made at the first
// request, relative to the clock: some iterations are always past and some to come.
package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"basecamp-mcp/internal/wire/inprocess"
)

// URL is the origin for a client that uses Transport. APIURL is the base of the REST API.
const (
	URL    = "https://github.sandbox"
	APIURL = URL + restBase
)

const (
	restBase    = "/api/v3"
	graphqlPath = "/api/graphql"
)

// Options configure a sandbox. The zero value behaves like GitHub with an OAuth App.
type Options struct {
	Now func() time.Time // the clock; time.Now if nil

	// RedirectURI is the callback of the application: addresses at or below it are accepted. If it
	// is empty, every http and https address is.
	RedirectURI string
	// Enterprise leaves out the types and routes that an Enterprise Server may lack.
	Enterprise bool

	// Undocumented receives each use of an undocumented route, query parameter or body field. Like
	// GitHub, the sandbox answers 404 to such routes and ignores such names.
	Undocumented func(problem string)

	Ledger *Ledger // nil: the sandbox forgets the tokens that it issued when it ends
}

// Server is a GitHub. It is safe for concurrent use.
type Server struct {
	inprocess.Faults
	inprocess.Log[Request]

	options Options
	now     func() time.Time
	schema  *ast.Schema // loaded with the seed

	seeding  sync.Once
	mu       sync.Mutex // guards everything below and everything that it refers to
	accounts []*account
	repos    []*repository
	tokens   map[string]*token
	codes    map[string]*code
	lastID   int64
}

// New returns a GitHub with the organization fernhill-bikes. It makes no data yet.
func New(o Options) *Server {
	s := &Server{options: o, now: o.Now, tokens: map[string]*token{}, codes: map[string]*code{}, lastID: 7_310_002_117}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// undocumented tells a use of what GitHub does not document.
func (s *Server) undocumented(format string, args ...any) {
	if s.options.Undocumented != nil {
		s.options.Undocumented(fmt.Sprintf(format, args...))
	}
}

func (s *Server) ready() {
	s.seeding.Do(func() {
		s.schema = loadSchema(s.options.Enterprise)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seed()
	})
}

// lock makes the seed, locks the server, and returns what unlocks it.
func (s *Server) lock() (unlock func()) {
	s.ready()
	s.mu.Lock()
	return s.mu.Unlock
}

// Person is a person who can log in.
type Person struct {
	ID    int64
	Login string
	Name  string
	// Token is a fixed access token. It is empty for a person who has not linked GitHub.
	Token string
	// Scope is what the person granted to Token, separated by spaces.
	Scope string
}

// People returns the people who can log in: Ines Albrecht, whose token may do everything; Sam
// Okafor, who has none; Sam Lindqvist, who granted only read:project and read:org; Noémie Laurent,
// who belongs to both organizations; and Lieke van der Meer, who belongs only to the other one.
func (s *Server) People() []Person {
	defer s.lock()()
	return apply(logins, func(l login) Person {
		a := s.account(l.login)
		p := Person{ID: a.id, Login: a.login, Name: a.name}
		if len(l.scopes) > 0 {
			p.Token, p.Scope = seedToken(l), strings.Join(normalized(l.scopes), " ")
		}
		return p
	})
}

// Person returns the person with this login. It panics if there is none.
func (s *Server) Person(login string) Person {
	p := first(s.People(), func(p Person) bool { return strings.EqualFold(p.Login, login) })
	if p.Login == "" {
		panic(fmt.Sprintf("sandbox: no person has the login %q", login))
	}
	return p
}

// ProjectID returns the node ID of a project. It panics if there is none.
func (s *Server) ProjectID(owner string, number int) string {
	defer s.lock()()
	return s.mustProject(owner, number).node
}

// DeleteOption deletes an option of a project's field, as a person does on GitHub's site. Items
// lose it as their value.
func (s *Server) DeleteOption(owner string, number int, field, name string) {
	defer s.lock()()
	p := s.mustProject(owner, number)
	f := p.field(field)
	gone := first(f.options, func(o option) bool { return o.name == name })
	for _, i := range p.items {
		if slices.Contains(i.values[f].chosen, gone.id) {
			delete(i.values, f)
		}
	}
	f.options = filter(f.options, func(o option) bool { return o != gone })
}

// ItemID returns the node ID of the first item with a title on a board. It panics if there is none.
func (s *Server) ItemID(owner string, number int, title string) string {
	defer s.lock()()
	i := first(s.mustProject(owner, number).items, func(i *item) bool { return i.title() == title })
	if i == nil {
		panic(fmt.Sprintf("sandbox: %s/%d has no item %q", owner, number, title))
	}
	return i.node
}

func (s *Server) mustProject(owner string, number int) *project {
	if a := s.account(owner); a != nil {
		if p := first(a.projects, func(p *project) bool { return p.number == number }); p != nil {
			return p
		}
	}
	panic(fmt.Sprintf("sandbox: there is no project %s/%d", owner, number))
}

// account returns an account by login, or nil.
func (s *Server) account(login string) *account {
	return first(s.accounts, func(a *account) bool { return strings.EqualFold(a.login, login) })
}

// repository returns a repository by its owner and its present or former name, or nil.
func (s *Server) repository(owner, name string) (r *repository, renamed bool) {
	r = first(s.repos, func(r *repository) bool {
		return strings.EqualFold(r.owner.login, owner) && (strings.EqualFold(r.name, name) || strings.EqualFold(r.formerly, name))
	})
	return r, r != nil && !strings.EqualFold(r.name, name)
}

// World describes the repositories and boards for a comparison, one line for each thing: all that
// can be undone. It leaves out the times of changes, the order of boards, closed boards, and issues
// that are closed as not planned. Items of boards are named by what they show, because one that is
// added again has another ID.
func (s *Server) World() map[string]string {
	defer s.lock()()
	world := map[string]string{}
	for _, r := range s.repos {
		for _, m := range r.milestones {
			world[fmt.Sprintf("milestone %s %d", r.fullName(), m.number)] = fmt.Sprintf("%q %q closed=%t %v", m.title, m.description, m.closed, m.due)
		}
		for _, i := range r.issues {
			if i.reason != "not_planned" {
				world["issue "+i.ref()] = i.describe()
			}
		}
	}
	for _, a := range s.accounts {
		for _, p := range a.projects {
			if p.closedAt == nil {
				p.describe(world)
			}
		}
	}
	return world
}

func (i *issue) ref() string { return fmt.Sprintf("%s#%d", i.repository.fullName(), i.number) }

func (i *issue) describe() string {
	labels := apply(i.labels, func(l *label) string { return l.name })
	logins := apply(i.assignees, func(a *account) string { return a.login })
	comments := apply(i.comments, func(m *comment) string { return m.body })
	refs := func(all []*issue) []string { return apply(all, (*issue).ref) }
	blockers := refs(i.blockers)
	for _, list := range [][]string{labels, logins, blockers} {
		slices.Sort(list)
	}
	text := fmt.Sprintf("%q %q closed=%t %v %v %q %s %v %v waits for %v", i.title, i.body, i.closed, labels, logins, comments, i.kindOf, refs(i.subs), i.fieldViews(), blockers)
	if i.duplicate != nil {
		text += " duplicates " + i.duplicate.ref()
	}
	if i.milestone != nil {
		text += fmt.Sprint(" in ", i.milestone.number)
	}
	return text
}

func (p *project) describe(world map[string]string) {
	name := fmt.Sprintf("project %s/%d", p.owner.login, p.number)
	world[name] = fmt.Sprintf("%q %q %q public=%t", p.title, p.description, p.readme, p.public)
	for _, u := range p.updates {
		world[name] += fmt.Sprintf(" %s %q", u.status, u.body)
	}
	for _, i := range p.items {
		parts := []string{"shown"}
		for _, f := range p.fields {
			if v, set := i.values[f]; set {
				parts = append(parts, fmt.Sprintf("%s=%q %v %s %v", f.name, v.text, v.number, v.date, v.chosen))
			}
		}
		shows := i.title()
		if i.content != nil {
			shows = i.content.ref()
		}
		world[name+" "+shows] = strings.Join(parts, " ")
	}
}

// The organizations.
const (
	organization = "fernhill-bikes"
	elsewhere    = "rijnstad-couriers"
)

// A login is a person who can log in. Without scopes, the person has not linked GitHub.
type login struct {
	login  string
	scopes []string
}

var logins = []login{
	{"ines-albrecht", []string{"repo", "project", "read:org"}},
	{"sam-okafor", nil},
	{"sam-lindqvist", []string{"read:project", "read:org"}},
	{"noemie-laurent", []string{"repo", "project", "read:org"}},
	{"lieke-vdmeer", []string{"repo", "project", "read:org"}},
}

// hire makes all accounts. The people have the same names as in the sandbox of Basecamp.
func (d *seeder) hire() {
	for _, p := range []struct {
		id                int64
		kind, login, name string
	}{
		{41002171, "User", "ines-albrecht", "Ines Albrecht"},
		{41002203, "User", "sam-okafor", "Sam Okafor"},
		{41002248, "User", "sam-lindqvist", "Sam Lindqvist"},
		{41002297, "User", "noemie-laurent", "Noémie Laurent"},
		{41002310, "User", "mateusz-wojcik", "Mateusz Wójcik"},
		{41002344, "User", "jonas-brandt", "Jonas Brandt"},
		{41002389, "User", "hanna-koivisto", "Hanna Koivisto"},
		{41002411, "User", "tomas-herrera", "Tomás Herrera"},
		{41003052, "User", "lieke-vdmeer", "Lieke van der Meer"},
		{41009900, "Bot", "fernhill-ci", ""},
		{41009911, "Mannequin", "imported-rider", ""},
		{58120044, "Organization", organization, "Fernhill Bikes"},
		{58120871, "Organization", elsewhere, "Rijnstad Couriers"},
	} {
		prefix := map[string]string{"User": "U", "Bot": "BOT", "Mannequin": "M", "Organization": "O"}[p.kind]
		d.s.accounts = append(d.s.accounts, &account{thing: thing{p.id, nodeID(prefix, p.id)}, kind: p.kind, login: p.login, name: p.name})
	}
	d.org, d.other = d.who(organization), d.who(elsewhere)
	d.org.members = slices.Clone(d.s.accounts[:8])
	d.org.types = []string{"Task", "Bug", "Feature"}
	for _, f := range []issueField{
		{name: "Priority", kind: "single_select", options: []string{"Urgent", "High", "Medium", "Low"}}, {name: "Effort", kind: "number"},
		{name: "Target date", kind: "date"}, {name: "Contact", kind: "text"}, {name: "Seasons", kind: "multi_select", options: []string{"Spring", "Summer"}},
	} {
		f.id = d.s.next("").id
		d.org.fields = append(d.org.fields, &f)
	}
	d.other.members = []*account{d.who("lieke-vdmeer"), d.who("noemie-laurent")}
	frames := &team{slug: "frames", name: "Frames", organization: d.org}
	frames.thing = d.s.next("T")
	d.org.teams = []*team{frames}
}
