package basecamptools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/when"
)

// At Fernhill Bikes it is Saturday, 1 January 2000, 01:00. The seed data counts days from there.

func entriesOf(d *toolEnv, arguments args) []calendar.EntryItem {
	d.Helper()
	return all[calendar.EntryItem](d, "list_schedule_entries", arguments)
}

func summaries(entries []calendar.EntryItem) (summaries []string) {
	for _, e := range entries {
		summaries = append(summaries, e.Summary)
	}
	return summaries
}

func TestListScheduleEntries(t *testing.T) {
	const standUp, early = "Launch stand-up", "Early bird"
	thirty := []string{
		standUp, "Load test with a person in it", "Brakes: yes or no", "Test ride on the church square", standUp,
		"Photographer", "Powder coater closed", standUp, "Dealers' evening", standUp, standUp,
	}
	window := func(fact, from, to string, titles ...string) row {
		return row{fact: fact, in: args{"from": from, "to": to}, holds: holds{"items.*.summary": append([]string{}, titles...)}}
	}
	starts := func(fact, from, to, first, second string) row {
		return row{fact: fact, in: args{"from": from, "to": to}, says: says{`"starts_at":"` + first + `"`, `"starts_at":"` + second + `"`}}
	}
	on := func(who, day string, there bool) row {
		r := row{fact: who + " on " + day, as: who, in: args{"from": day, "to": day}}
		if there {
			r.says = says{early}
		} else {
			r.misses = []string{early}
		}
		return r
	}
	cases(t, "list_schedule_entries", args{"project": launch},
		row{fact: "the next thirty days are in order", holds: holds{"items.*.summary": thirty, "items.3.type": "schedule_entry", "items.3.starts_at": "2000-01-04T09:00:00+01:00", "items.3.ends_at": "2000-01-04T13:00:00+01:00", "items.3.all_day": nil,
			"items.3.recurring": nil, "items.3.participants.#": 4, "items.3.project.name": launch, "items.3.author.name": "Ines Albrecht", "items.3.url": some, "items.6.all_day": true, "items.6.starts_at": "2000-01-13", "items.6.ends_at": "2000-01-26",
			"items.4.recurring": true, "items.4.url": has("/occurrences/20000108"), "items.4.id": "{.items.0.id}"}},
		window("days can be words", "tomorrow", "sunday", "Brakes: yes or no"),
		window("a day in an entry", "2000-01-20", "2000-01-20", "Powder coater closed"),
		window("its last day", "2000-01-26", "2000-01-26", "Powder coater closed"),
		window("the days after", "2000-01-27", "2000-01-28"),
		window("days that have passed", "1999-12-20", "1999-12-27", standUp, "Cutting frame nine open"),
		window("whole days come first", "2000-02-14", "2000-02-21", "Launch", standUp),
		starts("a recurring entry keeps its time when clocks go forward", "2000-03-20", "2000-04-02", "2000-03-25T09:15:00+01:00", "2000-04-01T09:15:00+02:00"),
		starts("and back", "2000-10-25", "2000-11-07", "2000-10-28T09:15:00+02:00", "2000-11-04T09:15:00+01:00"),
		row{fact: "days are those of the caller's zone", as: "Priya Raman", tool: "create_schedule_entry", in: args{"project": launch, "summary": early, "starts_at": "2000-02-03T04:00"}, then: []row{
			on("Priya Raman", "2000-02-03", true), on("Priya Raman", "2000-02-02", false), on("Marguerite Osei", "2000-02-02", true), on("Marguerite Osei", "2000-02-03", false)}},
		row{fact: "pages skip none while entries are added", in: args{"limit": 3}, holds: holds{"items.#": 3, "total": 11}, then: []row{
			{tool: "create_schedule_entry", in: args{"project": launch, "summary": "Sudden", "starts_at": "today"}},
			{in: args{"limit": 3, "cursor": "{0.next_cursor}"}, holds: holds{"items.*.summary": thirty[3:6]}},
			{in: args{"limit": 20, "cursor": "{2.next_cursor}"}, holds: holds{"items.*.summary": thirty[6:], "has_more": nil}},
			{in: args{"limit": 3, "cursor": "{0.next_cursor}", "to": "2000-01-20"}, fails: fault.InvalidInput, says: says{"cursor", "other arguments"}}}},
		row{fact: "cold, it asks for two pages of projects, the profile and the days of all zones", requests: 4, then: []row{{fact: "warm for the days", requests: 1}}},
		row{fact: "the project must have a schedule", in: args{"project": "Customer Care"}, fails: fault.ToolNotEnabled, says: says{"Customer Care", "schedule"}},
		row{fact: "the project must exist", in: args{"project": "Cargo Bike Lunch"}, fails: fault.NotFound, says: says{"project", launch}},
		row{fact: "a day must be one", in: args{"from": "soon"}, fails: fault.InvalidInput, says: says{"from", "soon"}},
		row{fact: "it does not end before it begins", in: args{"to": "1999-12-31"}, fails: fault.InvalidInput, says: says{"to", "before from", "2000-01-01"}},
		row{fact: "a year is the most", in: args{"to": "2001-01-02"}, fails: fault.InvalidInput, says: says{"to", "a year"}}, row{fact: "a year", in: args{"to": "2001-01-01"}},
	)
}

