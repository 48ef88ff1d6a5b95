package basecamp

import "context"

// Account is the account that the caller acts in.
type Account struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func (a Account) key() int64 { return a.ID }

// OwnAccount is the account of the caller's connection, by name.
func (c *Client) OwnAccount(ctx context.Context) (Account, error) {
	return get[Account](ctx, c, request{path: "account.json"})
}
