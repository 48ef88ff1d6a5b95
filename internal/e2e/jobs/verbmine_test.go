package jobs

import "slices"

func remindMe(r *run) {
	const rides = "Demo rides: what we may say and what we may not"
	r.call("set_reminder", with{"item": "message:" + rides, "project": launch, "on": "monday"})
	r.call("set_up_next", with{"items": []string{"Reserve the church square for the test ride"}, "position": 1})
	r.call("set_up_next", with{"items": []string{"Call the insurer about demo rides"}, "remove": true})
	reminder := r.look("get_notifications", with{"section": "bubbles"}).At("items.0")
	r.check(reminder.String("title") == rides, "the reminder is %v", reminder.Value)
	var next []string
	for _, group := range r.look("get_my_work", nil).List("groups") {
		for _, work := range group.List("items") {
			if work.String("up_next") == "true" {
				next = append(next, work.String("title"))
			}
		}
	}
	r.check(slices.Contains(next, "Reserve the church square for the test ride"), "up next: %q", next)
	r.check(!slices.Contains(next, "Call the insurer about demo rides"), "still up next: %q", next)
}

func boostAndBack(r *run) {
	item := with{"item": "message:Checkout: what the load test showed", "text": "👏"}
	r.call("boost", item)
	boosts := func() int {
		return r.look("get_item", with{"item": item["item"], "project": launch}).Len("item.boosts")
	}
	r.check(boosts() == 1, "there are %d boosts", boosts())
	r.call("boost", with{"item": item["item"], "remove": true})
	r.check(boosts() == 0, "it was not taken back")
}

func changePeople(r *run) {
	const kit = "Winter Kit"
	r.call("change_project", with{"project": kit, "add_people": []string{"Aoife", "Dele"}, "remove_people": []string{"Tomás"}})
	names := field(r.lookAll("list_people", with{"project": kit}), "name")
	for name, on := range map[string]bool{"Aoife Brennan": true, "Dele Adeyemi": true, "Tomás Herrera": false} {
		r.check(slices.Contains(names, name) == on, "on the project are %q", names)
	}
}

// operation finds the operation for a task, as an agent must that does not know it, and returns its
// name.
func (r *run) operation(words, kind string) string {
	r.t.Helper()
	return r.call("find_operation", with{"words": words, "kind": kind}).String("operations.0.operation")
}

func hillAndColumn(r *run) {
	r.call("change_basecamp", with{"operation": r.operation("put to-do lists on the hill chart", "change"), "arguments": with{
		"project": launch, "track": []string{"Test rides"}, "untrack": []string{"Supplier follow-ups"},
	}})
	r.call("change_basecamp", with{
		"operation": r.operation("add a column to a board", "change"), "arguments": with{"project": launch, "board": shop, "title": "Blocked"},
	})
	dots := field(r.look("read_basecamp", with{"operation": "get_hill_chart", "arguments": with{"project": launch}}).List("items.0.dots"), "label")
	r.check(slices.Contains(dots, "Test rides") && !slices.Contains(dots, "Supplier follow-ups"), "on the hill are %q", dots)
	columns := field(r.look("get_board", with{"project": launch, "board": shop}).List("columns"), "name")
	r.check(slices.Contains(columns, "Blocked"), "the columns are %q", columns)
}

func timeAndAbsence(r *run) {
	r.call("change_basecamp", with{
		"operation": r.operation("log time", "change"), "arguments": with{"item": "todo:Order cartons", "project": launch, "hours": "1:30", "date": "yesterday"},
	})
	r.call("change_basecamp", with{
		"operation": r.operation("out of office", "change"), "arguments": with{"from": "december 28", "to": "january 3"},
	})
	logged := r.look("read_basecamp", with{"operation": "list_time", "arguments": with{"item": "todo:Order cartons", "project": launch}}).At("items.0")
	r.check(logged.String("hours") == "1:30" && logged.String("date") == r.day(-1), "the time is %v", logged.Value)
	away := r.look("read_basecamp", with{"operation": "get_out_of_office"})
	r.check(away.String("items.0.enabled") == "true" && away.String("items.0.start_date") != "", "away: %s", away.Text)
}
