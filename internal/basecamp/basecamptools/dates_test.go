package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/listing"
)

// resolver returns a resolver for the environment's user.
func (d *toolEnv) resolver() (*resolver, context.Context) {
	return newResolver(d.client, time.Now), identity.With(d.Context(), d.who)
}

// At the same moment, "this Friday" is another day in Bengaluru than in Toronto.
func TestDate_UsesTheCallersTimeZone(t *testing.T) {
	at(t, func(d *toolEnv) { // it is Saturday, 1 January 2000, midnight UTC
		for _, c := range []struct{ who, text, want string }{
			{"Priya Raman", "today", "2000-01-01"},
			{"Marguerite Osei", "today", "1999-12-31"},
			{"Priya Raman", "Friday", "2000-01-07"},
			{"Marguerite Osei", "friday", "1999-12-31"},
			{"Marguerite Osei", "tomorrow", "2000-01-01"},
			{"Priya Raman", "sunday", "2000-01-02"},
			{"Priya Raman", " 2026-02-28 ", "2026-02-28"},
			{"Ines Albrecht", "this friday", "2000-01-07"},
			{"Ines Albrecht", " This Sat ", "2000-01-01"},
		} {
			rs, ctx := d.as(c.who).resolver()
			if got, err := rs.Date(ctx, "due_on", c.text); err != nil || got != c.want {
				t.Errorf("%s says %q: %s, %v; want %s", c.who, c.text, got, err, c.want)
			}
		}
		rs, ctx := d.resolver()
		for _, bad := range []string{"", "2026-02-30", "next sunday", "03/04/2026", "soon", "friday 10:00", "last_7_days", "this tomorrow", "fr", "frid"} {
			if got, err := rs.Date(ctx, "due_on", bad); !fault.Is(err, fault.InvalidInput) {
				t.Errorf("%q is %s, %v", bad, got, err)
			}
		}
	})
}

func TestPastDate_IsTheLastSuchDayAndNeverInTheFuture(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, c := range []struct{ who, text, want string }{
			{"Ines Albrecht", "saturday", "2000-01-01"},
			{"Ines Albrecht", "Friday", "1999-12-31"},
			{"Ines Albrecht", "sun", "1999-12-26"},
			{"Ines Albrecht", " Yesterday ", "1999-12-31"},
			{"Ines Albrecht", "2000-01-01", "2000-01-01"},
			{"Marguerite Osei", "today", "1999-12-31"},
			{"Marguerite Osei", "saturday", "1999-12-25"},
			{"Ines Albrecht", "2 days ago", "1999-12-30"},
			{"Ines Albrecht", "December 7", "1999-12-07"},
		} {
			rs, ctx := d.as(c.who).resolver()
			if got, err := rs.PastDate(ctx, "date", c.text); err != nil || got != c.want {
				t.Errorf("%s says %q: %s, %v; want %s", c.who, c.text, got, err, c.want)
			}
		}
		rs, ctx := d.as("Marguerite Osei").resolver() // her time zone is still in 1999
		for _, bad := range []string{"2000-01-01", "tomorrow", "last week", "in 2 days", "last_7_days", ""} {
			if got, err := rs.PastDate(ctx, "date", bad); !fault.Is(err, fault.InvalidInput) {
				t.Errorf("%q is %s, %v", bad, got, err)
			}
		}
	})
}

