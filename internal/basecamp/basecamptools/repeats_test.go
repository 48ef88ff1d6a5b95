package basecamptools

import (
	"net/http"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// 2026-12-04 is the first Friday of December.
func TestScheduleEntries_Recur(t *testing.T) {
	recurs := func(said, want string) row {
		r := row{fact: said, in: args{"repeats": said}, holds: holds{"recurs": want}}
		if said == "every Monday and Friday, until April 9" {
			r.in["starts_at"] = "2000-01-07T10:00"
		}
		r.then = []row{{fact: "what an answer shows can be said", in: args{"repeats": want, "starts_at": r.in["starts_at"]}, holds: holds{"recurs": want}}}
		if r.in["starts_at"] == nil {
			delete(r.then[0].in, "starts_at")
		}
		return r
	}
	not := func(said string, words ...string) row {
		r := invalid(said, args{"repeats": said}, words...)
		r.then = []row{{tool: "update_schedule_entry", in: args{"entry": "{Schedule::Entry:Photographer@Cargo Bike Launch}", "starts_at": "2026-12-04T10:00", "repeats": said}, fails: fault.InvalidInput, says: words}}
		return r
	}
	const once = `{"id":7,"type":"Schedule::Entry","summary":"Once","starts_at":"2026-12-04T10:00:00Z","ends_at":"2026-12-04T11:00:00Z","app_url":"https://3.basecamp.com/1/x"}`
	const photo, made = "{Schedule::Entry:Photographer@Cargo Bike Launch}", "POST /schedules/{tool:schedule@Cargo Bike Launch}/entries.json"
	dropped := func(method string) faults {
		return faults{sandbox.Fault{Method: method, Status: http.StatusOK, Body: once, Times: 1}}
	}
	told := holds{"retryable": nil, "data.may_have_happened": true}
	cases(t, "create_schedule_entry", args{"project": launch, "summary": "Ride out", "starts_at": "2026-12-04T10:00"},
		recurs("every Friday", "every Friday"), recurs("weekly", "every Friday"), recurs("every week on fri", "every Friday"), recurs("Every weekday", "every weekday"),
		recurs("every mon, wed and fri", "every Monday, Wednesday and Friday"), recurs("every Monday and Friday, until April 9", "every Monday and Friday, until 2000-04-09"),
		recurs("daily, 10 times", "every day, until 2026-12-13"), recurs("every Friday for ten times", "every Friday, until 2027-02-05"), recurs("every other week", "every other week on Friday"),
		recurs("every 3 weeks on Friday", "every 3 weeks on Friday"), recurs("monthly", "every month on day 4"), recurs("every month on the 4th", "every month on day 4"),
		recurs("every month on the first Friday", "every month on the first Friday"), recurs("every 3 months on day 4", "every 3 months on day 4"), recurs("quarterly", "every 3 months on day 4"),
		recurs("every two months on the first friday", "every 2 months on the first Friday"), recurs("every year", "every year"),
		not("sometimes", "repeats", "every Friday"), not("biweekly", "repeats"), not("every 2 days", "not every 2 days"), not("every 13 weeks", "12 weeks"), not("every 2 weeks on mon and fri", "one day of the week"),
		not("every fifth friday", "repeats"), not("every friday, 1 times", "2 to 100"), not("every month on day 32", "repeats"), not("every friday until yesterday", "repeats", "before"), not("every friday until soon", "repeats"),
		not("every Monday", "starts_at", "is a Friday", "Monday, 2026-12-07"), not("every month on the last friday", "starts_at", "2026-12-25"), not("every month on day 15", "starts_at", "2026-12-15"), not("every weekend", "repeats"),
		not("every Friday at nine", "starts_at", "every friday"),
		// Basecamp repeats an entry by the clocks of the profile's time zone.
		row{fact: "the zone of the profile counts", in: args{"starts_at": "2026-12-03T20:00", "time_zone": "America/New_York", "repeats": "weekly"}, holds: holds{"recurs": "every Friday", "understood.#": 1, "understood.0": has("repeats: at 02:00 in Europe/Berlin")}},
		invalid("for a day too", args{"starts_at": "2026-12-03T20:00", "time_zone": "America/New_York", "repeats": "every Thursday"}, "starts_at", "in Europe/Berlin", "2026-12-04 is a Friday"),
		row{fact: "in that zone nothing is told", in: args{"starts_at": "2026-12-03T20:00", "time_zone": "Berlin", "repeats": "weekly"}, holds: holds{"recurs": "every Thursday", "understood": nil}},
		row{fact: "an entry that is there recurs from then on", in: args{"notes": "Bring **lights**.", "participants": "Dele"}, then: []row{
			{tool: "update_schedule_entry", in: args{"entry": "{0.id}", "repeats": "every friday, 4 times"}, holds: holds{"recurs": "every Friday, until 2026-12-25", "notes": "{0.notes}", "participants.#": 1, "starts_at": "{0.starts_at}"}},
			{fact: "once", tool: "update_schedule_entry", in: args{"entry": "{0.id}", "repeats": "weekly"}, fails: fault.InvalidInput, says: says{"recurring", "{0.url}"}}}},
		row{fact: "Basecamp may drop the recurrence of a new entry, which exists once", faults: dropped(http.MethodPost), in: args{"repeats": "every friday"}, fails: fault.UpstreamError, says: says{"exists once", "schedule_entry:7", "https://3.basecamp.com/1/x"},
			holds: told, writes: []string{made}},
		row{fact: "and of another", faults: dropped(http.MethodPut), tool: "update_schedule_entry", in: args{"entry": photo, "starts_at": "2026-12-04T10:00", "repeats": "every friday"}, fails: fault.UpstreamError, says: says{"exists once", "schedule_entry:7"},
			holds: told, writes: []string{"PUT /schedule_entries/" + photo + ".json"}},
	)
}

func TestParseRepetition_ReadsWhatAnAnswerShows(t *testing.T) {
	for said, shown := range map[string]string{"every other week": "every other week on Friday", "quarterly": "every 3 months on day 4", "every mon, wed and fri": "every Monday, Wednesday and Friday"} {
		first, _ := calendar.ParseRepetition(said)
		if again, err := calendar.ParseRepetition(shown); err != nil || again.Unit != first.Unit || again.Interval != first.Interval {
			t.Errorf("%s: %+v, then %+v, %v", said, first, again, err)
		}
	}
}
