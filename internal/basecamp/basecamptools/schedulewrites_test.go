package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/fault"
)

func entryPath(id int64) string { return fmt.Sprintf("/schedule_entries/%d.json", id) }

func TestCreateScheduleEntry_SchedulesAMeetingInOneCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[calendar.Entry](d, "create_schedule_entry", args{
			"project": launch, "summary": " Brake review ", "starts_at": "2000-01-05T10:00", "ends_at": "2000-01-05T11:30",
			"notes": "Bring the **pads**.", "mentions": []string{"Priya"}, "participants": []string{"Sam", "me"}, "notify": true,
		})
		if got.Summary != "Brake review" || got.StartsAt != "2000-01-05T10:00:00+01:00" || got.EndsAt != "2000-01-05T11:30:00+01:00" || got.AllDay ||
			len(got.Participants) != 2 || got.Participants[0].Name != "Sam Okafor" || !strings.Contains(got.Notes, "**pads**") ||
			got.Project.Name != launch || got.URL == "" || got.Author.Name != "Ines Albrecht" || got.Type != "schedule_entry" {
			d.Errorf("got %+v", got)
		}
		kept := upstream[record](d, entryPath(got.ID))
		if kept["status"] != "active" || kept["starts_at"] != "2000-01-05T09:00:00.000Z" || kept["ends_at"] != "2000-01-05T10:30:00.000Z" ||
			!strings.Contains(kept["description"].(string), "application/vnd.basecamp.mention") {
			d.Errorf("Basecamp has %v", kept)
		}
	})
}

func TestCreateScheduleEntry_TimesAreInTheCallersOrTheNamedZone(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, c := range []struct {
			who, starts, zone, want, shown string
		}{
			{"Ines Albrecht", "2000-01-10T09:00", "", "2000-01-10T08:00:00.000Z", "2000-01-10T09:00:00+01:00"},
			{"Ines Albrecht", "2000-07-10 09:00", "", "2000-07-10T07:00:00.000Z", "2000-07-10T09:00:00+02:00"},
			{"Priya Raman", "2000-07-10T09:00", "", "2000-07-10T03:30:00.000Z", "2000-07-10T09:00:00+05:30"},
			{"Ines Albrecht", "2000-07-10T09:00", "Asia/Kolkata", "2000-07-10T03:30:00.000Z", "2000-07-10T09:00:00+05:30"},
			{"Marguerite Osei", "2000-07-10T09:00", "Europe/Berlin", "2000-07-10T07:00:00.000Z", "2000-07-10T09:00:00+02:00"},
			{"Priya Raman", "2000-07-10T09:00:00-04:00", "", "2000-07-10T13:00:00.000Z", "2000-07-10T18:30:00+05:30"},
		} {
			in := args{"project": launch, "summary": "Call", "starts_at": c.starts}
			if c.zone != "" {
				in["time_zone"] = c.zone
			}
			got := call[calendar.Entry](d.as(c.who), "create_schedule_entry", in)
			kept := upstream[record](d, entryPath(got.ID))
			if kept["starts_at"] != c.want || got.StartsAt != c.shown {
				d.Errorf("%+v: Basecamp has %v, shown %s", c, kept["starts_at"], got.StartsAt)
			}
		}
	})
}

func TestCreateScheduleEntry_LastsAnHourByDefault(t *testing.T) {
	at(t, func(d *toolEnv) {
		for starts, ends := range map[string]string{
			"2000-01-10T09:00":     "2000-01-10T10:00:00+01:00",
			"2000-01-10T23:30":     "2000-01-11T00:30:00+01:00",
			"2000-03-26T01:30":     "2000-03-26T03:30:00+02:00", // one hour, although clocks go forward
			"2000-01-10T09:00:15Z": "2000-01-10T11:00:15+01:00",
		} {
			if got := call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": "Call", "starts_at": starts}); got.EndsAt != ends {
				d.Errorf("%s: %+v", starts, got)
			}
		}
	})
}