func TestGetItem_OfAScheduleEntry(t *testing.T) {
	const ride = "schedule_entry:{Schedule::Entry:Test ride on the church square@Cargo Bike Launch}"
	occurrence := func(day, starts string) row {
		return row{fact: "a recurring entry, " + starts, in: args{"item": nil, "url": launchURL + "/schedule_entries/{Schedule::Entry:Launch stand-up@Cargo Bike Launch}" + day}, holds: holds{"item.starts_at": starts, "item.recurs": "every Saturday", "item.join_url": some}}
	}
	missing := occurrence("/occurrences/20000109", "on a day without it")
	missing.holds, missing.fails = nil, fault.NotFound
	cases(t, "get_item", args{"item": ride},
		row{fact: "it has notes and comments", tool: "create_comment", in: args{"item": ride, "body": "Bring gloves."}, then: []row{
			{holds: holds{"item.notes": has("Forms on paper. [@Aoife]"), "item.comments.#": 1, "item.comments_count": 1, "item.status": "active", "item.starts_at": "2000-01-04T09:00:00+01:00", "item.recurs": nil}},
			{in: args{"include_comments": false}, holds: holds{"item.comments": nil, "item.more_comments": true}}}},
		occurrence("", "1999-11-13T09:15:00+01:00"), occurrence("/occurrences/20000108", "2000-01-08T09:15:00+01:00"), missing,
	)
}

func TestRecurs_DescribesTheFrequency(t *testing.T) {
	for want, r := range map[string]basecamp.Recurrence{
		"every weekday":                        {Frequency: "every_day", Days: []int{5, 4, 3, 2, 1}},
		"every day":                            {Frequency: "every_day", Days: []int{0, 1, 2, 3, 4, 5, 6}},
		"every Monday":                         {Frequency: "every_week", Days: []int{1}},
		"every Tuesday, Thursday and Saturday": {Frequency: "on_certain_days", Days: []int{2, 4, 6}},
		"every week":                           {Frequency: "every_week"},
		"every other week on Friday, until 2026-05-01": {Frequency: "every_other_week", Days: []int{5}, EndDate: "2026-05-01"},
		"every 3 weeks on Sunday and Monday":           {Frequency: "custom_week", Days: []int{0, 1}, WeekInterval: 3},
		"every other week":                             {Frequency: "every_other_week"},
		"every month on the third Monday":              {Frequency: "every_month", Days: []int{1}, WeekInstance: 3},
		"every month on the last Friday":               {Frequency: "every_month", Days: []int{5}, WeekInstance: -1},
		"every month":                                  {Frequency: "every_month", Days: []int{5}},
		"every month on day 18":                        {Frequency: "every_day_of_month", StartDate: "2026-02-18"},
		"every 2 months on day 31":                     {Frequency: "custom_month", Days: []int{31}, MonthInterval: 2},
		"every 4 months on the first Monday":           {Frequency: "custom_month", Days: []int{1}, MonthInterval: 4, WeekInstance: 1},
		"every year":                                   {Frequency: "every_year", Days: []int{3}},
	} {
		if got := calendar.Recurs(r); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
	if got := calendar.Recurs(basecamp.Recurrence{Frequency: "every_weekday"}); got != "every weekday" {
		t.Error(got)
	}
}

// In the night to 26 March 2000, clocks in Europe go forward.
func TestListScheduleEntries_HandlesDaysOfTwentyThreeHours(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, span := range [][2]string{
			{"2000-03-25T23:00", "2000-03-26T00:00"}, {"2000-03-26T00:00", "2000-03-26T00:00"},
			{"2000-03-26T23:30", "2000-03-26T23:30"}, {"2000-03-27T00:00", "2000-03-27T01:00"},
		} {
			call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": "At " + span[0], "starts_at": span[0], "ends_at": span[1]})
		}
		if got := summaries(entriesOf(d, args{"project": launch, "from": "2000-03-26", "to": "2000-03-26"})); !slices.Equal(got, []string{"At 2000-03-26T00:00", "At 2000-03-26T23:30"}) {
			d.Errorf("got %v", got)
		}
	})
}

