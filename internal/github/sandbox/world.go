package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// World describes the repositories and boards for a comparison, one line for each thing: all that
// can be undone. It leaves out the times of changes, the order of boards, closed boards, and issues
// that are closed as not planned. Items of boards are named by what they show, because one that is
// added again has another ID.
func (s *Server) World() map[string]string {
	defer s.lock()()
	world := map[string]string{}
	for _, r := range s.repos {
		for _, m := range r.milestones {
			world[fmt.Sprintf("milestone %s %d", r.fullName(), m.number)] = fmt.Sprintf("%q %q closed=%t %v", m.title, m.description, m.closed, m.due)
		}
		for _, i := range r.issues {
			if i.reason != "not_planned" {
				world["issue "+i.ref()] = i.describe()
			}
		}
	}
	for _, a := range s.accounts {
		for _, p := range a.projects {
			if p.closedAt == nil {
				p.describe(world)
			}
		}
	}
	return world
}

func (i *issue) ref() string { return fmt.Sprintf("%s#%d", i.repository.fullName(), i.number) }

// describe returns what World compares of an issue.
func (i *issue) describe() string {
	var labels, logins, comments []string
	for _, l := range i.labels {
		labels = append(labels, l.name)
	}
	for _, a := range i.assignees {
		logins = append(logins, a.login)
	}
	for _, m := range i.comments {
		comments = append(comments, m.body)
	}
	slices.Sort(labels)
	slices.Sort(logins)
	refs := func(all []*issue) []string { return apply(all, (*issue).ref) }
	text := fmt.Sprintf("%q %q closed=%t %v %v %q %s %v %v", i.title, i.body, i.closed, labels, logins, comments, i.kindOf, refs(i.subs), i.fieldViews())
	text += fmt.Sprint(" waits for ", slices.Sorted(slices.Values(refs(i.blockers))))
	if i.duplicate != nil {
		text += " duplicates " + i.duplicate.ref()
	}
	if i.milestone != nil {
		text += fmt.Sprint(" in ", i.milestone.number)
	}
	return text
}

// describe adds what World compares of a board.
func (p *project) describe(world map[string]string) {
	name := fmt.Sprintf("project %s/%d", p.owner.login, p.number)
	world[name] = fmt.Sprintf("%q %q %q public=%t", p.title, p.description, p.readme, p.public)
	for _, u := range p.updates {
		world[name] += fmt.Sprintf(" %s %q", u.status, u.body)
	}
	for _, i := range p.items {
		parts := []string{"shown"}
		for _, f := range p.fields {
			if v, set := i.values[f]; set {
				parts = append(parts, fmt.Sprintf("%s=%q %v %s %v", f.name, v.text, v.number, v.date, v.chosen))
			}
		}
		shows := i.title()
		if i.content != nil {
			shows = i.content.ref()
		}
		world[name+" "+shows] = strings.Join(parts, " ")
	}
}
