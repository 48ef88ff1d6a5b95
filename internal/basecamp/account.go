package basecamp

import "context"

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