func TestCreateScheduleEntry_ADateWithoutTimeMeansTheWholeDay(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, c := range []struct {
			in         args
			first, end string
		}{
			{args{"starts_at": "2000-02-03"}, "2000-02-03", "2000-02-03"},
			{args{"starts_at": "Friday"}, "2000-01-07", "2000-01-07"},
			{args{"starts_at": "friday", "ends_at": "2000-01-10", "all_day": true}, "2000-01-07", "2000-01-10"},
			{args{"starts_at": "2000-02-03", "ends_at": "2000-02-05"}, "2000-02-03", "2000-02-05"},
		} {
			c.in["project"], c.in["summary"] = launch, "Closed"
			got := call[calendar.Entry](d, "create_schedule_entry", c.in)
			kept := upstream[record](d, entryPath(got.ID))
			if !got.AllDay || got.StartsAt != c.first || got.EndsAt != c.end || kept["all_day"] != true || kept["starts_at"] != c.first || kept["ends_at"] != c.end {
				d.Errorf("%v: %+v, Basecamp has %v", c.in, got, kept)
			}
		}
	})
}

func TestCreateScheduleEntry_BadInputWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		with := func(more args) args {
			in := args{"project": launch, "summary": "Call", "starts_at": "2000-01-10T09:00"}
			maps.Copy(in, more)
			return in
		}
		for _, c := range []struct {
			in    args
			code  fault.Code
			words []string
		}{
			{args{"summary": " \n"}, fault.InvalidInput, []string{"summary", "blank"}},
			{args{"starts_at": "at nine"}, fault.InvalidInput, []string{"starts_at", "at nine", "friday 10:00"}},
			{args{"starts_at": "friday 25:00"}, fault.InvalidInput, []string{"starts_at", "friday 25:00"}},
			{args{"starts_at": "next sunday 10:00"}, fault.InvalidInput, []string{"starts_at", "2000-01-02", "2000-01-09"}},
			{args{"starts_at": "this friday", "ends_at": "this friday 10:00"}, fault.InvalidInput, []string{"ends_at", "whole days"}},
			{args{"starts_at": "2000-01-10T09:00", "all_day": true}, fault.InvalidInput, []string{"starts_at", "date", "all_day"}},
			{args{"starts_at": ""}, fault.InvalidInput, []string{"starts_at"}},
			{args{"ends_at": "2000-01-10"}, fault.InvalidInput, []string{"ends_at", "time of day", "all_day"}},
			{args{"ends_at": "2000-01-10T08:59"}, fault.InvalidInput, []string{"ends_at", "before starts_at", "2000-01-10T09:00:00+01:00"}},
			{args{"starts_at": "2000-01-10", "ends_at": "2000-01-09"}, fault.InvalidInput, []string{"ends_at", "before starts_at", "2000-01-10"}},
			{args{"starts_at": "2000-01-10", "ends_at": "2000-01-10T10:00"}, fault.InvalidInput, []string{"ends_at", "whole days"}},
			{args{"starts_at": "2000-03-26T02:30"}, fault.InvalidInput, []string{"starts_at", "does not exist", "Europe/Berlin"}},
			{args{"time_zone": "Nowhere"}, fault.InvalidInput, []string{"time_zone", "Europe/Berlin"}},
			{args{"notify": true}, fault.InvalidInput, []string{"notify", "participants"}},
			{args{"participants": "Lieke"}, fault.InvalidInput, []string{"participants[0]", "not on the project"}},
			{args{"participants": []string{"Priya", "Zacharias"}}, fault.NotFound, []string{"participants[1]", "Zacharias"}},
			{args{"mentions": []string{"Sam Lindqvist"}, "notes": "x"}, fault.InvalidInput, []string{"mentions[0]", "not on the project"}},
			{args{"project": "Customer Care"}, fault.ToolNotEnabled, []string{"schedule"}},
			{args{"project": "Company HQ", "participants": "Sam"}, fault.Ambiguous, []string{"participants[0]", "Sam"}},
		} {
			d.refuses(c.code, "create_schedule_entry", with(c.in), c.words...)
		}
	})
}

