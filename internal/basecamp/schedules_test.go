package basecamp

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestUpcoming_NamesTasksByTheirContent(t *testing.T) {
	u, err := UpcomingDays.Where(url.Values{"window_starts_on": {"2031-05-14"}, "window_ends_on": {"2031-05-21"}}).Get(t.Context(), answering(t, says(200, `{"schedule_entries": [], "recurring_schedule_entry_occurrences": [], "assignables": [
		{"id": 71, "status": "active", "visible_to_clients": false, "url": "u", "app_url": "https://3.basecamp.com/1/buckets/2/todos/71",
		 "starts_on": null, "due_on": "2031-05-20", "type": "todo", "content": "Grease the hub", "assignees": [{"id": 5, "name": "Sam Okafor", "avatar_url": "a"}],
		 "bucket": {"id": 2, "name": "Workshop"}, "parent": {"id": 70, "title": "Service: Wheels"}, "completion_url": "c", "completed": false,
		 "repeating": false, "comments_count": 3}]}`)))
	want := []Assignment{{
		ID: 71, Type: "todo", Content: "Grease the hub", DueOn: "2031-05-20", AppURL: "https://3.basecamp.com/1/buckets/2/todos/71",
		Bucket: Bucket{ID: 2, Name: "Workshop"}, Parent: Parent{ID: 70, Title: "Service: Wheels"}, Assignees: []Person{{ID: 5, Name: "Sam Okafor"}}, CommentsCount: 3,
	}}
	if diff := cmp.Diff(want, u.Assignables); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestTimes_OfWholeDaysAreDatesInEveryTimeZone(t *testing.T) {
	santiago, err := time.LoadLocation("America/Santiago") // there is no midnight on 2027-09-05
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		span       Span
		from, till string
	}{
		{Span{true, "2027-09-05", "2027-09-06"}, "2027-09-05T00:00:00Z", "2027-09-06T00:00:00Z"},
		{Span{true, "2027-09-05T00:00:00.000Z", "2027-09-06T00:00:00.000Z"}, "2027-09-05T00:00:00Z", "2027-09-06T00:00:00Z"},
		{Span{false, "2026-07-01T07:00:00.000Z", "2026-07-01T03:30:00.000-05:00"}, "2026-07-01T03:00:00-04:00", "2026-07-01T04:30:00-04:00"},
	} {
		from, till, ok := c.span.Times(santiago)
		if !ok || from.Format(time.RFC3339) != c.from || till.Format(time.RFC3339) != c.till {
			t.Errorf("%+v: %s to %s", c.span, from, till)
		}
	}
	for _, unreadable := range []Span{
		{AllDay: true}, {}, {true, "5 September", "2027-09-06"}, {false, "2027-09-05", "2027-09-05"}, {false, "2027-09-05T10:00:00Z", ""},
	} {
		if from, till, ok := unreadable.Times(santiago); ok {
			t.Errorf("%+v: %s to %s", unreadable, from, till)
		}
	}
}

func TestReminderIn_ReturnsItsDayFromHonoluluToAuckland(t *testing.T) {
	for at, want := range map[string]string{
		"2027-01-04T18:00:00.000Z": "2027-01-04", // 8:00 in Honolulu
		"2027-01-03T19:00:00.000Z": "2027-01-04", // 8:00 in Auckland, in summer
		"2027-07-03T20:00:00.000Z": "2027-07-04", // 8:00 in Auckland, in winter
		"":                         "today",
		"soon":                     "unknown",
	} {
		day, known := reminderIn([]any{fields{"bubble_up_url": "https://3.basecampapi.com/1/recordings/7/bubble_up.json", "bubble_up_at": at}}, "7")
		if !known {
			day = "unknown"
		}
		if day != want {
			t.Errorf("%q is on %s, want %s", at, day, want)
		}
	}
}
