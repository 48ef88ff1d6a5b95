package github

import (
	"context"
	"encoding/json"
	"net/http"

	"basecamp-mcp/internal/report/fault"
)

// ghost is how GitHub shows a user whose account is gone.
const ghost = "ghost"

// Login is a user's login. In JSON it is an object with a login; null is a user whose account is
// gone.
type Login string

// UnmarshalJSON implements json.Unmarshaler.
func (l *Login) UnmarshalJSON(data []byte) error {
	var account *struct {
		Login string `json:"login"`
	}
	if err := json.Unmarshal(data, &account); err != nil {
		return err
	}
	if *l = ghost; account != nil {
		*l = Login(account.Login)
	}
	return nil
}

// User is a user of GitHub.
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
}

func (u User) check() (hidden int, err error) { return identified(u.ID > 0 && u.Login != "") }

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
