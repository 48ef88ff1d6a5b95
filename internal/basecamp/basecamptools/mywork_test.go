package basecamptools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
)

func scopesOf(w overview.MyWork) []string {
	var all []string
	for _, g := range w.Groups {
		all = append(all, g.Scope)
	}
	return all
}

func assignedOf(w overview.MyWork) []overview.AssignedItem {
	var all []overview.AssignedItem
	for _, g := range w.Groups {
		all = append(all, g.Items...)
	}
	return all
}

func assignedID(i overview.AssignedItem) int64 { return i.ID }

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

func TestGetMyWork_GroupsByDueDateOverdueFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		work := call[overview.MyWork](d, "get_my_work", args{})
		at := -1
		for _, g := range work.Groups {
			if i := slices.Index(accounts.WorkScopes, g.Scope); i <= at || len(g.Items) == 0 {
				d.Errorf("groups are %v", scopesOf(work))
			} else {
				at = i
			}
			if !slices.IsSortedFunc(g.Items, func(a, b overview.AssignedItem) int { return slices.Compare(dates(a.DueOn), dates(b.DueOn)) }) {
				d.Errorf("%s is not in order", g.Scope)
			}
		}
		if got := scopesOf(work); got[0] != "overdue" || !slices.Contains(got, "no_date") || !slices.Contains(got, "later") || slices.Contains(got, "completed") {
			d.Errorf("groups are %v", got)
		}
		for _, i := range assignedOf(work) {
			if i.Title == "" || i.Project.Name == "" || i.URL == "" || (i.List == nil) == (i.Type == "todo") || (i.Column == nil) == (i.Type == "card") {
				d.Errorf("got %+v", i)
			}
		}
		if work.HasMore || *work.Total != len(assignedOf(work)) {
			d.Errorf("more %v, total %d", work.HasMore, *work.Total)
		}
	})
}

func dates(day *string) []string {
	if day == nil {
		return nil
	}
	return []string{*day}
}

func TestGetMyWork_EveryScopeEqualsItsGroup(t *testing.T) {
	at(t, func(d *toolEnv) {
		whole := call[overview.MyWork](d, "get_my_work", args{"scope": "all"})
		for _, scope := range lookup.Matching(accounts.WorkScopes[:6], func(scope string) bool { return scope != "this_week" }) {
			got := call[overview.MyWork](d, "get_my_work", args{"scope": scope})
			i := slices.Index(scopesOf(whole), scope)
			switch {
			case i < 0 && len(got.Groups) != 0:
				d.Errorf("%s: %v", scope, got.Groups)
			case i >= 0 && (len(got.Groups) != 1 || !slices.Equal(ids(got.Groups[0].Items, assignedID), ids(whole.Groups[i].Items, assignedID))):
				d.Errorf("%s: %v", scope, got.Groups)
			}
		}
		// This to-do has a date.
		d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", d.sandbox.Find("Todo", "Write down who decides what")), "")
		done := call[overview.MyWork](d, "get_my_work", args{"scope": "completed"})
		if len(done.Groups) != 1 || done.Groups[0].Scope != "completed" || len(done.Groups[0].Items) < 5 {
			d.Errorf("completed: %v", done.Groups)
		}
		var want []int64 // in Basecamp's order
		for _, a := range upstream[[]struct{ ID int64 }](d, "/my/assignments/completed.json") {
			want = append(want, a.ID)
		}
		if got := ids(assignedOf(done), assignedID); !slices.Equal(got, want) {
			d.Errorf("completed: %v, want %v", got, want)
		}
		d.fails(fault.InvalidInput, "get_my_work", args{"scope": "yesterday"}, "scope", "overdue")
	})
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
		d.fails(fault.InvalidInput, "get_my_work", args{"scope": []string{"overdue", "week"}}, "scope[1]", "this_week")
	})
}

