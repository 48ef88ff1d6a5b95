package basecamptools

import (
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/lookup"
)

func upcomingKeys(items []calendar.UpcomingItem) []string {
	keys := make([]string, len(items))
	for i, u := range items {
		keys[i] = u.Begins() + " " + u.Title
	}
	return keys
}

// It is Saturday, 1 January 2000.
func TestGetUpcoming(t *testing.T) {
	entry := func(title, starts string) row {
		return row{fact: title, tool: "create_schedule_entry", in: args{"project": launch, "summary": title, "starts_at": starts}}
	}
	brakes := func(who, starts, ends string) row {
		return row{fact: "times are those of " + who, as: who, in: args{"project": launch}, says: says{`"title":"Brakes: yes or no","starts_at":"` + starts + `","ends_at":"` + ends + `"`}}
	}
	cases(t, "get_upcoming", nil,
		row{fact: "the next two weeks are listed whole", holds: holds{"items.#": least(50), "items.*.title": some, "items.*.url": some, "items.*.project.name": some, "items.*.day": has("2000-01-")},
			says: says{`"type":"schedule_entry"`, `"type":"todo"`, `"type":"card"`, `"type":"subtask"`}},
		row{fact: "completed tasks are left out", in: args{"project": launch}, holds: holds{"items.0.title": "Write the safety page of the manual"}, then: []row{
			{tool: "set_completed", in: args{"item": "{0.items.0.url}", "completed": true}}, {in: args{"project": launch}, misses: []string{"Write the safety page of the manual"}}}},
		row{fact: "the hour that comes twice is in order, when clocks go back at 01:00 UTC", tool: "get_me", then: []row{entry("Before", "2000-10-29T00:30:00Z"), entry("After", "2000-10-29T01:10:00Z"), entry("All day", "2000-10-29"),
			{in: args{"project": launch, "from": "2000-10-29", "to": "2000-10-29"}, holds: holds{"items.*.title": []string{"All day", "Before", "After"}}}}},
		row{fact: "every occurrence is listed", in: args{"project": launch, "limit": 100}, says: says{
			`"starts_at":"2000-01-01T09:15:00+01:00"`, `"starts_at":"2000-01-08T09:15:00+01:00"`, `"starts_at":"2000-01-15T09:15:00+01:00"`, "/occurrences/20000101", "/occurrences/20000108", "/occurrences/20000115"}},
		brakes("Ines Albrecht", "2000-01-02T10:00:00+01:00", "2000-01-02T10:15:00+01:00"), brakes("Priya Raman", "2000-01-02T14:30:00+05:30", "2000-01-02T14:45:00+05:30"),
		invalid("a day must be one", args{"from": "soon"}, "from", "weekday"), invalid("it does not end before it begins", args{"from": "2000-02-01", "to": "2000-01-01"}, "to", "before"),
		invalid("a year is the most", args{"to": "2005-01-01"}, "to", "year"),
	)
}

// What a call lists is what the whole list has of it, day by day.
func TestGetUpcoming_ListsAPartOfTheWhole(t *testing.T) {
	at(t, func(d *toolEnv) {
		whole := all[calendar.UpcomingItem](d, "get_upcoming", args{"to": "2000-01-31", "limit": 100})
		ines := d.sandbox.Person("Ines Albrecht").ID
		mine := func(u calendar.UpcomingItem) bool {
			return slices.ContainsFunc(u.People, func(p lookup.Ref) bool { return p.ID == ines })
		}
		here := func(u calendar.UpcomingItem) bool { return u.Project.Name == launch }
		anything := func(calendar.UpcomingItem) bool { return true }
		for _, test := range []struct {
			in          args
			first, last string
			want        func(calendar.UpcomingItem) bool
		}{
			{args{}, "2000-01-01", "2000-01-15", anything},
			{args{"from": "today", "to": "today"}, "2000-01-01", "2000-01-01", anything},
			{args{"from": "tomorrow", "to": "Wednesday"}, "2000-01-02", "2000-01-05", anything},
			{args{"from": "monday"}, "2000-01-03", "2000-01-17", anything},
			{args{"mine_only": true}, "2000-01-01", "2000-01-15", mine},
			{args{"project": launch, "limit": 3}, "2000-01-01", "2000-01-15", here},
			{args{"project": launch, "mine_only": true}, "2000-01-01", "2000-01-15", func(u calendar.UpcomingItem) bool { return mine(u) && here(u) }},
		} {
			got := all[calendar.UpcomingItem](d, "get_upcoming", test.in)
			want := upcomingKeys(lookup.Matching(whole, func(u calendar.UpcomingItem) bool {
				end := u.Day
				if u.AllDay {
					end = u.EndsAt
				}
				return end >= test.first && u.Day <= test.last && test.want(u)
			}))
			if len(want) == 0 || len(want) == len(whole) || !slices.Equal(upcomingKeys(got), want) || !slices.IsSortedFunc(got, func(a, b calendar.UpcomingItem) int { return strings.Compare(a.Day, b.Day) }) {
				d.Errorf("%v: %v\nwant %v", test.in, upcomingKeys(got), want)
			}
		}
	})
}
