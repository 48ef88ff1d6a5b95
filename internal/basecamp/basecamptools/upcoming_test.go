package basecamptools

import (
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func upcomingKeys(items []calendar.UpcomingItem) []string {
	keys := make([]string, len(items))
	for i, u := range items {
		keys[i] = u.Begins() + " " + u.Title
	}
	return keys
}

func TestGetUpcoming_ListsTheNextTwoWeeksDayByDay(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := all[calendar.UpcomingItem](d, "get_upcoming", args{})
		types := map[string]int{}
		for _, u := range items {
			types[u.Type]++
			timed := u.Type == "schedule_entry"
			if u.Title == "" || u.URL == "" || u.Project.Name == "" || u.Day > "2000-01-15" || timed != (u.StartsAt != "") || timed == (u.In != "") ||
				!timed && u.Day < "2000-01-01" || timed && !strings.HasPrefix(u.StartsAt, u.Day) {
				d.Errorf("got %+v", u)
			}
		}
		for _, kind := range []string{"schedule_entry", "todo", "card", "subtask"} {
			if types[kind] == 0 {
				d.Errorf("no %s among %v", kind, types)
			}
		}
		if !slices.IsSortedFunc(items, func(a, b calendar.UpcomingItem) int { return strings.Compare(a.Day, b.Day) }) {
			d.Error("not day by day")
		}
		timed := lookup.Matching(items, func(u calendar.UpcomingItem) bool { return u.StartsAt != "" && !u.AllDay })
		if !slices.IsSortedFunc(timed, func(a, b calendar.UpcomingItem) int { return strings.Compare(a.StartsAt, b.StartsAt) }) {
			d.Error("not in order of time")
		}
		if first := call[listing.Scroll[calendar.UpcomingItem]](d, "get_upcoming", args{}); len(first.Items) < 50 || *first.Total != len(items) {
			d.Errorf("%d items, total %v", len(first.Items), *first.Total)
		}
	})
}

func TestGetUpcoming_OmitsCompletedTasks(t *testing.T) {
	at(t, func(d *toolEnv) {
		due := lookup.Matching(all[calendar.UpcomingItem](d, "get_upcoming", args{}), func(u calendar.UpcomingItem) bool { return u.Type == "todo" })
		call[work.Completion](d, "set_completed", args{"item": due[0].URL, "completed": true})
		for _, u := range all[calendar.UpcomingItem](d, "get_upcoming", args{}) {
			if u.ID == due[0].ID {
				d.Errorf("got %+v", u)
			}
		}
	})
}

func TestGetUpcoming_OrdersTheRepeatedHourWhenClocksGoBack(t *testing.T) {
	at(t, func(d *toolEnv) { // clocks in Berlin go back at 01:00 UTC
		want := []string{"Before", "After"}
		for i, starts := range []string{"2000-10-29T00:30:00Z", "2000-10-29T01:10:00Z"} {
			call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": want[i], "starts_at": starts})
		}
		call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": "All day", "starts_at": "2000-10-29"})
		var got []string
		for _, u := range all[calendar.UpcomingItem](d, "get_upcoming", args{"project": launch, "from": "2000-10-29", "to": "2000-10-29"}) {
			if !u.Recurring {
				got = append(got, u.Title)
			}
		}
		if !slices.Equal(got, []string{"All day", "Before", "After"}) {
			d.Errorf("got %v", got)
		}
	})
}

func TestGetUpcoming_ListsEveryOccurrence(t *testing.T) {
	at(t, func(d *toolEnv) {
		var times []string
		for _, limit := range []int{3, 100} {
			standups := lookup.Matching(all[calendar.UpcomingItem](d, "get_upcoming", args{"project": launch, "limit": limit}), func(u calendar.UpcomingItem) bool { return u.Title == "Launch stand-up" })
			times = nil
			for _, u := range standups {
				if !u.Recurring || !strings.Contains(u.URL, "/occurrences/"+strings.ReplaceAll(u.Day, "-", "")) || len(u.People) != 6 {
					d.Errorf("got %+v", u)
				}
				times = append(times, u.StartsAt)
			}
			if want := []string{"2000-01-01T09:15:00+01:00", "2000-01-08T09:15:00+01:00", "2000-01-15T09:15:00+01:00"}; !slices.Equal(times, want) {
				d.Errorf("limit %d: %v, want %v", limit, times, want)
			}
		}
	})
}

