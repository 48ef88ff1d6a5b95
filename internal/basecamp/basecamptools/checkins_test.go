package basecamptools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

const (
	daily  = "What did you work on today?"
	weekly = "What could make us late?"
)

func TestListCheckins_ReturnsQuestionsWithScheduleAndLastAnswers(t *testing.T) {
	at(t, func(d *toolEnv) {
		questions := all[texts.Question](d, "list_checkins", args{"project": launch})
		if len(questions) != 3 {
			d.Fatalf("got %+v", questions)
		}
		for i, want := range []struct {
			title, schedule string
			paused          bool
			answers         int
		}{
			{daily, "every weekday at 16:30", false, 24},
			{weekly, "every Monday at 09:00", false, 6},
			{"What are you listening to in the workshop?", "every Friday at 15:00", true, 2},
		} {
			q := questions[i]
			if q.Title != want.title || q.Schedule != want.schedule || q.Paused != want.paused || q.AnswersCount != want.answers ||
				len(q.LastAnswers) != min(3, want.answers) || q.Type != "question" || q.Project.Name != launch || q.URL == "" {
				d.Errorf("got %+v", q)
			}
			for _, a := range q.LastAnswers {
				if a.ID == 0 || a.Author.Name == "" || a.Content == "" || strings.Contains(a.Content, "<div>") || a.Date == "" {
					d.Errorf("got %+v", a)
				}
			}
		}
		if last := questions[0].LastAnswers; last[0].Date < last[2].Date {
			d.Errorf("the newest answer is not the first: %+v", last)
		}
	})
}

func TestListCheckins_ShowsThePendingDay(t *testing.T) {
	at(t, func(d *toolEnv) {
		pending := func() *string { return all[texts.Question](d, "list_checkins", args{"project": launch})[0].PendingFor }
		day := pending()
		if day == nil || *day != "1999-12-31" { // the Friday before
			d.Fatalf("pending for %v", day)
		}
		call[texts.AnswerItem](d, "answer_checkin", args{"question": daily, "project": launch, "body": "Bells.", "date": *day})
		if day := pending(); day != nil {
			d.Errorf("still pending for %s", *day)
		}
	})
}

func TestListCheckins_ShowsTheLatestOfSeveralPendingDays(t *testing.T) {
	at(t, func(d *toolEnv) {
		reminder := fmt.Sprintf(`{"reminder_id":1,"group_on":"%%s","question":{"id":%d}}`, d.sandbox.FindIn(launch, "Question", daily))
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/my/question_reminders", Status: 200,
			Body: "[" + fmt.Sprintf(reminder, "1999-12-31") + "," + fmt.Sprintf(reminder, "1999-12-30") + "]"})
		if day := all[texts.Question](d, "list_checkins", args{"project": launch})[0].PendingFor; day == nil || *day != "1999-12-31" {
			d.Errorf("pending for %v", day)
		}
	})
}

func TestListCheckins_PagesAndCutsLongAnswers(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[texts.AnswerItem](d, "answer_checkin", args{"question": daily, "project": launch, "date": "1999-12-31", "body": strings.Repeat("Bells and more bells. ", 100)})
		one := all[texts.Question](d, "list_checkins", args{"project": launch, "limit": 1})
		if len(one) != 3 {
			d.Errorf("one at a time: %d", len(one))
		}
		if a := one[0].LastAnswers[0]; !a.Truncated || len([]rune(a.Content)) > texts.MaxBrief {
			d.Errorf("got %+v", a)
		}
		d.fails(fault.InvalidInput, "list_checkins", args{"project": launch, "limit": 0}, "limit", "between 1 and 20")
		d.fails(fault.ToolNotEnabled, "list_checkins", args{"project": "Workshop & Tools"}, "automatic check-ins")
	})
}

func TestListCheckins_ReadsAnswersOnlyOfAnsweredQuestions(t *testing.T) {
	at(t, func(d *toolEnv) {
		questionnaire := d.sandbox.ToolID("Company HQ", "questionnaire")
		d.meanwhile("POST", fmt.Sprintf("/questionnaires/%d/questions.json", questionnaire), `{"question":{"title":"Any news?","schedule":{"frequency":"every_day"}}}`)
		call[projects.ProjectTools](d, "get_project_tools", args{"project_id": "Company HQ"})
		asked := d.asked(func() { call[listing.Scroll[texts.Question]](d, "list_checkins", args{"project": "Company HQ"}) })
		slices.Sort(asked)
		want := []string{
			"GET /my/question_reminders.json",
			fmt.Sprintf("GET /questionnaires/%d/questions.json", questionnaire),
			fmt.Sprintf("GET /questions/%d/answers.json", d.sandbox.Find("Question", "What was the best moment of your week?")),
		}
		if !slices.Equal(asked, want) {
			d.Errorf("got %v", asked)
		}
	})
}

