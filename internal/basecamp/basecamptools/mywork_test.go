package basecamptools

import (
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
)

func assignedOf(w overview.MyWork) []overview.AssignedItem {
	var all []overview.AssignedItem
	for _, g := range w.Groups {
		all = append(all, g.Items...)
	}
	return all
}

func assignedID(i overview.AssignedItem) int64 { return i.ID }

// It is Saturday, 1 January 2000, in Berlin.
func TestGetMyWork(t *testing.T) {
	const insurer, decides = "Call the insurer about demo rides", "Write down who decides what"
	groups := []string{"overdue", "today", "tomorrow", "next_week", "later", "no_date"}
	left := func(scope, n any) row {
		return row{fact: "overdue tasks are left out", in: args{"scope": scope}, holds: holds{"overdue_not_listed": n}}
	}
	due := func(title, day string) string {
		return `PUT /todos/{Todo:` + title + `}.json {"content":"` + title + `","due_on":"` + day + `","assignee_ids":[{person:Ines Albrecht},{person:Marguerite Osei}]}`
	}
	whole := row{fact: "groups are by due date, overdue first", holds: holds{"groups.*.scope": groups, "has_more": nil, "total": 32, "groups.*.items.*.title": some, "groups.*.items.*.project.name": some, "groups.*.items.*.url": some,
		"groups.0.items.0": args{"id": "{Todo:Write down who decides what}", "type": "todo", "title": decides, "due_on": "1999-11-22", "list": args{"id": "{Todolist:How we work}", "name": "How we work"},
			"project": args{"id": "{project:Company HQ}", "name": "Company HQ"}, "url": "https://3.basecamp.com/{account}/buckets/{project:Company HQ}/todos/{Todo:Write down who decides what}"},
		"groups.0.items.*.due_on": []string{"1999-11-22", "1999-12-17", "1999-12-26", "1999-12-27", "1999-12-30", "1999-12-31", "1999-12-31"}}}
	for i, scope := range groups[:5] {
		whole.then = append(whole.then, row{fact: "a scope has its group", in: args{"scope": scope}, holds: holds{"groups.#": 1, "groups.0": "{0.groups." + digits(int64(i)) + "}"}})
	}
	cases(t, "get_my_work", nil, whole,
		row{fact: "completed ones are in Basecamp's order", before: []string{"POST /todos/{Todo:Write down who decides what}/completion.json"}, tool: "GET /my/assignments/completed.json", then: []row{
			{in: args{"scope": "completed"}, holds: holds{"groups.#": 1, "groups.0.scope": "completed", "groups.0.items.#": least(5), "groups.*.items.*.id": "{0.*.id}"}}}},
		row{fact: "this week begins today", setup: passing(48 * time.Hour), before: []string{due(insurer, "2000-01-03"), due(decides, "2000-01-04"), due("Print the serial number plates", "2000-01-09")}, in: args{"scope": "this_week"},
			holds: holds{"groups.*.scope": []string{"today", "tomorrow", "this_week"}, "groups.0.items": has(insurer), "groups.1.items": has(decides), "groups.2.items": has("Print the serial number plates")}},
		left("this_week", 7), left([]string{"this_week", "next_week"}, 7), left([]string{"this_week", "overdue"}, nil), left([]string{"this_week", "all"}, nil), left("today", nil), left("overdue", nil), left(nil, nil),
		row{fact: "what is up next is marked", says: says{`"title":"` + insurer + `","due_on":"2000-01-01","up_next":true`}},
		row{fact: "and nothing else", in: args{"scope": "overdue"}, misses: []string{"up_next"}},
		row{fact: "a subtask of another person's card is listed, and the card is not", as: "Mateusz Wójcik", in: args{"scope": "today"}, holds: holds{"groups.0.items.0.title": "Cut two plates to try", "groups.0.items.0.type": "subtask",
			"groups.0.items.0.part_of.name": kickstand, "groups.0.items.0.project.name": launch, "groups.0.items.0.column": nil, "groups.0.items.0.list": nil}, misses: []string{`"title":"` + kickstand}},
		row{fact: "a day is one of the caller's zone", before: []string{due(insurer, "2000-01-01")}, in: args{"scope": "today"}, says: says{insurer}, then: []row{
			{as: "Marguerite Osei", in: args{"scope": "tomorrow"}, says: says{insurer}}, {as: "Marguerite Osei", in: args{"scope": "today"}, misses: []string{insurer}}}},
		invalid("a scope is named", args{"scope": "yesterday"}, "scope", "overdue"), invalid("each of several too", args{"scope": []string{"overdue", "week"}}, "scope[1]", "this_week"),
	)
}

