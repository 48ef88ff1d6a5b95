package basecamp

import "context"

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
