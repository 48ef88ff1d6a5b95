package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/when"
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

func TestListScheduleEntries_ReturnsTheNextThirtyDaysInOrder(t *testing.T) {
	at(t, func(d *toolEnv) {
		entries := entriesOf(d, args{"project": launch})
		want := []string{
			"Launch stand-up", "Load test with a person in it", "Brakes: yes or no", "Test ride on the church square", "Launch stand-up",
			"Photographer", "Powder coater closed", "Launch stand-up", "Dealers' evening", "Launch stand-up", "Launch stand-up",
		}
		if diff := cmp.Diff(want, summaries(entries)); diff != "" {
			d.Error(diff)
		}
		ride := entries[3]
		if ride.Type != "schedule_entry" || ride.StartsAt != "2000-01-04T09:00:00+01:00" || ride.EndsAt != "2000-01-04T13:00:00+01:00" || ride.AllDay ||
			ride.Recurring || len(ride.Participants) != 4 || ride.Project.Name != launch || ride.Author.Name != "Ines Albrecht" || ride.URL == "" {
			d.Errorf("got %+v", ride)
		}
		closed := entries[6]
		if !closed.AllDay || closed.StartsAt != "2000-01-13" || closed.EndsAt != "2000-01-26" {
			d.Errorf("got %+v", closed)
		}
		if again := entries[4]; !again.Recurring || !strings.HasSuffix(again.URL, "/occurrences/20000108") || again.ID != entries[0].ID {
			d.Errorf("got %+v", again)
		}
	})
}

func TestListScheduleEntries_TakesAWindowOfDaysInWords(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, c := range []struct {
			from, to string
			want     []string
		}{
			{"tomorrow", "sunday", []string{"Brakes: yes or no"}},
			{"2000-01-20", "2000-01-20", []string{"Powder coater closed"}},
			{"2000-01-26", "2000-01-26", []string{"Powder coater closed"}}, // its last day
			{"2000-01-27", "2000-01-28", nil},
			{"1999-12-20", "1999-12-27", []string{"Launch stand-up", "Cutting frame nine open"}},
			{"2000-02-14", "2000-02-21", []string{"Launch", "Launch stand-up"}}, // whole days come first
		} {
			if got := summaries(entriesOf(d, args{"project": launch, "from": c.from, "to": c.to})); !slices.Equal(got, c.want) {
				d.Errorf("%s to %s: %v", c.from, c.to, got)
			}
		}
	})
}

// A meeting early on 3 January in Auckland is on 2 January in UTC, which Basecamp's servers use.
func TestListScheduleEntries_CountsDaysInTheCallersZone(t *testing.T) {
	at(t, func(d *toolEnv) {
		priya, marguerite := d.as("Priya Raman"), d.as("Marguerite Osei")
		call[calendar.Entry](priya, "create_schedule_entry", args{"project": launch, "summary": "Early bird", "starts_at": "2000-02-03T04:00"})
		for _, c := range []struct {
			who  *toolEnv
			day  string
			held bool
		}{{priya, "2000-02-03", true}, {priya, "2000-02-02", false}, {marguerite, "2000-02-02", true}, {marguerite, "2000-02-03", false}} {
			got := summaries(entriesOf(c.who, args{"project": launch, "from": c.day, "to": c.day}))
			if slices.Contains(got, "Early bird") != c.held {
				d.Errorf("%s, %s: %v", c.who.who.Subject, c.day, got)
			}
		}
	})
}

func TestListScheduleEntries_PagesSkipNoneWhileEntriesAreAdded(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project": launch, "limit": 3}
		whole := summaries(entriesOf(d, in))
		first := call[listing.Scroll[calendar.EntryItem]](d, "list_schedule_entries", in)
		if len(first.Items) != 3 || !first.HasMore || *first.Total != len(whole) {
			d.Fatalf("got %+v", first)
		}
		call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": "Sudden", "starts_at": "today"})
		in["cursor"] = *first.NextCursor
		if got := summaries(entriesOf(d, in)); !slices.Equal(got, whole[3:]) {
			d.Errorf("got %v, want %v", got, whole[3:])
		}
		in["to"] = "2000-01-20"
		d.fails(fault.InvalidInput, "list_schedule_entries", in, "cursor", "other arguments")
	})
}

