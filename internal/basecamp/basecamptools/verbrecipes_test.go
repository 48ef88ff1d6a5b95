package basecamptools

import (
	"fmt"
	"time"
)

// verbRecipes are requests beyond those of 37signals' evaluation.
var verbRecipes = []job{
	{"Ping a colleague", "Ask Hanna privately whether she can take the photos on Thursday.", 1, func(w *worker) {
		sent := use[struct{ ID int64 }](w, "post_chat_line", args{"to": []string{"Hanna"}, "text": "Can you take the photos on Thursday?"})
		read := call[struct {
			Item struct{ Items []struct{ ID int64 } }
		}](w.as("Hanna Koivisto"), "get_item", args{"item": "ping:Ines"})
		if len(read.Item.Items) == 0 || read.Item.Items[0].ID != sent.ID {
			w.Errorf("Hanna reads %+v", read)
		}
	}},
	{"Be reminded", "Remind me of this on Monday: {message URL}", 1, func(w *worker) {
		url := firstMessage(w)
		use[record](w, "set_reminder", args{"item": url, "on": "monday"})
		again := call[struct{ Previous struct{ On string } }](w.toolEnv, "set_reminder", args{"item": url, "on": "none"})
		if day, err := time.Parse(time.DateOnly, again.Previous.On); err != nil || day.Weekday() != time.Monday {
			w.Errorf("the reminder was on %q", again.Previous.On)
		}
	}},
	{"Move cards together", "In the web shop, the gift voucher and the waiting list go to Testing.", 1, func(w *worker) {
		cards := []string{"Gift voucher", "Waiting list for batch two"}
		use[record](w, "update_work", args{"items": thoseItems("card:"+cards[0], "card:"+cards[1]), "project": launchProject, "column": "Testing"})
		for _, title := range cards {
			card := upstream[record](w.toolEnv, fmt.Sprintf("/card_tables/cards/%d.json", w.sandbox.Find("Kanban::Card", title)))
			if parent := card["parent"].(record); parent["title"] != "Testing" {
				w.Errorf("%s is in %v", title, parent["title"])
			}
		}
	}},
	{"Do what has no tool", "I spent an hour and a half on the cartons for the launch yesterday: log it.", 2, func(w *worker) {
		found := use[operationsFound](w, "find_operation", args{"words": "log time", "kind": "change"}).Operations[0]
		use[record](w, found.Tool, args{
			"operation": found.Operation, "arguments": args{"item": "todo:Order cartons", "project": launchProject, "hours": "1:30", "date": "yesterday"},
		})
		logged := upstream[[]record](w.toolEnv, fmt.Sprintf("/recordings/%d/timesheet.json", w.sandbox.Find("Todo", "Order cartons")))
		if len(logged) != 1 || logged[0]["hours"] != "1:30" {
			w.Errorf("logged are %v", logged)
		}
	}},
}