func TestListCheckins_AnswersWhatPeopleSaidToOneQuestionOrOnADay(t *testing.T) {
	at(t, func(d *toolEnv) {
		one := call[texts.Questions](d, "list_checkins", args{"project": launch, "question": daily})
		if len(one.Items) != 1 || one.Items[0].Title != daily || len(one.Items[0].LastAnswers) != 15 || !one.Items[0].MoreAnswers {
			d.Errorf("got %+v", one)
		}
		id := one.Items[0].ID
		rest := func(in args) []record {
			in["question"] = id
			return all[record](d, "read_basecamp", args{"operation": "list_checkin_answers", "arguments": in, "limit": 7})
		}
		if got := rest(args{}); len(got) != 24 || got[0]["id"] != float64(one.Items[0].LastAnswers[0].ID) || got[0]["content"] == "" || got[0]["group_on"] != "1999-12-31" {
			d.Errorf("%d answers: %+v", len(got), got)
		}
		// Two people of the company are called Sam. Only one is on the project of the question.
		if got := rest(args{"person": "Sam"}); len(got) != 3 || got[0]["author"].(record)["name"] != "Sam Okafor" {
			d.Errorf("got %+v", got)
		}
		day := call[texts.Questions](d, "list_checkins", args{"project": launch, "date": "friday"})
		if len(day.Items) != 3 || day.Date != "1999-12-31" || len(day.Items[0].LastAnswers) != len(rest(args{"date": "friday"})) {
			d.Errorf("got %+v", day)
		}
		for _, a := range day.Items[0].LastAnswers {
			if a.Date != "1999-12-31" || a.Content == "" || a.Author.Name == "" {
				d.Errorf("got %+v", a)
			}
		}
		d.fails(fault.InvalidInput, "list_checkins", args{"date": "friday"}, "project", "question")
		d.fails(fault.NotFound, "list_checkins", args{"question": "What did you eat?", "project": launch}, "question", "nearest", daily)
		d.fails(fault.Ambiguous, "list_checkins", args{"question": "what", "project": launch}, "question", "3 check-in questions")
		d.fails(fault.NotFound, "list_checkins", args{"question": id, "project": "Company HQ"}, "question", "project")
		d.fails(fault.NotFound, "list_checkins", args{"question": 1})
		d.fails(fault.InvalidInput, "list_checkins", args{"question": id, "date": "recently"}, "date", "recently")
		d.fails(fault.InvalidInput, "read_basecamp", operation("list_checkin_answers", args{"question": id, "person": "Lieke"}), "person", "not on the project")
	})
}

// Long answers to one question are shortened, and fit into an answer.
func TestListCheckins_FitsLongAnswers(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Question", daily)
		for range 30 {
			d.meanwhile("POST", fmt.Sprintf("/questions/%d/answers.json", id), fmt.Sprintf(`{"question_answer":{"content":%q,"group_on":"1999-12-30"}}`, strings.Repeat("界", 9000)))
		}
		text, _ := d.raw("list_checkins", args{"question": id, "date": "1999-12-30"})
		if len(text) > 50_000 || !strings.Contains(text, `"truncated":true`) || !strings.Contains(text, `"more_answers":true`) {
			d.Errorf("%d bytes: %.300s", len(text), text)
		}
	})
}

// Without a schedule that says its days, a question can be asked on each.
func TestNearest_IsADayOnWhichTheQuestionIsAsked(t *testing.T) {
	saturday := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		schedule      *basecamp.Recurrence
		before, after string
	}{
		{&basecamp.Recurrence{Frequency: "every_weekday"}, "1999-12-31", "2000-01-03"},
		{&basecamp.Recurrence{Frequency: "every_day", Days: []int{1, 2, 3, 4, 5}}, "1999-12-31", "2000-01-03"},
		{&basecamp.Recurrence{Frequency: "on_certain_days", Days: []int{2, 4}}, "1999-12-30", "2000-01-04"},
		{&basecamp.Recurrence{Frequency: "every_week", Days: []int{0}}, "1999-12-26", "2000-01-02"},
		{&basecamp.Recurrence{Frequency: "every_other_week", Days: []int{6}}, "2000-01-01", "2000-01-01"},
		{&basecamp.Recurrence{Frequency: "every_month", Days: []int{1}, WeekInstance: 3}, "1999-12-20", "2000-01-17"},
		{&basecamp.Recurrence{Frequency: "every_month", Days: []int{1}}, "2000-01-01", "2000-01-01"},
		{&basecamp.Recurrence{Frequency: "every_week"}, "2000-01-01", "2000-01-01"},
		{nil, "2000-01-01", "2000-01-01"},
	} {
		before, after := calendar.Nearest(c.schedule, saturday, -1).Format(time.DateOnly), calendar.Nearest(c.schedule, saturday, 1).Format(time.DateOnly)
		if before != c.before || after != c.after {
			t.Errorf("%+v: %s and %s, want %s and %s", c.schedule, before, after, c.before, c.after)
		}
	}
}