func TestGetMyWork_ThisWeekSaysHowManyOverdueTasksItLeavesOut(t *testing.T) {
	at(t, func(d *toolEnv) {
		overdue := len(assignedOf(call[overview.MyWork](d, "get_my_work", args{"scope": "overdue"})))
		for _, test := range []struct {
			scope any
			want  int
		}{
			{"this_week", overdue}, {[]string{"this_week", "next_week"}, overdue},
			{[]string{"this_week", "overdue"}, 0}, {[]string{"this_week", "all"}, 0}, {"today", 0}, {"overdue", 0}, {nil, 0},
		} {
			if got := call[overview.MyWork](d, "get_my_work", args{"scope": test.scope}).OverdueNotListed; got != test.want || overdue == 0 {
				d.Errorf("%v leaves out %d overdue tasks, want %d", test.scope, got, test.want)
			}
		}
	})
}

func TestGetMyWork_ThisWeekHasGroupsFromTodayOn(t *testing.T) {
	at(t, func(d *toolEnv) {
		time.Sleep(48 * time.Hour) // until Monday, 3 January
		titles := []string{"Call the insurer about demo rides", "Write down who decides what", "Print the serial number plates"}
		for i, day := range []string{"03", "04", "09"} {
			d.meanwhile("PUT", todoPath(d.sandbox.Find("Todo", titles[i])), fmt.Sprintf(`{"content":%q,"due_on":"2000-01-%s","assignee_ids":[%d]}`,
				titles[i], day, d.sandbox.Person("Ines Albrecht").ID))
		}
		work := call[overview.MyWork](d, "get_my_work", args{"scope": "this_week"})
		if got := scopesOf(work); !slices.Equal(got, []string{"today", "tomorrow", "this_week"}) {
			d.Errorf("groups are %v", got)
		}
		for _, title := range titles {
			if !slices.ContainsFunc(assignedOf(work), func(i overview.AssignedItem) bool { return i.Title == title }) {
				d.Errorf("%s is missing", title)
			}
		}
	})
}

func TestGetMyWork_MarksPriorities(t *testing.T) {
	at(t, func(d *toolEnv) {
		var first []string
		for _, i := range assignedOf(call[overview.MyWork](d, "get_my_work", args{})) {
			if i.UpNext {
				first = append(first, i.Title)
			}
		}
		if !slices.Equal(first, []string{"Call the insurer about demo rides", "Get the declaration of conformity signed"}) {
			d.Errorf("up next: %v", first)
		}
	})
}

func TestGetMyWork_ListsAnAssignedSubtaskOfAnotherPersonsCard(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := assignedOf(call[overview.MyWork](d.as("Mateusz Wójcik"), "get_my_work", args{}))
		i := slices.IndexFunc(items, func(i overview.AssignedItem) bool { return i.Title == "Cut two plates to try" })
		if i < 0 {
			d.Fatalf("got %+v", items)
		}
		if got := items[i]; got.Type != "subtask" || got.PartOf == nil || got.PartOf.Name != "Kickstand plate, 8 mm back" || got.Project.Name != launch ||
			got.Column != nil || got.List != nil {
			d.Errorf("got %+v", got)
		}
		if slices.ContainsFunc(items, func(i overview.AssignedItem) bool { return i.Title == "Kickstand plate, 8 mm back" }) {
			d.Error("the list contains a card of another person")
		}
	})
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

func TestGetMyWork_UsesTheCallersTimeZone(t *testing.T) {
	at(t, func(d *toolEnv) { // midnight in London is an evening in Toronto and one o'clock at Fernhill
		scopeOf := func(who, title string) string {
			for _, g := range call[overview.MyWork](d.as(who), "get_my_work", args{}).Groups {
				if slices.ContainsFunc(g.Items, func(i overview.AssignedItem) bool { return i.Title == title }) {
					return g.Scope
				}
			}
			return ""
		}
		id := d.sandbox.Find("Todo", "Call the insurer about demo rides")
		d.meanwhile("PUT", todoPath(id), `{"content":"Call the insurer about demo rides","due_on":"2000-01-01","assignee_ids":[`+
			digits(d.sandbox.Person("Marguerite Osei").ID)+`,`+digits(d.sandbox.Person("Ines Albrecht").ID)+`]}`)
		for who, want := range map[string]string{"Ines Albrecht": "today", "Marguerite Osei": "tomorrow"} {
			if got := scopeOf(who, "Call the insurer about demo rides"); got != want {
				d.Errorf("for %s it is due %s, want %s", who, got, want)
			}
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
