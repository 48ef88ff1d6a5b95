// Package fence says what a client may do for a person, beyond the scopes: which places it may read
// and write, and what it must ask the person first. The person sets the fence of a client, and the
// operator may set one for all. Only the person's own browser can widen it.
package fence

import (
	"slices"
	"strings"
)

// Fence bounds a client. The zero value bounds nothing. Its JSON is stored with the client's
// connection, and is the form of the operator's setting.
type Fence struct {
	// Read and Write are the places that the client may read and write. Nil means all. A client never
	// writes to a place that it may not read.
	Read  *Places `json:"read,omitempty"`
	Write *Places `json:"write,omitempty"`
	// NoPings closes pings, also to a client that may use all projects.
	NoPings bool `json:"no_pings,omitempty"`
	// Ask has the kinds of writes that are held until the person approves them.
	Ask []Kind `json:"ask,omitempty"`
	// AskAbove is the number of people of the kind Notifies.
	AskAbove int `json:"ask_above,omitempty"`
	// AskAfterOutsiders holds writes that notify, publish or carry a link, for a day after the client
	// has read a text by someone outside the account.
	AskAfterOutsiders bool `json:"ask_after_outsiders,omitempty"`
	// WritesAnHour is the largest number of writes in an hour; 0 means any number.
	WritesAnHour int `json:"writes_an_hour,omitempty"`
	// NoLinks refuses links in written texts, except to LinkHosts.
	NoLinks   bool     `json:"no_links,omitempty"`
	LinkHosts []string `json:"link_hosts,omitempty"`
	// Lockdown leaves out what people wrote on GitHub who do not work on the repository.
	Lockdown bool `json:"lockdown,omitempty"`
}

// Places are named places. What belongs to none of them, such as a person's pings, drafts and
// notifications, is closed.
type Places struct {
	Projects []int64  `json:"projects,omitempty"` // IDs at Basecamp
	Repos    []string `json:"repos,omitempty"`    // "owner/name" at GitHub
	Boards   []string `json:"boards,omitempty"`   // "owner/number" at GitHub
}

// Kind is a kind of write that a person can ask to see first.
type Kind string

// The kinds.
const (
	SeenByClients Kind = "clients"    // clients of the account see it
	Notifies      Kind = "notifies"   // more than AskAbove people are notified
	Trashes       Kind = "trash"      // it archives, trashes or deletes
	Public        Kind = "public"     // it is public on GitHub
	Admin         Kind = "admin"      // it administers the account
	Everything    Kind = "everything" // any write to a provider
)

// Kinds returns all kinds, in the order in which a page shows them.
func Kinds() []Kind { return []Kind{SeenByClients, Notifies, Trashes, Public, Admin, Everything} }

// HasProject reports whether a project is among the places.
func (p *Places) HasProject(id int64) bool { return p == nil || slices.Contains(p.Projects, id) }

// HasRepo reports whether a repository is among the places. GitHub ignores the case of its name.
func (p *Places) HasRepo(name string) bool { return p == nil || containsFold(p.Repos, name) }

// HasBoard reports whether a board is among the places.
func (p *Places) HasBoard(name string) bool { return p == nil || containsFold(p.Boards, name) }

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Within returns the fence that allows only what both f and a bound allow, and holds what either
// holds.
func (f Fence) Within(bound Fence) Fence {
	f.Read, f.Write = f.Read.within(bound.Read), f.Write.within(bound.Write)
	f.NoPings, f.Lockdown = f.NoPings || bound.NoPings, f.Lockdown || bound.Lockdown
	f.AskAfterOutsiders = f.AskAfterOutsiders || bound.AskAfterOutsiders
	f.AskAbove = f.leastAbove(bound)
	if len(bound.Ask) > 0 {
		f.Ask = slices.DeleteFunc(Kinds(), func(k Kind) bool { return !slices.Contains(f.Ask, k) && !slices.Contains(bound.Ask, k) })
	}
	f.WritesAnHour = leastLimit(f.WritesAnHour, bound.WritesAnHour)
	switch {
	case f.NoLinks && bound.NoLinks:
		f.LinkHosts = shared(f.LinkHosts, bound.LinkHosts)
	case bound.NoLinks:
		f.NoLinks, f.LinkHosts = true, bound.LinkHosts
	}
	return f
}

// leastAbove returns the smaller number of people of the fences that hold what notifies.
func (f Fence) leastAbove(bound Fence) int {
	switch {
	case !slices.Contains(f.Ask, Notifies):
		return bound.AskAbove
	case !slices.Contains(bound.Ask, Notifies):
		return f.AskAbove
	}
	return min(f.AskAbove, bound.AskAbove)
}

func (p *Places) within(bound *Places) *Places {
	switch {
	case p == nil:
		return bound
	case bound == nil:
		return p
	}
	return &Places{
		Projects: slices.DeleteFunc(slices.Clone(p.Projects), func(id int64) bool { return !bound.HasProject(id) }),
		Repos:    shared(p.Repos, bound.Repos),
		Boards:   shared(p.Boards, bound.Boards),
	}
}

func shared(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !containsFold(others, n) })
}

func leastLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