func TestSince_AcceptsPastDays(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		for text, want := range map[string]string{ // midnights in Berlin
			"today": "1999-12-31T23:00:00Z", " Yesterday": "1999-12-30T23:00:00Z", "Saturday": "1999-12-31T23:00:00Z", "friday": "1999-12-30T23:00:00Z",
			"sun": "1999-12-25T23:00:00Z", " Last_7_days ": "1999-12-25T00:00:00Z", " 1999-12-24T10:00 ": "1999-12-24T09:00:00Z",
			"3 days ago": "1999-12-28T23:00:00Z", "last_14_days": "1999-12-18T00:00:00Z", "Last 7 days": "1999-12-25T00:00:00Z", "friday 10:00": "1999-12-31T09:00:00Z",
			"December 7": "1999-12-06T23:00:00Z", "17:00": "1999-12-31T16:00:00Z", "this month": "1999-12-31T23:00:00Z",
			"last_12_months": "1999-01-01T00:00:00Z", "1999-12-24": "1999-12-23T23:00:00Z", "1999-12-24T10:00:00-05:00": "1999-12-24T15:00:00Z",
		} {
			if got, err := rs.Since(ctx, "since", text); err != nil || got.UTC().Format(time.RFC3339) != want {
				t.Errorf("%q: %v, %v, want %s", text, got, err, want)
			}
		}
		for _, bad := range []string{"tomorrow", "last friday", "last week", "in 2 hours", "", "last_days", "yesterdayish", "1999-13-01", "2000-06-01"} {
			if got, err := rs.Since(ctx, "since", bad); !fault.Is(err, fault.InvalidInput) {
				t.Errorf("%q: %v, %v", bad, got, err)
			}
		}
		for _, in := range []struct {
			tool       string
			word, date args
		}{
			{"get_activity", args{"since": "friday", "detail": "full"}, args{"since": "1999-12-31", "detail": "full"}},
			{"search", args{"query": "frame", "since": "sun"}, args{"query": "frame", "since": "1999-12-26"}},
		} {
			word, date := call[listing.Scroll[record]](d, in.tool, in.word), call[listing.Scroll[record]](d, in.tool, in.date)
			if len(word.Items) == 0 || len(word.Items) != len(date.Items) {
				t.Errorf("%s: %d, want %d", in.tool, len(word.Items), len(date.Items))
			}
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }

func TestDays_AnErrorEndsWithTodaysDateInTheCallersTimeZone(t *testing.T) {
	at(t, func(d *toolEnv) {
		read := map[string]func(*resolver, context.Context) error{
			"date":     func(rs *resolver, ctx context.Context) error { return errorOf(rs.Date(ctx, "due_on", "soon")) },
			"pastDate": func(rs *resolver, ctx context.Context) error { return errorOf(rs.PastDate(ctx, "date", "soon")) },
			"ahead":    func(rs *resolver, ctx context.Context) error { return errorOf(rs.PastDate(ctx, "date", "2000-02-01")) },
			"since":    func(rs *resolver, ctx context.Context) error { return errorOf(rs.Since(ctx, "since", "soon")) },
			"future":   func(rs *resolver, ctx context.Context) error { return errorOf(rs.Since(ctx, "since", "2000-02-01")) },
			"wholeDay": func(rs *resolver, ctx context.Context) error {
				return errorOf(rs.Calendar.WholeDay(ctx, "starts_at", "soon"))
			},
			"clock": func(rs *resolver, ctx context.Context) error {
				return errorOf(rs.Clock(ctx, "starts_at", "soon", "", time.Time{}))
			},
		}
		for name, call := range read {
			for who, today := range map[string]string{"Ines Albrecht": "Saturday, 2000-01-01", "Marguerite Osei": "Friday, 1999-12-31"} {
				rs, ctx := d.as(who).resolver()
				if err := call(rs, ctx); !fault.Is(err, fault.InvalidInput) || !strings.HasSuffix(err.Error(), "(today is "+today+")") || strings.Contains(err.Error(), "00Z") {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
	for _, text := range []string{"soon", "friday"} { // the error does not need the profile
		at(t, func(d *toolEnv) {
			d.sandbox.Inject(sandbox.Fault{PathPrefix: "/my/profile", Status: 403})
			want := map[string]fault.Code{"soon": fault.InvalidInput, "friday": fault.PermissionDenied}[text]
			rs, ctx := d.resolver()
			for _, err := range []error{
				errorOf(rs.Date(ctx, "due_on", text)), errorOf(rs.PastDate(ctx, "date", text)), errorOf(rs.Since(ctx, "since", text)),
				errorOf(rs.Clock(ctx, "starts_at", text+" 10:00", "", time.Time{})),
			} {
				if !fault.Is(err, want) || strings.Contains(err.Error(), "today is") {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
}

func TestClock_WithoutAnOffsetIsInTheNamedOrTheCallersTimeZone(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, c := range []struct{ who, text, zone, want string }{
			{"Ines Albrecht", "2026-07-01T09:00", "", "2026-07-01T07:00:00Z"},
			{"Ines Albrecht", "2026-01-01 09:00", "", "2026-01-01T08:00:00Z"},
			{"Priya Raman", "2026-07-01T09:00", "", "2026-07-01T03:30:00Z"},
			{"Priya Raman", "2026-07-01T09:00", "America/Toronto", "2026-07-01T13:00:00Z"},
			{"Priya Raman", "2026-07-01T09:00:00+02:00", "America/Toronto", "2026-07-01T07:00:00Z"},
			{"Priya Raman", "tomorrow 9:30", "", "2000-01-02T04:00:00Z"},
			{"Priya Raman", "in 2 hours", "America/Toronto", "2000-01-01T02:00:00Z"},
		} {
			rs, ctx := d.as(c.who).resolver()
			got, err := rs.Clock(ctx, "starts_at", " "+c.text+"\n", c.zone, time.Time{})
			if err != nil || got.UTC().Format(time.RFC3339) != c.want {
				t.Errorf("%s says %q %q: %s, %v; want %s", c.who, c.text, c.zone, got, err, c.want)
			}
		}
		rs, ctx := d.resolver()
		for _, zone := range []string{"Nowhere", "Local", "../etc/passwd"} {
			if _, err := rs.Clock(ctx, "starts_at", "2026-07-01T09:00", zone, time.Time{}); !fault.Is(err, fault.InvalidInput) {
				t.Errorf("zone %q: %v", zone, err)
			}
		}
	})
}

func TestReads_ShowThePeriodThatWasUnderstood(t *testing.T) {
	at(t, func(d *toolEnv) { // Saturday, 1 January 2000
		for _, c := range []struct {
			tool string
			in   args
			want map[string]string
		}{
			{"get_activity", args{"since": "3 days ago"}, map[string]string{"since": "1999-12-29T00:00:00+01:00"}},
			{"search", args{"query": "frame", "since": "friday 10:00"}, map[string]string{"since": "1999-12-31T10:00:00+01:00"}},
			{"list_campfire_lines", args{"project_id": launch, "since": "yesterday"}, map[string]string{"since": "1999-12-31T00:00:00+01:00"}},
			{"list_schedule_entries", args{"project": launch, "from": "tomorrow", "to": "end of month"}, map[string]string{"from": "2000-01-02", "to": "2000-01-31"}},
			{"get_upcoming", args{"to": "in 3 days"}, map[string]string{"from": "2000-01-01", "to": "2000-01-04"}},
			{"get_upcoming", args{}, map[string]string{"from": "2000-01-01", "to": "2000-01-15"}},
			{"list_checkins", args{"project": launch, "date": "2 days ago"}, map[string]string{"date": "1999-12-30"}},
		} {
			got := call[record](d, c.tool, c.in)
			for name, want := range c.want {
				if got[name] != want {
					d.Errorf("%s %v: %s is %v, want %s", c.tool, c.in, name, got[name], want)
				}
			}
		}
	})
}

func TestWrites_ShowTheDateThatWasUnderstood(t *testing.T) {
	at(t, func(d *toolEnv) {
		made := call[todos.CreatedTodos](d, "create_todos", args{"project": launch, "list": "Launch checklist", "todos": []args{
			{"content": "A", "due_on": "in 2 weeks", "starts_on": "tomorrow"}, {"content": "B", "due_on": "December 7"},
		}})
		if a, b := made.Results[0].Item, made.Results[1].Item; a.DueOn != "2000-01-15" || a.StartsOn != "2000-01-02" || b.DueOn != "2000-12-07" {
			d.Errorf("got %+v, %+v", a, b)
		}
		card := call[record](d, "create_card", args{"project": launch, "board": "Web shop", "title": "Bell", "due_on": "end of month"})
		if card["due_on"] != "2000-01-31" {
			d.Errorf("got %v", card)
		}
	})
}

func TestZone_OfAProfileIsUnderstoodByTheNameThatRailsHasForIt(t *testing.T) {
	inZone(t, "Eastern Time (US & Canada)", func(d *toolEnv) {
		got := call[projects.Me](d, "get_me", args{})
		if got.TimeZone != "America/New_York" || !strings.HasPrefix(got.LocalTime, "1999-12-31T19:00") {
			d.Errorf("got %+v", got)
		}
	})
}

func TestZone_OfAProfileThatIsUnknownIsTold(t *testing.T) {
	at(t, func(d *toolEnv) {
		type noted struct {
			Understood []string `json:"understood"`
		}
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/my/profile", Status: 200, Body: fmt.Sprintf(`{"id": %d, "name": "Ines Albrecht", "time_zone": "Mars/Olympus"}`, d.sandbox.Person("Ines Albrecht").ID)})
		want := []string{`days and times are in UTC: the time zone of the Basecamp profile, "Mars/Olympus", is unknown here`}
		for tool, in := range map[string]args{
			"get_me": {}, "get_upcoming": {}, "list_work": {"since": "yesterday", "state": "completed"}, "get_report": {}, "get_activity": {},
			"create_schedule_entry": {"project": launch, "summary": "Landing", "starts_at": "tomorrow 10:00"},
		} {
			if got := call[noted](d, tool, in); !slices.Equal(got.Understood, want) {
				d.Errorf("%s: %q", tool, got.Understood)
			}
		}
	})
}
