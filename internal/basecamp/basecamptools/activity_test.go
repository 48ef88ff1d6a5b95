package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func happeningKey(h overview.Happening) string { return h.At.Format(time.RFC3339) + h.URL + h.What }

func keysOf(happenings []overview.Happening) []string {
	keys := make([]string, len(happenings))
	for i, h := range happenings {
		keys[i] = happeningKey(h)
	}
	return keys
}

func TestGetActivity_ListsTheLastWeekNewestFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		begin := time.Now().AddDate(0, 0, -7)
		week := all[overview.Happening](d, "get_activity", args{"detail": "full", "project": launch})
		if first := call[listing.Scroll[overview.Happening]](d, "get_activity", args{"detail": "full", "project": launch}); len(first.Items) != 15+30+50 || !first.HasMore || first.Total != nil {
			d.Errorf("%d at once, %v in all", len(first.Items), first.Total)
		}
		for _, h := range week {
			if h.Who.Name == "" || h.What == "" || h.Project.Name != launch || h.URL == "" || h.At.Before(begin) {
				d.Errorf("got %+v", h)
			}
		}
		if len(week) < 50 || !slices.IsSortedFunc(week, func(a, b overview.Happening) int { return b.At.Compare(a.At) }) {
			d.Errorf("%d events", len(week))
		}
		if !slices.ContainsFunc(week, func(h overview.Happening) bool { return h.Title == "Launch checklist" && h.Excerpt != "" }) {
			d.Error("no event of the to-dos")
		}
	})
}

func TestGetActivity_FiltersByPersonAndProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		everywhere := all[overview.Happening](d, "get_activity", args{"detail": "full", "person": "Noémie", "since": "1999-12-26"})
		here := all[overview.Happening](d, "get_activity", args{"detail": "full", "person": "Noémie", "project": launch, "since": "1999-12-26"})
		for _, h := range everywhere {
			if h.Who.Name != "Noémie Laurent" {
				d.Errorf("got %+v", h)
			}
		}
		want := lookup.Matching(everywhere, func(h overview.Happening) bool { return h.Project.Name == launch })
		if len(here) == 0 || !slices.Equal(keysOf(here), keysOf(want)) {
			d.Errorf("%d here, want %d", len(here), len(want))
		}
		if mine := all[overview.Happening](d, "get_activity", args{"detail": "full", "person": "me"}); len(mine) == 0 || mine[0].Who.Name != "Ines Albrecht" {
			d.Errorf("mine: %v", mine)
		}
		d.fails(fault.Ambiguous, "get_activity", args{"person": "Sam"}, "person")
		d.fails(fault.InvalidInput, "get_activity", args{"since": "2000-02-01"}, "since", "future")
	})
}

func TestGetActivity_ShowsOnlyWhatTheCallerCanSee(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("PUT", todoPath(d.sandbox.Find("Todo", "Call the insurer about demo rides")), `{"content":"Call the insurer"}`)
		for _, h := range all[overview.Happening](d.as("Lieke van der Meer"), "get_activity", args{"detail": "full", "since": "last_30_days"}) {
			if strings.Contains(h.Project.Name, launch) {
				d.Errorf("a client sees %+v", h)
			}
		}
	})
}

// The change of a project's people is an event without a page.
func TestGetActivity_LinksTheProjectForEventsWithoutAPage(t *testing.T) {
	at(t, func(d *toolEnv) {
		project := d.sandbox.ProjectID(launch)
		d.meanwhile("PUT", fmt.Sprintf("/projects/%d/people/users.json", project), fmt.Sprintf(`{"revoke":[%d]}`, d.sandbox.Person("Dele Adeyemi").ID))
		want := fmt.Sprintf("https://3.basecamp.com/%d/projects/%d", d.sandbox.Account(), project)
		for _, in := range []args{{"detail": "full"}, {"detail": "full", "project": launch}, {"detail": "full", "person": "me"}} {
			got := call[listing.Scroll[overview.Happening]](d, "get_activity", in).Items
			if len(got) == 0 || got[0].URL != want || got[0].Excerpt != "Dele Adeyemi was removed." {
				d.Errorf("%v: got %+v", in, got[:min(1, len(got))])
			}
			for _, h := range got {
				if h.URL == "" {
					d.Errorf("%v: no url: %+v", in, h)
				}
			}
		}
	})
}

// events pages through get_activity to its end, and returns all events with their projects and
// days.
func events(d *toolEnv, in args) []overview.DatedEvent {
	d.Helper()
	var found []overview.DatedEvent
	in = clone(in)
	for range 100 {
		page := call[overview.Activity](d, "get_activity", in)
		for _, p := range page.Projects {
			for _, day := range p.Days {
				for _, e := range day.Items {
					found = append(found, overview.DatedEvent{Project: p.Project, Day: day.Day, ActivityEvent: e})
				}
			}
		}
		if page.NextCursor == nil {
			return found
		}
		in["cursor"] = *page.NextCursor
	}
	d.Fatal("no end after 100 pages")
	return nil
}

