package basecamp

import (
	"context"
	"net/http"
)

// Subscription says whether Basecamp notifies the user about an item, and how many people it
// notifies.
type Subscription struct {
	Subscribed bool `json:"subscribed"`
	Count      int  `json:"count"`
}

// Subscribe subscribes the user to notifications about an item. The item must be in the project,
// unless project is 0. Repeating it changes nothing.
func (c *Client) Subscribe(ctx context.Context, project, item int64) (Subscription, error) {
	r := subscription(project, item)
	r.repeatable = true
	return send[Subscription](ctx, c, http.MethodPost, r, nil)
}

// Unsubscribe ends the subscription of the user to an item.
func (c *Client) Unsubscribe(ctx context.Context, project, item int64) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, subscription(project, item), nil)
	return err
}

func subscription(project, item int64) request {
	return at("item", item, "recordings/%d/subscription.json").within(project)
}
