package basecamp

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

const launch = "Cargo Bike Launch"

func TestEveryMethodOfSchedulesCheckinsAndChatsSendsOneRequest(t *testing.T) {
	for want, call := range map[string]func(context.Context, *Client) error{
		"GET /schedule_entries/7.json":                      func(ctx context.Context, c *Client) error { return errOf(c.ScheduleEntry(ctx, 7)) },
		"GET /schedule_entries/7/occurrences/20260131.json": func(ctx context.Context, c *Client) error { return errOf(c.Occurrence(ctx, 7, "20260131")) },
		"POST /schedules/7/entries.json": func(ctx context.Context, c *Client) error {
			return errOf(c.CreateScheduleEntry(ctx, 7, EntryFields{}))
		},
		"PUT /schedule_entries/7.json": func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateScheduleEntry(ctx, 7, EntryFields{}))
		},
		"GET /reports/schedules/upcoming.json?window_ends_on=2026-02-01&window_starts_on=2026-01-31": func(ctx context.Context, c *Client) error {
			return errOf(c.Upcoming(ctx, "2026-01-31", "2026-02-01"))
		},
		"GET /questionnaires/7/questions.json?page=2": func(ctx context.Context, c *Client) error { return errOf(c.Questions(ctx, 7, 2)) },
		"GET /questions/7.json":                       func(ctx context.Context, c *Client) error { return errOf(c.Question(ctx, 7)) },
		"GET /questions/7/answers.json":               func(ctx context.Context, c *Client) error { return errOf(c.CheckinAnswers(ctx, 7, "", 0, 1)) },
		"GET /questions/7/answers.json?creator_id=9&date=2026-01-31": func(ctx context.Context, c *Client) error {
			return errOf(c.CheckinAnswers(ctx, 7, "2026-01-31", 9, 1))
		},
		"GET /projects/recordings.json?bucket=7&direction=desc&sort=created_at&type=Question%3A%3AAnswer": func(ctx context.Context, c *Client) error {
			return errOf(c.ProjectCheckinAnswers(ctx, 7, 1))
		},
		"GET /question_answers/7.json": func(ctx context.Context, c *Client) error { return errOf(c.CheckinAnswer(ctx, 7)) },
		"POST /questions/7/answers.json": func(ctx context.Context, c *Client) error {
			return errOf(c.CreateCheckinAnswer(ctx, 7, NewCheckinAnswer{}))
		},
		"GET /my/question_reminders.json": func(ctx context.Context, c *Client) error {
			return errOf(c.Reminders(ctx, 1))
		},
		"GET /chats/7/lines/8.json": func(ctx context.Context, c *Client) error { return errOf(c.ChatLine(ctx, 7, 8)) },
		"POST /chats/7/lines.json":  func(ctx context.Context, c *Client) error { return errOf(c.CreateChatLine(ctx, 7, NewChatLine{})) },
	} {
		var got string
		c := answering(t, func(w http.ResponseWriter, r *http.Request) {
			got = r.Method + " " + r.URL.RequestURI()
			w.WriteHeader(418)
		})
		if err := call(t.Context(), c); err == nil {
			t.Errorf("%s: no error", want)
		}
		method, path, _ := strings.Cut(want, " ")
		if want = method + " /77001" + path; got != want {
			t.Errorf("requested %s, want %s", got, want)
		}
	}
}

func TestScheduleEntry_ReturnsTheFirstOccurrenceOfARecurringEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, "Ines Albrecht")
		id := s.Find("Schedule::Entry", "Launch stand-up")
		first, err := c.ScheduleEntry(t.Context(), id)
		if err != nil || first.Recurrence == nil || first.Recurrence.Frequency != "every_week" || len(first.Participants) != 6 {
			t.Fatalf("%+v, %v", first, err)
		}
		starts, ends := first.Times(time.UTC)
		if ends.Sub(starts) != 15*time.Minute {
			t.Errorf("from %s to %s", starts, ends)
		}
		next, err := c.Occurrence(t.Context(), id, starts.AddDate(0, 0, 7).Format("20060102"))
		if at, _ := next.Times(time.UTC); err != nil || !at.Equal(starts.AddDate(0, 0, 7)) {
			t.Errorf("%s, %v", at, err)
		}
		if f := wantFault(t, errOf(c.Occurrence(t.Context(), id, "19990101")), fault.NotFound); f.Resource.Type != "schedule_entry" {
			t.Errorf("about %+v", f.Resource)
		}
	})
}

// A PUT without a description clears it, but one without participants keeps them.
func TestUpdateScheduleEntry_KeepsNilParticipantsAndClearsAnEmptyList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, "Ines Albrecht")
		old, err := c.ScheduleEntry(t.Context(), s.Find("Schedule::Entry", "Brakes: yes or no"))
		if err != nil {
			t.Fatal(err)
		}
		f := EntryFields{Span: old.Span, Summary: "Brakes"}
		kept, err := c.UpdateScheduleEntry(t.Context(), old.ID, f)
		if err != nil || kept.Summary != "Brakes" || kept.Description != "" || len(kept.Participants) != len(old.Participants) {
			t.Errorf("%+v, %v", kept, err)
		}
		if diff := cmp.Diff(old.Span, kept.Span); diff != "" {
			t.Error(diff)
		}
		f.ParticipantIDs = []int64{}
		if cleared, err := c.UpdateScheduleEntry(t.Context(), old.ID, f); err != nil || len(cleared.Participants) != 0 {
			t.Errorf("%+v, %v", cleared, err)
		}
		recurring := s.Find("Schedule::Entry", "Launch stand-up")
		wantFault(t, errOf(c.UpdateScheduleEntry(t.Context(), recurring, f)), fault.UpstreamError)
	})
}

func TestUpcoming_HasEntriesOccurrencesAndTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		u, err := sandboxClient(t, s, "Ines Albrecht").Upcoming(t.Context(), "2000-01-01", "2000-01-14")
		if err != nil || len(u.Entries) == 0 || len(u.Occurrences) < 2 || len(u.Assignables) == 0 {
			t.Fatalf("%d, %d, %d, %v", len(u.Entries), len(u.Occurrences), len(u.Assignables), err)
		}
		for _, a := range slices.Concat(u.Entries, u.Occurrences) {
			if starts, ends := a.Times(time.UTC); starts.IsZero() || ends.Before(starts) || a.Summary == "" || a.Bucket.ID == 0 || a.Creator.Name == "" {
				t.Errorf("%+v", a)
			}
		}
		for _, a := range u.Assignables {
			if a.DueOn < "2000-01-01" || a.DueOn > "2000-01-14" || a.Content == "" || a.Parent.Title == "" {
				t.Errorf("%+v", a)
			}
		}
	})
}

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
