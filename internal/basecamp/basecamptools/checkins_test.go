package basecamptools

import (
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/report/fault"
)

const (
	daily     = "What did you work on today?"
	weekly    = "What could make us late?"
	dailyID   = "{Question:" + daily + inTheLaunch
	weeklyID  = "{Question:" + weekly + inTheLaunch
	reminders = "/my/question_reminders"
)

func TestListCheckins(t *testing.T) {
	const reminder = `{"reminder_id":1,"group_on":"1999-12-3DAY","question":{"id":` + dailyID + `}}`
	long := slices.Repeat(says{"POST /questions/" + dailyID + `/answers.json {"question_answer":{"content":"` + strings.Repeat("界", 9000) + `","group_on":"1999-12-30"}}`}, 30)
	cases(t, "list_checkins", args{"project": launch},
		row{fact: "a question has its schedule and the newest answers", misses: says{"<div>"}, holds: holds{
			"items.*.title": says{daily, weekly, "What are you listening to in the workshop?"}, "items.*.schedule": says{"every weekday at 16:30", "every Monday at 09:00", "every Friday at 15:00"},
			"items.*.paused": []bool{false, false, true}, "items.*.answers_count": []int{24, 6, 2}, "items.*.last_answers.#": []int{3, 3, 2}, "items.*.project.name": launch, "items.*.type": "question",
			"items.0.last_answers.*.date": "1999-12-31", "items.*.last_answers.*.author.name": some, "items.*.last_answers.*.content": some, "items.*.pending_for": []any{"1999-12-31", "1999-12-27", nil},
		}},
		row{fact: "an answer ends that it is pending", tool: "answer_checkin", in: args{"question": daily, "project": launch, "body": "Bells.", "date": "1999-12-31"}, then: []row{{holds: holds{"items.0.pending_for": nil}}}},
		row{fact: "of several pending days the last one is told", faults: faults{{PathPrefix: reminders, Status: 200, Body: "[" + strings.Replace(reminder, "DAY", "1", 1) + "," + strings.Replace(reminder, "DAY", "0", 1) + "]"}},
			holds: holds{"items.0.pending_for": "1999-12-31"}},
		row{fact: "a long answer is cut", tool: "answer_checkin", in: args{"question": daily, "project": launch, "date": "1999-12-31", "body": strings.Repeat("Bells and more bells. ", 100)}, then: []row{
			{holds: holds{"items.0.last_answers.0.truncated": true, "items.0.last_answers.0.content": most(texts.MaxBrief)}}}},
		row{fact: "many long ones fit", before: long, in: args{"question": daily, "date": "1999-12-30"}, says: says{`"truncated":true`, `"more_answers":true`}},
		row{fact: "only questions with answers are asked for them", before: says{`POST /questionnaires/{tool:questionnaire@Company HQ}/questions.json {"question":{"title":"Any news?","schedule":{"frequency":"every_day"}}}`},
			tool: "get_project_tools", in: args{"project_id": "Company HQ"}, then: []row{{in: args{"project": "Company HQ"}, requests: 3, holds: holds{"items.#": 2}}}},
		row{fact: "without a project, what the caller owes is one read", in: args{"project": nil}, requests: 1, holds: holds{
			"items.#": 3, "items.*.pending_for": some, "items.*.project.name": some, "items.*.schedule": some, "items.*.last_answers": nil, "items.2.title": daily,
			"items.2.answer_with": has(`answer_checkin {"question":"` + dailyID + `","date":"1999-12-31"}`)}, then: []row{
			{tool: "answer_checkin", in: args{"question": dailyID, "body": "Bells.", "date": "1999-12-31"}},
			{in: args{"project": nil, "limit": 1}, holds: holds{"total": 2}},
		}},
		row{fact: "one question has more answers", in: args{"question": daily}, holds: holds{"items.*.title": says{daily}, "items.0.last_answers.#": 15, "items.0.more_answers": true}, then: []row{
			{fact: "all of them are read by an operation", tool: "read_basecamp", in: args{"operation": "list_checkin_answers", "question": dailyID, "limit": 100},
				holds: holds{"items.#": 24, "items.0.id": "{0.items.0.last_answers.0.id}", "items.0.content": some, "items.0.group_on": "1999-12-31"}},
			{fact: "those of the one Sam on the project", tool: "read_basecamp", in: operation("list_checkin_answers", args{"question": dailyID, "person": "Sam"}), holds: holds{"items.#": 3, "items.*.author.name": "Sam Okafor"}},
			{fact: "not of others", tool: "read_basecamp", in: operation("list_checkin_answers", args{"question": dailyID, "person": "Lieke"}), fails: fault.InvalidInput, says: says{"person", "not on the project"}},
			{fact: "those of a day", tool: "read_basecamp", in: operation("list_checkin_answers", args{"question": dailyID, "date": "friday"}), holds: holds{"items.#": 6}},
		}},
		row{fact: "a day has its answers", in: args{"date": "friday"}, holds: holds{"date": "1999-12-31", "items.#": 3, "items.0.last_answers.#": 6, "items.*.last_answers.*.date": "1999-12-31", "items.*.last_answers.*.content": some}},
		row{fact: "yesterday", in: args{"date": "yesterday"}, holds: holds{"date": "1999-12-31"}},
		row{fact: "a weekday is the last one", in: args{"date": "sunday"}, holds: holds{"date": "1999-12-26"}},
		row{fact: "today is one", in: args{"date": "Sat"}, holds: holds{"date": "2000-01-01"}},
		row{fact: "a question is found without its project, in any case", each: []args{{"question": weekly}, {"question": strings.ToUpper(weekly)}}, in: args{"project": nil}, holds: holds{"items.0.last_answers": some}},
		row{fact: "a day must be one", in: args{"date": "one fine day"}, fails: fault.InvalidInput, says: says{"date"}},
		row{fact: "the project must exist", in: args{"project": "Nothing of the kind"}, fails: fault.NotFound, says: says{"project"}},
		row{fact: "a day needs a project or a question", in: args{"project": nil, "date": "friday"}, fails: fault.InvalidInput, says: says{"project", "question"}},
		row{fact: "the nearest questions are told", in: args{"question": "What did you eat?"}, fails: fault.NotFound, says: says{"question", "nearest", daily}},
		row{fact: "part of a title must fit one", in: args{"question": "what"}, fails: fault.Ambiguous, says: says{"question", "3 check-in questions"}},
		row{fact: "the question must be in the project", in: args{"question": dailyID, "project": "Company HQ"}, fails: fault.NotFound, says: says{"question", "project"}},
		row{fact: "the question must exist", in: args{"question": 1, "project": nil}, fails: fault.NotFound},
		row{fact: "a day must be understood", in: args{"question": dailyID, "date": "recently"}, fails: fault.InvalidInput, says: says{"date", "recently"}},
		row{fact: "a page has a question", in: args{"limit": 0}, fails: fault.InvalidInput, says: says{"limit", "between 1 and 20"}},
		row{fact: "the project must have check-ins", in: args{"project": "Workshop & Tools"}, fails: fault.ToolNotEnabled, says: says{"automatic check-ins"}},
		row{fact: "a question is an item", tool: "get_item", in: args{"item": "question:" + dailyID}, holds: holds{"item.title": daily, "item.last_answers.#": 3, "item.pending_for": "1999-12-31"}},
		row{fact: "so is an answer, with its comments", tool: "GET /questions/" + dailyID + "/answers.json", then: []row{
			{tool: "create_comment", in: args{"item": "answer:{0.0.id}", "body": "Well done."}},
			{tool: "get_item", in: args{"item": "answer:{0.0.id}"}, holds: holds{"item.content": some, "item.comments.#": 1, "item.comments_count": 1, "item.question.id": dailyID, "item.status": "active"}},
		}},
	)
}

