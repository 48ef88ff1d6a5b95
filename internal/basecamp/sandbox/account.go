package sandbox

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
