package basecamptools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// passing lets the test's own time pass.
func passing(wait time.Duration) func(*toolEnv) {
	return func(*toolEnv) { time.Sleep(wait) }
}

// In Berlin it is Saturday, 1 January 2000, 01:00.
func TestGetReport(t *testing.T) {
	const launchCounts = `{"completed":12,"overdue":15,"upcoming":59,"messages":6}`
	period := func(fact, from, to, ahead string, in args) row {
		return row{fact: fact, in: in, holds: holds{"from": from, "to": to, "upcoming_to": ahead}}
	}
	cases(t, "get_report", args{"project": launch, "format": "structured"},
		row{fact: "it shows what other tools list", says: says{`"counts":` + launchCounts},
			holds: holds{"projects.#": 1, "markdown": nil, "time_zone": "Europe/Berlin", "projects.0.seen_by": "11 people", "projects.0.completed.items.0": args{
				"item": "todo:{Todo:Book the hall for the dealers' evening}", "title": "Book the hall for the dealers' evening", "day": "1999-12-30", "who": "Hanna Koivisto"}},
			then: []row{
				{tool: "list_work", in: args{"project": launch, "state": "completed", "from": "{0.from}"}, holds: holds{"items.*.title": "{0.projects.0.completed.items.*.title}", "items.#": 12}},
				{tool: "list_work", in: args{"project": launch, "state": "overdue"}, holds: holds{"items.*.title": "{0.projects.0.overdue.items.*.title}", "items.#": 15}},
				{tool: "get_upcoming", in: args{"project": launch, "to": "{0.upcoming_to}", "limit": 100}, holds: holds{"items.0.title": "{0.projects.0.upcoming.items.0.title}", "items.#": 59}},
				{tool: "get_message", in: args{"message_id": "{0.projects.0.messages.items.0.item}"}, holds: holds{"subject": "{0.projects.0.messages.items.0.title}"}},
				{tool: "get_todo", in: args{"todo_id": "{0.projects.0.overdue.items.0.item}"}, holds: holds{"title": "Long hill with 60 kg and a cold motor"}},
			}},
		row{fact: "Markdown says the same", in: args{"format": nil}, holds: holds{"projects": nil}, says: says{
			`"counts":` + launchCounts, `12 completed, 15 overdue now, 59 upcoming until 2000-01-08, 6 messages posted.`,
			`## Cargo Bike Launch\nSeen by 11 people\nCompleted:\n- Book the hall for the dealers' evening (todo:{Todo:Book the hall for the dealers' evening}) Thu 1999-12-30, Hanna Koivisto\n`,
			`Overdue:\n- Long hill with 60 kg and a cold motor (todo:`, `Upcoming:\n- Write the safety page of the manual (todo:`, "Launch stand-up (schedule_entry:", "Where we are, seven weeks before the launch (message:"}},
		row{fact: "what does not fit is counted", in: args{"project": nil, "from": "last_90_days"}, holds: holds{"projects.0.upcoming.more": some, "more_projects": nil},
			says: says{`"counts":{"completed":111,"overdue":52,"upcoming":116,"messages":60}`}},

		period("a week is usual", "1999-12-25", "2000-01-01", "2000-01-08", nil),
		period("this week begins on Monday", "1999-12-27", "2000-01-01", "2000-01-08", args{"from": "this_week"}),
		period("last week", "1999-12-20", "1999-12-26", "2000-01-08", args{"from": "last week"}),
		period("last month", "1999-12-01", "1999-12-31", "2000-01-08", args{"from": "last_month"}),
		period("this month", "2000-01-01", "2000-01-01", "2000-01-08", args{"from": "this_month"}),
		period("an end alone has a week before it", "1999-12-13", "1999-12-20", "2000-01-08", args{"to": "1999-12-20"}),
		period("since and until mean the same", "1999-12-20", "1999-12-29", "2000-01-08", args{"since": "1999-12-20", "until": "wednesday"}),
		period("a later end is for what is upcoming", "1999-12-31", "2000-01-01", "2000-03-01", args{"from": "friday", "to": "2000-03-01"}),
		row{fact: "both days of a period count whole", in: args{"from": "1999-12-26", "to": "wednesday"}, holds: holds{"to": "1999-12-29", "projects.0.messages.items.*.day": []string{"1999-12-28", "1999-12-27", "1999-12-26", "1999-12-26"},
			"projects.0.completed.items.*.day": []string{"1999-12-29", "1999-12-29", "1999-12-28", "1999-12-27", "1999-12-27", "1999-12-26", "1999-12-26", "1999-12-26"}}},
		invalid("it does not end before it begins", args{"from": "friday", "to": "1999-12-20"}, "to: "),
		invalid("its end is a day", args{"to": "last_7_days"}, "to: "),
		invalid("it begins today at the latest", args{"from": "2000-02-01"}, "future"),
		invalid("it ends within a year", args{"to": "2001-02-01"}, "to: must be within a year"),
		invalid("there are two formats", args{"format": "html"}, "structured"),
		row{fact: "an end in the future is told, as today ends what was done", in: args{"to": "2000-01-02"}, holds: holds{"to": "2000-01-01",
			"understood": []string{`to: "2000-01-02" -> what was done until today, 2000-01-01, and what is upcoming until 2000-01-02`}}},
		row{fact: "other ends need no words", each: []args{{"to": "today"}, {"to": "yesterday"}}, holds: holds{"understood": nil}},

		row{fact: "people are counted too", in: args{"from": "last_30_days", "to": "2000-01-05", "detail": "counts"},
			holds: holds{"by_person.0": args{"id": "{person:Hanna Koivisto}", "name": "Hanna Koivisto", "done": 5, "overdue": 4, "due": 7}, "by_person.#": 11, "projects": nil, "markdown": nil,
				"by_project": []args{{"project": args{"id": "{project:Cargo Bike Launch}", "name": launch}, "completed": 47, "overdue": 15, "upcoming": 45, "messages": 27}}},
			then: []row{
				{in: args{"from": "last_30_days", "to": "2000-01-05"}, holds: holds{"by_person": "{0.by_person}", "counts": "{0.counts}", "projects.0.completed.items": some}},
				{tool: "list_work", in: args{"project": launch, "state": "overdue", "assignee": "Hanna"}, holds: holds{"items.#": 4}},
				{fact: "of one person", in: args{"from": "last_30_days", "to": "2000-01-05", "detail": "counts", "person": "Sam Okafor"},
					holds: holds{"by_person": []args{{"id": "{person:Sam Okafor}", "name": "Sam Okafor", "done": 3, "overdue": 1, "due": 6}}}},
			}},
		row{fact: "one person's report has only what is theirs", in: args{"person": "Sam Okafor", "from": "last_30_days"}, holds: holds{
			"projects.0.completed.items.*.who": has("Sam Okafor"), "projects.0.overdue.items.*.who": has("Sam Okafor"), "projects.0.upcoming.items.*.who": has("Sam Okafor"), "projects.0.messages.items.*.who": has("Sam Okafor")}},
		row{fact: "one's own too", in: args{"project": nil, "person": "me"}, says: says{`"counts":{"completed":1,"overdue":7,"upcoming":14,"messages":2}`}},
		row{fact: "a name must fit one person", in: args{"project": nil, "person": "Sam"}, fails: fault.Ambiguous, says: says{"person"}},
		row{fact: "the project must exist", in: args{"project": "Cargo Bike Lunch"}, fails: fault.NotFound, says: says{"project", launch}},

		row{fact: "there may be nothing to report", before: []string{`POST /projects.json {"name":"Quiet"}`}, in: args{"project": "Quiet"}, holds: holds{"projects": []any{}}, then: []row{
			{in: args{"project": "Quiet", "format": nil}, holds: holds{"markdown": has("0 completed, 0 overdue now, 0 upcoming"), "left_out": nil}}}},
		row{fact: "Basecamp reports only on active projects", before: []string{"PUT /projects/{project:Cargo Bike Launch}/status/archived.json"}, in: args{"project": "{project:Cargo Bike Launch}"},
			holds: holds{"left_out.#": 1, "left_out.0": has("archived")}, then: []row{{in: args{"project": nil}, holds: holds{"left_out": nil}, misses: []string{launch}}}},
		row{fact: "the first day counts whole", before: []string{"POST /todos/{Todo:Print the serial number plates}/completion.json"}, setup: passing(7*24*time.Hour + time.Hour),
			holds: holds{"from": "2000-01-01", "projects.0.completed.items": has("Print the serial number plates")}},
		row{fact: "on a Sunday in April, clocks in Havana go from midnight to 1:00", before: []string{`PUT /my/profile.json {"time_zone_name":"America/Havana"}`}, setup: func(d *toolEnv) {
			time.Sleep(85*24*time.Hour + 10*time.Hour) // Sunday, 2000-03-26, 05:00
			ines := d.tokens["Ines Albrecht"]
			ines.AccessToken = d.sandbox.IssueToken(d.sandbox.Person("Ines Albrecht").ID)
			d.tokens["Ines Albrecht"] = ines
		}, holds: holds{"from": "2000-03-19", "to": "2000-03-26", "upcoming_to": "2000-04-02"}},
		row{fact: "nothing can be read", tool: "get_me", then: []row{{faults: faults{{Method: http.MethodGet, Status: 503}}, tool: "get_report", fails: fault.UpstreamError}}},
		row{fact: "too many messages are left out", setup: func(d *toolEnv) {
			for range 900 {
				d.meanwhile("POST", fmt.Sprintf("/message_boards/%d/messages.json", d.sandbox.ToolID(launch, "message_board")), `{"subject":"s","content":"c","status":"active","subscriptions":[]}`)
			}
		}, in: args{"project": nil}, holds: holds{"left_out.#": 1, "left_out.0": has("too many messages"), "counts.overdue": some}},
	)
}

