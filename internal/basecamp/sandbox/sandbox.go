// Package sandbox is a stateful Basecamp in memory. It is the upstream of local installations and
// of every test. It behaves like Basecamp: growing pages, drafts, PUT requests that replace, ETags,
// rate limits. To-dos, messages, cards, chat lines and all other items have one type, recording, in
// one tree for each project, as in Basecamp itself. Each file contains the requests of one noun, as
// rows: its routes, and its writing if they make and change it. views.txt lists the fields of every
// answer, kinds.json the types of recordings, and company.json the made-up company. All its dates
// are relative to Options.Now, so on every date some items are overdue, due today or an hour old.
package sandbox

import (
	"cmp"
	"fmt"
	"reflect"
	"sync"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox/documented"
	"basecamp-mcp/internal/wire/inprocess"
)

// BaseURL is the address of Basecamp for a client that uses Transport.
const BaseURL = "https://basecamp.sandbox"

// Options configure a sandbox. The zero value behaves like the real Basecamp.
type Options struct {
	Now       func() time.Time // the clock; time.Now if nil
	RateLimit int              // requests per 10 s before 429; 0 means 50 as at Basecamp, negative means no limit

	// Undocumented receives each use of an undocumented route, query parameter or body field. Like
	// Basecamp, the sandbox answers 404 to such routes and ignores such names.
	Undocumented func(problem string)

	// ClientID and ClientSecret identify the application at Launchpad. If they are empty, the
	// constants of this package apply.
	ClientID, ClientSecret string

	Ledger *Ledger // nil: the sandbox forgets the tokens that it issued when it ends
}

// Sandbox is a Basecamp with several accounts. It is safe for concurrent use.
type Sandbox struct {
	inprocess.Faults
	inprocess.Log[Request]

	now          func() time.Time
	rateLimit    int
	clientID     string
	clientSecret string
	ledger       *Ledger
	documented   documented.Table
	tables       map[reflect.Type]table
	undocumented func(problem string)

	mu        sync.Mutex // guards everything below and everything that it refers to
	accounts  []*account
	main      *account
	other     *account
	books     *account
	tokens    map[string]*token // access tokens and refresh tokens
	codes     map[string]*code
	refreshes int
	lastID    int64
	blobs     map[string]*file // by key
	recent    []time.Time      // times of the requests that count against the rate limit
}

// New returns a sandbox with Fernhill Bikes, a small company that builds cargo bikes, and three
// smaller accounts: one with a single person, one that also belongs to a person of Fernhill, and a
// suspended one.
func New(o Options) *Sandbox {
	s := &Sandbox{
		now:          o.Now,
		rateLimit:    o.RateLimit,
		clientID:     cmp.Or(o.ClientID, ClientID),
		clientSecret: cmp.Or(o.ClientSecret, ClientSecret),
		ledger:       o.Ledger,
		tokens:       map[string]*token{},
		codes:        map[string]*code{},
		documented:   documented.Read(),
		tables:       tables(),
		undocumented: o.Undocumented,
		blobs:        map[string]*file{},
		lastID:       firstRecordingID,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.undocumented == nil {
		s.undocumented = func(string) {}
	}
	if s.rateLimit == 0 {
		s.rateLimit = 50
	}
	s.seed()
	for _, a := range s.accounts { // what happened before is not in the feed
		a.epoch = s.lastID
	}
	return s
}

// People returns the people of the main account who can log in. The first is Ines Albrecht, an
// administrator.
func (s *Sandbox) People() []Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	var people []Person
	for _, p := range s.main.people {
		if p.Token != "" {
			people = append(people, *p)
		}
	}
	return people
}

// Person returns the person of the main account with this name. It panics if there is none.
func (s *Sandbox) Person(name string) Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *named(s.main.people, "person "+name, func(p *Person) bool { return p.Name == name && p.Token != "" })
}

// Bookkeeper returns a person of the main account who also has a second, active account. When she
// signs in, she must choose an account.
func (s *Sandbox) Bookkeeper() Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *named(s.main.people, "person with books", func(p *Person) bool { return p.IdentityID == s.books.people[0].IdentityID })
}

// BooksAccount returns the id of the Bookkeeper's own account.
func (s *Sandbox) BooksAccount() int64 { return s.books.ID }

// Stranger returns the only person of the second account, who must never see data of the main
// account.
func (s *Sandbox) Stranger() Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.other.people[0]
}

// Account returns the id of the main account.
func (s *Sandbox) Account() int64 { return s.main.ID }

// OtherAccount returns the id of the Stranger's account.
func (s *Sandbox) OtherAccount() int64 { return s.other.ID }

// InactiveAccount returns the id of the suspended account: every request to it fails.
func (s *Sandbox) InactiveAccount() int64 {
	return named(s.accounts, "suspended account", func(a *account) bool { return a.inactive }).ID
}

// ProjectID returns the id of the main account's project with this name, whatever its status. It
// panics if there is none.
func (s *Sandbox) ProjectID(name string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.main.project(name).ID
}

// ToolID returns the id of a project's first tool with a dock name: message_board, todoset, vault,
// chat and so on.
func (s *Sandbox) ToolID(project, tool string) int64 { return s.ToolIDs(project, tool)[0] }

// ToolIDs returns the ids of all tools with a dock name, in dock order. It panics if there are
// none.
func (s *Sandbox) ToolIDs(project, tool string) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []int64
	for _, t := range s.main.project(project).Dock {
		if t.Type.tool() == tool {
			ids = append(ids, t.ID)
		}
	}
	if ids == nil {
		panic(fmt.Sprintf("sandbox: %s has no %s", project, tool))
	}
	return ids
}

// Find returns the id of the main account's recording with a Basecamp type and title:
// Find("Document", "Assembly handbook"). It panics unless there is exactly one.
func (s *Sandbox) Find(kind, title string) int64 { return s.FindIn("", kind, title) }

// FindIn returns the same as Find, but searches only within one project.
func (s *Sandbox) FindIn(project, kind, title string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.main.where(func(r *recording) bool {
		return string(r.Type) == kind && r.Title == title && (project == "" || r.Bucket == s.main.project(project))
	})
	if len(found) != 1 {
		panic(fmt.Sprintf("sandbox: %d recordings of type %s are called %q", len(found), kind, title))
	}
	return found[0].ID
}

// project returns a project by name.
func (a *account) project(name string) *project {
	return named(a.projects, "project "+name, func(p *project) bool { return p.Name == name })
}
