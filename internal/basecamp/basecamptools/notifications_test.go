package basecamptools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func notificationID(n overview.Notification) int64 { return n.ID }

func TestGetNotifications(t *testing.T) {
	section := func(name string) row {
		return row{fact: "a section: " + name, in: args{"section": name, "include_read": true}, holds: holds{"items.*.section": name}}
	}
	unread := holds{"items.*.unread": true, "items.*.unread_count": some, "items.*.id": some, "items.*.title": some, "items.*.author.name": some, "items.*.project": some, "items.*.url": some, "items.*.updated_at": some}
	cases(t, "get_notifications", args{"limit": 100},
		row{fact: "unread ones are listed", tool: "GET /my/readings.json", then: []row{{holds: unread}, {holds: holds{"items.*.id": "{0.unreads.*.id}"}},
			{fact: "read ones on request, behind them", in: args{"include_read": true}, holds: holds{"items.#": least(55), "items.0.id": "{1.items.0.id}", "items.54.unread": nil, "items.54.unread_count": nil}}}},
		section("inbox"), section("chats"), section("mentions"), invalid("a section is named", args{"section": "outbox"}, "section", "mentions"),
	)
	at(t, func(d *toolEnv) {
		whole := all[overview.Notification](d, "get_notifications", args{"include_read": true, "limit": 100})
		if got := all[overview.Notification](d, "get_notifications", args{"include_read": true, "limit": 7}); !slices.Equal(ids(got, notificationID), ids(whole, notificationID)) {
			d.Errorf("seven at a time: %d, want %d", len(got), len(whole))
		}
	})
}

func TestGetNotifications_ShowsBubbleUps(t *testing.T) {
	at(t, func(d *toolEnv) {
		unread := all[overview.Notification](d, "get_notifications", args{})
		later := time.Now().AddDate(0, 0, 2).Format(time.DateOnly)
		d.meanwhile("POST", fmt.Sprintf("/recordings/%d/bubble_up.json", d.sandbox.Find("Kanban::Card", kickstand)), `{"at":"`+later+`"}`)
		d.meanwhile("POST", fmt.Sprintf("/recordings/%d/bubble_up.json", d.sandbox.Find("Todo", photographer)), `{"at":"now"}`)
		got := all[overview.Notification](d, "get_notifications", args{"section": "bubbles"})
		if len(got) != 2 || got[0].Title != photographer || got[0].BubbleUpAt != nil || got[1].Title != kickstand ||
			got[1].BubbleUpAt == nil || got[1].BubbleUpAt.Format(time.DateOnly) != later || got[1].Section != "bubbles" || got[1].Unread || got[1].URL == "" {
			d.Fatalf("got %+v", got)
		}
		want := append(ids(unread, notificationID), ids(got, notificationID)...)
		if menu := all[overview.Notification](d, "get_notifications", args{}); !slices.Equal(ids(menu, notificationID), want) {
			d.Errorf("%d in the menu, want %d", len(menu), len(want))
		}
		for _, limit := range []int{7, 100} {
			everything := ids(all[overview.Notification](d, "get_notifications", args{"include_read": true, "limit": limit}), notificationID)
			if !slices.Equal(everything[:len(want)], want) || len(everything) < len(want)+51 {
				d.Errorf("limit %d: %d including read ones", limit, len(everything))
			}
		}
		for _, n := range all[overview.Notification](d, "get_notifications", args{"section": "inbox"}) {
			if n.Section != "inbox" {
				d.Errorf("in the inbox: %+v", n)
			}
		}
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/my/readings/bubble_ups", Status: 404})
		if got := all[overview.Notification](d, "get_notifications", args{"section": "bubbles"}); len(got) != 0 {
			d.Errorf("without bubble-ups: %+v", got)
		}
	})
}

func TestGetNotifications_ListsAnUnreadBubbleUpOnce(t *testing.T) {
	menu := basecamp.Readings{Unread: []basecamp.Reading{{ID: 7, Section: "inbox"}}, BubbleUps: []basecamp.Reading{{ID: 7}, {ID: 8}}}
	got := overview.NewsFirst(menu)
	if len(got) != 2 || got[0].Section != "inbox" || got[1].ID != 8 || got[1].Section != overview.Bubbles || menu.BubbleUps[1].Section != "" {
		t.Errorf("got %+v of %+v", got, menu)
	}
}

func TestMarkNotificationsRead(t *testing.T) {
	mark := func(ids ...any) args { return operation("mark_notifications_read", args{"ids": ids}) }
	twice := mark("{0.items.1.id}", " {0.items.3.id}", "{0.items.1.id}")
	cases(t, "change_basecamp", nil,
		row{fact: "the named ones are marked", tool: "get_notifications", then: []row{
			{in: twice, requests: 2, writes: []string{"PUT /my/unreads.json"}},
			{tool: "get_notifications", holds: holds{"items.0.id": "{0.items.0.id}", "items.1.id": "{0.items.2.id}", "items.2.id": "{0.items.4.id}"}},
			{in: twice, fails: fault.InvalidInput, says: says{"none of them is unread"}},
			{in: mark("{0.items.0.id}", 4812999999, "Chat"), fails: fault.NotFound, says: says{"4812999999", "Chat", "get_notifications"}},
			{as: "Sam Okafor", in: mark("{0.items.0.id}"), fails: fault.NotFound},
			{fact: "or all", in: mark("all"), writes: []string{"PUT /my/unreads.json"}}, {tool: "GET /my/readings.json", holds: holds{"unreads": nil}},
			{in: mark("all"), fails: fault.InvalidInput, says: says{"none of them is unread"}}}},
		invalid("one is required", operation("mark_notifications_read", args{"ids": []any{}}), "ids"),
	)
}
