package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// projectIn returns the report on a project, or an empty one.
func projectIn(v overview.Report, project string) overview.ProjectReport {
	i := slices.IndexFunc(v.Projects, func(p overview.ProjectReport) bool { return p.Project.Name == project })
	if i < 0 {
		return overview.ProjectReport{}
	}
	return v.Projects[i]
}

// titlesOf returns the titles of a section.
func titlesOf(s *overview.ReportSection) []string {
	if s == nil {
		return nil
	}
	titles := make([]string, len(s.Items))
	for i, item := range s.Items {
		titles[i] = item.Title
	}
	return titles
}

func TestGetReport_ShowsWhatOtherToolsShow(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[overview.Report](d, "get_report", args{"project": launch, "format": "structured"})
		here := projectIn(got, launch)
		var done, late, ahead, said []string
		for _, task := range all[work.TaskItem](d, "list_work", args{"project": launch, "state": "completed", "from": got.From}) {
			done = append(done, task.Title)
		}
		for _, task := range all[work.TaskItem](d, "list_work", args{"project": launch, "state": "overdue"}) {
			late = append(late, task.Title)
		}
		for _, item := range all[calendar.UpcomingItem](d, "get_upcoming", args{"project": launch, "to": got.UpcomingTo}) {
			ahead = append(ahead, item.Title)
		}
		for _, m := range all[texts.MessageItem](d, "list_messages", args{"project_id": launch}) {
			if m.CreatedAt.Format(time.DateOnly) >= got.From {
				said = append(said, m.Subject)
			}
		}
		for name, pair := range map[string][2][]string{
			"completed": {titlesOf(here.Completed), done}, "overdue": {titlesOf(here.Overdue), late}, "upcoming": {titlesOf(here.Upcoming), ahead},
			"decided": {titlesOf(here.Messages), said},
		} {
			if shown := pair[0]; len(shown) < 10 && len(shown) < len(pair[1]) || len(shown) == 0 || !slices.Equal(shown, pair[1][:len(shown)]) {
				d.Errorf("%s: got %q\nwant %q", name, shown, pair[1])
			}
		}
		want := overview.ReportCounts{Completed: len(done), Overdue: len(late), Upcoming: len(ahead), Messages: len(said)}
		if got.Counts != want || len(got.Projects) != 1 || got.Markdown != "" || got.TimeZone != "Europe/Berlin" || got.From != "1999-12-25" || got.To != "2000-01-01" {
			d.Errorf("got %+v, want %+v", got, want)
		}
		if first := here.Completed.Items[0]; first.Who == "" || first.Item == "" || first.Day == "" {
			d.Errorf("got %+v", first)
		}
		call[texts.Message](d, "get_message", args{"message_id": here.Messages.Items[0].Item}) // as tools take it
		call[todos.Todo](d, "get_todo", args{"todo_id": here.Overdue.Items[0].Item})
	})
}

func TestGetReport_WritesTheSameInMarkdown(t *testing.T) {
	at(t, func(d *toolEnv) {
		page := call[overview.Report](d, "get_report", args{"project": launch})
		fields := projectIn(call[overview.Report](d, "get_report", args{"project": launch, "format": "structured"}), launch)
		if page.Projects != nil || !strings.Contains(page.Markdown, "## "+launch+"\nSeen by 11 people\nCompleted:\n- ") {
			d.Errorf("got %s", page.Markdown)
		}
		for _, section := range []*overview.ReportSection{fields.Completed, fields.Overdue, fields.Upcoming, fields.Messages} {
			for _, item := range section.Items {
				if line := fmt.Sprintf("- %s (%s) ", item.Title, item.Item); !strings.Contains(page.Markdown, line) {
					d.Errorf("%q is missing", line)
				}
			}
		}
	})
}

