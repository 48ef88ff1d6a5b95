package sandbox

import (
	"slices"
	"strings"
)

// A plan describes a project to create. Its tools are enabled, and the other tools of the dock
// disabled, unless bare is set.
type plan struct {
	name, description string
	id                int64
	age               string
	team              string // handles; "all" means all people except clients and integrations
	tools             string // dock names; "all" means every tool
	more              map[kind][]string
	rename            map[kind]string
	status            status
	bare              bool // no dock at all
	clients           bool
	timesheet         bool
}

const usual = "message_board todoset vault schedule chat"

var fernhillProjects = []plan{
	{name: "Company HQ", id: 2271400106, age: "700d", team: "all relay", tools: usual + " questionnaire", description: "Everything that concerns all of us: news, holidays, how we work."},
	{name: "Workshop & Tools", id: 2271400388, age: "650d", team: "ines samo mateusz tomas dele priya noemie", tools: usual + " kanban_board", description: "The workshop floor, machines, spare parts and who broke what.", rename: map[kind]string{kindChat: "Workshop floor"}, more: map[kind][]string{kindChat: {"Spare parts"}}},
	{name: "Payroll & Contracts", id: 2271400514, age: "600d", team: "ines aoife", tools: "message_board todoset vault", description: "Confidential. Ines and Aoife only."},
	{name: "Customer Care", id: 2271400790, age: "540d", team: "ines marguerite tomas samo saml hanna dele noemie aoife", tools: "message_board todoset vault inbox questionnaire", description: "What riders ask, what broke, what we promised them."},
	{name: "Dealer Network", id: 2271401033, age: "480d", team: "ines saml samo hanna aoife marguerite", tools: usual, description: "Shops that sell our bikes, and the ones we would like to."},
	{name: "Frame Testing Lab", id: 2271401217, age: "420d", team: "ines noemie mateusz tomas samo", tools: "todoset vault", description: "Fatigue tests, results and the rig."},
	{name: "Photo Library", id: 2271401458, age: "390d", team: "ines hanna jonas noemie", tools: "vault message_board", description: "Pictures we may use, and where they came from."},
	{name: "Supplier Audits", id: 2271401622, age: "330d", team: "ines priya aoife samo", tools: "todoset vault message_board schedule", description: "Visits, reports and follow-ups with the people who make our parts."},
	{name: "Web Shop Rebuild", id: 2271401875, age: "260d", team: "ines jonas hanna marguerite aoife saml", tools: usual + " kanban_board", description: "A shop that knows what a cargo bike is.", timesheet: true},
	{name: "Rijnstad Couriers Fleet", id: 2271402041, age: "210d", team: "ines samo tomas dele priya noemie jonas aoife lieke", tools: usual + " kanban_board", description: "Forty bikes for Rijnstad Couriers: specification, delivery, service.", clients: true},
	{name: "Leasing Partners", id: 2271402230, age: "170d", team: "ines aoife saml", tools: "message_board todoset vault", description: "Employers who lease our bikes to their people."},
	{name: "Winter Kit", id: 2271402416, age: "130d", team: "ines noemie priya hanna tomas", tools: "message_board todoset vault chat", description: "Studded tyres, rain cover, bar mitts: one box, before the first frost."},
	{name: "Hiring: Second Welder", id: 2271402609, age: "75d", team: "ines samo mateusz aoife", tools: "message_board todoset vault", description: "Find somebody Mateusz would want to share a bench with."},
	{name: "Spring Trade Fair", id: 2271402777, age: "62d", team: "ines hanna saml noemie dele jonas", tools: usual},
	{name: "Quiet Ideas", id: 2271402931, age: "58d", team: "ines noemie", bare: true, description: ""},
	{name: "Cargo Bike Launch", id: 2271403118, age: "55d", team: "ines samo noemie mateusz priya jonas hanna tomas aoife dele marguerite relay", tools: "all", description: "The Fernhill Long Tail: from the last prototype to the first hundred riders.", timesheet: true, rename: map[kind]string{kindCardTable: "Frame design"}, more: map[kind][]string{kindCardTable: {"Web shop"}}},
	{name: "Newsletter Refresh", id: 2271403340, age: "21d", team: "ines hanna marguerite", tools: "message_board todoset chat", description: "Fewer mails, better ones."},

	{name: "Prototype Two", id: 2271399120, age: "500d", team: "ines samo noemie mateusz tomas", tools: usual, status: archived, description: "The one with the bent steerer. Kept for its lessons."},
	{name: "Old Web Shop", id: 2271398877, age: "690d", team: "ines jonas hanna", tools: "message_board todoset vault", status: archived, description: "The shop before the shop."},
	{name: "Summer Open Day", id: 2271399654, age: "410d", team: "all", tools: usual, status: archived, description: "Two hundred visitors, eleven test bikes, one thunderstorm."},
	{name: "Tandem Experiment", id: 2271399901, age: "350d", team: "ines noemie mateusz", tools: "message_board todoset vault", status: trashed, description: "We tried. It steered like a ferry."},
	{name: "Newsletter Trial", id: 2271400012, age: "300d", team: "ines hanna", tools: "message_board todoset", status: trashed},
}

var atelierProjects = []plan{
	{name: "Saddle Orders", id: 2290118406, age: "120d", team: "noor", tools: usual, description: "Commissions and what they are waiting for."},
}

var booksProjects = []plan{
	{name: "Year-end Accounts", id: 2281207731, age: "90d", team: "aoife", tools: usual, description: "Whose books are closed, and whose shoebox has not arrived."},
}

// foundProjects creates projects with their docks.
func (d *seeder) foundProjects(plans []plan) {
	for _, pl := range plans {
		p := &project{
			id: pl.id, account: d.a, name: pl.name, purpose: "topic", status: active, clients: pl.clients,
			timesheet: pl.timesheet,
			created:   d.ago(pl.age), updated: d.ago(pl.age), people: d.team(pl.team),
		}
		if pl.name != "Spring Trade Fair" && pl.name != "Newsletter Trial" {
			p.description = &pl.description
		}
		if pl.status != "" {
			p.status = pl.status
		}
		d.a.projects = append(d.a.projects, p)
		if pl.bare {
			continue
		}
		d.s.addDock(p, p.people[0], pl.kinds()...)
		for _, tool := range p.dock {
			if title := pl.rename[tool.kind]; title != "" {
				tool.title = title
			}
		}
		for _, k := range dockOrder {
			for _, title := range pl.more[k] {
				tool := d.s.add(p, nil, &recording{kind: k, title: title, creator: p.people[0], created: p.created})
				if k == kindCardTable {
					d.s.addColumns(tool)
				}
			}
		}
	}
}

func (pl plan) kinds() []kind {
	if pl.tools == "all" {
		return dockOrder
	}
	names := strings.Fields(pl.tools)
	return filter(dockOrder, func(k kind) bool { return slices.Contains(names, k.tool()) })
}

// team returns people by their handles.
func (d *seeder) team(handles string) []*person {
	var team []*person
	for handle := range strings.FieldsSeq(handles) {
		if handle != "all" {
			team = append(team, d.who(handle))
			continue
		}
		team = append(team, filter(d.a.people, func(p *person) bool { return p.kind == "User" })...)
	}
	return team
}