func TestCreateScheduleEntry_IsAmbiguousWithSeveralSchedules(t *testing.T) {
	at(t, func(d *toolEnv) {
		project := d.sandbox.ProjectID(launch)
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", project),
			`{"tool_type":"Schedule","title":"Shifts"}`)
		in := args{"project": launch, "summary": "Call", "starts_at": "today"}
		f := d.refuses(fault.Ambiguous, "create_schedule_entry", in, "schedule")
		if len(f.Data.Candidates) != 2 {
			d.Fatalf("candidates %+v", f.Data.Candidates)
		}
		in["schedule"] = "shifts"
		got := call[calendar.Entry](d, "create_schedule_entry", in)
		if kept := upstream[struct{ Parent struct{ Title string } }](d, entryPath(got.ID)); kept.Parent.Title != "Shifts" {
			d.Errorf("the entry is on %q", kept.Parent.Title)
		}
	})
}

// changedEntry returns the names of the fields that a call changed in Basecamp, except for the
// time of the change.
func changedEntry(d *toolEnv, id int64, arguments args) (after record, names []string) {
	d.Helper()
	before := upstream[record](d, entryPath(id))
	arguments["entry"] = id
	got := call[calendar.UpdatedEntry](d, "update_schedule_entry", arguments)
	after = upstream[record](d, entryPath(id))
	for name := range before {
		if name != "updated_at" && !cmp.Equal(before[name], after[name]) {
			names = append(names, name)
		}
	}
	if len(after) != len(before) {
		d.Errorf("%v: fields %v became %v", arguments, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	slices.Sort(names)
	said := strings.NewReplacer("description", "notes", " title", "").Replace(strings.Join(names, " "))
	if previous := strings.Fields(said); !cmp.Equal(slices.Sorted(maps.Keys(got.Previous)), slices.Sorted(slices.Values(previous)), cmpopts.EquateEmpty()) {
		d.Errorf("%v: previous is %v, but %v changed", arguments, got.Previous, names)
	}
	return after, names
}

// richEntry creates an entry with every field set, and notes in HTML that Markdown cannot
// produce.
func richEntry(d *toolEnv, span string) int64 {
	d.Helper()
	sgid := upstream[struct {
		SGID string `json:"attachable_sgid"`
	}](d, fmt.Sprintf("/people/%d.json", d.sandbox.Person("Noémie Laurent").ID)).SGID
	d.meanwhile("POST", fmt.Sprintf("/schedules/%d/entries.json", d.sandbox.ToolID(launch, "schedule")), fmt.Sprintf(
		`{"summary":"Fitting","description":"<p>Ask <bc-attachment sgid=\"%s\"></bc-attachment>&nbsp;<u>twice</u></p>","participant_ids":[%d],`+
			`"url":"https://meet.fernhillbikes.example/fit","highlighted":true,%s}`, sgid, d.sandbox.Person("Sam Okafor").ID, span))
	return d.sandbox.FindIn(launch, "Schedule::Entry", "Fitting")
}

const (
	timedFitting = `"starts_at":"2000-01-20T09:30:00.250Z","ends_at":"2000-01-20T10:15:00.500Z"`
	daysFitting  = `"starts_at":"2000-01-20","ends_at":"2000-01-22","all_day":true`
)

func TestUpdateScheduleEntry_ChangesOnlyNamedFields(t *testing.T) {
	for _, c := range []struct {
		span         string
		in           args
		changed      []string
		starts, ends string
	}{
		{timedFitting, args{"summary": " Second fitting "}, []string{"summary", "title"}, "2000-01-20T09:30:00.250Z", "2000-01-20T10:15:00.500Z"},
		{timedFitting, args{"notes": "New"}, []string{"description"}, "2000-01-20T09:30:00.250Z", "2000-01-20T10:15:00.500Z"},
		{timedFitting, args{"participants": []string{"me", "Priya"}}, []string{"participants"}, "2000-01-20T09:30:00.250Z", "2000-01-20T10:15:00.500Z"},
		{timedFitting, args{"starts_at": "2000-01-21T15:00"}, []string{"ends_at", "starts_at"}, "2000-01-21T14:00:00.000Z", "2000-01-21T14:45:00.250Z"},
		{timedFitting, args{"ends_at": "2000-01-20T12:00"}, []string{"ends_at"}, "2000-01-20T09:30:00.250Z", "2000-01-20T11:00:00.000Z"},
		{timedFitting, args{"starts_at": "2000-01-21T15:00", "ends_at": "2000-01-21T16:00", "time_zone": "Asia/Kolkata"},
			[]string{"ends_at", "starts_at"}, "2000-01-21T09:30:00.000Z", "2000-01-21T10:30:00.000Z"},
		{timedFitting, args{"all_day": true}, []string{"all_day", "ends_at", "starts_at"}, "2000-01-20", "2000-01-20"},
		{timedFitting, args{"all_day": true, "starts_at": "friday"}, []string{"all_day", "ends_at", "starts_at"}, "2000-01-07", "2000-01-07"},
		{daysFitting, args{"starts_at": "2000-03-25"}, []string{"ends_at", "starts_at"}, "2000-03-25", "2000-03-27"},
		{daysFitting, args{"ends_at": "2000-01-20"}, []string{"ends_at"}, "2000-01-20", "2000-01-20"},
		{daysFitting, args{"summary": "Two"}, []string{"summary", "title"}, "2000-01-20", "2000-01-22"},
		{daysFitting, args{"all_day": true}, nil, "2000-01-20", "2000-01-22"},
		{daysFitting, args{"all_day": false, "starts_at": "2000-01-20T09:00"}, []string{"all_day", "ends_at", "starts_at"}, "2000-01-20T08:00:00.000Z", "2000-01-20T09:00:00.000Z"},
	} {
		at(t, func(d *toolEnv) {
			after, changed := changedEntry(d, richEntry(d, c.span), c.in)
			if !slices.Equal(changed, c.changed) || after["starts_at"] != c.starts || after["ends_at"] != c.ends {
				d.Errorf("%v changed %v, to %v until %v", c.in, changed, after["starts_at"], after["ends_at"])
			}
		})
	}
}

func TestUpdateScheduleEntry_ClearsNotesAndParticipants(t *testing.T) {
	for _, nothing := range []any{"", " "} {
		at(t, func(d *toolEnv) {
			after, changed := changedEntry(d, richEntry(d, timedFitting), args{"notes": nothing, "participants": []string{}})
			if !slices.Equal(changed, []string{"description", "participants"}) || after["description"] != "" || len(after["participants"].([]any)) != 0 {
				d.Errorf("changed %v: %v", changed, after)
			}
		})
	}
}

func TestUpdateScheduleEntry_KeepsMentionsOfTheOldNotes(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := richEntry(d, timedFitting)
		before := upstream[record](d, entryPath(id))["description"].(string)
		mention := before[strings.Index(before, "<bc-attachment"):strings.Index(before, "</bc-attachment>")]
		after, _ := changedEntry(d, id, args{"notes": "Asked [@Noémie] " + strings.Repeat("again and ", 100)})
		if !strings.Contains(after["description"].(string), mention) {
			d.Errorf("got %v", after["description"])
		}
		got := call[calendar.Entry](d, "update_schedule_entry", args{"entry": id, "summary": "Fitting"})
		if !got.Truncated || len([]rune(got.Notes)) > parts.MaxWritten {
			d.Errorf("%d characters of notes, truncated %v", len([]rune(got.Notes)), got.Truncated)
		}
	})
}

