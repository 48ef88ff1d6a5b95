package basecamp

import (
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestCheckins_CanBeReadAndAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, "Ines Albrecht")
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
