package basecamptools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func TestAnswerCheckin_AnswersForTodayInTheCallersTimeZone(t *testing.T) {
	at(t, func(d *toolEnv) {
		time.Sleep(48*time.Hour + time.Second) // it is Monday for Ines and still Sunday for Marguerite
		d.refuses(fault.InvalidInput, "answer_checkin", args{"question": weekly, "project": launch, "body": "Late.", "date": "tomorrow"}, "date", "after today")
		d.as("Marguerite Osei").refuses(fault.InvalidInput, "answer_checkin", args{"question": weekly, "project": launch, "body": "Late.", "date": "today"}, "Sunday 2000-01-02")
		time.Sleep(12 * time.Hour)
		for name, today := range map[string]string{"Ines Albrecht": "2000-01-03", "Marguerite Osei": "2000-01-03"} {
			got := call[texts.AnswerItem](d.as(name), "answer_checkin", args{
				"question": weekly, "project": launch, "body": "Tuned **bells** with @Noémie.", "mentions": "Noemie", "date": "today",
			})
			if got.Date != today || got.Author.Name != name || got.Question.Name != weekly || got.Type != "answer" || got.URL == "" || !strings.Contains(got.Content, "**bells**") {
				d.Errorf("got %+v", got)
			}
			kept := upstream[record](d, fmt.Sprintf("/question_answers/%d.json", got.ID))
			if kept["group_on"] != today || !strings.Contains(kept["content"].(string), "application/vnd.basecamp.mention") {
				d.Errorf("Basecamp has %v", kept)
			}
		}
		if got := call[texts.AnswerItem](d, "answer_checkin", args{"question": d.sandbox.Find("Question", weekly), "body": "Rain.", "date": "1999-12-27"}); got.Date != "1999-12-27" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestAnswerCheckin_AnswersForThePendingDayIfThatIsToday(t *testing.T) {
	at(t, func(d *toolEnv) {
		time.Sleep(60 * time.Hour) // Monday at noon; the weekly question was asked in the morning
		owed := call[listing.Scroll[texts.Question]](d, "list_checkins", args{"project": launch}).Items[1].PendingFor
		in := args{"question": weekly, "project": launch, "body": "Bells."}
		if got := call[texts.AnsweredCheckin](d, "answer_checkin", in); owed == nil || got.Date != *owed || got.CountsFor != "Monday 2000-01-03, today" {
			d.Errorf("for %s, pending %v", got.CountsFor, *owed)
		}
	})
}

func TestAnswerCheckin_RefusesToChooseBetweenTodayAndAnotherDay(t *testing.T) {
	at(t, func(d *toolEnv) { // Saturday, 1 January 2000
		for question, words := range map[string][]string{
			daily:  {"pending for Friday 1999-12-31, yesterday, and today is Saturday 2000-01-01", `date "1999-12-31"`, "today the question is not asked"},
			weekly: {"pending for Monday 1999-12-27, 5 days ago", `date "1999-12-27"`},
		} {
			d.refuses(fault.InvalidInput, "answer_checkin", args{"question": question, "project": launch, "body": "Bells."}, append(words, "date: ")...)
		}
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/search", Status: 200, Body: "[]"})
		d.refuses(fault.InvalidInput, "answer_checkin", args{"question": weekly, "body": "Rain."}, "pending for Monday 1999-12-27")
		d.sandbox.ClearFaults()
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/my/question_reminders", Status: 200, Body: "[]"})
		d.refuses(fault.InvalidInput, "answer_checkin", args{"question": weekly, "project": launch, "body": "Rain."}, "last asked for Monday 1999-12-27", `date "1999-12-27"`)
	})
}

func TestAnswerCheckin_TellsTheDayAndRefusesASecondAnswerForIt(t *testing.T) {
	at(t, func(d *toolEnv) { // Saturday, 1 January 2000
		in := args{"question": daily, "project": launch, "body": "Bells.", "date": "friday"}
		first := call[texts.AnsweredCheckin](d, "answer_checkin", in)
		if first.Date != "1999-12-31" || first.CountsFor != "Friday 1999-12-31, yesterday" {
			d.Errorf("got %+v", first)
		}
		// No day is pending now, and the question is not asked on Saturdays.
		again := []string{"Friday 1999-12-31", fmt.Sprintf("answer:%d", first.ID), "edit_text", first.URL, "another date"}
		for _, date := range []string{"", "friday", "yesterday"} {
			in["date"] = date
			d.refuses(fault.Conflict, "answer_checkin", in, again...)
		}
		in["date"] = "2 days ago"
		if got := call[texts.AnsweredCheckin](d, "answer_checkin", in); got.CountsFor != "Thursday 1999-12-30, 2 days ago" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestAnswerCheckin_RefusesADayOnWhichTheQuestionIsNotAsked(t *testing.T) {
	at(t, func(d *toolEnv) { // Saturday, 1 January 2000
		in := args{"question": daily, "project": launch, "body": "Bells.", "date": "today"}
		d.refuses(fault.InvalidInput, "answer_checkin", in, "date: this question is asked every weekday, so not on Saturday 2000-01-01",
			`"1999-12-31" (Friday)`, `"2000-01-03" (Monday)`)
		in["date"] = "1998-01-05"
		d.refuses(fault.InvalidInput, "answer_checkin", in, "date: this question exists only since 1999-")
		in["question"], in["date"] = weekly, "1999-12-28"
		d.refuses(fault.InvalidInput, "answer_checkin", in, "every Monday", `"1999-12-27" (Monday)`, `"2000-01-03" (Monday)`)
		// Basecamp reminds the caller of that day: the question was asked then.
		id := d.sandbox.FindIn(launch, "Question", weekly)
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/my/question_reminders", Status: 200, Body: fmt.Sprintf(`[{"reminder_id": 7, "group_on": "1999-12-28", "question": {"id": %d}}]`, id)})
		if got := call[texts.AnsweredCheckin](d, "answer_checkin", in); got.Date != "1999-12-28" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestAnswerCheckin_WritesNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Question", daily)
		d.refuses(fault.InvalidInput, "answer_checkin", args{"question": id, "body": " "}, "body", "blank")
		d.refuses(fault.InvalidInput, "answer_checkin", args{"question": id, "body": "x", "date": "31.13."}, "date")
		d.refuses(fault.InvalidInput, "answer_checkin", args{"question": id, "body": "x", "date": "friday", "mentions": "Lieke"}, "mentions[0]", "not on the project")
		d.refuses(fault.NotFound, "answer_checkin", args{"question": id, "project": "Company HQ", "body": "x"}, "question", "project")
		d.refuses(fault.NotFound, "answer_checkin", args{"question": 1, "body": "x"})
		d.refuses(fault.NotFound, "answer_checkin", args{"question": d.sandbox.FindIn(launch, "Todo", "Print the serial number plates"), "body": "x"})
	})
}
