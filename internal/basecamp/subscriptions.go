package basecamp

import (
	"context"
	"net/http"
)

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
	return requestAt("item", item, "recordings/%d/subscription.json").within(project)
}