func TestListCheckins_WithoutProjectListsWhatTheCallerOwes(t *testing.T) {
	at(t, func(d *toolEnv) {
		var owed []texts.Question
		asked := d.asked(func() { owed = all[texts.Question](d, "list_checkins", args{}) })
		if len(asked) != 1 || len(owed) < 2 {
			d.Fatalf("%v: %+v", asked, owed)
		}
		for _, q := range owed {
			if q.PendingFor == nil || q.Project.Name == "" || q.Schedule == "" || q.LastAnswers != nil {
				d.Errorf("got %+v", q)
			}
		}
		i := slices.IndexFunc(owed, func(q texts.Question) bool { return q.Title == daily })
		var in args
		if err := json.Unmarshal([]byte(strings.TrimPrefix(owed[i].AnswerWith, "answer_checkin ")), &in); err != nil {
			d.Fatal(owed[i].AnswerWith, err)
		}
		in["body"] = "Bells."
		if got := call[texts.AnswerItem](d, "answer_checkin", in); got.Date != *owed[i].PendingFor {
			d.Errorf("got %+v", got)
		}
		left := all[texts.Question](d, "list_checkins", args{"limit": 1})
		if len(left) != len(owed)-1 || slices.ContainsFunc(left, func(q texts.Question) bool { return q.Title == daily }) {
			d.Errorf("still owed: %+v", left)
		}
	})
}

// A weekday is the last one, because an answer is about the past.
func TestCheckins_WeekdaysAreInThePast(t *testing.T) {
	at(t, func(d *toolEnv) { // Saturday, 1 January 2000
		id := d.sandbox.FindIn(launch, "Question", daily)
		for word, day := range map[string]string{
			"friday": "1999-12-31", "Sat": "2000-01-01", "sunday": "1999-12-26", "yesterday": "1999-12-31", "this friday": "1999-12-31", "3 days ago": "1999-12-29",
		} {
			if got := call[texts.Questions](d, "list_checkins", args{"question": id, "date": word}); got.Date != day {
				d.Errorf("%s is %s, want %s", word, got.Date, day)
			}
		}
		if got := call[texts.AnswerItem](d, "answer_checkin", args{"question": id, "body": "Bells.", "date": "friday"}); got.Date != "1999-12-31" {
			d.Errorf("Friday is %s", got.Date)
		}
		if got := call[texts.Questions](d, "list_checkins", args{"question": id, "date": "friday"}); len(got.Items[0].LastAnswers) == 0 {
			d.Error("no answers for Friday")
		}
		for _, ahead := range []string{"2000-01-02", "tomorrow", "2026-13-01", "soon"} {
			d.refuses(fault.InvalidInput, "answer_checkin", args{"question": id, "body": "x", "date": ahead}, "date", "Saturday, 2000-01-01")
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }

func TestShowQuestionAndAnswer_MatchTheirTools(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		id := d.sandbox.FindIn(launch, "Question", daily)
		q, err := rs.Texts.ShowQuestion(ctx, id)
		if err != nil || q.Title != daily || len(q.LastAnswers) != 3 || *q.PendingFor != "1999-12-31" {
			d.Errorf("got %+v, %v", q, err)
		}
		last := q.LastAnswers[0]
		call[parts.Comment](d, "create_comment", args{"item": fmt.Sprintf("answer:%d", last.ID), "body": "Well done."})
		a, err := rs.Texts.ShowAnswer(ctx, last.ID, parts.CommentsInput{IncludeComments: true})
		if err != nil || a.Content != last.Content || len(a.Comments) != 1 || a.Question.ID != id || a.Status != "active" || a.CommentsCount != 1 {
			d.Errorf("got %+v, %v", a, err)
		}
	})
}
