package sandbox

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"basecamp-mcp/internal/text/when"
)

// A person belongs to one account. A user with several accounts has one identity and a person in
// each account.
type person struct {
	id       int64
	identity int64
	handle   string // name in the seed's texts
	login    string // access token, empty for people who cannot log in
	name     string
	email    string
	title    string
	bio      string
	place    string
	company  string
	zone     string
	location *time.Location
	kind     string // personable_type
	admin    bool
	owner    bool
	client   bool
	employee bool
	created  time.Time
	updated  time.Time
	away     *span
	note     *recording // nil until it is written
	sgid     string     // identifies the person in mentions
	avatar   string     // sgid of the picture
}

// A span is a time out of office, in days.
type span struct{ starts, ends string }

func (p *person) public() Person {
	return Person{ID: p.id, Handle: p.handle, IdentityID: p.identity, Name: p.name, Email: p.email, Token: p.login}
}

// short returns the name in the form of timelines: Ines A.
func (p *person) short() string {
	first, last, found := strings.Cut(p.name, " ")
	if !found {
		return p.name
	}
	initial, _ := utf8.DecodeRuneInString(last)
	return first + " " + string(initial) + "."
}

// first returns the first name, which is the text of a mention.
func (p *person) first() string {
	first, _, _ := strings.Cut(p.name, " ")
	return first
}

// person returns a person in full, encoded once for a call, because answers name the same people
// again and again.
func (c *call) person(p *person) encoded {
	if c.encoded[p] == nil {
		c.encoded[p] = appendJSON(nil, c.wholePerson(p))
	}
	return c.encoded[p]
}

// wholePerson returns a person. Only administrators and the person see the whole e-mail address.
func (c *call) wholePerson(p *person) view {
	staff := p.canPing()
	v := view{
		{"id", p.id},
		{"attachable_sgid", p.sgid},
		{"name", p.name},
		{"personable_type", p.kind},
		{"title", orNull(p.title)},
		{"tagline", orNull(p.bio)},
		{"location", orNull(p.place)},
		{"created_at", p.created},
		{"updated_at", p.updated},
		{"email_address", orNull(c.email(p))},
		{"bio", orNull(p.bio)},
		{"admin", p.admin},
		{"owner", p.owner},
		{"client", p.client},
		{"employee", p.employee},
		{"time_zone", p.zone},
		{"avatar_url", c.avatar(p)},
		{"company", present(p.company != "", view{{"id", c.account.companies[p.company]}, {"name", p.company}})},
		{"can_ping", staff},
		{"can_manage_projects", staff},
		{"can_manage_people", staff},
		{"can_access_timesheet", staff},
		{"can_access_hill_charts", staff},
	}
	if p.away != nil {
		v = append(v, field{"out_of_office", view{{"start_date", p.away.starts}, {"end_date", p.away.ends}}})
	}
	return v
}

// brief returns a person as compact answers show them.
func (c *call) brief(p *person) view {
	return view{{"id", p.id}, {"name", p.name}, {"avatar_url", c.avatar(p)}}
}

func (c *call) avatar(p *person) string {
	return c.url("/people/%s/avatar", p.avatar)
}

// email returns an address. If the caller may not see it, only its first letter and punctuation
// remain: j••••@•••••••••.•••.
func (c *call) email(p *person) string {
	if c.me.admin || c.me.owner || c.me == p {
		return p.email
	}
	first := true
	return strings.Map(func(r rune) rune {
		if first || r == '@' || r == '.' {
			first = false
			return r
		}
		return '•'
	}, p.email)
}

// known returns the people with these ids on a project. Like Basecamp, it ignores other ids.
func (c *call) known(p *project, ids []int64) []*person {
	var people []*person
	for _, id := range ids {
		for _, candidate := range p.people {
			if candidate.id == id && !slices.Contains(people, candidate) {
				people = append(people, candidate)
			}
		}
	}
	return people
}

// onVisible does the same as on, for the person {id}, whom the caller may see.
func onVisible(handle func(*call, *person) reply) handler {
	return on(func(c *call) *person { return c.findPerson(c.id(0)) }, handle)
}

// findPerson returns a person whom the caller may see. The id can be "me".
func (c *call) findPerson(id int64) *person {
	return first(c.visiblePeople(), func(p *person) bool { return p.id == id })
}

// visiblePeople returns the people whom the caller may see: for clients the members of their
// projects, for others all people.
func (c *call) visiblePeople() []*person {
	return filter(c.account.people, func(p *person) bool {
		return !c.me.client || p == c.me || slices.ContainsFunc(c.projects(active), func(at *project) bool {
			return slices.Contains(at.people, p)
		})
	})
}

func listPeople(c *call) reply { return page(c, c.visiblePeople(), c.person) }

func listPingable(c *call) reply {
	return whole(filter(c.visiblePeople(), func(p *person) bool { return p != c.me && p.kind == "User" }), c.person)
}

