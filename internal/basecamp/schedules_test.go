package basecamp

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

const launch = "Cargo Bike Launch"

func TestScheduleEntry_ReturnsTheFirstOccurrenceOfARecurringEntry(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
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
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
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

func TestCheckins_CanBeReadAndAnswered(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
		questions := allPages(t, func(page int) (Page[Question], error) {
			return c.Questions(t.Context(), s.ToolID(launch, "questionnaire"), page)
		})
		if len(questions) != 3 || questions[0].Schedule.Hour != 16 || questions[0].Schedule.Minute != 30 || !questions[2].Paused {
			t.Fatalf("%+v", questions)
		}
		daily := questions[0]
		reminders := allPages(t, func(page int) (Page[Reminder], error) { return c.Reminders(t.Context(), page) })
		var owed string
		for _, r := range reminders {
			if r.Question.ID == daily.ID {
				owed = r.GroupOn
			}
		}
		if owed == "" {
			t.Fatalf("no reminder: %+v", reminders)
		}
		a, err := c.CreateCheckinAnswer(t.Context(), daily.ID, NewCheckinAnswer{Content: "<div>Bells</div>", GroupOn: owed})
		if err != nil || a.GroupOn != owed || a.Content != "<div>Bells</div>" || a.Parent.ID != daily.ID {
			t.Fatalf("%+v, %v", a, err)
		}
		mine := allPages(t, func(page int) (Page[CheckinAnswer], error) {
			return c.CheckinAnswers(t.Context(), daily.ID, owed, s.Person("Ines Albrecht").ID, page)
		})
		if len(mine) != 1 || mine[0].ID != a.ID {
			t.Errorf("%+v", mine)
		}
		everyones := allPages(t, func(page int) (Page[CheckinAnswer], error) {
			return c.ProjectCheckinAnswers(t.Context(), daily.Bucket.ID, page)
		})
		if everyones[0].ID != a.ID || everyones[0].GroupOn != owed || len(everyones) < daily.AnswersCount {
			t.Errorf("%d, the latest %+v", len(everyones), everyones[0])
		}
		f := wantFault(t, errOf(c.CreateCheckinAnswer(t.Context(), daily.ID, NewCheckinAnswer{Content: "<div>Bells</div>"})), fault.InvalidInput)
		if len(f.Validation) != 1 || f.Validation[0].Path != "group_on" {
			t.Errorf("%+v", f.Validation)
		}
	})
}

func TestCreateChatLine_PostsPlainTextUnlessTheTypeIsHTML(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
		room := s.ToolID(launch, "chat")
		plain, err := c.CreateChatLine(t.Context(), room, NewChatLine{Content: "2 < 3 & <em>so</em> on"})
		if err != nil || plain.IsHTML() || plain.Content != "2 < 3 & <em>so</em> on" {
			t.Errorf("%+v, %v", plain, err)
		}
		rich, err := c.CreateChatLine(t.Context(), room, NewChatLine{Content: "<em>so</em>", Type: HTMLLine})
		if err != nil || !rich.IsHTML() {
			t.Errorf("%+v, %v", rich, err)
		}
		again, err := c.ChatLine(t.Context(), room, rich.ID)
		if err != nil || again.Content != "<em>so</em>" || again.Parent.ID != room {
			t.Errorf("%+v, %v", again, err)
		}
		if f := wantFault(t, errOf(c.ChatLine(t.Context(), room, 1)), fault.NotFound); f.Resource.Type != "chat_line" {
			t.Errorf("about %+v", f.Resource)
		}
	})
}