func TestGetReport_LeavesOutWhatItCannotRead(t *testing.T) {
	var rows []row
	left := func(fact, part, path string, broken sandbox.Fault) {
		broken.Method, broken.PathPrefix = http.MethodGet, path
		rows = append(rows, row{fact: fact, faults: faults{broken}, holds: holds{"left_out.#": 1, "left_out.0": has(part + ": "), "markdown": has("Not in this report: " + part + ": ")}})
	}
	for part, path := range map[string]string{
		"completed to-dos": "/todos/completed.json", "completed cards": "/cards/completed.json", "messages": "/projects/recordings.json",
		"overdue to-dos": "/todos/overdue.json", "overdue cards": "/cards/overdue.json", "upcoming": "/reports/schedules/upcoming.json",
	} {
		left(part, part, path, sandbox.Fault{Status: 503})
	}
	for name, broken := range map[string]sandbox.Fault{
		"403": {Status: 403}, "404": {Status: 404}, "429": {Status: 429, Header: http.Header{"Retry-After": {"60"}}}, "garbage": {Garbage: true}, "no answer": {Hang: true},
	} {
		left(name, "overdue cards", "/cards/overdue.json", broken)
	}
	rows = append(rows, row{fact: "an expired token", faults: faults{{Status: 401, PathPrefix: "/cards/overdue.json"}}, fails: fault.TokenExpired})
	cases(t, "get_report", args{"project": launch}, rows...)
}

