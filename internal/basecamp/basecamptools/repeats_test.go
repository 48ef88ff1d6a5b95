package basecamptools

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// 2026-12-04 is the first Friday of December.
func TestCreateScheduleEntry_RecursAsPeopleSay(t *testing.T) {
	at(t, func(d *toolEnv) {
		for said, want := range map[string]string{
			"every Friday":                           "every Friday",
			"weekly":                                 "every Friday",
			"every week on fri":                      "every Friday",
			"Every weekday":                          "every weekday",
			"every mon, wed and fri":                 "every Monday, Wednesday and Friday",
			"every Monday and Friday, until April 9": "every Monday and Friday, until 2000-04-09",
			"daily, 10 times":                        "every day, until 2026-12-13",
			"every Friday for ten times":             "every Friday, until 2027-02-05",
			"every other week":                       "every other week on Friday",
			"every 3 weeks on Friday":                "every 3 weeks on Friday",
			"monthly":                                "every month on day 4",
			"every month on the 4th":                 "every month on day 4",
			"every month on the first Friday":        "every month on the first Friday",
			"every 3 months on day 4":                "every 3 months on day 4",
			"quarterly":                              "every 3 months on day 4",
			"every two months on the first friday":   "every 2 months on the first Friday",
			"every year":                             "every year",
		} {
			in := args{"project": launch, "summary": said, "starts_at": "2026-12-04T10:00", "repeats": said}
			if strings.Contains(said, "April") {
				in["starts_at"] = "2000-01-07T10:00"
			}
			made := call[calendar.WrittenEntry](d, "create_schedule_entry", in)
			if made.Recurs != want {
				d.Errorf("%s: recurs %q, want %q", said, made.Recurs, want)
			}
			again, err := calendar.ParseRepetition(made.Recurs) // what an answer shows can be said
			if first, _ := calendar.ParseRepetition(said); err != nil || again.Unit != first.Unit || again.Interval != first.Interval {
				d.Errorf("%s: %+v, then %+v, %v", said, first, again, err)
			}
			in["repeats"], in["summary"] = made.Recurs, "Again: "+said
			if repeated := call[calendar.WrittenEntry](d, "create_schedule_entry", in); repeated.Recurs != want {
				d.Errorf("%s: recurs %q", made.Recurs, repeated.Recurs)
			}
		}
	})
}

// Basecamp repeats an entry by the clocks of the profile's time zone: 20:00 in New York is 02:00 of
// the next day in Berlin.
func TestCreateScheduleEntry_RecursInTheTimeZoneOfTheProfile(t *testing.T) {
	at(t, func(d *toolEnv) {
		type noted struct {
			Recurs     string   `json:"recurs"`
			Understood []string `json:"understood"`
		}
		in := args{"project": launch, "summary": "Call", "starts_at": "2026-12-03T20:00", "time_zone": "America/New_York", "repeats": "weekly"}
		got := call[noted](d, "create_schedule_entry", in)
		if got.Recurs != "every Friday" || len(got.Understood) != 1 || !strings.Contains(got.Understood[0], "repeats: at 02:00 in Europe/Berlin") {
			d.Errorf("got %+v", got)
		}
		in["repeats"] = "every Thursday"
		d.refuses(fault.InvalidInput, "create_schedule_entry", in, "starts_at", "in Europe/Berlin", "2026-12-04 is a Friday")
		in["time_zone"], in["repeats"] = "Berlin", "weekly"
		if got := call[noted](d, "create_schedule_entry", in); got.Recurs != "every Thursday" || got.Understood != nil {
			d.Errorf("got %+v", got)
		}
	})
}

