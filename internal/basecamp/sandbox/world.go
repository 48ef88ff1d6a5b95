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
		if p.Status != trashed {
			world[fmt.Sprintf("project %d", p.ID)] = fmt.Sprint(p.Name, p.Description, p.StartDate, p.EndDate, p.Status, ids(p.People), len(p.categories))
		}
	}
	for _, r := range s.main.recordings {
		if r.effective() != trashed {
			world[fmt.Sprintf("%s %d", r.Type, r.ID)] = r.describe()
		}
	}
	for p, list := range s.main.priorities {
		world[fmt.Sprintf("priorities of %d", p.ID)] = fmt.Sprint(apply(list, func(r *recording) int64 { return r.ID }))
	}
	for _, b := range s.main.bookmarks {
		world[fmt.Sprintf("bookmark %d of %d", b.Recording.ID, b.who.ID)] = "set"
	}
	for _, n := range s.main.bubbles {
		world[fmt.Sprintf("reminder of %d for %d", n.About.ID, n.who.ID)] = n.Rises.String()
	}
	return world
}

// describe returns what World compares of a recording.
func (r *recording) describe() string {
	text := fmt.Sprintf("%q %q %s public=%t color=%s pinned=%t disabled=%t paused=%t on=%s %s-%s %v %v completed=%t",
		r.Title, r.Body, r.Status, r.Public, r.Color, r.Pinned, r.Disabled, r.Paused, r.GroupOn, r.StartsOn, r.DueOn,
		ids(r.Assignees), ids(r.CompletionSubscribers), r.completed())
	if r.Parent != nil {
		text += fmt.Sprintf(" in %d at %d", r.Parent.ID, r.position())
	}
	if r.Category != nil {
		text += fmt.Sprintf(" category %d", r.Category.ID)
	}
	if r.File != nil {
		text += fmt.Sprintf(" file %s of %d", r.File.Filename, len(r.Versions))
	}
	if e := r.Entry; e != nil {
		text += fmt.Sprintf(" entry %v-%v %t %v", e.StartsAt, e.EndsAt, e.AllDay, ids(e.Participants))
	}
	return text + fmt.Sprintf(" boosts=%d subscribers=%v", len(r.boosts), ids(r.Subscribers))
}

func ids(people []*Person) []int64 {
	all := apply(people, func(p *Person) int64 { return p.ID })
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
		places[r.ID] = r.Bucket.ID
	}
	for _, p := range s.main.projects {
		places[p.ID] = p.ID
	}
	return places
}