func TestAnswerCheckin(t *testing.T) {
	const inDaily = "date: this question is asked every weekday, so not on Saturday 2000-01-01"
	later := func(d time.Duration) func(*toolEnv) { return func(*toolEnv) { time.Sleep(d) } }
	written := func(today string) row {
		return row{fact: "it is for the caller's own day", in: args{"question": weekly, "body": "Tuned **bells** with @Noémie.", "mentions": "Noemie", "date": "today"},
			holds: holds{"date": today, "question.name": weekly, "type": "answer", "url": some, "content": has("**bells**")}, then: []row{
				{tool: "GET /question_answers/{.id}.json", holds: holds{"group_on": today, "content": has("application/vnd.basecamp.mention")}}}}
	}
	// It is Saturday, 1 January 2000.
	cases(t, "answer_checkin", args{"question": daily, "project": launch, "body": "Bells."},
		row{fact: "when it is Monday in Berlin, it is Sunday in Toronto", setup: later(48*time.Hour + time.Second), in: args{"question": weekly, "date": "tomorrow"}, fails: fault.InvalidInput, says: says{"date", "after today"}, then: []row{
			{as: "Marguerite Osei", in: args{"question": weekly, "date": "today"}, fails: fault.InvalidInput, says: says{"Sunday 2000-01-02"}},
			written("2000-01-03"),
			{in: args{"question": weekly, "date": "1999-12-27"}, holds: holds{"date": "1999-12-27", "counts_for": has("Monday 1999-12-27")}},
		}},
		row{fact: "it is for today if that is pending", setup: later(60 * time.Hour), in: args{"question": weekly}, holds: holds{"date": "2000-01-03", "counts_for": "Monday 2000-01-03, today"}},
		row{fact: "without a date, the caller chooses between today and yesterday", fails: fault.InvalidInput,
			says: says{"date: ", "pending for Friday 1999-12-31, yesterday, and today is Saturday 2000-01-01", `date "1999-12-31"`, "today the question is not asked"}},
		row{fact: "or an earlier day", in: args{"question": weekly}, fails: fault.InvalidInput, says: says{"date: ", "pending for Monday 1999-12-27, 5 days ago", `date "1999-12-27"`}},
		row{fact: "without a project and a search that finds it too", in: args{"question": weekly, "project": nil}, faults: faults{{PathPrefix: "/search", Status: 200, Body: "[]"}}, fails: fault.InvalidInput, says: says{"pending for Monday 1999-12-27"}},
		row{fact: "without a reminder the last day is told", in: args{"question": weekly}, faults: faults{{PathPrefix: reminders, Status: 200, Body: "[]"}}, fails: fault.InvalidInput, says: says{"last asked for Monday 1999-12-27", `date "1999-12-27"`}},
		row{fact: "the day is told, and has one answer", in: args{"date": "friday"}, holds: holds{"date": "1999-12-31", "counts_for": "Friday 1999-12-31, yesterday"}, then: []row{
			{each: []args{nil, {"date": "friday"}, {"date": "yesterday"}}, fails: fault.Conflict, says: says{"Friday 1999-12-31", "answer:{0.id}", "edit_text", "{0.url}", "another date"}},
			{in: args{"date": "2 days ago"}, holds: holds{"counts_for": "Thursday 1999-12-30, 2 days ago"}},
		}},
		row{fact: "the question must be asked on the day", in: args{"date": "today"}, fails: fault.InvalidInput, says: says{inDaily, `"1999-12-31" (Friday)`, `"2000-01-03" (Monday)`}},
		row{fact: "every week too", in: args{"question": weekly, "date": "1999-12-28"}, fails: fault.InvalidInput, says: says{"every Monday", `"1999-12-27" (Monday)`, `"2000-01-03" (Monday)`}},
		row{fact: "unless Basecamp reminds of it", in: args{"question": weekly, "date": "1999-12-28"}, holds: holds{"date": "1999-12-28"},
			faults: faults{{PathPrefix: reminders, Status: 200, Body: `[{"reminder_id": 7, "group_on": "1999-12-28", "question": {"id": ` + weeklyID + `}}]`}}},
		row{fact: "the question must exist on the day", in: args{"date": "1998-01-05"}, fails: fault.InvalidInput, says: says{"date: this question exists only since 1999-"}},
		row{fact: "a day is not in the future", each: []args{{"date": "2000-01-02"}, {"date": "tomorrow"}, {"date": "2026-13-01"}, {"date": "soon"}}, fails: fault.InvalidInput, says: says{"date", "Saturday, 2000-01-01"}},
		row{fact: "a text is required", in: args{"body": " "}, fails: fault.InvalidInput, says: says{"body", "blank"}},
		row{fact: "whom it mentions must be on the project", in: args{"date": "friday", "mentions": "Lieke"}, fails: fault.InvalidInput, says: says{"mentions[0]", "not on the project"}},
	)
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