func TestSchedule_RefusesARecurrenceThatIsUnclearOrImpossible(t *testing.T) {
	at(t, func(d *toolEnv) {
		entry := d.sandbox.FindIn(launch, "Schedule::Entry", "Photographer")
		for said, words := range map[string][]string{
			"sometimes": {"repeats", "every Friday"}, "biweekly": {"repeats"}, "every 2 days": {"not every 2 days"}, "every 13 weeks": {"12 weeks"},
			"every 2 weeks on mon and fri": {"one day of the week"}, "every fifth friday": {"repeats"}, "every friday, 1 times": {"2 to 100"},
			"every month on day 32": {"repeats"}, "every friday until yesterday": {"repeats", "before"}, "every friday until soon": {"repeats"},
			"every Monday": {"starts_at", "is a Friday", "Monday, 2026-12-07"}, "every month on the last friday": {"starts_at", "2026-12-25"},
			"every month on day 15": {"starts_at", "2026-12-15"}, "every weekend": {"repeats"}, "every Friday at nine": {"starts_at", "every friday"},
		} {
			d.refuses(fault.InvalidInput, "create_schedule_entry", args{"project": launch, "summary": "x", "starts_at": "2026-12-04T10:00", "repeats": said}, words...)
			d.refuses(fault.InvalidInput, "update_schedule_entry", args{"entry": entry, "starts_at": "2026-12-04T10:00", "repeats": said}, words...)
		}
	})
}

func TestUpdateScheduleEntry_MakesAnEntryRecurOnce(t *testing.T) {
	at(t, func(d *toolEnv) {
		made := call[calendar.WrittenEntry](d, "create_schedule_entry", args{"project": launch, "summary": "Ride out", "starts_at": "2026-12-04T10:00", "notes": "Bring **lights**.", "participants": "Dele"})
		got := call[calendar.WrittenEntry](d, "update_schedule_entry", args{"entry": made.ID, "repeats": "every friday, 4 times"})
		if got.Recurs != "every Friday, until 2026-12-25" || got.Notes != made.Notes || len(got.Participants) != 1 || got.StartsAt != made.StartsAt {
			d.Errorf("got %+v", got.Entry)
		}
		d.refuses(fault.InvalidInput, "update_schedule_entry", args{"entry": made.ID, "repeats": "weekly"}, "recurring", made.URL)
	})
}

func TestSchedule_SaysThatAnEntryExistsOnceIfBasecampDropsTheRecurrence(t *testing.T) {
	at(t, func(d *toolEnv) {
		once := d.make(fmt.Sprintf("/schedules/%d/entries.json", d.sandbox.ToolID(launch, "schedule")), `{"summary":"Once","starts_at":"2026-12-04T10:00:00Z","ends_at":"2026-12-04T11:00:00Z",
			"recurrence_schedule":{"frequency":"custom_week","week_interval":13}}`)
		held := upstream[record](d, fmt.Sprintf("/schedule_entries/%d.json", once))
		if held["recurrence_schedule"] != nil {
			d.Fatalf("the sandbox keeps %v", held["recurrence_schedule"])
		}
		body := fmt.Sprintf(`{"id":%d,"type":"Schedule::Entry","summary":"Once","starts_at":"2026-12-04T10:00:00Z","ends_at":"2026-12-04T11:00:00Z","app_url":"https://3.basecamp.com/1/x"}`, once)
		for tool, in := range map[string]args{
			"create_schedule_entry": {"project": launch, "summary": "Once", "starts_at": "2026-12-04T10:00"},
			"update_schedule_entry": {"entry": once},
		} {
			in["repeats"] = "every friday"
			d.sandbox.Inject(sandbox.Fault{Method: map[string]string{"create_schedule_entry": http.MethodPost, "update_schedule_entry": http.MethodPut}[tool], Status: http.StatusOK, Body: body, Times: 1})
			f := d.fails(fault.UpstreamError, tool, in, "exists once", fmt.Sprint("schedule_entry:", once), "https://3.basecamp.com/1/x")
			if f.Retryable || !f.Data.MayHaveHappened {
				d.Errorf("%s: %+v", tool, f)
			}
		}
	})
}
