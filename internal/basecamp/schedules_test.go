package basecamp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
)

func TestUpcoming_NamesTasksByTheirContent(t *testing.T) {
	u, err := answering(t, says(200, `{"schedule_entries": [], "recurring_schedule_entry_occurrences": [], "assignables": [
		{"id": 71, "status": "active", "visible_to_clients": false, "url": "u", "app_url": "https://3.basecamp.com/1/buckets/2/todos/71",
		 "starts_on": null, "due_on": "2031-05-20", "type": "todo", "content": "Grease the hub", "assignees": [{"id": 5, "name": "Sam Okafor", "avatar_url": "a"}],
		 "bucket": {"id": 2, "name": "Workshop"}, "parent": {"id": 70, "title": "Service: Wheels"}, "completion_url": "c", "completed": false,
		 "repeating": false, "comments_count": 3}]}`)).Upcoming(t.Context(), "2031-05-14", "2031-05-21")
	want := []Assignable{{
		ID: 71, Type: "todo", Content: "Grease the hub", DueOn: "2031-05-20", AppURL: "https://3.basecamp.com/1/buckets/2/todos/71",
		Bucket: Bucket{ID: 2, Name: "Workshop"}, Parent: Parent{ID: 70, Title: "Service: Wheels"}, Assignees: []Person{{ID: 5, Name: "Sam Okafor"}}, CommentsCount: 3,
	}}
	if diff := cmp.Diff(want, u.Assignables); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestUpcoming_WithoutItsListsIsAnUpstreamError(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `{"schedule_entries": []}`, `{"schedule_entries": null, "recurring_schedule_entry_occurrences": []}`} {
		f := wantFault(t, errOf(answering(t, says(200, body)).Upcoming(t.Context(), "2026-01-01", "2026-01-02")), fault.UpstreamError)
		if !f.Retryable {
			t.Errorf("%s: %+v", body, f)
		}
	}
}

func TestTimes_OfWholeDaysAreMidnightInTheTimeZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		span       Span
		zone       *time.Location
		from, till string
	}{
		{Span{true, "2026-03-28", "2026-03-29"}, berlin, "2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00"},
		{Span{true, "2026-03-28T00:00:00.000Z", "2026-03-29T00:00:00.000Z"}, berlin, "2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00"},
		{Span{false, "2026-07-01T07:00:00.000Z", "2026-07-01T03:30:00.000-05:00"}, berlin, "2026-07-01T09:00:00+02:00", "2026-07-01T10:30:00+02:00"},
	} {
		from, till := c.span.Times(c.zone)
		if from.Format(time.RFC3339) != c.from || till.Format(time.RFC3339) != c.till {
			t.Errorf("%+v: %s to %s", c.span, from, till)
		}
	}
	if from, till := (Span{AllDay: true}).Times(berlin); !from.IsZero() || !till.IsZero() {
		t.Errorf("without dates: %s to %s", from, till)
	}
}
