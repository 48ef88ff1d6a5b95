package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestEntry_UpdateReplacesAllFieldsExceptParticipantsLinkAndHighlight(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	sam := s.Person("Sam Okafor").ID
	made := c.post(fmt.Sprintf("/schedules/%d/entries.json", s.ToolID(launch, "schedule")), object{
		"summary": "Bell test", "description": "<div>Bring ears</div>", "starts_at": "2031-05-20T10:00:00+02:00", "ends_at": "2031-05-20T11:00:00+02:00",
		"participant_ids": []int64{sam}, "url": "https://meet.example/bell", "highlighted": true,
	}).want(201).object()
	if made.text("starts_at") != "2031-05-20T08:00:00.000Z" || made.text("join_url") != "https://meet.example/bell" || made.text("status") != "active" {
		t.Error(made)
	}
	path := "/schedule_entries/" + made.text("id") + ".json"
	got := c.put(path, object{"summary": "Bell test", "starts_at": "2031-05-21", "ends_at": "2031-05-21", "all_day": true}).want(200).object()
	if got.text("description") != "" || got.text("starts_at") != "2031-05-21" || got.text("all_day") != "true" {
		t.Error(got)
	}
	if len(got.list("participants")) != 1 || got.text("join_url") != "https://meet.example/bell" || got.text("highlighted") != "true" {
		t.Error("the update cleared a kept field", got)
	}
	c.put(path, object{"summary": "x"}).want(422)
	c.put(path, object{"summary": "x", "starts_at": "2031-05-21", "ends_at": "2031-05-20"}).want(422)
}

func TestEntry_ATimeWithoutOffsetIsInThePersonsTimeZone(t *testing.T) {
	s := newSandbox(t)
	made := ines(t, s).post(fmt.Sprintf("/schedules/%d/entries.json", s.ToolID(launch, "schedule")), object{
		"summary": "Cake", "starts_at": "2031-05-20T15:00", "ends_at": "2031-05-20T15:15",
	}).want(201).object()
	if made.text("starts_at") != "2031-05-20T13:00:00.000Z" {
		t.Error(made.text("starts_at"))
	}
}

func TestEntry_ARecurringOneRedirectsToItsFirstOccurrence(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	id := s.Find("Schedule::Entry", "Launch stand-up")
	first := c.get("/schedule_entries/%d.json", id).want(http.StatusFound).Header.Get("Location")
	o := c.get("%s", first).want(200).object()
	if o.text("recurrence_schedule", "frequency") != "every_week" {
		t.Error(o)
	}
	day, err := time.Parse(time.RFC3339, o.text("starts_at"))
	if err != nil {
		t.Fatal(err)
	}
	next := c.get("/schedule_entries/%d/occurrences/%s.json", id, day.AddDate(0, 0, 7).Format("20060102")).want(200).object()
	if next.text("starts_at") <= o.text("starts_at") {
		t.Error(next)
	}
	c.get("/schedule_entries/%d/occurrences/%s.json", id, day.AddDate(0, 0, 8).Format("20060102")).want(404)
	c.put(fmt.Sprintf("/schedule_entries/%d.json", id), object{"summary": "x"}).want(http.StatusFound)
}

func TestUpcoming_ShowsEntriesOccurrencesAndDueTasksOfAPeriod(t *testing.T) {
	c := ines(t, newSandbox(t))
	o := c.get("/reports/schedules/upcoming.json?window_starts_on=2031-05-14&window_ends_on=2031-05-21").want(200).object()
	summaries := apply(o.list("schedule_entries"), func(e object) string { return e.text("summary") })
	if !slices.Contains(summaries, "Office closed: heating") || slices.Contains(summaries, "Launch") {
		t.Error(summaries)
	}
	if got := len(o.list("recurring_schedule_entry_occurrences")); got != 4 {
		t.Errorf("%d occurrences of two weekly meetings in eight days", got)
	}
	for _, a := range o.list("assignables") {
		if a.text("due_on") < "2031-05-14" || a.text("due_on") > "2031-05-21" || (a["completion"] != nil) != (a.text("completed") == "true") {
			t.Error(a)
		}
	}
	c.get("/reports/schedules/upcoming.json?window_starts_on=2031-05-14").want(400)
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
		if got := slices.Sorted(maps.Keys(a)); !slices.Equal(got, want) || a.text("content") == "" || a.text("parent", "title") == "" || a.text("parent", "app_url") != "<nil>" {
			t.Errorf("the assignable is %v", got)
		}
	}
}
