package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/mcptool"
)

type setSubscriptionInput struct {
	lookup.ItemInput
	Subscribed bool `json:"subscribed" jsonschema:"true subscribes, false unsubscribes"`
}

type subscriptionState struct {
	lookup.Head
	Subscribed  bool `json:"subscribed"`
	Subscribers *int `json:"subscribers_count,omitempty"`
}

// subscribable holds the kinds that a user can subscribe to. A comment means the item it is on.
var subscribable = []lookup.Kind{
	lookup.MessageKind, lookup.TodoKind, lookup.CardKind, lookup.DocumentKind, lookup.UploadKind, lookup.ListKind, lookup.EntryKind, lookup.QuestionKind, lookup.AnswerKind, lookup.ForwardKind, lookup.CommentKind,
}

func setSubscription(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "set_subscription",
		Title: "Follow or unfollow an item",
		Description: "Subscribes the caller to a Basecamp item or unsubscribes them. Basecamp notifies subscribers of new comments. " +
			"Affects only the caller.",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in setSubscriptionInput) (subscriptionState, error) {
		t, err := rs.discussed(ctx, "item", in.ItemInput, subscribable)
		if err != nil {
			return subscriptionState{}, err
		}
		if !t.Said {
			if _, err := rs.Verified(ctx, t); err != nil {
				return subscriptionState{}, err
			}
		}
		v := subscriptionState{Head: lookup.Head{ID: t.ID, Type: t.Kind.Kind}, Subscribed: in.Subscribed}
		if !in.Subscribed {
			return v, rs.BC.Unsubscribe(ctx, t.In.ID, t.ID)
		}
		now, err := rs.BC.Subscribe(ctx, t.In.ID, t.ID)
		v.Subscribers = &now.Count
		return v, err
	})
}