func TestListScheduleEntries_TakesOneRequestWarm(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := func() { call[listing.Scroll[calendar.EntryItem]](d, "list_schedule_entries", args{"project": launch}) }
		const report = "GET /reports/schedules/upcoming.json?window_ends_on=2000-02-01&window_starts_on=1999-12-31"
		// two pages of projects, the profile, and the days of all time zones
		wide := "GET /reports/schedules/upcoming.json?window_ends_on=2000-02-01&window_starts_on=1999-12-30"
		if cold := d.asked(list); len(cold) != 4 || !slices.Contains(cold, wide) {
			d.Errorf("cold: %v", cold)
		}
		d.asks(list, report)
	})
}

func TestListScheduleEntries_ReportsBadInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.fails(fault.ToolNotEnabled, "list_schedule_entries", args{"project": "Customer Care"}, "Customer Care", "schedule")
		d.fails(fault.NotFound, "list_schedule_entries", args{"project": "Cargo Bike Lunch"}, "project", launch)
		d.fails(fault.InvalidInput, "list_schedule_entries", args{"project": launch, "from": "soon"}, "from", "soon")
		d.fails(fault.InvalidInput, "list_schedule_entries", args{"project": launch, "to": "1999-12-31"}, "to", "before from", "2000-01-01")
		d.fails(fault.InvalidInput, "list_schedule_entries", args{"project": launch, "to": "2001-01-02"}, "to", "a year")
		call[listing.Scroll[calendar.EntryItem]](d, "list_schedule_entries", args{"project": launch, "to": "2001-01-01"})
	})
}

func TestShowEntry_ReturnsNotesCommentsAndAnOccurrence(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		ride := d.sandbox.FindIn(launch, "Schedule::Entry", "Test ride on the church square")
		call[parts.Comment](d, "create_comment", args{"item": fmt.Sprintf("schedule_entry:%d", ride), "body": "Bring gloves."})
		got, err := rs.Calendar.ShowEntry(ctx, ride, "", parts.CommentsInput{IncludeComments: true})
		if err != nil || !strings.Contains(got.Notes, "Forms on paper. [@Aoife]") || len(got.Comments) != 1 || got.Status != "active" ||
			got.StartsAt != "2000-01-04T09:00:00+01:00" || got.Recurs != "" || got.CommentsCount != 1 {
			d.Errorf("got %+v, %v", got, err)
		}
		without, err := rs.Calendar.ShowEntry(ctx, ride, "", parts.CommentsInput{})
		if err != nil || len(without.Comments) != 0 || !without.MoreComments {
			d.Errorf("got %+v, %v", without, err)
		}
		standUp := d.sandbox.FindIn(launch, "Schedule::Entry", "Launch stand-up")
		for day, want := range map[string]string{"": "1999-11-13T09:15:00+01:00", "20000108": "2000-01-08T09:15:00+01:00"} {
			got, err := rs.Calendar.ShowEntry(ctx, standUp, day, parts.CommentsInput{})
			if err != nil || got.StartsAt != want || got.Recurs != "every Saturday" || got.JoinURL == "" {
				d.Errorf("got %+v, %v", got, err)
			}
		}
		if _, err := rs.Calendar.ShowEntry(ctx, standUp, "20000109", parts.CommentsInput{}); !fault.Is(err, fault.NotFound) {
			d.Error(err)
		}
	})
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

// atNight runs a test in the night of 25 to 26 March 2000, when clocks in Europe go forward.
func atNight(t *testing.T, work func(d *toolEnv)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2000, 3, 25, 23, 0, 0, 0, time.UTC))) // synctest's clock
		work(newToolEnv(t, sandbox.Options{}))
	})
}

