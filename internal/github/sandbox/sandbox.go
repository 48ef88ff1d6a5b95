// Package sandbox is a stateful GitHub in memory: its sign-on, the documented part of its REST API
// that the tools use, and its GraphQL API over the same data. It is the upstream of local
// installations and of tests. One origin has it all, as an Enterprise Server does: the sign-on
// below /login/oauth, REST below /api/v3, GraphQL at /api/graphql. The data is made at the first
// request, relative to the clock: some iterations are always past and some to come.
package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"basecamp-mcp/internal/inprocess"
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

	// ClientID and ClientSecret identify the application. If they are empty, the constants of this
	// package apply.
	ClientID, ClientSecret string
	// RedirectURI is the callback of the application: addresses at or below it are accepted. If it
	// is empty, every http and https address is.
	RedirectURI string
	// GitHubApp issues tokens of a GitHub App that is installed at fernhill-bikes: they have no
	// scopes, expire after 8 hours, and come with refresh tokens that change at each use.
	GitHubApp bool
	// Enterprise leaves out the types that an Enterprise Server may lack.
	Enterprise bool

	// CoreLimit and PointLimit limit a person's REST requests and GraphQL points in an hour. 0
	// means 5,000 as at GitHub; negative means no limit.
	CoreLimit, PointLimit int

	// Undocumented receives each use of an undocumented route, query parameter or body field. Like
	// GitHub, the sandbox answers 404 to such routes and ignores such names.
	Undocumented func(problem string)

	Ledger *Ledger // nil: the sandbox forgets the tokens that it issued when it ends
}

// Server is a GitHub. It is safe for concurrent use.
type Server struct {
	inprocess.Faults

	now          func() time.Time
	clientID     string
	clientSecret string
	redirectURI  string
	app          bool
	limits       map[string]int // by resource
	undocumented func(problem string)
	ledger       *Ledger
	enterprise   bool
	schema       *ast.Schema // loaded with the seed

	seeding  sync.Once
	mu       sync.Mutex // guards everything below and everything that it refers to
	accounts []*account
	repos    []*repository
	tokens   map[string]*token
	issued   int // tokens
	codes    map[string]*code
	spent    map[allowance]*spending
	lastID   int64
	requests []*Request
	served   int
}

// New returns a GitHub with the organization fernhill-bikes. It makes no data yet.
func New(o Options) *Server {
	s := &Server{
		now:          o.Now,
		clientID:     cmp.Or(o.ClientID, ClientID),
		clientSecret: cmp.Or(o.ClientSecret, ClientSecret),
		redirectURI:  o.RedirectURI,
		app:          o.GitHubApp,
		enterprise:   o.Enterprise,
		limits:       map[string]int{core: cmp.Or(o.CoreLimit, hourly), graphql: cmp.Or(o.PointLimit, hourly), search: min(searches, cmp.Or(o.CoreLimit, hourly)*searches)},
		undocumented: o.Undocumented,
		tokens:       map[string]*token{},
		ledger:       o.Ledger,
		codes:        map[string]*code{},
		spent:        map[allowance]*spending{},
		lastID:       7_310_002_117,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.undocumented == nil {
		s.undocumented = func(string) {}
	}
	return s
}

// ready makes the seed once.
func (s *Server) ready() {
	s.seeding.Do(func() {
		s.schema = loadSchema(s.enterprise)
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
	// Scope is what the person granted to Token, separated by spaces. It is empty for a GitHub App.
	Scope string
}

// People returns the people who can log in: Ines Albrecht, whose token may do everything; Sam
// Okafor, who has none; Sam Lindqvist, who granted only read:project and read:org; Noémie Laurent,
// whose token lacks the single sign-on of fernhill-bikes; and Lieke van der Meer, who belongs to
// another organization.
func (s *Server) People() []Person {
	defer s.lock()()
	return apply(logins, func(l login) Person {
		a := s.account(l.login)
		p := Person{ID: a.id, Login: a.login, Name: a.name}
		if len(l.scopes) > 0 {
			p.Token = s.seedToken(l)
			if !s.app {
				p.Scope = strings.Join(normalized(l.scopes), " ")
			}
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
	at := slices.IndexFunc(f.options, func(o option) bool { return o.name == name })
	for _, i := range p.items {
		if slices.Contains(i.values[f].chosen, f.options[at].id) {
			delete(i.values, f)
		}
	}
	f.options = slices.Delete(slices.Clone(f.options), at, at+1)
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
	for _, r := range s.repos {
		if !strings.EqualFold(r.owner.login, owner) {
			continue
		}
		if strings.EqualFold(r.name, name) {
			return r, false
		}
		if slices.ContainsFunc(r.formerly, func(old string) bool { return strings.EqualFold(old, name) }) {
			return r, true
		}
	}
	return nil, false
}