// portfolio returns the items of many projects.
func portfolio(projects, items int) (f overview.ReportFound) {
	for p := range projects {
		for i := range items {
			f.Completed = append(f.Completed, overview.Found{Project: lookup.ProjectRef{ID: int64(p + 1), Name: fmt.Sprintf("Project %d", p)}, ReportItem: overview.ReportItem{
				Item: fmt.Sprintf("todo:%d", 4812000000+p*items+i), Title: strings.Repeat("Long words ", 8), Day: "2026-11-20", Who: "Ines Albrecht",
			}})
		}
	}
	f.Overdue, f.Upcoming, f.Messages = f.Completed, f.Completed, f.Completed
	return f
}

func TestReport_FitsWhateverTheNumberOfProjects(t *testing.T) {
	for _, test := range []struct{ projects, items, least int }{{1, 400, 25}, {20, 40, 1}, {100, 3, 0}, {3000, 1, 0}} {
		f := portfolio(test.projects, test.items)
		for _, v := range []overview.Report{overview.Report{}.Fitted(f, true), overview.Report{}.Fitted(f, false)} {
			if text, _ := json.Marshal(v); len(text) > overview.MaxReport+2000 || len(v.Markdown) > overview.MaxReport {
				t.Errorf("%+v: %d bytes, %d of Markdown", test, len(text), len(v.Markdown))
			}
			shown := len(v.Projects) + strings.Count(v.Markdown, "\n## ")
			if shown == 0 || shown+v.MoreProjects != test.projects || test.projects <= 100 && v.MoreProjects > 0 && test.least > 0 {
				t.Errorf("%+v: %d projects and %d more", test, shown, v.MoreProjects)
			}
			for _, p := range v.Projects {
				if n := len(p.Overdue.Items); n < test.least || n+p.Overdue.More != test.items {
					t.Errorf("%+v: %d items and %d more", test, n, p.Overdue.More)
				}
			}
		}
	}
}

// The same moment is 23:30 on Saturday in one of the zones, and another day in the others.
func TestGetReport_CountsDaysInTheCallersTimeZone(t *testing.T) {
	late := func(zone, offset string) row {
		found := func(n int, in args) row {
			return row{tool: "list_work", in: in, each: []args{{"state": "completed", "kind": "todo"}}, holds: holds{"items.#": n}}
		}
		after := found(1, args{"from": "yesterday"})
		after.setup = passing(time.Hour)
		return row{fact: zone, before: []string{fmt.Sprintf(`PUT /my/profile.json {"time_zone_name":%q}`, zone)}, setup: func(d *toolEnv) {
			moment, _ := time.Parse(time.RFC3339, "2000-01-08T23:30:00"+offset)
			time.Sleep(time.Until(moment.Add(-time.Second)))
			d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", d.sandbox.Find("Todo", "Print the serial number plates")), "")
		}, holds: holds{"projects.0.completed.items.*.day": []string{"2000-01-08"}, "from": "2000-01-08", "time_zone": zone}, then: []row{
			after, found(0, args{"from": "today"}), found(1, args{"from": "2000-01-08"}), found(0, args{"from": "2000-01-09"}),
			{tool: "list_work", in: args{"since": "2000-01-08", "until": "2000-01-08", "state": "completed"}, holds: holds{"items.#": 1, "items.0.completed_at": has("2000-01-08T23:30")}},
			{tool: "get_activity", in: args{"kinds": []string{"completed"}, "since": "2000-01-08", "until": "2000-01-08"},
				holds: holds{"projects.#": 1, "projects.0.days.0.day": "2000-01-08", "projects.0.days.0.items.0.at": "23:30"}},
		}}
	}
	cases(t, "get_report", args{"project": launch, "format": "structured", "from": "today"}, late("Asia/Tokyo", "+09:00"), late("America/Los_Angeles", "-08:00"))
}
