package basecamp

import "context"

// Person is somebody in the account: a user, a client, an agent, or one who left. Email is redacted by Basecamp for
// everyone but administrators and the person themselves, so it identifies nobody.
type Person struct {
	ID             int64   `json:"id"` // 0 for Basecamp itself, as the author of what the system wrote
	Name           string  `json:"name"`
	Email          string  `json:"email_address"`
	Title          string  `json:"title"`
	Type           string  `json:"personable_type"` // an open set: User, Agent, Client, Tombstone, ...
	TimeZone       string  `json:"time_zone"`       // IANA name
	Admin          bool    `json:"admin"`
	Client         bool    `json:"client"`
	Company        Company `json:"company"`
	AttachableSGID string  `json:"attachable_sgid"` // what a mention refers to
}

func (p Person) key() int64 { return p.ID }

// Company is where a person works.
type Company struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// People lists everyone in the account whom the caller may see.
func (c *Client) People(ctx context.Context, page int) (Page[Person], error) {
	return list[Person](ctx, c, request{path: "people.json"}, page)
}

// ProjectPeople lists the active people of a project.
func (c *Client) ProjectPeople(ctx context.Context, project int64, page int) (Page[Person], error) {
	return list[Person](ctx, c, at("project", project, "projects/%d/people.json"), page)
}

// Person is somebody the caller may see.
func (c *Client) Person(ctx context.Context, id int64) (Person, error) {
	return get[Person](ctx, c, at("person", id, "people/%d.json"))
}

// Profile is the caller.
func (c *Client) Profile(ctx context.Context) (Person, error) {
	return get[Person](ctx, c, request{path: "my/profile.json"})
}