func listProjectPeople(c *call, p *project) reply { return page(c, p.people, c.person) }

func showProfile(c *call) reply { return ok(c.person(c.me)) }

func updateProfile(c *call) reply {
	f := c.fields
	if f.has("name") && f.trimmed("name") == "" {
		return invalidField("name", blank)
	}
	if zone := f.text("time_zone_name"); zone != "" {
		location, ok := when.Zone(zone)
		if !ok {
			return invalidField("time_zone_name", "is not included in the list")
		}
		c.me.zone, c.me.location = zone, location
	}
	for field, value := range map[string]*string{
		"name": &c.me.name, "email_address": &c.me.email, "title": &c.me.title, "bio": &c.me.bio, "location": &c.me.place,
	} {
		if f.has(field) {
			*value = f.trimmed(field)
		}
	}
	c.me.updated = c.now()
	return noContent()
}

func showPreferences(c *call) reply {
	return ok(view{
		{"app_url", c.appURL("/my/preferences")},
		{"first_week_day", "Monday"},
		{"time_format", "twenty_four_hour"},
		{"time_zone_name", c.me.zone},
		{"url", c.url("/my/preferences.json")},
	})
}

// updateAccess adds people to a project, or removes them.
func updateAccess(c *call, p *project) reply {
	if c.me.client {
		return forbidden()
	}
	var granted, revoked []*person
	for _, id := range c.fields.numbers("grant") {
		if who := c.findPerson(id); who != nil && !slices.Contains(p.people, who) {
			p.people = append(p.people, who)
			granted = append(granted, who)
		}
	}
	for _, id := range c.fields.numbers("revoke") {
		if who := c.findPerson(id); who != nil && slices.Contains(p.people, who) {
			p.people = slices.DeleteFunc(slices.Clone(p.people), func(other *person) bool { return other == who })
			revoked = append(revoked, who)
		}
	}
	p.updated = c.now()
	for _, who := range granted {
		c.changedAccess(p, who.name+" was granted access.")
	}
	for _, who := range revoked {
		c.changedAccess(p, who.name+" was removed.")
	}
	return ok(view{{"granted", apply(granted, c.person)}, {"revoked", apply(revoked, c.person)}})
}

func (c *call) changedAccess(p *project, what string) {
	c.account.accesses = append(c.account.accesses, &event{id: c.s.nextID(), project: p, action: what, at: c.now(), by: c.me})
}

func showAccount(c *call) reply {
	owner := ""
	if p := first(c.account.people, func(p *person) bool { return p.owner }); p != nil {
		owner = p.name
	}
	return ok(view{
		{"id", c.account.id},
		{"name", c.account.name},
		{"owner_name", owner},
		{"active", !c.account.inactive},
		{"trial", false},
		{"frozen", false},
		{"paused", false},
	})
}

// OpenAccount opens a further account of a person, with a project of one to-do list, and returns
// its ID. A to-do is a title, which an assignee and a due day may follow: "Buy thread | @noor | due
// +4".
func (s *Sandbox) OpenAccount(of Person, name, projectName string, todos ...string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.seeder(s.open(7000000+int64(len(s.accounts)), name))
	d.hire([]personData{{
		Handle: of.Handle, Name: of.Name, Email: of.Email, Zone: "Europe/Dublin", ID: s.nextID(), Identity: of.IdentityID, Admin: true, Owner: true,
	}})
	const day = age(24 * time.Hour)
	p := d.found(&projectData{
		Name: projectName, ID: s.nextID(), Age: 90 * day, Team: []string{of.Handle}, Description: "",
		Tools: []string{"message_board", "todoset", "vault", "schedule", "chat"},
	})
	list := &itemData{Type: kindTodolist, Title: "Errands", By: of.Handle, Age: 30 * day}
	for i, line := range todos {
		title, rest, _ := strings.Cut(line, " | ")
		item := itemData{Type: kindTodo, Title: title, By: of.Handle, Age: age(30-i) * day}
		if strings.Contains(rest, "@") {
			item.People = []string{of.Handle}
		}
		if _, due, found := strings.Cut(rest, "due "); found {
			n, _ := strconv.Atoi(due)
			item.Due = &n
		}
		list.Items = append(list.Items, item)
	}
	d.item(d.place(p, []string{kinds[kindTodoset].title}), list)
	for _, t := range s.tokens {
		if t.identity == of.IdentityID {
			t.people = append(t.people, d.a.people[0])
		}
	}
	return d.a.id
}

// AccountsOf returns the IDs and names of the active accounts of a person, the main account first.
func (s *Sandbox) AccountsOf(p Person) (ids []int64, names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.accounts {
		if !a.inactive && slices.ContainsFunc(a.people, func(of *person) bool { return of.identity == p.IdentityID }) {
			ids, names = append(ids, a.id), append(names, a.name)
		}
	}
	return ids, names
}
