package sandbox

import "slices"

// organization is the organization of Fernhill Bikes. singleSignOn is the person whose tokens lack
// its single sign-on.
const (
	organization = "fernhill-bikes"
	elsewhere    = "rijnstad-couriers"
	singleSignOn = "noemie-laurent"
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
	{singleSignOn, []string{"repo", "project", "read:org"}},
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
	d.org.owners = []*account{d.who("ines-albrecht")}
	lieke := d.who("lieke-vdmeer")
	d.other.members = []*account{lieke, d.who("noemie-laurent")}
	d.other.owners = []*account{lieke}
	frames := &team{slug: "frames", name: "Frames", organization: d.org}
	frames.thing = d.s.next("T")
	d.org.teams = []*team{frames}
}
