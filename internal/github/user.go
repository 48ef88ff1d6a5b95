package github

import (
	"context"
	"net/http"

	"basecamp-mcp/internal/fault"
)

// User is a user of GitHub.
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
}

func (u User) valid() bool { return u.ID > 0 && u.Login != "" }

// User returns the user of the link.
func (c *Client) User(ctx context.Context) (User, error) {
	return get[User](ctx, c, request{method: http.MethodGet, url: c.rest.JoinPath("user"), of: core, about: fault.Resource{Type: "user"}})
}

// Login returns the login of the user. It asks GitHub only if the link does not say.
func (c *Client) Login(ctx context.Context) (string, error) {
	credential, err := c.credential(ctx, "")
	if err != nil || credential.Login != "" {
		return credential.Login, err
	}
	user, err := c.User(ctx)
	return user.Login, err
}