func TestGetMyWork_TakesSeveralScopes(t *testing.T) {
	at(t, func(d *toolEnv) {
		of := func(scope any) []int64 {
			return ids(assignedOf(call[overview.MyWork](d, "get_my_work", args{"scope": scope})), assignedID)
		}
		overdue, week, done, all := of("overdue"), of("this_week"), of("completed"), of(nil)
		if len(overdue) == 0 || len(week) == 0 || len(done) == 0 {
			d.Fatalf("overdue %v, this week %v, completed %v", overdue, week, done)
		}
		for _, test := range []struct {
			scopes []string
			want   []int64
		}{
			{nil, all},
			{[]string{"overdue"}, overdue},
			{[]string{"this_week", "overdue", "this_week"}, slices.Concat(overdue, week)},
			{[]string{"completed", "overdue"}, slices.Concat(overdue, done)},
			{[]string{"all", "completed", "overdue"}, slices.Concat(all, done)},
		} {
			if got := of(append([]string{}, test.scopes...)); !slices.Equal(got, test.want) {
				d.Errorf("%v: %v, want %v", test.scopes, got, test.want)
			}
		}
		first := call[overview.MyWork](d, "get_my_work", args{"scope": []string{"overdue", "this_week"}, "limit": 1})
		rest := call[overview.MyWork](d, "get_my_work", args{"scope": []string{"this_week", "overdue"}, "cursor": *first.NextCursor})
		if got := slices.Concat(ids(assignedOf(first), assignedID), ids(assignedOf(rest), assignedID)); !slices.Equal(got, slices.Concat(overdue, week)) {
			d.Errorf("by cursor: %v", got)
		}
	})
}

func TestGetMyWork_ContinuesInTheMiddleOfAGroup(t *testing.T) {
	at(t, func(d *toolEnv) {
		want := ids(assignedOf(call[overview.MyWork](d, "get_my_work", args{})), assignedID)
		var got []int64
		in := args{"limit": 4}
		for range 50 {
			work := call[overview.MyWork](d, "get_my_work", in)
			got = append(got, ids(assignedOf(work), assignedID)...)
			if work.HasMore != (work.NextCursor != nil) {
				d.Fatalf("more %v, cursor %v", work.HasMore, work.NextCursor)
			}
			if !work.HasMore {
				break
			}
			in["cursor"] = *work.NextCursor
		}
		if !slices.Equal(got, want) {
			d.Errorf("four at a time: %v\nat once: %v", got, want)
		}
	})
}

func TestCalendar_DividesFutureDaysIntoScopes(t *testing.T) {
	wednesday := time.Date(2031, time.May, 14, 0, 0, 0, 0, time.UTC)
	for day, of := range map[time.Time]map[string]string{
		wednesday: {
			"": "no_date", "2031-05-13": "overdue", "2031-05-14": "today", "2031-05-15": "tomorrow", "2031-05-16": "this_week", "2031-05-18": "this_week",
			"2031-05-19": "next_week", "2031-05-25": "next_week", "2031-05-26": "later", "2032-01-01": "later",
		},
		wednesday.AddDate(0, 0, 3): {"2031-05-18": "tomorrow", "2031-05-19": "next_week"},                             // Saturday
		wednesday.AddDate(0, 0, 4): {"2031-05-19": "tomorrow", "2031-05-20": "next_week", "2031-05-26": "later"},      // Sunday
		wednesday.AddDate(0, 0, 5): {"2031-05-21": "this_week", "2031-05-25": "this_week", "2031-05-26": "next_week"}, // Monday
	} {
		for due, want := range of {
			if got := overview.WeekOf(day).Scope(basecamp.Assignment{DueOn: due}); got != want {
				t.Errorf("on %s, due %q: %s, want %s", day.Weekday(), due, got, want)
			}
		}
	}
	if got := overview.WeekOf(wednesday).Scope(basecamp.Assignment{DueOn: "2031-05-13", Completed: true}); got != "completed" {
		t.Errorf("the scope of a completed task is %s", got)
	}
}

func TestCalendar_AWeekLastsUntilSunday(t *testing.T) {
	monday := time.Date(2031, time.May, 12, 0, 0, 0, 0, time.UTC)
	for day := range 7 {
		c := overview.WeekOf(monday.AddDate(0, 0, day))
		for due := -8; due < 22; due++ {
			want := ""
			switch {
			case due >= day && due <= 6:
				want = "this_week"
			case due >= 7 && due <= 13:
				want = "next_week"
			}
			if got := c.Week(basecamp.Assignment{DueOn: monday.AddDate(0, 0, due).Format(time.DateOnly)}); got != want {
				t.Errorf("on day %d, day %d is in %q, want %q", day, due, got, want)
			}
		}
		if c.Week(basecamp.Assignment{}) != "" || c.Week(basecamp.Assignment{DueOn: c.Today, Completed: true}) != "" {
			t.Error("a completed task, or one without a date, is in a week")
		}
	}
}

func TestOwnTasks_AreTheOpenPartsAssignedToThePerson(t *testing.T) {
	mine, others := []basecamp.Person{{ID: 501}}, []basecamp.Person{{ID: 502}}
	children := []basecamp.Assignment{
		{ID: 2, Assignees: mine}, {ID: 3, Assignees: others}, {ID: 4, Assignees: mine, Completed: true}, {ID: 5, Assignees: append(others, mine...)},
	}
	for _, test := range []struct {
		of   basecamp.Assignment
		want []int64
	}{
		{basecamp.Assignment{ID: 1, Assignees: mine, Children: children}, []int64{1, 2, 5}},
		{basecamp.Assignment{ID: 1, Assignees: others, Children: children}, []int64{2, 5}},
		{basecamp.Assignment{ID: 1, Assignees: mine, Completed: true, Children: children}, []int64{1, 4}},
		// Basecamp returned it as this person's.
		{basecamp.Assignment{ID: 1, Assignees: others, Children: children[1:2]}, []int64{1}},
	} {
		if got := ids(overview.OwnTasks(test.of, 501), func(a basecamp.Assignment) int64 { return a.ID }); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.of, got, test.want)
		}
	}
}