func TestGetUpcoming_AcceptsDaysInWords(t *testing.T) {
	at(t, func(d *toolEnv) { // it is Saturday, 1 January
		whole := all[calendar.UpcomingItem](d, "get_upcoming", args{"to": "2000-01-31"})
		for _, test := range []struct{ from, to, first, last string }{
			{"today", "today", "2000-01-01", "2000-01-01"},
			{"tomorrow", "Wednesday", "2000-01-02", "2000-01-05"},
			{"2000-01-03", "2000-01-04", "2000-01-03", "2000-01-04"},
			{"monday", "", "2000-01-03", "2000-01-17"},
		} {
			in := args{"from": test.from}
			if test.to != "" {
				in["to"] = test.to
			}
			got := upcomingKeys(all[calendar.UpcomingItem](d, "get_upcoming", in))
			want := upcomingKeys(lookup.Matching(whole, func(u calendar.UpcomingItem) bool {
				end := u.Day
				if u.AllDay {
					end = u.EndsAt
				}
				return end >= test.first && u.Day <= test.last
			}))
			if len(want) == 0 || !slices.Equal(got, want) {
				d.Errorf("%s to %s: %v\nwant %v", test.from, test.to, got, want)
			}
		}
		d.fails(fault.InvalidInput, "get_upcoming", args{"from": "soon"}, "from", "weekday")
		d.fails(fault.InvalidInput, "get_upcoming", args{"from": "2000-02-01", "to": "2000-01-01"}, "to", "before")
		d.fails(fault.InvalidInput, "get_upcoming", args{"to": "2005-01-01"}, "to", "year")
	})
}

func TestGetUpcoming_FiltersByCallerAndProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		whole := all[calendar.UpcomingItem](d, "get_upcoming", args{})
		ines := d.sandbox.Person("Ines Albrecht").ID
		mine := func(u calendar.UpcomingItem) bool {
			return slices.ContainsFunc(u.People, func(p lookup.Ref) bool { return p.ID == ines })
		}
		here := func(u calendar.UpcomingItem) bool { return u.Project.Name == launch }
		for _, test := range []struct {
			in   args
			want func(calendar.UpcomingItem) bool
		}{
			{args{"mine_only": true}, mine},
			{args{"project": launch}, here},
			{args{"project": launch, "mine_only": true}, func(u calendar.UpcomingItem) bool { return mine(u) && here(u) }},
		} {
			want := lookup.Matching(whole, test.want)
			if got := all[calendar.UpcomingItem](d, "get_upcoming", test.in); len(want) == 0 || len(want) == len(whole) || !slices.Equal(upcomingKeys(got), upcomingKeys(want)) {
				d.Errorf("%v: %d, want %d", test.in, len(got), len(want))
			}
		}
	})
}

func TestGetUpcoming_ShowsTimesInTheCallersZone(t *testing.T) {
	at(t, func(d *toolEnv) {
		find := func(who string) calendar.UpcomingItem {
			for _, u := range all[calendar.UpcomingItem](d.as(who), "get_upcoming", args{"project": launch}) {
				if u.Title == "Brakes: yes or no" {
					return u
				}
			}
			return calendar.UpcomingItem{}
		}
		if u := find("Ines Albrecht"); u.StartsAt != "2000-01-02T10:00:00+01:00" || u.EndsAt != "2000-01-02T10:15:00+01:00" {
			d.Errorf("got %+v", u)
		}
		if u := find("Priya Raman"); u.StartsAt != "2000-01-02T14:30:00+05:30" || u.Day != "2000-01-02" {
			d.Errorf("got %+v", u)
		}
	})
}
