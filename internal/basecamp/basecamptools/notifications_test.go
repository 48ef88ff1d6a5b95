package basecamptools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func notificationID(n overview.Notification) int64 { return n.ID }

// unread returns the number of unread notifications in Basecamp.
func (d *toolEnv) unread() int {
	return len(upstream[struct{ Unreads []record }](d, "/my/readings.json").Unreads)
}

func TestGetNotifications_ListsReadOnesOnlyOnRequest(t *testing.T) {
	at(t, func(d *toolEnv) {
		fresh := all[overview.Notification](d, "get_notifications", args{})
		if len(fresh) == 0 || len(fresh) != d.unread() {
			d.Errorf("%d unread, want %d", len(fresh), d.unread())
		}
		for _, n := range fresh {
			if !n.Unread || n.UnreadCount == 0 || n.ID == 0 || n.Title == "" || n.Author.Name == "" || n.Project == "" || n.URL == "" || n.UpdatedAt.IsZero() {
				d.Errorf("got %+v", n)
			}
		}
		everything := all[overview.Notification](d, "get_notifications", args{"include_read": true, "limit": 100})
		if len(everything) < len(fresh)+51 || !slices.Equal(ids(everything[:len(fresh)], notificationID), ids(fresh, notificationID)) {
			d.Errorf("%d including read ones", len(everything))
		}
		for _, n := range everything[len(fresh):] {
			if n.Unread || n.UnreadCount != 0 {
				d.Errorf("got %+v", n)
			}
		}
		if got := all[overview.Notification](d, "get_notifications", args{"include_read": true, "limit": 7}); !slices.Equal(ids(got, notificationID), ids(everything, notificationID)) {
			d.Errorf("seven at a time: %d, want %d", len(got), len(everything))
		}
	})
}

func TestGetNotifications_FiltersBySection(t *testing.T) {
	at(t, func(d *toolEnv) {
		everything := all[overview.Notification](d, "get_notifications", args{"include_read": true})
		for _, section := range []string{"inbox", "chats", "mentions"} {
			want := lookup.Matching(everything, func(n overview.Notification) bool { return n.Section == section })
			got := all[overview.Notification](d, "get_notifications", args{"include_read": true, "section": section})
			if len(want) == 0 || !slices.Equal(ids(got, notificationID), ids(want, notificationID)) {
				d.Errorf("%s: %d, want %d", section, len(got), len(want))
			}
		}
		d.fails(fault.InvalidInput, "get_notifications", args{"section": "outbox"}, "section", "mentions")
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

func TestMarkNotificationsRead_MarksTheNamedOnesOrAll(t *testing.T) {
	at(t, func(d *toolEnv) {
		fresh := all[overview.Notification](d, "get_notifications", args{})
		mark := func(ids ...any) args { return operation("mark_notifications_read", args{"ids": ids}) }
		named := []any{fresh[1].ID, fmt.Sprint(fresh[3].ID), fresh[1].ID}
		if _, asked := costing[changed](d, "change_basecamp", mark(named...)); !slices.Equal(asked, []string{"GET /my/readings.json", "PUT /my/unreads.json"}) {
			d.Errorf("asked %v", asked)
		}
		left := ids(all[overview.Notification](d, "get_notifications", args{}), notificationID)
		if len(left) != len(fresh)-2 || slices.Contains(left, fresh[1].ID) || slices.Contains(left, fresh[3].ID) {
			d.Errorf("unread are %v", left)
		}
		d.refuses(fault.InvalidInput, "change_basecamp", mark(named...), "none of them is unread")
		d.refuses(fault.NotFound, "change_basecamp", mark(fresh[0].ID, 4812999999, "Chat"), "4812999999", "Chat", "get_notifications")
		d.refuses(fault.InvalidInput, "change_basecamp", mark(), "ids")
		d.as("Sam Okafor").refuses(fault.NotFound, "change_basecamp", mark(fresh[0].ID))
		call[changed](d, "change_basecamp", mark("all"))
		if d.unread() != 0 {
			d.Errorf("%d left", d.unread())
		}
		d.refuses(fault.InvalidInput, "change_basecamp", mark("all"), "none of them is unread")
	})
}
