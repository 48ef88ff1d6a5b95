package sandbox

import (
	"maps"
	"slices"
	"testing"
)

func TestSchedules(t *testing.T) {
	const (
		entries = "/schedules/{schedule: Cargo Bike Launch}/entries"
		standUp = "/schedule_entries/{Schedule::Entry: Launch stand-up}"
		week    = "GET /reports/schedules/upcoming?window_starts_on=2031-05-14&window_ends_on=2031-05-21"
		bell    = `{"summary": "Bell test", "description": "<div>Bring ears</div>", "starts_at": "2031-05-20T10:00:00+02:00", "ends_at": "2031-05-20T11:00:00+02:00",
			"participant_ids": [{Person: Sam Okafor}], "url": "https://meet.example/bell", "highlighted": true}`
	)
	stories{
		"an update replaces all but participants, link and highlight": {
			{"", "made = POST " + entries, bell, 201, `{"starts_at": "2031-05-20T08:00:00.000Z", "join_url": "https://meet.example/bell", "status": "active"}`},
			{"", "PUT /schedule_entries/{made.id}", `{"summary": "Bell test", "starts_at": "2031-05-21", "ends_at": "2031-05-21", "all_day": true}`, 200,
				`{"description": "", "starts_at": "2031-05-21", "all_day": true, "participants": ["Sam Okafor"], "join_url": "https://meet.example/bell", "highlighted": true}`},
			{"", "PUT /schedule_entries/{made.id}", `{"summary": "x"}`, 422, ""},
			{"", "PUT /schedule_entries/{made.id}", `{"summary": "x", "starts_at": "2031-05-21", "ends_at": "2031-05-20"}`, 422, ""},
		},
		"a time without an offset is in the person's time zone": {
			{"", "POST " + entries, `{"summary": "Cake", "starts_at": "2031-05-20T15:00", "ends_at": "2031-05-20T15:15"}`, 201, `{"starts_at": "2031-05-20T13:00:00.000Z"}`},
		},
		"a recurring entry leads to its first day": {
			{"", "GET " + standUp, "", 302, ""},
			{"", "PUT " + standUp, `{"summary": "x"}`, 302, ""},
			// two weekly meetings in eight days
			{"", "now = " + week, "", 200, `{"recurring_schedule_entry_occurrences": "#4"}`},
			{"", "GET " + standUp + "/occurrences/20310514", "", 200, `{"starts_at": "~2031-05-14", "recurrence_schedule": {"frequency": "every_week"}}`},
			{"", "GET " + standUp + "/occurrences/20310521", "", 200, `{"starts_at": "~2031-05-21"}`},
			{"", "GET " + standUp + "/occurrences/20310515", "", 404, ""},
		},
		"the report has entries, occurrences and due tasks of its days": {
			{"", week, "", 200, `{"schedule_entries": ["...", "Office closed: heating"], "assignables": ["...", {"due_on": "2031-05-14", "completed": false, "completion": null}]}`},
			{"", "GET /reports/schedules/upcoming?window_starts_on=2031-05-14", "", 400, ""},
		},
	}.run(t)
}

func TestUpcoming_CallsTheTitleOfATaskContent(t *testing.T) {
	c := ines(t, newSandbox(t))
	o := c.get("/reports/schedules/upcoming.json?window_starts_on=2031-05-14&window_ends_on=2031-05-21").want(200).object()
	want := []string{
		"app_url", "assignees", "bucket", "comments_count", "completed", "completion_url", "content", "due_on", "id", "parent", "repeating", "starts_on",
		"status", "type", "url", "visible_to_clients",
	}
	for _, a := range o.list("assignables") {
		delete(a, "completion")
		if got := slices.Sorted(maps.Keys(a)); !slices.Equal(got, want) || a.text("due_on") < "2031-05-14" || a.text("due_on") > "2031-05-21" {
			t.Errorf("the assignable is %v", a)
		}
	}
}
