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
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// At Fernhill Bikes it is Saturday, 1 January 2000, 01:00. The seed data counts days from there.

func entriesOf(d *toolEnv, arguments args) []entryItem {
	d.Helper()
	return all[entryItem](d, "list_schedule_entries", arguments)
}

func summaries(entries []entryItem) (summaries []string) {
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
		call[entry](priya, "create_schedule_entry", args{"project": launch, "summary": "Early bird", "starts_at": "2000-02-03T04:00"})
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
		first := call[listing.Scroll[entryItem]](d, "list_schedule_entries", in)
		if len(first.Items) != 3 || !first.HasMore || *first.Total != len(whole) {
			d.Fatalf("got %+v", first)
		}
		call[entry](d, "create_schedule_entry", args{"project": launch, "summary": "Sudden", "starts_at": "today"})
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
		list := func() { call[listing.Scroll[entryItem]](d, "list_schedule_entries", args{"project": launch}) }
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
		call[listing.Scroll[entryItem]](d, "list_schedule_entries", args{"project": launch, "to": "2001-01-01"})
	})
}

func TestShowEntry_ReturnsNotesCommentsAndAnOccurrence(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		ride := d.sandbox.FindIn(launch, "Schedule::Entry", "Test ride on the church square")
		call[comment](d, "create_comment", args{"item": fmt.Sprintf("schedule_entry:%d", ride), "body": "Bring gloves."})
		got, err := rs.showEntry(ctx, ride, "", commentsInput{IncludeComments: true})
		if err != nil || !strings.Contains(got.Notes, "Forms on paper. [@Aoife]") || len(got.Comments) != 1 || got.Status != "active" ||
			got.StartsAt != "2000-01-04T09:00:00+01:00" || got.Recurs != "" || got.CommentsCount != 1 {
			d.Errorf("got %+v, %v", got, err)
		}
		without, err := rs.showEntry(ctx, ride, "", commentsInput{})
		if err != nil || len(without.Comments) != 0 || !without.MoreComments {
			d.Errorf("got %+v, %v", without, err)
		}
		standUp := d.sandbox.FindIn(launch, "Schedule::Entry", "Launch stand-up")
		for day, want := range map[string]string{"": "1999-11-13T09:15:00+01:00", "20000108": "2000-01-08T09:15:00+01:00"} {
			got, err := rs.showEntry(ctx, standUp, day, commentsInput{})
			if err != nil || got.StartsAt != want || got.Recurs != "every Saturday" || got.JoinURL == "" {
				d.Errorf("got %+v, %v", got, err)
			}
		}
		if _, err := rs.showEntry(ctx, standUp, "20000109", commentsInput{}); !fault.Is(err, fault.NotFound) {
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
		if got := recurs(r); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
	if got := recurs(basecamp.Recurrence{Frequency: "every_weekday"}); got != "every weekday" {
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
			call[entry](d, "create_schedule_entry", args{"project": launch, "summary": "At " + span[0], "starts_at": span[0], "ends_at": span[1]})
		}
		got := summaries(entriesOf(d, args{"project": launch, "from": "sunday", "to": "sunday"}))
		got = slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "At ") })
		if !slices.Equal(got, []string{"At 2000-03-26T00:00", "At 2000-03-26T23:30"}) {
			d.Errorf("got %v", got)
		}
	})
}
