// Package sandbox is a Basecamp in memory: the upstream of whoever runs the product locally and of every test. It keeps
// state, and Basecamp's manners with it: geared pages, drafts, PUTs that replace, ETags, rate limits.
//
// What a newcomer would not guess: to-dos, messages, cards, chat lines and the rest are all one type, recording, in one
// tree per project, as they are in Basecamp itself; a file of this package holds one kind's JSON shape and its requests.
// All seed data is relative to Options.Now, so something is overdue, due today and said an hour ago on every date.
package sandbox

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox/documented"
)

// BaseURL is what a client takes for Basecamp's address when it speaks through Transport.
const BaseURL = "https://basecamp.sandbox"

// Options say how a sandbox behaves. The zero value behaves like the real Basecamp.
type Options struct {
	Now       func() time.Time // the clock, time.Now when nil
	RateLimit int              // requests per 10 s before 429; 0 is 50 like the real one, negative is no limit

	// Undocumented is told what a request asks for that Basecamp's documentation does not know: its route, a query name or a
	// body field. The sandbox ignores such names and answers 404 to such routes, as Basecamp does.
	Undocumented func(problem string)

	// The application that Launchpad knows: ClientID and ClientSecret of this package when empty.
	ClientID, ClientSecret string
	RotateRefresh          bool // a refresh gives a new refresh token, and ends the old one; else it is always the same
}

// Sandbox is a Basecamp with its accounts. It is safe for concurrent use.
type Sandbox struct {
	now          func() time.Time
	rateLimit    int
	clientID     string
	clientSecret string
	rotates      bool
	documented   documented.Table
	undocumented func(problem string)

	mu       sync.Mutex // guards all below, and everything reachable from it
	accounts []*account
	main     *account
	other    *account
	books    *account
	tokens   map[string]*token
	codes    map[string]*code
	grants   map[string]*refreshable // by refresh token
	renewed  int
	lastID   int64
	blobs    map[string]*file // by key
	requests []*Request
	served   int
	recent   []time.Time // the requests the rate limit still counts
	faults   []*Fault
}

// New returns a sandbox that holds Fernhill Bikes, a small company that builds cargo bikes, and three smaller accounts: one
// with a person alone in it, one that also belongs to a person of Fernhill, and one that has been suspended.
func New(o Options) *Sandbox {
	s := &Sandbox{
		now:          o.Now,
		rateLimit:    o.RateLimit,
		clientID:     cmp.Or(o.ClientID, ClientID),
		clientSecret: cmp.Or(o.ClientSecret, ClientSecret),
		rotates:      o.RotateRefresh,
		tokens:       map[string]*token{},
		codes:        map[string]*code{},
		grants:       map[string]*refreshable{},
		documented:   documented.Read(),
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
	return s
}

// Person is somebody who can log in.
type Person struct {
	ID         int64  // in the account
	Handle     string // what logging in calls them, "ines"
	IdentityID int64  // at Launchpad, the same in all accounts
	Name       string
	Email      string
	Token      string // their upstream bearer, always the same
}

// People returns the people of the main account who have a login. The first is Ines Albrecht, an administrator.
func (s *Sandbox) People() []Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	var people []Person
	for _, p := range s.main.people {
		if p.login != "" {
			people = append(people, p.public())
		}
	}
	return people
}

// Person returns the person of the main account who has this name. It panics when there is none.
func (s *Sandbox) Person(name string) Person {
	for _, p := range s.People() {
		if p.Name == name {
			return p
		}
	}
	panic(fmt.Sprintf("sandbox: nobody is called %q", name))
}

// Bookkeeper returns the person of the main account who has a second one, which works: whoever logs in as her chooses.
func (s *Sandbox) Bookkeeper() Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	identity := s.books.people[0].identity
	for _, p := range s.main.people {
		if p.identity == identity {
			return p.public()
		}
	}
	panic("sandbox: the bookkeeper has left")
}

// BooksAccount returns the id of the Bookkeeper's own account.
func (s *Sandbox) BooksAccount() int64 { return s.books.id }

// Stranger returns the only person of the second account, who must never see anything of the main one.
func (s *Sandbox) Stranger() Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.other.people[0].public()
}

// Account returns the id of the main account.
func (s *Sandbox) Account() int64 { return s.main.id }

// OtherAccount returns the id of the account the Stranger is alone in.
func (s *Sandbox) OtherAccount() int64 { return s.other.id }

// InactiveAccount returns the id of an account that has been suspended: every request to it fails.
func (s *Sandbox) InactiveAccount() int64 {
	for _, a := range s.accounts {
		if a.inactive {
			return a.id
		}
	}
	panic("sandbox: no account is inactive")
}

// ProjectID returns the id of the main account's project of this name, whatever its status. It panics when there is none.
func (s *Sandbox) ProjectID(name string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.project(name).id
}

// ToolID returns the id of a project's first tool of a dock name: message_board, todoset, vault, chat and so on.
func (s *Sandbox) ToolID(project, tool string) int64 { return s.ToolIDs(project, tool)[0] }

// ToolIDs returns the ids of all the tools of one dock name, in dock order. It panics when there is none.
func (s *Sandbox) ToolIDs(project, tool string) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []int64
	for _, t := range s.project(project).dock {
		if t.kind.tool() == tool {
			ids = append(ids, t.id)
		}
	}
	if ids == nil {
		panic(fmt.Sprintf("sandbox: %s has no %s", project, tool))
	}
	return ids
}

// TodolistID returns the id of a project's to-do list or group. It panics when there is none.
func (s *Sandbox) TodolistID(project, name string) int64 { return s.FindIn(project, "Todolist", name) }

// Find returns the id of the main account's recording of a Basecamp type and title: Find("Document", "Assembly handbook").
// It panics when there is none, or several.
func (s *Sandbox) Find(kind, title string) int64 { return s.find(nil, kind, title) }

// FindIn is Find within one project.
func (s *Sandbox) FindIn(project, kind, title string) int64 {
	s.mu.Lock()
	p := s.project(project)
	s.mu.Unlock()
	return s.find(p, kind, title)
}

func (s *Sandbox) find(in *project, kind, title string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*recording
	for _, r := range s.main.recordings {
		if string(r.kind) == kind && r.title == title && (in == nil || r.bucket == in) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		panic(fmt.Sprintf("sandbox: %d recordings of type %s are called %q", len(found), kind, title))
	}
	return found[0].id
}

// project finds one of the main account by name.
func (s *Sandbox) project(name string) *project {
	for _, p := range s.main.projects {
		if p.name == name {
			return p
		}
	}
	panic(fmt.Sprintf("sandbox: no project is called %q", name))
}