func TestUpdateScheduleEntry_NamesWhatItDoesNotFind(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Schedule::Entry", "Photographer")
		d.refuses(fault.NotFound, "update_schedule_entry", args{"entry": id, "project": "Company HQ", "summary": "x"}, "entry", "project")
		d.refuses(fault.NotFound, "update_schedule_entry", args{"entry": "Fotograf", "project": launch, "summary": "x"}, "entry", "nearest", "Photographer")
		d.refuses(fault.NotFound, "update_schedule_entry", args{"entry": 1, "summary": "x"})
	})
}

// Basecamp would ignore the change and answer with the first occurrence.
func TestUpdateScheduleEntry_RefusesRecurringEntriesWithTheirURL(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, summary := range []string{"Launch stand-up", "launch  STAND-UP"} {
			d.refuses(fault.InvalidInput, "update_schedule_entry", args{"entry": summary, "project": launch, "starts_at": "2000-01-10T10:00"},
				"entry", "recurring entry (every Saturday)", "https://3.basecamp.com/")
		}
	})
}

func TestUpdateScheduleEntry_BadInputWritesNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		timed := richEntry(d, timedFitting)
		days := d.sandbox.FindIn(launch, "Schedule::Entry", "Powder coater closed")
		for _, c := range []struct {
			entry int64
			in    args
			words []string
		}{
			{timed, args{}, []string{"nothing to change", "summary"}},
			{timed, args{"notify": true, "time_zone": "Asia/Kolkata"}, []string{"nothing to change"}},
			{timed, args{"summary": nil}, []string{"summary"}},
			{timed, args{"summary": "  "}, []string{"summary", "blank"}},
			{timed, args{"starts_at": nil}, []string{"starts_at"}},
			{timed, args{"starts_at": "friday"}, []string{"starts_at", "time of day", "all_day"}},
			{timed, args{"ends_at": "2000-01-20T10:00"}, []string{"ends_at", "before starts_at"}},
			{timed, args{"summary": "x", "time_zone": "Mars"}, []string{"time_zone"}},
			{timed, args{"mentions": "Priya", "summary": "x"}, []string{"mentions", "notes"}},
			{timed, args{"participants": "Lieke"}, []string{"participants[0]", "not on the project"}},
			{timed, args{"participants": []string{}, "notify": true}, []string{"notify", "no participants"}},
			{timed, args{"notes": "x", "mentions": "Lieke"}, []string{"mentions[0]"}},
			{days, args{"all_day": false}, []string{"starts_at", "time of day"}},
			{days, args{"starts_at": "2000-01-10T09:00"}, []string{"starts_at", "whole days", "all_day to false"}},
			{days, args{"summary": "x", "notify": true}, []string{"notify"}},
		} {
			c.in["entry"] = c.entry
			d.refuses(fault.InvalidInput, "update_schedule_entry", c.in, c.words...)
		}
	})
}

