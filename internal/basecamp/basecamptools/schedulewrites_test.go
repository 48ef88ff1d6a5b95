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
	"basecamp-mcp/internal/report/fault"
)

func entryPath(id int64) string { return fmt.Sprintf("/schedule_entries/%d.json", id) }

// At Fernhill Bikes it is Saturday, 1 January 2000, 01:00.
func TestCreateScheduleEntry(t *testing.T) {
	kept := func(want holds) []row { return []row{{tool: "GET /schedule_entries/{.id}.json", holds: want}} }
	in := func(zone, who, starts, want, shown string) row {
		r := row{fact: starts + " of " + who + ", zone " + zone, as: who, in: args{"starts_at": starts}, holds: holds{"starts_at": shown}, then: kept(holds{"starts_at": want})}
		if zone != "" {
			r.in["time_zone"] = zone
		}
		return r
	}
	until := func(fact, starts, ends string) row {
		return row{fact: fact, in: args{"starts_at": starts}, holds: holds{"ends_at": ends}}
	}
	days := func(first, last string, in args) row {
		want := holds{"all_day": true, "starts_at": first, "ends_at": last}
		return row{fact: "a date without a time is a whole day: " + first, in: in, holds: want, then: kept(want)}
	}
	cases(t, "create_schedule_entry", args{"project": launch, "summary": "Call", "starts_at": "2000-01-10T09:00"},
		row{fact: "a meeting is scheduled in one call", in: args{"summary": " Brake review ", "starts_at": "2000-01-05T10:00", "ends_at": "2000-01-05T11:30", "notes": "Bring the **pads**.", "mentions": []string{"Priya"}, "participants": []string{"Sam", "me"}, "notify": true},
			holds: holds{"summary": "Brake review", "type": "schedule_entry", "starts_at": "2000-01-05T10:00:00+01:00", "ends_at": "2000-01-05T11:30:00+01:00", "all_day": nil, "participants.*.name": []string{"Sam Okafor", "Ines Albrecht"},
				"notes": has("**pads**"), "project.name": launch, "url": some, "author.name": "Ines Albrecht"},
			then: kept(holds{"status": "active", "starts_at": "2000-01-05T09:00:00.000Z", "ends_at": "2000-01-05T10:30:00.000Z", "description": has("application/vnd.basecamp.mention")})},
		in("", "Ines Albrecht", "2000-01-10T09:00", "2000-01-10T08:00:00.000Z", "2000-01-10T09:00:00+01:00"),
		in("", "Ines Albrecht", "2000-07-10 09:00", "2000-07-10T07:00:00.000Z", "2000-07-10T09:00:00+02:00"),
		in("", "Priya Raman", "2000-07-10T09:00", "2000-07-10T03:30:00.000Z", "2000-07-10T09:00:00+05:30"),
		in("Asia/Kolkata", "Ines Albrecht", "2000-07-10T09:00", "2000-07-10T03:30:00.000Z", "2000-07-10T09:00:00+05:30"),
		in("Europe/Berlin", "Marguerite Osei", "2000-07-10T09:00", "2000-07-10T07:00:00.000Z", "2000-07-10T09:00:00+02:00"),
		in("", "Priya Raman", "2000-07-10T09:00:00-04:00", "2000-07-10T13:00:00.000Z", "2000-07-10T18:30:00+05:30"),
		until("it lasts an hour by default", "2000-01-10T09:00", "2000-01-10T10:00:00+01:00"),
		until("an hour into the next day", "2000-01-10T23:30", "2000-01-11T00:30:00+01:00"),
		until("an hour although clocks go forward", "2000-03-26T01:30", "2000-03-26T03:30:00+02:00"),
		until("an hour with its seconds", "2000-01-10T09:00:15Z", "2000-01-10T11:00:15+01:00"),
		days("2000-02-03", "2000-02-03", args{"starts_at": "2000-02-03"}),
		days("2000-01-07", "2000-01-07", args{"starts_at": "Friday"}),
		days("2000-01-07", "2000-01-10", args{"starts_at": "friday", "ends_at": "2000-01-10", "all_day": true}),
		days("2000-02-03", "2000-02-05", args{"starts_at": "2000-02-03", "ends_at": "2000-02-05"}),
		row{fact: "an end without a day is on the day of the start", in: args{"starts_at": "December 7 3pm", "ends_at": "17:00"}, holds: holds{"starts_at": "2000-12-07T15:00:00+01:00", "ends_at": "2000-12-07T17:00:00+01:00"}, then: []row{
			{fact: "a start without a day stays on the entry's day", tool: "update_schedule_entry", in: args{"entry": "{.id}", "starts_at": "9:30"}, holds: holds{"starts_at": "2000-12-07T09:30:00+01:00", "ends_at": "2000-12-07T11:30:00+01:00"}}}},
		row{fact: "a time without a day is today", in: args{"starts_at": "5 pm"}, holds: holds{"starts_at": "2000-01-01T17:00:00+01:00"}},
		invalid("a time that has passed may mean two days", args{"starts_at": "00:30"}, "starts_at", "2000-01-01T00:30", "2000-01-02T00:30"),
		invalid("a time may be there twice", args{"starts_at": "2000-10-29 02:30"}, "starts_at", "2000-10-29T02:30:00+02:00", "2000-10-29T02:30:00+01:00"),
		invalid("a time may not be there at all", args{"starts_at": "2000-03-26T02:30"}, "starts_at", "does not exist", "Europe/Berlin"),
		invalid("a summary is required", args{"summary": " \n"}, "summary", "blank"),
		invalid("a start is required", args{"starts_at": ""}, "starts_at"),
		invalid("a start is a time", args{"starts_at": "at nine"}, "starts_at", "at nine", "friday 10:00"),
		invalid("a time is one of the day", args{"starts_at": "friday 25:00"}, "starts_at", "friday 25:00"),
		invalid("next sunday may mean two", args{"starts_at": "next sunday 10:00"}, "starts_at", "2000-01-02", "2000-01-09"),
		invalid("a day does not end at a time", args{"starts_at": "this friday", "ends_at": "this friday 10:00"}, "ends_at", "whole days"),
		invalid("days do not end at a time", args{"starts_at": "2000-01-10", "ends_at": "2000-01-10T10:00"}, "ends_at", "whole days"),
		invalid("a whole day has no time", args{"starts_at": "2000-01-10T09:00", "all_day": true}, "starts_at", "date", "all_day"),
		invalid("a time does not end with a day", args{"ends_at": "2000-01-10"}, "ends_at", "time of day", "all_day"),
		invalid("it does not end before it starts", args{"ends_at": "2000-01-10T08:59"}, "ends_at", "before starts_at", "2000-01-10T09:00:00+01:00"),
		invalid("days neither", args{"starts_at": "2000-01-10", "ends_at": "2000-01-09"}, "ends_at", "before starts_at", "2000-01-10"),
		invalid("the zone must exist", args{"time_zone": "Nowhere"}, "time_zone", "Europe/Berlin"),
		invalid("only participants are notified", args{"notify": true}, "notify", "participants"),
		invalid("participants must be on the project", args{"participants": "Lieke"}, "participants[0]", "not on the project"),
		invalid("whom it mentions must be on the project", args{"mentions": []string{"Sam Lindqvist"}, "notes": "x"}, "mentions[0]", "not on the project"),
		row{fact: "participants must exist", in: args{"participants": []string{"Priya", "Zacharias"}}, fails: fault.NotFound, says: says{"participants[1]", "Zacharias"}},
		row{fact: "a name must fit one person", in: args{"project": "Company HQ", "participants": "Sam"}, fails: fault.Ambiguous, says: says{"participants[0]", "Sam"}},
		row{fact: "the project must have a schedule", in: args{"project": "Customer Care"}, fails: fault.ToolNotEnabled, says: says{"schedule"}},
		row{fact: "of several schedules one is named", before: []string{`POST /buckets/{project:Cargo Bike Launch}/dock/tools.json {"tool_type":"Schedule","title":"Shifts"}`}, fails: fault.Ambiguous, says: says{"schedule"}, holds: holds{"data.candidates.#": 2}, then: []row{
			{in: args{"schedule": "shifts"}, writes: []string{"POST /schedules/{tool:schedule 1@Cargo Bike Launch}/entries.json"}}}},
	)
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
		{timedFitting, args{"notes": " ", "participants": []string{}}, []string{"description", "participants"}, "2000-01-20T09:30:00.250Z", "2000-01-20T10:15:00.500Z"},
		{daysFitting, args{"all_day": false, "starts_at": "2000-01-20T09:00"}, []string{"all_day", "ends_at", "starts_at"}, "2000-01-20T08:00:00.000Z", "2000-01-20T09:00:00.000Z"},
	} {
		unlimited(t, func(d *toolEnv) {
			after, changed := changedEntry(d, richEntry(d, c.span), c.in)
			if !slices.Equal(changed, c.changed) || after["starts_at"] != c.starts || after["ends_at"] != c.ends {
				d.Errorf("%v changed %v, to %v until %v", c.in, changed, after["starts_at"], after["ends_at"])
			}
		})
	}
}

