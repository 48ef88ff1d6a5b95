package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"basecamp-mcp/internal/text/when"
)

var peopleRoutes = []route{
	{"GET /projects/{id}/people", func(c *call, p *project) reply { return page(c, p.People, "") }},
	// Adds people to a project, or removes them.
	{"PUT /projects/{id}/people/users", func(c *call, p *project) reply {
		refuse(c.me.Client, forbidden())
		var granted, revoked []*Person
		for _, id := range c.fields.numbers("grant") {
			if who := c.findPerson(id); who != nil && !slices.Contains(p.People, who) {
				p.People = append(p.People, who)
				granted = append(granted, who)
			}
		}
		for _, id := range c.fields.numbers("revoke") {
			if who := c.findPerson(id); who != nil && slices.Contains(p.People, who) {
				p.People = slices.DeleteFunc(slices.Clone(p.People), func(other *Person) bool { return other == who })
				revoked = append(revoked, who)
			}
		}
		p.UpdatedAt = c.now()
		for _, who := range granted {
			c.changedAccess(p, who.Name+" was granted access.")
		}
		for _, who := range revoked {
			c.changedAccess(p, who.Name+" was removed.")
		}
		return ok(view{{"granted", apply(granted, c.person)}, {"revoked", apply(revoked, c.person)}})
	}},
	{"GET /account", func(c *call) reply { return ok(c.as("account", c.account)) }},
	{"GET /people", func(c *call) reply { return page(c, c.visiblePeople(), "") }},
	{"GET /people/{id}", shows((*call).person)},
	{"GET /circles/people", func(c *call) reply {
		return whole(c, filter(c.visiblePeople(), func(p *Person) bool { return p != c.me && p.Kind == "User" }), "")
	}},
	{"GET /my/profile", func(c *call) reply { return ok(c.person(c.me)) }},
	{"PUT /my/profile", func(c *call) reply {
		f := c.fields
		refuse(f.has("name") && f.trimmed("name") == "", invalidField("name", blank))
		if zone := f.text("time_zone_name"); zone != "" {
			location, ok := when.Zone(zone)
			refuse(!ok, invalidField("time_zone_name", "is not included in the list"))
			c.me.Zone, c.me.location = zone, location
		}
		for field, value := range map[string]*string{
			"name": &c.me.Name, "email_address": &c.me.Email, "title": &c.me.Title, "bio": &c.me.Bio, "location": &c.me.Place,
		} {
			if f.has(field) {
				*value = f.trimmed(field)
			}
		}
		c.me.UpdatedAt = c.now()
		return noContent()
	}},
	{"GET /my/preferences", func(c *call) reply { return ok(c.as("preferences", c.me)) }},
}

// Person is a person in one account. A user with several accounts has one identity and a Person in
// each account.
type Person struct {
	ID         int64  // in the account
	Handle     string // value for the login form and name in company.json: "ines"
	IdentityID int64  // at Launchpad, the same in all accounts; 0 for people who cannot log in
	Token      string // a fixed access token, empty for people who cannot log in
	Name       string
	Email      string
	Title      string
	Bio        string
	Place      string
	Company    *employer
	Zone       string
	Kind       string // personable_type
	Admin      bool
	Owner      bool
	Client     bool
	Employee   bool
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Away       *span
	SGID       string // identifies the person in mentions
	Avatar     string // sgid of the picture
	location   *time.Location
	note       *recording // nil until it is written
}

// An employer is a company where people work.
type employer struct {
	ID   int64
	Name string
}

// A span is a time out of office, in days.
type span struct{ StartDate, EndDate string }

// short returns the name in the form of timelines: Ines A.
func (p *Person) short() string {
	first, last, found := strings.Cut(p.Name, " ")
	if !found {
		return p.Name
	}
	initial, _ := utf8.DecodeRuneInString(last)
	return first + " " + string(initial) + "."
}

// first returns the first name, which is the text of a mention.
func (p *Person) first() string {
	first, _, _ := strings.Cut(p.Name, " ")
	return first
}

// person returns a person in full, encoded once for a call, because answers name the same people
// again and again.
func (c *call) person(p *Person) encoded {
	if c.encoded[p] == nil {
		c.encoded[p] = appendJSON(nil, c.as("person", p))
	}
	return c.encoded[p]
}

func (c *call) avatar(p *Person) string {
	return c.url("/people/%s/avatar", p.Avatar)
}

// email returns an address. If the caller may not see it, only its first letter and punctuation
// remain: j••••@•••••••••.•••.
func (c *call) email(p *Person) string {
	if c.me.Admin || c.me.Owner || c.me == p {
		return p.Email
	}
	first := true
	return strings.Map(func(r rune) rune {
		if first || r == '@' || r == '.' {
			first = false
			return r
		}
		return '•'
	}, p.Email)
}

// known returns the people with these ids on a project. Like Basecamp, it ignores other ids.
func (c *call) known(p *project, ids []int64) []*Person {
	var people []*Person
	for _, id := range ids {
		for _, candidate := range p.People {
			if candidate.ID == id && !slices.Contains(people, candidate) {
				people = append(people, candidate)
			}
		}
	}
	return people
}

// findPerson returns a person whom the caller may see. The id can be "me".
func (c *call) findPerson(id int64) *Person {
	return first(c.visiblePeople(), func(p *Person) bool { return p.ID == id })
}

// visiblePeople returns the people whom the caller may see: for clients the members of their
// projects, for others all people.
func (c *call) visiblePeople() []*Person {
	return filter(c.account.people, func(p *Person) bool {
		return !c.me.Client || p == c.me || slices.ContainsFunc(c.projects(active), func(at *project) bool {
			return slices.Contains(at.People, p)
		})
	})
}

func (c *call) changedAccess(p *project, what string) {
	c.account.accesses = append(c.account.accesses, &event{ID: c.s.nextID(), Project: p, Action: what, CreatedAt: c.now(), Creator: c.me})
}

// OpenAccount opens a further account of its first person, who has another one. It has the form of
// an account in company.json, without ids.
func (s *Sandbox) OpenAccount(account string) (id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var data accountData
	if err := json.Unmarshal([]byte(account), &data); err != nil {
		panic(err)
	}
	data.People[0].ID, data.Projects[0].ID = s.nextID(), s.nextID()
	d := s.seeder(s.open(7000000+int64(len(s.accounts)), data.Name))
	d.hire(data.People)
	d.fill(&data)
	return d.a.ID
}

// AccountsOf returns the IDs and names of the active accounts of a person, the main account first.
func (s *Sandbox) AccountsOf(p Person) (ids []int64, names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.accounts {
		if !a.inactive && slices.ContainsFunc(a.people, func(of *Person) bool { return of.IdentityID == p.IdentityID }) {
			ids, names = append(ids, a.ID), append(names, a.Name)
		}
	}
	return ids, names
}
