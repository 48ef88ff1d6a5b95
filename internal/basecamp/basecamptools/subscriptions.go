package basecamptools

import (
	"context"

	"basecamp-mcp/internal/mcptool"
)

type setSubscriptionInput struct {
	itemInput
	Subscribed bool `json:"subscribed" jsonschema:"true subscribes, false unsubscribes"`
}

type subscriptionState struct {
	head
	Subscribed  bool `json:"subscribed"`
	Subscribers *int `json:"subscribers_count,omitempty"`
}

// subscribable holds the kinds that a user can subscribe to. A comment means the item it is on.
var subscribable = []kind{
	messageKind, todoKind, cardKind, documentKind, uploadKind, listKind, entryKind, questionKind, answerKind, forwardKind, commentKind,
}

func setSubscription(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "set_subscription",
		Title: "Follow or unfollow an item",
		Description: "Subscribes the caller to a Basecamp item or unsubscribes them. Basecamp notifies subscribers of new comments. " +
			"Affects only the caller.",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in setSubscriptionInput) (subscriptionState, error) {
		t, err := rs.discussed(ctx, in.itemInput, subscribable)
		if err != nil {
			return subscriptionState{}, err
		}
		if !t.said {
			if _, err := rs.verified(ctx, t); err != nil {
				return subscriptionState{}, err
			}
		}
		v := subscriptionState{head: head{t.id, t.kind.kind}, Subscribed: in.Subscribed}
		if !in.Subscribed {
			return v, rs.bc.Unsubscribe(ctx, t.in.id, t.id)
		}
		now, err := rs.bc.Subscribe(ctx, t.in.id, t.id)
		v.Subscribers = &now.Count
		return v, err
	})
}
