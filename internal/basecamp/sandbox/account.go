package sandbox

import (
	"slices"
)

type ownAccountJSON struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	OwnerName string `json:"owner_name"`
	Active    bool   `json:"active"`
	Trial     bool   `json:"trial"`
	Frozen    bool   `json:"frozen"`
	Paused    bool   `json:"paused"`
}

func showAccount(c *call) reply {
	v := ownAccountJSON{ID: c.account.id, Name: c.account.name, Active: !c.account.inactive}
	for _, p := range c.account.people {
		if p.owner {
			v.OwnerName = p.name
		}
	}
	return ok(v)
}

// OpenAccount opens a further account of a person, with a project of one to-do list, and returns
// its ID. The to-dos are lines as the seed has them, such as "Buy thread | @noor | due +4".
func (s *Sandbox) OpenAccount(of Person, name, projectName string, todos ...string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.seeder(s.open(7000000+int64(len(s.accounts)), name))
	d.hire([]hand{{
		handle: of.Handle, name: of.Name, email: of.Email, zone: "Europe/Dublin", id: s.nextID(), identity: of.IdentityID, admin: true, owner: true,
	}})
	d.foundProjects([]plan{{name: projectName, id: s.nextID(), age: "90d", team: of.Handle, tools: usual}})
	d.projectCalled(projectName)
	list := d.list(d.tool(kindTodoset, ""), "Errands | 30d", 0)
	for i, line := range todos {
		d.item(kindTodo, list, "-", line, i)
	}
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