// In Santiago and Havana clocks go forward at midnight, so that the day has none; later in the year
// they go back at midnight, or to it.
func TestSchedule_AWholeDayKeepsItsDateWhereClocksChangeAtMidnight(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		for zone, days := range map[string][]string{
			"America/Santiago": {"2027-04-03", "2027-04-04", "2027-09-05"}, "America/Havana": {"2027-03-14", "2027-11-07"},
			"Asia/Beirut": {"2027-03-28", "2027-10-30", "2027-10-31"}, "Africa/Cairo": {"2027-04-30", "2027-10-28"}, "Atlantic/Azores": {"2027-03-28", "2027-10-31"},
			"Santiago": {"2027-09-05"}, "Eastern Time (US & Canada)": {"2027-03-14"},
		} {
			d.meanwhile("PUT", "/my/profile.json", fmt.Sprintf(`{"time_zone_name":%q}`, zone))
			call[projects.Me](d, "get_me", args{}) // forgets the time zone before
			for _, day := range days {
				title := zone + " " + day
				made := call[calendar.WrittenEntry](d, "create_schedule_entry", args{"project": launch, "summary": title, "starts_at": day, "all_day": true})
				next := when.After(dayOf(d, day), 1).Format(time.DateOnly)
				longer := call[calendar.UpdatedEntry](d, "update_schedule_entry", args{"entry": made.ID, "ends_at": next})
				kept := upstream[record](d, fmt.Sprintf("/schedule_entries/%d.json", made.ID))
				if made.StartsAt != day || made.EndsAt != day || longer.StartsAt != day || longer.EndsAt != next || kept["starts_at"] != day || kept["ends_at"] != next {
					d.Errorf("%s: %s to %s, then %s to %s, written as %v to %v", title, made.StartsAt, made.EndsAt, longer.StartsAt, longer.EndsAt, kept["starts_at"], kept["ends_at"])
				}
				if got := call[shownEntry](d, "get_item", args{"item": fmt.Sprintf("schedule_entry:%d", made.ID)}).Item; got.StartsAt != day || got.EndsAt != next {
					d.Errorf("%s: %s to %s", title, got.StartsAt, got.EndsAt)
				}
				for ahead, listed := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
					on := when.After(dayOf(d, day), ahead).Format(time.DateOnly)
					listed = listed == slices.Contains(summaries(entriesOf(d, args{"project": launch, "from": on, "to": on})), title)
					coming := all[calendar.UpcomingItem](d, "get_upcoming", args{"from": on, "to": on})
					found := slices.IndexFunc(coming, func(u calendar.UpcomingItem) bool { return u.Title == title })
					if !listed || (found >= 0) != (ahead == 0 || ahead == 1) || found >= 0 && coming[found].Day != day {
						d.Errorf("%s on %s: listed wrongly, or with a wrong day", title, on)
					}
				}
			}
		}
	})
}

type shownEntry struct {
	Item calendar.WholeEntry `json:"item"`
}

func dayOf(d *toolEnv, text string) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		d.Fatal(err)
	}
	return day
}

func TestSchedule_LeavesOutTimesThatCannotBeRead(t *testing.T) {
	entry := func(id int, summary, allDay, starts string) string {
		return fmt.Sprintf(`{"id":%d,"summary":%q,"all_day":%s,"starts_at":%s,"ends_at":"2000-01-02T11:00:00Z","bucket":{"id":%d,"name":"Launch"},"participants":[{"id":%d}]}`, id, summary, allDay, starts, 2271403118, 3140027714)
	}
	report := `{"schedule_entries":[` + entry(7, "Good", "false", `"2000-01-02T10:00:00Z"`) + "," + entry(8, `Bad " one`, "false", "null") +
		`],"recurring_schedule_entry_occurrences":[` + entry(8, `Bad " one`, "true", `"2 January"`) + `],"assignables":[]}`
	left := []string{`schedule_entry:8 "Bad \" one": Basecamp gave its times in a form that cannot be read`}
	const photo = "{Schedule::Entry:Photographer@Cargo Bike Launch}"
	broken := func(tool string, in args) row {
		return row{fact: tool, tool: tool, in: in, faults: faults{{PathPrefix: "/reports/schedules", Status: 200, Body: report}}, holds: holds{"items.#": 1, "left_out": left}}
	}
	counted := broken("get_report", nil)
	counted.holds = holds{"counts.upcoming": 1, "left_out": left}
	cases(t, "", nil, broken("list_schedule_entries", args{"project": launch}), broken("get_upcoming", nil), counted,
		row{fact: "get_item", tool: "get_item", in: args{"item": "schedule_entry:" + photo}, setup: func(d *toolEnv) {
			d.sandbox.Inject(sandbox.Fault{PathPrefix: "/schedule_entries", Status: 200, Body: fmt.Sprintf(`{"id":%d,"type":"Schedule::Entry","summary":"Photographer","starts_at":"soon","bucket":{"id":%d}}`,
				d.sandbox.FindIn(launch, "Schedule::Entry", "Photographer"), d.sandbox.ProjectID(launch))})
		}, holds: holds{"item.starts_at": nil, "item.ends_at": nil, "item.left_out.#": 1, "item.left_out.0": has("cannot be read")}, then: []row{
			{tool: "update_schedule_entry", in: args{"entry": photo, "starts_at": "tomorrow 10:00"}, fails: fault.InvalidInput, says: says{"starts_at", "give starts_at and ends_at"}}}},
	)
}