func TestGetReport_CountsWhatDoesNotFit(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[overview.Report](d, "get_report", args{"format": "structured", "from": "last_90_days"})
		var shown, more int
		for _, p := range got.Projects {
			for _, s := range []*overview.ReportSection{p.Completed, p.Overdue, p.Upcoming, p.Messages} {
				if s != nil {
					shown, more = shown+len(s.Items), more+s.More
				}
			}
		}
		if sum := got.Counts.Completed + got.Counts.Overdue + got.Counts.Upcoming + got.Counts.Messages; more == 0 || shown+more != sum || got.MoreProjects != 0 {
			d.Errorf("%d shown, %d more, %d counted", shown, more, sum)
		}
		for _, format := range []string{"markdown", "structured"} {
			if text, _ := d.raw("get_report", args{"format": format, "from": "last_90_days"}); len(text) > overview.MaxReport+200 || len(text) < overview.MaxReport/2 {
				d.Errorf("%s: %d bytes", format, len(text))
			}
		}
	})
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
			if size := len(v.Markdown); size > overview.MaxReport {
				t.Errorf("%+v: %d bytes", test, size)
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

func TestGetReport_CountsDaysInTheCallersTimeZone(t *testing.T) {
	// The same moment is 23:30 on Saturday in one of the places, and another day in the other.
	for zone, test := range map[string]struct{ offset, other string }{
		"Asia/Tokyo":          {"+09:00", "America/Los_Angeles"},
		"America/Los_Angeles": {"-08:00", "Asia/Tokyo"},
	} {
		inZone(t, zone, func(d *toolEnv) {
			moment, err := time.Parse(time.RFC3339, "2000-01-08T23:30:00"+test.offset)
			if err != nil {
				d.Fatal(err)
			}
			todo := d.sandbox.Find("Todo", "Print the serial number plates")
			time.Sleep(time.Until(moment.Add(-time.Second))) // of the test's own time
			d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", todo), "")

			got := call[overview.Report](d, "get_report", args{"format": "structured", "from": "today"})
			items := projectIn(got, launch).Completed.Items
			if len(items) != 1 || items[0].Day != "2000-01-08" || got.From != "2000-01-08" || got.TimeZone != zone {
				d.Errorf("%s: %+v", zone, got)
			}
			time.Sleep(time.Hour) // after midnight
			for since, want := range map[string]int{"yesterday": 1, "today": 0, "2000-01-08": 1, "2000-01-09": 0} {
				in := args{"from": since, "state": "completed", "kind": "todo"}
				if found := all[work.TaskItem](d, "list_work", in); len(found) != want {
					d.Errorf("%s, since %s: %+v", zone, since, found)
				}
			}
			day := all[work.TaskItem](d, "list_work", args{"since": "2000-01-08", "until": "2000-01-08", "state": "completed"})
			if len(day) != 1 || !strings.HasPrefix(day[0].CompletedAt.Format(time.RFC3339), "2000-01-08T23:30") {
				d.Errorf("%s: %+v", zone, day)
			}
			events := call[overview.Activity](d, "get_activity", args{"kinds": []string{"completed"}, "since": "2000-01-08", "until": "2000-01-08"})
			if len(events.Projects) != 1 || events.Projects[0].Days[0].Day != "2000-01-08" || events.Projects[0].Days[0].Items[0].At != "23:30" {
				d.Errorf("%s: %+v", zone, events)
			}
		})
	}
}

// On Sunday 2000-04-02, clocks in Havana go from midnight to 1:00.
func TestGetReport_CountsDaysWhereOneHasNoMidnight(t *testing.T) {
	inZone(t, "America/Havana", func(d *toolEnv) {
		time.Sleep(85*24*time.Hour + 10*time.Hour) // Sunday, 2000-03-26, 05:00
		ines := d.tokens["Ines Albrecht"]
		ines.AccessToken = d.sandbox.IssueToken(d.sandbox.Person("Ines Albrecht").ID)
		d.tokens["Ines Albrecht"] = ines
		if got := call[overview.Report](d, "get_report", args{}); got.UpcomingTo != "2000-04-02" || got.To != "2000-03-26" || got.From != "2000-03-19" {
			d.Errorf("from %s to %s, upcoming to %s", got.From, got.To, got.UpcomingTo)
		}
	})
}

func TestGetReport_TellsThatAPeriodEndsToday(t *testing.T) {
	at(t, func(d *toolEnv) {
		for to, want := range map[string][]string{
			"today": nil, "yesterday": nil, "2000-01-02": {`to: "2000-01-02" -> what was done until today, 2000-01-01, and what is upcoming until 2000-01-02`},
		} {
			got := call[struct {
				To         string   `json:"to"`
				Understood []string `json:"understood"`
			}](d, "get_report", args{"to": to})
			if !slices.Equal(got.Understood, want) || got.To > "2000-01-01" {
				d.Errorf("%s: %+v", to, got)
			}
		}
	})
}

func TestGetReport_TakesAnyPeriod(t *testing.T) {
	at(t, func(d *toolEnv) { // Saturday, 2000-01-01, 01:00 in Berlin
		for _, test := range []struct {
			in              args
			from, to, ahead string
		}{
			{args{}, "1999-12-25", "2000-01-01", "2000-01-08"},
			{args{"from": "this_week"}, "1999-12-27", "2000-01-01", "2000-01-08"},
			{args{"from": "last week"}, "1999-12-20", "1999-12-26", "2000-01-08"},
			{args{"from": "last_month"}, "1999-12-01", "1999-12-31", "2000-01-08"},
			{args{"from": "this_month"}, "2000-01-01", "2000-01-01", "2000-01-08"},
			{args{"from": "1999-12-20", "to": "wednesday"}, "1999-12-20", "1999-12-29", "2000-01-08"},
			{args{"to": "1999-12-20"}, "1999-12-13", "1999-12-20", "2000-01-08"},
			{args{"since": "1999-12-20", "until": "wednesday"}, "1999-12-20", "1999-12-29", "2000-01-08"},
			{args{"from": "friday", "to": "2000-03-01"}, "1999-12-31", "2000-01-01", "2000-03-01"},
		} {
			test.in["format"] = "structured"
			got := call[overview.Report](d, "get_report", test.in)
			if got.From != test.from || got.To != test.to || got.UpcomingTo != test.ahead {
				d.Errorf("%v: %s to %s, upcoming to %s", test.in, got.From, got.To, got.UpcomingTo)
			}
			for _, p := range got.Projects {
				for _, s := range []*overview.ReportSection{p.Completed, p.Messages} {
					if s != nil && slices.ContainsFunc(s.Items, func(i overview.ReportItem) bool { return i.Day < test.from || i.Day > test.to }) {
						d.Errorf("%v: %+v", test.in, s.Items)
					}
				}
			}
		}
		d.fails(fault.InvalidInput, "get_report", args{"from": "friday", "to": "1999-12-20"}, "to: ", "before from")
		d.fails(fault.InvalidInput, "get_report", args{"to": "last_7_days"}, "to: ", "beginning")
		d.fails(fault.InvalidInput, "get_report", args{"from": "2000-02-01"}, "from: ", "future")
		d.fails(fault.InvalidInput, "get_report", args{"to": "2001-02-01"}, "to: ", "within a year")
		d.fails(fault.InvalidInput, "get_report", args{"format": "html"}, "format", "structured")
	})
}

// The sums are those of the items that the report and other tools list.
func TestGetReport_CountsByPerson(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project": launch, "from": "last_30_days", "to": "2000-01-05", "format": "structured"}
		whole := call[overview.Report](d, "get_report", in)
		want := map[string]overview.PersonCounts{}
		count := func(who []string, add overview.PersonCounts) {
			if len(who) == 0 {
				who = []string{"no one"}
			}
			for _, name := range who {
				c := want[name]
				want[name] = overview.PersonCounts{Name: name, Done: c.Done + add.Done, Overdue: c.Overdue + add.Overdue, Due: c.Due + add.Due}
			}
		}
		named := func(people []lookup.Ref) []string {
			return lookup.Mapped(people, func(p lookup.Ref) string { return p.Name })
		}
		for _, done := range whole.Projects[0].Completed.Items {
			count(strings.Split(done.Who, ", "), overview.PersonCounts{Done: 1})
		}
		for _, t := range all[work.TaskItem](d, "list_work", args{"project": launch, "state": "overdue"}) {
			count(named(t.Assignees), overview.PersonCounts{Overdue: 1})
		}
		for _, u := range all[calendar.UpcomingItem](d, "get_upcoming", args{"project": launch, "from": "2000-01-01", "to": "2000-01-05"}) {
			if u.Type != "schedule_entry" {
				count(named(u.People), overview.PersonCounts{Due: 1})
			}
		}
		for _, p := range whole.ByPerson {
			if id := p.ID; (id == 0) != (p.Name == "no one") || (overview.PersonCounts{Name: p.Name, Done: p.Done, Overdue: p.Overdue, Due: p.Due}) != want[p.Name] {
				d.Errorf("got %+v, want %+v", p, want[p.Name])
			}
		}
		if len(whole.ByPerson) != len(want) || len(want) < 5 || whole.UpcomingTo != "2000-01-05" {
			d.Errorf("%d people, want %+v; %+v", len(whole.ByPerson), want, whole.ByPerson)
		}
		in["detail"] = "counts"
		got := call[overview.Report](d, "get_report", in)
		if !slices.Equal(got.ByPerson, whole.ByPerson) || len(got.ByProject) != 1 || got.ByProject[0].ReportCounts != whole.Counts || got.Counts != whole.Counts || got.Projects != nil || got.Markdown != "" {
			d.Errorf("counts: %+v", got)
		}
		in["person"] = "Sam Okafor"
		if one := call[overview.Report](d, "get_report", in); len(one.ByPerson) != 1 || one.ByPerson[0].Overdue != want["Sam Okafor"].Overdue {
			d.Errorf("of one person: %+v", one.ByPerson)
		}
	})
}

