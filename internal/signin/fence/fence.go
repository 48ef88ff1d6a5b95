// Package fence says what a client may do for a person, beyond the scopes: which places it may read
// and write. The person sets the fence of a client. Only the person's own browser can widen it.
package fence

import (
	"slices"
	"strings"
)

// Fence bounds a client. The zero value bounds nothing. Its JSON is stored with the client's
// connection.
type Fence struct {
	// Accounts are those of the first provider that the client may use, the default first. None means
	// the only one that the person has.
	Accounts []Account `json:"accounts,omitempty"`
	// Read and Write are the places that the client may read and write. Nil means all. A client never
	// writes to a place that it may not read.
	Read  *Places `json:"read,omitempty"`
	Write *Places `json:"write,omitempty"`
	// NoPings closes pings, also to a client that may use all projects.
	NoPings bool `json:"no_pings,omitempty"`
	// Lockdown leaves out what people wrote on GitHub who do not work on the repository.
	Lockdown bool `json:"lockdown,omitempty"`
}

// Account is an account of a person at a provider.
type Account struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// PlacedIn returns the fence with an account for its projects, unless they have one.
func (f Fence) PlacedIn(account int64) Fence {
	f.Read, f.Write = f.Read.of(account), f.Write.of(account)
	return f
}

// PlacesIn returns the account of the projects that the fence names, or 0.
func (f Fence) PlacesIn() int64 {
	for _, p := range []*Places{f.Read, f.Write} {
		if p != nil && p.Account != 0 {
			return p.Account
		}
	}
	return 0
}

// In returns the fence as it bounds a call in an account: the projects of another one are closed.
func (f Fence) In(account int64) Fence {
	f.Read, f.Write = f.Read.in(account), f.Write.in(account)
	return f
}

// Places are named places. What belongs to none of them, such as a person's pings, drafts and
// notifications, is closed.
type Places struct {
	// Account is that of the projects. 0 stands for each that the client uses.
	Account  int64    `json:"account,omitempty"`
	Projects []int64  `json:"projects,omitempty"` // IDs at Basecamp
	Repos    []string `json:"repos,omitempty"`    // "owner/name" at GitHub
	Boards   []string `json:"boards,omitempty"`   // "owner/number" at GitHub
}

// HasProject reports whether a project is among the places.
func (p *Places) HasProject(id int64) bool { return p == nil || slices.Contains(p.Projects, id) }

// of returns the places with their account, unless they have one.
func (p *Places) of(account int64) *Places {
	if p == nil || p.Account != 0 {
		return p
	}
	q := *p
	q.Account = account
	return &q
}

func (p *Places) in(account int64) *Places {
	if p == nil || p.Account == 0 || p.Account == account {
		return p
	}
	return &Places{Account: p.Account, Repos: p.Repos, Boards: p.Boards}
}

// HasRepo reports whether a repository is among the places. GitHub ignores the case of its name.
func (p *Places) HasRepo(name string) bool { return p == nil || containsFold(p.Repos, name) }

// HasBoard reports whether a board is among the places.
func (p *Places) HasBoard(name string) bool { return p == nil || containsFold(p.Boards, name) }

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Reading returns the fence of a client that reads only some projects.
func (f Fence) Reading(projects []int64) Fence {
	read := &Places{Projects: projects}
	if f.Read != nil {
		read.Account = f.Read.Account
		read.Projects = slices.DeleteFunc(slices.Clone(projects), func(id int64) bool { return !f.Read.HasProject(id) })
	}
	f.Read = read
	return f
}