// full returns the same list in full detail.
func full(d *toolEnv, in args) []overview.Happening {
	in = clone(in)
	in["detail"] = "full"
	return all[overview.Happening](d, "get_activity", in)
}

func TestGetActivity_GroupsByProjectAndDayInTheCallersTimeZone(t *testing.T) {
	at(t, func(d *toolEnv) {
		page := call[overview.Activity](d, "get_activity", args{})
		if page.TimeZone != "Europe/Berlin" || page.Items != nil || len(page.Projects) < 3 {
			d.Errorf("%d projects, zone %s", len(page.Projects), page.TimeZone)
		}
		names := map[string]bool{}
		for _, p := range page.Projects {
			if names[p.Project.Name] {
				d.Errorf("%s stands twice", p.Project.Name)
			}
			names[p.Project.Name] = true
			if !slices.IsSortedFunc(p.Days, func(a, b overview.DayActivity) int { return strings.Compare(b.Day, a.Day) }) {
				d.Errorf("%s: the days are not in order", p.Project.Name)
			}
			for _, day := range p.Days {
				if !slices.IsSortedFunc(day.Items, func(a, b overview.ActivityEvent) int { return strings.Compare(b.At, a.At) }) {
					d.Errorf("%s, %s: the events are not in order", p.Project.Name, day.Day)
				}
			}
		}
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			d.Fatal(err)
		}
		for _, limit := range []int{9, 100} {
			got := map[string]int{}
			for _, e := range events(d, args{"limit": limit}) {
				got[fmt.Sprint(e.Project.Name, e.Day, e.At, e.Who, e.Title)]++
			}
			want := map[string]int{}
			for _, h := range full(d, args{}) {
				want[fmt.Sprint(h.Project.Name, h.At.In(berlin).Format(time.DateOnly+"15:04"), h.Who.Name, h.Title)]++
			}
			if len(want) < 100 || fmt.Sprint(got) != fmt.Sprint(want) {
				d.Errorf("limit %d: %d events, want %d", limit, len(got), len(want))
			}
		}
	})
}

func TestGetActivity_NamesItemsAsToolsTakeThem(t *testing.T) {
	at(t, func(d *toolEnv) {
		read := map[string]bool{}
		for _, e := range events(d, args{"since": "last_30_days"}) {
			kind, _, _ := strings.Cut(e.Item, ":")
			if (e.Item == "") == (e.URL == "") && e.What != "changed who can access this project" {
				d.Errorf("got %+v", e)
			}
			if kind == "" || read[kind] || e.Project.Name != launch {
				continue
			}
			read[kind] = true
			if text, failed := d.raw("change_basecamp", args{"operation": "follow", "item": e.Item}); failed && !strings.Contains(text, "to-do list") {
				d.Errorf("%s: %s", e.Item, text)
			}
		}
		for _, kind := range []string{"todo", "card", "message", "comment", "upload", "document", "answer"} {
			if !read[kind] {
				d.Errorf("no event of a %s", kind)
			}
		}
	})
}

func TestGetActivity_SaysHowManyLinesAChatHasOnADay(t *testing.T) {
	at(t, func(d *toolEnv) {
		path := fmt.Sprintf("/chats/%d/lines.json", d.sandbox.ToolID(launch, "chat"))
		for i := range 60 {
			d.meanwhile("POST", path, fmt.Sprintf(`{"content":"Line %d"}`, i))
		}
		call[texts.PostedLine](d.as("Sam Okafor"), "post_chat_line", args{"to": launch, "text": "Line 61"})
		said := call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": launch, "since": "today", "limit": 200}).Items
		own := len(lookup.Matching(said, func(l texts.ChatLine) bool { return l.Author.Name == "Ines Albrecht" }))
		for person, want := range map[string]int{"Cargo": len(said), "me": own} {
			in := args{"project": launch, "since": "today", "kinds": []string{"chatted"}}
			if person == "me" {
				in["person"] = person
			}
			got := events(d, in)
			if got[0].Lines != want || got[0].AtLeast != 0 || want < 60 || slices.ContainsFunc(got[1:], func(e overview.DatedEvent) bool { return e.Lines != 0 }) {
				d.Errorf("%q: got %+v, want %d lines", person, got, want)
			}
			if all := full(d, in); all[0].Lines != want {
				d.Errorf("%q, in full: %+v", person, all)
			}
		}
		for i := range 150 {
			d.meanwhile("POST", path, fmt.Sprintf(`{"content":"More %d"}`, i))
		}
		if got := events(d, args{"project": launch, "since": "today", "kinds": []string{"chatted"}}); got[0].Lines != 0 || got[0].AtLeast != 195 {
			d.Errorf("got %+v, want at least 195 lines", got)
		}
	})
}