func TestUpdateScheduleEntry(t *testing.T) {
	const closed = "{Schedule::Entry:Powder coater closed@Cargo Bike Launch}"
	timed := func(d *toolEnv) { _ = richEntry(d, timedFitting) }
	bad := func(fact string, in args, words ...string) row {
		r := invalid(fact, in, words...)
		if in["entry"] == nil {
			r.in["entry"], r.setup = "{Schedule::Entry:Fitting@Cargo Bike Launch}", timed
		}
		return r
	}
	lost := func(fact string, in args, words ...string) row {
		return row{fact: fact, in: in, fails: fault.NotFound, says: words}
	}
	cases(t, "update_schedule_entry", nil,
		row{fact: "mentions of the old notes stay, and long ones are cut in the answer", setup: timed, in: args{"entry": "{Schedule::Entry:Fitting@Cargo Bike Launch}", "notes": "Asked [@Noémie] " + strings.Repeat("again and ", 100)},
			holds: holds{"truncated": true, "notes": most(parts.MaxWritten)}, then: []row{{tool: "GET /schedule_entries/{.id}.json", holds: holds{"description": has("<bc-attachment sgid=")}}}},
		lost("the entry must be in the project", args{"entry": "{Schedule::Entry:Photographer@Cargo Bike Launch}", "project": "Company HQ", "summary": "x"}, "entry", "project"),
		lost("the nearest entries are told", args{"entry": "Fotograf", "project": launch, "summary": "x"}, "entry", "nearest", "Photographer"),
		lost("the entry must exist", args{"entry": 1, "summary": "x"}),
		// Basecamp would ignore the change and answer with the first occurrence.
		row{fact: "a recurring entry is changed in Basecamp", in: args{"project": launch, "starts_at": "2000-01-10T10:00"}, each: []args{{"entry": "Launch stand-up"}, {"entry": "launch  STAND-UP"}},
			fails: fault.InvalidInput, says: says{"entry", "recurring entry (every Saturday)", "https://3.basecamp.com/"}},
		bad("a change is required", args{}, "nothing to change", "summary"),
		bad("a zone and a notice are none", args{"notify": true, "time_zone": "Asia/Kolkata"}, "nothing to change"),
		bad("a summary is not blank", args{"summary": "  "}, "summary", "blank"),
		bad("a timed entry starts at a time", args{"starts_at": "friday"}, "starts_at", "time of day", "all_day"),
		bad("it does not end before it starts", args{"ends_at": "2000-01-20T10:00"}, "ends_at", "before starts_at"),
		bad("the zone must exist", args{"summary": "x", "time_zone": "Mars"}, "time_zone"),
		bad("mentions need notes", args{"mentions": "Priya", "summary": "x"}, "mentions", "notes"),
		bad("whom it mentions must be on the project", args{"notes": "x", "mentions": "Lieke"}, "mentions[0]"),
		bad("participants must be on the project", args{"participants": "Lieke"}, "participants[0]", "not on the project"),
		bad("only participants are notified", args{"participants": []string{}, "notify": true}, "notify", "no participants"),
		bad("a timed entry has a time", args{"entry": closed, "all_day": false}, "starts_at", "time of day"),
		bad("a whole day has none", args{"entry": closed, "starts_at": "2000-01-10T09:00"}, "starts_at", "whole days", "all_day to false"),
		bad("only those who take part are notified", args{"entry": closed, "summary": "x", "notify": true}, "notify"),
	)
}
