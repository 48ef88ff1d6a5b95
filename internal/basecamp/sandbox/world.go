package sandbox

import (
	"fmt"
	"slices"
)

// World describes Fernhill Bikes for a comparison, one line for each thing: all that can be undone.
// It leaves out events, the times of changes, notifications, and what lies in the trash.
func (s *Sandbox) World() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	world := map[string]string{}
	for _, p := range s.main.projects {
		if p.status != trashed {
			world[fmt.Sprintf("project %d", p.id)] = fmt.Sprint(p.name, p.description, p.starts, p.ends, p.status, ids(p.people), len(p.categories))
		}
	}
	for _, r := range s.main.recordings {
		if r.effective() != trashed {
			world[fmt.Sprintf("%s %d", r.kind, r.id)] = r.describe()
		}
	}
	for p, list := range s.main.priorities {
		world[fmt.Sprintf("priorities of %d", p.id)] = fmt.Sprint(apply(list, func(r *recording) int64 { return r.id }))
	}
	for _, b := range s.main.bookmarks {
		world[fmt.Sprintf("bookmark %d of %d", b.about.id, b.who.id)] = "set"
	}
	for _, n := range s.main.bubbles {
		world[fmt.Sprintf("reminder of %d for %d", n.about.id, n.who.id)] = n.rises.String()
	}
	return world
}

// describe returns what World compares of a recording.
func (r *recording) describe() string {
	text := fmt.Sprintf("%q %q %s public=%t color=%s pinned=%t disabled=%t paused=%t on=%s", r.title, r.body, r.status, r.public, r.color, r.pinned, r.disabled, r.paused, r.groupOn)
	if r.parent != nil {
		text += fmt.Sprintf(" in %d at %d", r.parent.id, r.position())
	}
	if r.category != nil {
		text += fmt.Sprintf(" category %d", r.category.id)
	}
	if t := r.task; t != nil {
		text += fmt.Sprintf(" %s-%s %v %v completed=%t", t.startsOn, t.dueOn, ids(t.assignees), ids(t.notified), t.completion != nil)
	}
	if r.file != nil {
		text += fmt.Sprintf(" file %s of %d", r.file.name, len(r.versions))
	}
	if e := r.entry; e != nil {
		text += fmt.Sprintf(" entry %v-%v %t %v", e.starts, e.ends, e.allDay, ids(e.participants))
	}
	return text + fmt.Sprintf(" boosts=%d subscribers=%v", len(r.boosts), ids(r.subscribers))
}

func ids(people []*person) []int64 {
	all := apply(people, func(p *person) int64 { return p.id })
	slices.Sort(all)
	return all
}

// Places returns where everything is, by ID: the ID of its project, or of the ping that holds it.
// It has the projects themselves, and nothing of another account.
func (s *Sandbox) Places() map[int64]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := map[int64]int64{}
	for _, r := range s.main.recordings {
		places[r.id] = r.bucket.id
	}
	for _, p := range s.main.projects {
		places[p.id] = p.id
	}
	return places
}