func TestListScheduleEntries_HandlesDaysOfTwentyThreeHours(t *testing.T) {
	atNight(t, func(d *toolEnv) {
		for _, span := range [][2]string{
			{"2000-03-25T23:00", "2000-03-26T00:00"}, {"2000-03-26T00:00", "2000-03-26T00:00"},
			{"2000-03-26T23:30", "2000-03-26T23:30"}, {"2000-03-27T00:00", "2000-03-27T01:00"},
		} {
			call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": "At " + span[0], "starts_at": span[0], "ends_at": span[1]})
		}
		got := summaries(entriesOf(d, args{"project": launch, "from": "sunday", "to": "sunday"}))
		got = slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "At ") })
		if !slices.Equal(got, []string{"At 2000-03-26T00:00", "At 2000-03-26T23:30"}) {
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

func TestSchedule_ARecurringEntryKeepsItsTimeWhenClocksChange(t *testing.T) {
	at(t, func(d *toolEnv) { // in Berlin, on 26 March and 29 October 2000
		for from, want := range map[string][]string{
			"2000-03-20": {"2000-03-25T09:15:00+01:00", "2000-04-01T09:15:00+02:00"}, "2000-10-25": {"2000-10-28T09:15:00+02:00", "2000-11-04T09:15:00+01:00"},
		} {
			var starts []string
			for _, e := range entriesOf(d, args{"project": launch, "from": from, "to": when.After(dayOf(d, from), 13).Format(time.DateOnly)}) {
				if e.Summary == "Launch stand-up" {
					starts = append(starts, e.StartsAt)
				}
			}
			if !slices.Equal(starts, want) {
				d.Errorf("from %s: %v", from, starts)
			}
		}
	})
}

func TestSchedule_LeavesOutTimesThatCannotBeReadAndSaysSo(t *testing.T) {
	at(t, func(d *toolEnv) {
		good := `{"id": 7, "summary": "Good", "all_day": false, "starts_at": "2000-01-02T10:00:00Z", "ends_at": "2000-01-02T11:00:00Z", "bucket": {"id": %[1]d, "name": "Launch"}, "participants": [{"id": %[2]d}]}`
		bad := `{"id": 8, "summary": "Bad \" one", "all_day": %s, "starts_at": %s, "ends_at": "2000-01-02T11:00:00Z", "bucket": {"id": %%[1]d, "name": "Launch"}, "participants": [{"id": %%[2]d}]}`
		body := `{"schedule_entries": [` + good + "," + fmt.Sprintf(bad, "false", "null") + "], \"recurring_schedule_entry_occurrences\": [" +
			fmt.Sprintf(bad, "true", `"2 January"`) + `], "assignables": []}`
		project := d.sandbox.ProjectID(launch)
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/reports/schedules", Status: 200, Body: fmt.Sprintf(body, project, d.sandbox.Person("Ines Albrecht").ID)})
		want := []string{`schedule_entry:8 "Bad \" one": Basecamp gave its times in a form that cannot be read`}
		entries := call[calendar.WindowList[calendar.EntryItem]](d, "list_schedule_entries", args{"project": launch})
		coming := call[calendar.WindowList[calendar.UpcomingItem]](d, "get_upcoming", args{})
		if len(entries.Items) != 1 || !slices.Equal(entries.LeftOut, want) || len(coming.Items) != 1 || !slices.Equal(coming.LeftOut, want) {
			d.Errorf("%+v, %+v", entries, coming)
		}
		if got := call[overview.Report](d, "get_report", args{}); got.Counts.Upcoming != 1 || !slices.Equal(got.LeftOut, want) {
			d.Errorf("got %+v", got)
		}
		id := d.sandbox.FindIn(launch, "Schedule::Entry", "Photographer")
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/schedule_entries", Status: 200, Body: fmt.Sprintf(`{"id": %d, "type": "Schedule::Entry", "summary": "Photographer", "starts_at": "soon", "bucket": {"id": %d}}`, id, project)})
		got := call[shownEntry](d, "get_item", args{"item": fmt.Sprintf("schedule_entry:%d", id)}).Item
		if got.StartsAt+got.EndsAt != "" || len(got.LeftOut) != 1 || !strings.Contains(got.LeftOut[0], "cannot be read") {
			d.Errorf("got %+v", got)
		}
		d.refuses(fault.InvalidInput, "update_schedule_entry", args{"entry": id, "starts_at": "tomorrow 10:00"}, "starts_at", "give starts_at and ends_at")
	})
}