func TestGetActivity_FiltersByKind(t *testing.T) {
	at(t, func(d *toolEnv) {
		every := full(d, args{"since": "1999-12-02"})
		total := 0
		for kind, verbs := range map[string][]string{
			"completed": {"checked off", "finished"}, "added": {"added", "started"}, "posted": {"posted", "forwarded"}, "commented": {"commented"},
			"uploaded": {"uploaded"}, "moved": {"rescheduled"}, "answered": {"answered"}, "chatted": {"chatted"}, "other": {"changed who"},
		} {
			says := func(h overview.Happening) bool {
				return slices.ContainsFunc(verbs, func(verb string) bool { return strings.Contains(h.What, " "+verb) })
			}
			want := lookup.Matching(every, says)
			for _, limit := range []int{7, 100} {
				got := full(d, args{"since": "1999-12-02", "kinds": []string{kind}, "limit": limit})
				if !slices.Equal(keysOf(got), keysOf(want)) {
					d.Errorf("%s, limit %d: %d, want %d", kind, limit, len(got), len(want))
				}
			}
			total += len(want)
		}
		if total != len(every) || total < 200 {
			d.Errorf("%d of %d events", total, len(every))
		}
		two := full(d, args{"kinds": []string{"completed", "posted"}, "person": "me"})
		if len(two) == 0 || slices.ContainsFunc(two, func(h overview.Happening) bool { return h.Who.Name != "Ines Albrecht" }) {
			d.Errorf("got %+v", two)
		}
		d.fails(fault.InvalidInput, "get_activity", args{"kinds": []string{"done"}}, "kinds", "completed")
	})
}

func TestGetActivity_ReturnsExactlyTheRequestedPeriod(t *testing.T) {
	at(t, func(d *toolEnv) {
		every := full(d, args{"since": "1999-12-25"})
		begin := time.Date(1999, 12, 27, 23, 0, 0, 0, time.UTC) // midnight in Berlin
		for until, end := range map[string]time.Time{
			"1999-12-29": begin.AddDate(0, 0, 2), "wednesday": begin.AddDate(0, 0, 2), "1999-12-28": begin.AddDate(0, 0, 1), "": time.Now(),
			"1999-12-29T12:00": begin.AddDate(0, 0, 1).Add(12 * time.Hour), "1999-12-29T00:00": begin.AddDate(0, 0, 1),
		} {
			want := lookup.Matching(every, func(h overview.Happening) bool { return !h.At.Before(begin) && h.At.Before(end) })
			for _, limit := range []int{4, 100} {
				got := full(d, args{"since": "1999-12-28", "until": until, "limit": limit})
				if len(want) == 0 || !slices.Equal(keysOf(got), keysOf(want)) {
					d.Errorf("until %q, limit %d: %d, want %d", until, limit, len(got), len(want))
				}
			}
		}
		day := func() { full(d, args{"project": launch, "since": "1999-12-31"}) }
		if day(); len(d.asked(day)) != 2 { // and the lines of the chat
			d.Errorf("for a day: %v", d.asked(day))
		}
		d.fails(fault.InvalidInput, "get_activity", args{"since": "friday", "until": "1999-12-01"}, "until", "since")
		first := call[overview.Activity](d, "get_activity", args{"until": "friday", "limit": 2})
		d.fails(fault.InvalidInput, "get_activity", args{"until": "thursday", "limit": 2, "cursor": *first.NextCursor}, "other arguments")
	})
}

func TestVerbOf_DropsTheShortNameAtTheBeginning(t *testing.T) {
	for _, test := range []struct{ name, action, want string }{
		{"Ines Albrecht", "Ines A. added a to-do", "added a to-do"},
		{"Lieke van der Meer", "Lieke M. commented", "commented"},
		{"Lieke van der Meer", "Lieke v. commented", "commented"},
		{"Zoë Ångström", "Zoë Å. commented", "commented"},
		{"Relay", "Relay commented", "commented"},
		{"Ines Albrecht", "The project was created. It is new", "The project was created. It is new"},
		{"Ines Albrecht", "Ines added a to-do", "Ines added a to-do"},
		{"", "", ""},
	} {
		h := basecamp.Happening{Action: test.action, Creator: basecamp.Person{Name: test.name}}
		if got := overview.VerbOf(h); got != test.want {
			t.Errorf("%q by %q: %q", test.action, test.name, got)
		}
	}
}

func TestGetActivity_CostsHalfOfFullDetail(t *testing.T) {
	at(t, func(d *toolEnv) {
		short, _ := d.raw("get_activity", args{})
		long, _ := d.raw("get_activity", args{"detail": "full"})
		if len(short)*100 > len(long)*58 || strings.Contains(short, "@fernhill") || strings.Contains(short, `""`) {
			d.Errorf("%d bytes, in full %d: %.300s", len(short), len(long), short)
		}
	})
}