func TestGetReport_ShowsOnePerson(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[overview.Report](d, "get_report", args{"person": "Sam Okafor", "format": "structured", "from": "last_30_days"})
		for _, p := range got.Projects {
			for name, s := range map[string]*overview.ReportSection{"completed": p.Completed, "overdue": p.Overdue, "upcoming": p.Upcoming, "decided": p.Messages} {
				if s != nil && slices.ContainsFunc(s.Items, func(i overview.ReportItem) bool { return !strings.Contains(i.Who, "Sam Okafor") }) {
					d.Errorf("%s of %s: %+v", name, p.Project.Name, s.Items)
				}
			}
		}
		if c := got.Counts; c.Completed == 0 || c.Overdue == 0 || c.Upcoming == 0 || c.Messages == 0 {
			d.Errorf("got %+v", c)
		}
		if mine := call[overview.Report](d, "get_report", args{"person": "me"}); mine.Counts == got.Counts || mine.Counts.Overdue == 0 {
			d.Errorf("mine: %+v", mine.Counts)
		}
		d.fails(fault.Ambiguous, "get_report", args{"person": "Sam"}, "person")
		d.fails(fault.NotFound, "get_report", args{"project": "Cargo Bike Lunch"}, "project", launch)
	})
}

func TestGetReport_SaysIfThereIsNothingToReport(t *testing.T) {
	at(t, func(d *toolEnv) {
		created := call[struct{ Result projects.ProjectItem }](d, "change_basecamp", args{"operation": "create_project", "name": "Quiet"}).Result
		page := call[overview.Report](d, "get_report", args{"project": created.ID})
		if !strings.Contains(page.Markdown, "0 completed, 0 overdue now, 0 upcoming") || len(page.LeftOut) > 0 {
			d.Errorf("got %+v", page)
		}
		if fields := call[overview.Report](d, "get_report", args{"project": created.ID, "format": "structured"}); fields.Projects == nil || len(fields.Projects) > 0 {
			d.Errorf("got %+v", fields)
		}
	})
}