// An end without a day is on the day of the start. A start without a day stays on the entry's day.
func TestScheduleEntries_ATimeWithoutADayIsOnTheDayOfTheEntry(t *testing.T) {
	at(t, func(d *toolEnv) {
		planned := call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": "Call", "starts_at": "December 7 3pm", "ends_at": "17:00"})
		if planned.StartsAt != "2000-12-07T15:00:00+01:00" || planned.EndsAt != "2000-12-07T17:00:00+01:00" {
			d.Errorf("from %s to %s", planned.StartsAt, planned.EndsAt)
		}
		moved := call[calendar.Entry](d, "update_schedule_entry", args{"entry": planned.ID, "starts_at": "9:30"})
		if moved.StartsAt != "2000-12-07T09:30:00+01:00" || moved.EndsAt != "2000-12-07T11:30:00+01:00" {
			d.Errorf("moved to %s until %s", moved.StartsAt, moved.EndsAt)
		}
		today := call[calendar.Entry](d, "create_schedule_entry", args{"project": launch, "summary": "Call", "starts_at": "5 pm"})
		if today.StartsAt != "2000-01-01T17:00:00+01:00" {
			d.Errorf("today at %s", today.StartsAt)
		}
		d.refuses(fault.InvalidInput, "create_schedule_entry", args{"project": launch, "summary": "Call", "starts_at": "00:30"},
			"starts_at", "2000-01-01T00:30", "2000-01-02T00:30")
		d.refuses(fault.InvalidInput, "create_schedule_entry", args{"project": launch, "summary": "Call", "starts_at": "2000-10-29 02:30"},
			"starts_at", "2000-10-29T02:30:00+02:00", "2000-10-29T02:30:00+01:00")
	})
}
