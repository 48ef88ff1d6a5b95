package sandbox

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// A seeder makes the data of a new sandbox. All of it is made up.
type seeder struct {
	s     *Server
	now   time.Time
	today time.Time // midnight UTC
	org   *account
	other *account // an organization that Ines and her colleagues do not belong to
}

// seed makes everything. The caller holds the lock.
func (s *Server) seed() {
	now := s.stampNow()
	d := &seeder{s: s, now: now, today: now.Truncate(24 * time.Hour)}
	d.hire()
	d.configurator()
	d.smallRepositories()
	d.seasonLaunch()
	d.otherBoards()
	for _, l := range logins {
		if len(l.scopes) > 0 {
			d.link(l)
		}
	}
}

// link makes the fixed token of a person valid.
func (d *seeder) link(l login) {
	t := d.s.authorize(d.s.account(l.login), d.s.seedToken(l), l.scopes)
	if t.app {
		t.refresh, t.renewal = "ghr_"+t.value[4:], d.s.now().Add(refreshLife)
	}
}

// seedToken returns the fixed token of a person.
func (s *Server) seedToken(l login) string {
	kind := "gho_"
	if s.app {
		kind = "ghu_"
	}
	h := fnv.New128a()
	_, _ = h.Write([]byte(l.login))
	return fmt.Sprintf("%sSandbox%x", kind, h.Sum(nil))[:40]
}

// who returns an account that must exist.
func (d *seeder) who(login string) *account {
	a := d.s.account(login)
	if a == nil {
		panic(fmt.Sprintf("sandbox seed: no account has the login %q", login))
	}
	return a
}

// hours returns a time before now.
func (d *seeder) hours(ago int) time.Time { return d.now.Add(-time.Duration(ago) * time.Hour) }

// day returns a date relative to today.
func (d *seeder) day(offset int) string { return d.today.AddDate(0, 0, offset).Format(time.DateOnly) }

// noon returns a time on a day relative to today.
func (d *seeder) noon(offset int) *time.Time {
	at := d.today.AddDate(0, 0, offset).Add(12 * time.Hour)
	return &at
}

// found adds a repository.
func (d *seeder) found(owner *account, name string) *repository {
	r := &repository{owner: owner, name: name, guests: map[*account]access{}, gone: map[int]bool{}, moved: map[int]*issue{}}
	r.thing = d.s.next("R")
	d.s.repos = append(d.s.repos, r)
	return r
}

// simple adds open issues with titles, one a day.
func (d *seeder) simple(r *repository, author string, titles ...string) {
	for k, title := range titles {
		d.s.addIssue(r, d.who(author), title, "", d.hours(24*(len(titles)-k)))
	}
}

// addProject adds a project without fields.
func (s *Server) addProject(owner, creator *account, title string, at time.Time) *project {
	owner.numbers++
	p := &project{owner: owner, creator: creator, number: owner.numbers, title: title, created: at, updated: at}
	p.thing = s.next("PVT")
	owner.projects = append(owner.projects, p)
	return p
}

// addField adds a field to a project.
func (s *Server) addField(p *project, name, kind string, options ...option) *field {
	f := &field{project: p, name: name, kind: kind, options: options, created: p.created}
	f.thing = s.next("PVTF")
	for i := range f.options {
		f.options[i].id = optionID(s.next("").id)
	}
	p.fields = append(p.fields, f)
	return f
}

// optionID returns the ID of an option or an iteration: eight hexadecimal digits.
func optionID(id int64) string {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, id)
	return fmt.Sprintf("%08x", h.Sum32())
}

// usualFields adds the fields that every new project has.
func (s *Server) usualFields(p *project, statuses ...string) {
	s.addField(p, "Title", "TITLE")
	s.addField(p, "Assignees", "ASSIGNEES")
	colors := []string{"GRAY", "BLUE", "YELLOW", "PURPLE", "GREEN"}
	options := make([]option, len(statuses))
	for i, name := range statuses {
		options[i] = option{name: name, color: colors[i%len(colors)]}
	}
	s.addField(p, "Status", "SINGLE_SELECT", options...)
	s.addField(p, "Labels", "LABELS")
	s.addField(p, "Linked pull requests", "LINKED_PULL_REQUESTS")
	s.addField(p, "Milestone", "MILESTONE")
	s.addField(p, "Repository", "REPOSITORY")
	s.addField(p, "Reviewers", "REVIEWERS")
	s.addField(p, "Parent issue", "PARENT_ISSUE")
	s.addField(p, "Sub-issues progress", "SUB_ISSUES_PROGRESS")
}

// addItem adds an issue or a draft to a project.
func (s *Server) addItem(p *project, creator *account, content *issue, text *draft, at time.Time) *item {
	i := &item{project: p, content: content, draft: text, creator: creator, created: at, updated: at, values: map[*field]value{}}
	i.thing = s.next("PVTI")
	if text != nil {
		text.thing = s.next("DI")
	}
	p.items = append(p.items, i)
	if at.After(p.updated) {
		p.updated = at
	}
	return i
}

// set writes the value of a field of an item.
func (d *seeder) set(i *item, name string, v value) {
	f := i.project.field(name)
	v.node = d.s.next("PVTFSV").node
	v.updated = i.updated
	i.values[f] = v
}

// choose sets a field to options or an iteration by name.
func (d *seeder) choose(i *item, name string, titles ...string) {
	f := i.project.field(name)
	var ids []string
	for _, p := range f.options {
		if slices.Contains(titles, p.name) {
			ids = append(ids, p.id)
		}
	}
	for _, it := range f.iterations {
		if slices.Contains(titles, it.title) {
			ids = append(ids, it.id)
		}
	}
	if len(ids) != len(titles) {
		panic(fmt.Sprintf("sandbox seed: the field %s lacks one of %q", name, titles))
	}
	d.set(i, name, value{chosen: ids})
}
