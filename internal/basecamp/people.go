package basecamp

// Person is a user, a client, an agent or a former member of the account.
type Person struct {
	ID             int64   `json:"id"` // 0 for Basecamp itself, as the author of system texts
	Name           string  `json:"name"`
	Email          string  `json:"email_address"` // redacted for most users, so it identifies no one
	Title          string  `json:"title"`
	Type           string  `json:"personable_type"` // User, Agent, Client, Tombstone, ...; Basecamp may add more
	TimeZone       string  `json:"time_zone"`       // an IANA name, or that of Rails
	Client         bool    `json:"client"`
	Company        Company `json:"company"`
	AttachableSGID string  `json:"attachable_sgid"` // refers to the person in a mention
}

func (p Person) key() int64 { return p.ID }

// Company is a person's company.
type Company struct {
	Name string `json:"name"`
}

// AccessChange are the people whom a change of access added to a project or removed.
type AccessChange struct {
	Granted []Person `json:"granted"`
	Revoked []Person `json:"revoked"`
}

// NewAccess are people of the account to add to a project, and others to remove.
type NewAccess struct {
	Grant  []int64 `json:"grant,omitempty"`
	Revoke []int64 `json:"revoke,omitempty"`
}

// Account is an account of Basecamp.
type Account struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func (a Account) key() int64 { return a.ID }

// Subscription says whom Basecamp notifies about an item.
type Subscription struct {
	Subscribers []Person `json:"subscribers"`
}

func (s Subscription) complete() bool { return s.Subscribers != nil }