func TestGetReport_SaysThatBasecampReportsOnlyOnActiveProjects(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("PUT", fmt.Sprintf("/projects/%d/status/archived.json", d.sandbox.ProjectID(launch)), "")
		if everywhere := call[overview.Report](d, "get_report", args{"format": "structured"}); projectIn(everywhere, launch).Completed != nil || len(everywhere.LeftOut) > 0 {
			d.Errorf("got %+v", everywhere)
		}
		got := call[overview.Report](d, "get_report", args{"project": d.sandbox.ProjectID(launch), "format": "structured"})
		if len(got.LeftOut) != 1 || !strings.Contains(got.LeftOut[0], "archived") {
			d.Errorf("got %+v", got)
		}
	})
}

func TestGetReport_FailsIfNothingCanBeRead(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[projects.Me](d, "get_me", args{}) // remembers the time zone
		d.sandbox.Inject(sandbox.Fault{Method: http.MethodGet, Status: 503})
		d.fails(fault.UpstreamError, "get_report", args{})
	})
}

func TestGetReport_LeavesOutWhatItCannotRead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	parts := map[string]string{
		"/todos/completed.json": "completed to-dos: ", "/cards/completed.json": "completed cards: ", "/projects/recordings.json": "messages: ",
		"/todos/overdue.json": "overdue to-dos: ", "/cards/overdue.json": "overdue cards: ", "/reports/schedules/upcoming.json": "upcoming: ",
	}
	for name, x := range map[string]struct {
		fault sandbox.Fault
		want  fault.Code // "" if the part is left out
	}{
		"401": {sandbox.Fault{Status: 401}, fault.TokenExpired}, "429": {sandbox.Fault{Status: 429, Header: http.Header{"Retry-After": {"60"}}}, ""},
		"403": {sandbox.Fault{Status: 403}, ""}, "404": {sandbox.Fault{Status: 404}, ""}, "503": {sandbox.Fault{Status: 503}, ""},
		"garbage": {sandbox.Fault{Garbage: true}, ""}, "hangs": {sandbox.Fault{Hang: true}, ""},
	} {
		for path, part := range parts {
			at(t, func(d *toolEnv) {
				broken := x.fault
				broken.Method, broken.PathPrefix = http.MethodGet, path
				d.sandbox.Inject(broken)
				if x.want != "" {
					d.fails(x.want, "get_report", args{"project": launch})
					return
				}
				got := call[overview.Report](d, "get_report", args{"project": launch})
				if len(got.LeftOut) != 1 || !strings.HasPrefix(got.LeftOut[0], part) || !strings.Contains(strings.SplitN(got.Markdown, "\n## ", 2)[0], "Not in this report: "+part) {
					d.Errorf("%s of %s: %q", name, path, got.LeftOut)
				}
			})
		}
	}
}

