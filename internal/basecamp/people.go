package basecamp

import (
	"context"
	"net/http"
)

// Person is a user, a client, an agent or a former member of the account.
type Person struct {
	ID             int64   `json:"id"` // 0 for Basecamp itself, as the author of system texts
	Name           string  `json:"name"`
	Email          string  `json:"email_address"` // redacted for most users, so it identifies no one
	Title          string  `json:"title"`
	Type           string  `json:"personable_type"` // User, Agent, Client, Tombstone, ...; Basecamp may add more
	TimeZone       string  `json:"time_zone"`       // an IANA name, or that of Rails
	Admin          bool    `json:"admin"`
	Client         bool    `json:"client"`
	Company        Company `json:"company"`
	AttachableSGID string  `json:"attachable_sgid"` // refers to the person in a mention
}

func (p Person) key() int64 { return p.ID }

// Company is a person's company.
type Company struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// People lists all people in the account that the user may see.
func (c *Client) People(ctx context.Context, page int) (Page[Person], error) {
	return list[Person](ctx, c, request{path: "people.json"}, page)
}

// ProjectPeople lists the active people of a project.
func (c *Client) ProjectPeople(ctx context.Context, project int64, page int) (Page[Person], error) {
	return list[Person](ctx, c, requestAt("project", project, "projects/%d/people.json"), page)
}

// AccessChange are the people whom a change of access added to a project or removed.
type AccessChange struct {
	Granted []Person `json:"granted"`
	Revoked []Person `json:"revoked"`
}

// ChangeAccess adds people of the account to a project, and removes others.
func (c *Client) ChangeAccess(ctx context.Context, project int64, grant, revoke []int64) (AccessChange, error) {
	return send[AccessChange](ctx, c, http.MethodPut, requestAt("project", project, "projects/%d/people/users.json"), struct {
		Grant  []int64 `json:"grant,omitempty"`
		Revoke []int64 `json:"revoke,omitempty"`
	}{grant, revoke})
}

// Person returns one person that the user may see.
func (c *Client) Person(ctx context.Context, id int64) (Person, error) {
	return get[Person](ctx, c, requestAt("person", id, "people/%d.json"))
}

// Profile returns the user.
func (c *Client) Profile(ctx context.Context) (Person, error) {
	return get[Person](ctx, c, request{path: "my/profile.json"})
}

// Account is an account of Basecamp.
type Account struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func (a Account) key() int64 { return a.ID }

// OwnAccount returns the user's account.
func (c *Client) OwnAccount(ctx context.Context) (Account, error) {
	return get[Account](ctx, c, request{path: "account.json"})
}

// Subscription says whether Basecamp notifies the user about an item, and whom it notifies.
type Subscription struct {
	Subscribed  bool     `json:"subscribed"`
	Count       int      `json:"count"`
	Subscribers []Person `json:"subscribers"`
}

// Subscription returns the subscription of an item. The item must be in the project, unless project
// is 0.
func (c *Client) Subscription(ctx context.Context, project, item int64) (Subscription, error) {
	return read(ctx, c, subscription(project, item), decodeReport[Subscription])
}

func (s Subscription) complete() bool { return s.Subscribers != nil }

func subscription(project, item int64) request {
	return requestAt("item", item, "recordings/%d/subscription.json").within(project)
}
