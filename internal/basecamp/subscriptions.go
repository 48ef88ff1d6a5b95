package basecamp

import (
	"context"
	"net/http"
)

// Subscription is whether the caller is told of what happens to an item, and how many people are.
type Subscription struct {
	Subscribed bool `json:"subscribed"`
	Count      int  `json:"count"`
}

// Subscribe has the caller told of what happens to an item, which must be in the project unless that is 0; twice is as once.
func (c *Client) Subscribe(ctx context.Context, project, item int64) (Subscription, error) {
	r := subscription(project, item)
	r.twiceAsOnce = true
	return send[Subscription](ctx, c, http.MethodPost, r, nil)
}

// Unsubscribe ends that.
func (c *Client) Unsubscribe(ctx context.Context, project, item int64) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, subscription(project, item), nil)
	return err
}

func subscription(project, item int64) request {
	return at("item", item, "recordings/%d/subscription.json").within(project)
}
