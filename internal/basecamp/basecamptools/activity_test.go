package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
)

func happeningKey(h overview.Happening) string { return h.At.Format(time.RFC3339) + h.URL + h.What }

func keysOf(happenings []overview.Happening) []string {
	keys := make([]string, len(happenings))
	for i, h := range happenings {
		keys[i] = happeningKey(h)
	}
	return keys
}

func TestGetActivity(t *testing.T) {
	const chat = "/chats/{tool:chat@Cargo Bike Launch}/lines.json"
	lines := func(n int) []string { return slices.Repeat([]string{"POST " + chat + ` {"content":"One more"}`}, n) }
	full := args{"detail": "full", "project": nil}
	today := args{"since": "today", "kinds": says{"chatted"}}
	removed := holds{"items.0.url": "https://3.basecamp.com/{account}/projects/{project:Cargo Bike Launch}", "items.0.excerpt": "Dele Adeyemi was removed.", "items.*.url": some}
	cases(t, "get_activity", args{"project": launch},
		row{fact: "an answer has three pages, and does not know how many there are", in: args{"detail": "full"}, holds: holds{"items.#": 15 + 30 + 50, "has_more": true, "total": nil,
			"items.*.who.name": some, "items.*.what": some, "items.*.project.name": launch, "items.*.url": some}, says: says{`"title":"Launch checklist"`}},
		row{fact: "events of a person", in: full, each: []args{{"person": "Noémie", "since": "1999-12-26"}}, holds: holds{"items.*.who.name": "Noémie Laurent"}},
		row{fact: "in a project", in: args{"detail": "full", "person": "Noémie", "since": "1999-12-26"}, holds: holds{"items.*.who.name": "Noémie Laurent", "items.*.project.name": launch}},
		row{fact: "of the caller", in: full, each: []args{{"person": "me"}}, holds: holds{"items.*.who.name": "Ines Albrecht"}},
		row{fact: "a name must fit one person", in: args{"person": "Sam", "project": nil}, fails: fault.Ambiguous, says: says{"person"}},
		row{fact: "since is past", in: args{"since": "2000-02-01"}, fails: fault.InvalidInput, says: says{"since", "future"}},
		row{fact: "a client sees no event of what is hidden", as: lieke, in: args{"detail": "full", "project": nil, "since": "last_30_days"},
			before: says{`PUT /todos/{Todo:Call the insurer about demo rides}.json {"content":"Call the insurer"}`}, misses: says{launch}},
		row{fact: "an event without a page has the address of its project", before: says{`PUT /projects/{project:Cargo Bike Launch}/people/users.json {"revoke":[{person:Dele Adeyemi}]}`},
			in: args{"detail": "full"}, each: []args{nil, {"project": nil}, {"project": nil, "person": "me"}}, holds: removed},
		row{fact: "a day of a chat has the number of its lines", tool: "list_campfire_lines", in: args{"project": launch, "since": "today", "limit": 200}, before: lines(60), then: []row{
			{tool: "post_chat_line", as: "Sam Okafor", in: args{"to": launch, "text": "Line 61"}},
			{in: today, holds: holds{"projects.0.days.0.items.0.lines": 66, "projects.0.days.0.items.0.lines_at_least": nil}},
			{fact: "in full", in: args{"since": "today", "kinds": says{"chatted"}, "detail": "full"}, holds: holds{"items.0.lines": 66}},
			{fact: "of a person", in: args{"since": "today", "kinds": says{"chatted"}, "person": "me"}, holds: holds{"projects.0.days.0.items.0.lines": 61}},
			{fact: "or of many, how many there are at least", before: lines(150), in: today, says: says{`"lines_at_least":195`}, misses: says{`"lines"`}},
		}},
		row{fact: "by default it tells no address and nothing empty", in: args{"project": nil}, misses: says{"@fernhill", `""`}},
	)
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
