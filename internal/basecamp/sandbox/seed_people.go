package sandbox

import (
	"time"

	"basecamp-mcp/internal/when"
)

// A hand describes a person to create: the handle in the seed's texts, and the person's data.
type hand struct {
	handle, name, email, title, place, zone string
	id, identity                            int64
	bio                                     string
	admin, owner, client                    bool
	kind                                    string // User if empty
	company                                 string
}

// Two of the staff have the same first name on purpose.
var staff = []hand{
	{handle: "ines", name: "Ines Albrecht", email: "ines@fernhillbikes.example", title: "Founder, product", place: "Fernhill", zone: "Europe/Berlin", id: 3140027714, identity: 61840217, admin: true, owner: true, bio: "Will talk about wheelbases for hours."},
	{handle: "samo", name: "Sam Okafor", email: "sam.okafor@fernhillbikes.example", title: "Production lead", place: "Fernhill", zone: "Europe/London", id: 3140027733, identity: 61840388, bio: "If it squeaks, bring it to me."},
	{handle: "saml", name: "Sam Lindqvist", email: "sam.lindqvist@fernhillbikes.example", title: "Dealers and sales", place: "Malmö", zone: "Europe/Stockholm", id: 3140027751, identity: 61841502},
	{handle: "noemie", name: "Noémie Laurent", email: "noemie@fernhillbikes.example", title: "Frame designer", place: "Nantes", zone: "Europe/Paris", id: 3140027760, identity: 61841777, bio: "Steel is patient."},
	{handle: "mateusz", name: "Mateusz Wójcik", email: "mateusz@fernhillbikes.example", title: "Welder", place: "Fernhill", zone: "Europe/Warsaw", id: 3140027788, identity: 61842010},
	{handle: "priya", name: "Priya Raman", email: "priya@fernhillbikes.example", title: "Purchasing", place: "Bengaluru", zone: "Asia/Kolkata", id: 3140027802, identity: 61842144, bio: "Lead times are my love language."},
	{handle: "jonas", name: "Jonas Brandt", email: "jonas@fernhillbikes.example", title: "Web developer", place: "Leipzig", zone: "Europe/Berlin", id: 3140027819, identity: 61842390},
	{handle: "hanna", name: "Hanna Koivisto", email: "hanna@fernhillbikes.example", title: "Marketing", place: "Turku", zone: "Europe/Helsinki", id: 3140027826, identity: 61842655},
	{handle: "tomas", name: "Tomás Herrera", email: "tomas@fernhillbikes.example", title: "Test rider and service", place: "Girona", zone: "Europe/Madrid", id: 3140027840, identity: 61843021, bio: "46 test rides and counting."},
	{handle: "aoife", name: "Aoife Brennan", email: "aoife@fernhillbikes.example", title: "Finance", place: "Cork", zone: "Europe/Dublin", id: 3140027857, identity: 61843288, admin: true},
	{handle: "dele", name: "Dele Adeyemi", email: "dele@fernhillbikes.example", title: "Warehouse and shipping", place: "Lagos", zone: "Africa/Lagos", id: 3140027871, identity: 61843519},
	{handle: "marguerite", name: "Marguerite Osei", email: "marguerite@fernhillbikes.example", title: "Customer care", place: "Toronto", zone: "America/Toronto", id: 3140027885, identity: 61843904, bio: "Every complaint is a map."},
	{handle: "lieke", name: "Lieke van der Meer", email: "lieke@rijnstadcouriers.example", title: "Fleet manager", place: "Utrecht", zone: "Europe/Amsterdam", id: 3140027899, identity: 61844120, client: true, kind: "Client", company: "Rijnstad Couriers"},
	{handle: "relay", name: "Parcel Relay", email: "relay@integrations.example", title: "Shipping notices", zone: "Etc/UTC", id: 3140027912, kind: "Integration"},
}

var atelier = []hand{
	{handle: "noor", name: "Noor Haddad", email: "noor@haddadatelier.example", title: "Saddle maker", place: "Lyon", zone: "Europe/Paris", id: 3166480021, identity: 61990455, admin: true, owner: true},
}

// bookkeepers are the people of Aoife Brennan's own account, next to her work at Fernhill.
var bookkeepers = []hand{
	{handle: "aoife", name: "Aoife Brennan", email: "aoife@fernhillbikes.example", title: "Bookkeeper", place: "Cork", zone: "Europe/Dublin", id: 3151206638, identity: 61843288, admin: true, owner: true},
}

// volunteers are the people of the suspended account. Sam Okafor is one of them.
var volunteers = []hand{
	{handle: "samo", name: "Sam Okafor", email: "sam.okafor@fernhillbikes.example", title: "Volunteer", place: "Fernhill", zone: "Europe/London", id: 3128850067, identity: 61840388},
}

// hire adds people to the account.
func (d *seeder) hire(hands []hand) {
	for i, h := range hands {
		p := &person{
			id: h.id, identity: h.identity, handle: h.handle, name: h.name, email: h.email, title: h.title, bio: h.bio, place: h.place,
			zone: h.zone, kind: h.kind, admin: h.admin, owner: h.owner, client: h.client, company: h.company,
			created: d.now.AddDate(-2, 0, 9*i), updated: d.now.AddDate(0, -2, i),
			sgid: sgid("Person", h.id, "attachable"), avatar: sgid("Person", h.id, "avatar"),
		}
		if p.kind == "" {
			p.kind, p.company, p.employee = "User", d.a.name, true
		}
		if h.identity != 0 {
			p.login = "sandbox-upstream-" + h.handle
		}
		if p.company != "" && d.a.companies[p.company] == 0 {
			d.a.companies[p.company] = 1044120000 + d.a.id%1000 + int64(len(d.a.companies))*7
		}
		var ok bool
		if p.location, ok = when.Zone(p.zone); !ok {
			p.location = time.UTC // the machine has no time zone data
		}
		d.a.people = append(d.a.people, p)
		d.people[h.handle] = p
	}
	y, m, day := d.s.now().In(d.a.people[0].location).Date()
	d.today = time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
	if hanna := d.people["hanna"]; hanna != nil {
		hanna.away = &span{d.day("+20"), d.day("+24")} // matches the company's schedule
	}
}

// issueLogins makes the tokens of all people valid for the life of the sandbox.
func (s *Sandbox) issueLogins() {
	for _, a := range s.accounts {
		for _, p := range a.people {
			if p.login != "" && s.tokens[p.login] == nil {
				s.grant(p.login, p)
			}
		}
	}
}