func TestGetReport_SaysIfThereAreTooManyMessages(t *testing.T) {
	at(t, func(d *toolEnv) {
		board := d.sandbox.ToolID(launch, "message_board")
		for range 900 {
			d.meanwhile("POST", fmt.Sprintf("/message_boards/%d/messages.json", board), `{"subject":"s","content":"c","status":"active","subscriptions":[]}`)
		}
		got := call[overview.Report](d, "get_report", args{"format": "structured"})
		if len(got.LeftOut) != 1 || !strings.Contains(got.LeftOut[0], "too many messages") || got.Counts.Overdue == 0 {
			d.Errorf("got %v, %+v", got.LeftOut, got.Counts)
		}
	})
}

func TestGetReport_AsksFiveThingsAtOnce(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		for range 6 { // who sees the projects is remembered
			call[overview.Report](d, "get_report", args{})
		}
		d.sandbox.Inject(sandbox.Fault{Method: http.MethodGet, Delay: time.Second})
		start := time.Now()
		call[overview.Report](d, "get_report", args{})
		if took := time.Since(start); took > 2500*time.Millisecond { // two pages, one after the other
			t.Errorf("took %v", took)
		}
	})
}

func TestGetReport_CoversItsFirstDayWhole(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", d.sandbox.Find("Todo", "Print the serial number plates")), "")
		time.Sleep(7*24*time.Hour + time.Hour) // of the test's own time
		got := call[overview.Report](d, "get_report", args{"project": launch, "format": "structured"})
		if done := titlesOf(projectIn(got, launch).Completed); got.From != "2000-01-01" || !slices.Contains(done, "Print the serial number plates") {
			d.Errorf("since %s: %q", got.From, done)
		}
	})
}
