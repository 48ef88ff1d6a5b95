package basecamptools

import (
	"fmt"
	"testing"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestSetSubscription_SubscribesAndUnsubscribes(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		priya := d.as("Priya Raman")
		comment := upstream[[]record](d, fmt.Sprintf("/projects/recordings.json?type=Comment&bucket=%d", d.sandbox.ProjectID(launch)))[0]
		parent := int64(comment["parent"].(record)["id"].(float64))
		for _, c := range []struct {
			item string
			id   int64
			asks int
		}{
			{fmt.Sprintf("card:%d", id), id, 2},
			{d.url("card_tables/cards", id), id, 2},
			{comment["app_url"].(string), parent, 2},
			{fmt.Sprintf("comment:%.0f", comment["id"]), parent, 2},
		} {
			for _, want := range []bool{true, false, true} {
				var got struct {
					On     operationOn
					Result *lookup.Ref
				}
				requests := d.asked(func() {
					got = call[struct {
						On     operationOn
						Result *lookup.Ref
					}](priya, "set_subscription", args{"item": c.item, "subscribed": want})
				})
				if got.On.ID != c.id || got.On.Type == "" || got.On.Type == "comment" || c.id == id && got.On.Type != "card" || (got.Result != nil) != want || len(requests) != c.asks {
					d.Errorf("%s: %+v after %v", c.item, got, requests)
				}
				told := false
				for _, s := range upstream[struct{ Subscribers []struct{ Name string } }](d, fmt.Sprintf("/recordings/%d/subscription.json", c.id)).Subscribers {
					told = told || s.Name == "Priya Raman"
				}
				if told != want {
					d.Errorf("%s: Priya is notified: %v", c.item, told)
				}
			}
		}
	})
}

func TestSetSubscription_RefusesOtherKindsAndWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		requests := d.asked(func() {
			d.fails(fault.InvalidInput, "set_subscription", args{"item": "project:" + launch, "subscribed": true}, "todo")
			d.fails(fault.Ambiguous, "set_subscription", args{"item": "Matt clear", "subscribed": true}, "only part of a title")
			d.fails(fault.InvalidInput, "set_subscription", args{"item": fmt.Sprintf("card:%d", id)}, "subscribed")
			d.fails(fault.NotFound, "set_subscription", args{"item": "comment:17", "subscribed": true})
		})
		if len(writes(requests)) > 0 {
			d.Errorf("wrote %v", requests)
		}
		d.fails(fault.NotFound, "set_subscription", args{"item": fmt.Sprintf("card:%d", id), "project": "Company HQ", "subscribed": true})
		d.sandbox.Inject(sandbox.Fault{Status: 500, Method: "POST"})
		if f := d.fails(fault.UpstreamError, "set_subscription", args{"item": fmt.Sprintf("card:%d", id), "subscribed": true}); !f.Retryable {
			d.Errorf("a repeated call: %+v", f)
		}
	})
}
