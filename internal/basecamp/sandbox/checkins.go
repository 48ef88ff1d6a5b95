package sandbox

import (
	"slices"
	"strconv"
	"time"
)

func showQuestionnaire(c *call, r *recording) reply {
	return ok(c.envelope(
		r,
		field{"name", r.title},
		field{"questions_count", len(c.active(r.within(kindQuestion)))},
		field{"questions_url", c.url("/questionnaires/%d/questions.json", r.id)},
	))
}

func (c *call) question(r *recording) view {
	return c.envelope(
		r,
		field{"paused", r.paused},
		field{"schedule", r.schedule},
		field{"answers_count", len(c.active(r.within(kindAnswer)))},
		field{"answers_url", c.url("/questions/%d/answers.json", r.id)},
	)
}

func (c *call) checkinAnswer(r *recording) view { return c.text(r, field{"group_on", r.groupOn}) }

func createQuestion(c *call, questionnaire *recording) reply {
	f := c.fields.object("question")
	if f.trimmed("title") == "" {
		return invalidField("title", blank)
	}
	frequency := f.object("schedule").text("frequency")
	if frequency == "" {
		return invalidField("schedule", blank)
	}
	q := c.create(questionnaire, &recording{
		kind: kindQuestion, title: f.trimmed("title"), schedule: c.asked(f.object("schedule")), public: c.fields.yes("visible_to_clients") || c.me.client,
	})
	return created(c.question(q)).located(c.appURL("%s", q.anchor()))
}

// asked returns when a question is asked: by default at nine on weekdays.
func (c *call) asked(f fields) *recurrence {
	r := &recurrence{Frequency: f.text("frequency"), Days: []int{1, 2, 3, 4, 5}, Hour: 9, StartDate: c.today().Format(time.DateOnly)}
	if days := f.texts("days"); len(days) > 0 {
		r.Days = nil
		for _, day := range days {
			n, _ := strconv.Atoi(day)
			r.Days = append(r.Days, n)
		}
	}
	if at, err := time.Parse("3:04pm", f.text("time_of_day")); err == nil {
		r.Hour, r.Minute = at.Hour(), at.Minute()
	}
	return r
}

func updateQuestion(c *call, q *recording) reply {
	f := c.fields.object("question")
	if f.has("title") {
		if f.trimmed("title") == "" {
			return invalidField("title", blank)
		}
		q.title = f.trimmed("title")
	}
	if f.has("schedule") {
		q.schedule = c.asked(f.object("schedule"))
	}
	c.changed(q, "content_changed", nil)
	return ok(c.question(q))
}

// setQuestionNotifications subscribes the caller to the answers. The sandbox does not keep who is
// asked.
func setQuestionNotifications(c *call, q *recording) reply {
	if c.fields.has("subscribed") {
		q.subscribers = slices.DeleteFunc(q.subscribers, func(p *person) bool { return p == c.me })
		if c.fields.yes("subscribed") {
			q.subscribe(c.me)
		}
	}
	asked := !c.fields.has("responding") || c.fields.yes("responding")
	return ok(view{{"responding", asked}, {"subscribed", slices.Contains(q.subscribers, c.me)}})
}

func setPaused(paused bool) func(*call, *recording) reply {
	return func(_ *call, q *recording) reply {
		q.paused = paused
		return ok(view{{"paused", paused}})
	}
}

// listAnswers answers with the answers to a question, the latest first, filtered by ?date and
// ?creator_id.
func listAnswers(c *call, q *recording) reply {
	date, creator := c.query.Get("date"), fields{"id": []byte(`"` + c.query.Get("creator_id") + `"`)}.number("id")
	answers := filter(c.listed(q.within(kindAnswer)), func(a *recording) bool {
		return (date == "" || a.groupOn == date) && (creator == 0 || a.creator.id == creator)
	})
	return page(c, newestFirst(answers), c.checkinAnswer)
}

func listAnswerers(c *call, q *recording) reply {
	var people []*person
	for _, a := range c.active(q.within(kindAnswer)) {
		if !slices.Contains(people, a.creator) {
			people = append(people, a.creator)
		}
	}
	return page(c, people, c.person)
}

func listAnswersBy(c *call, q *recording) reply {
	answers := filter(c.active(q.within(kindAnswer)), func(a *recording) bool { return a.creator.id == c.id(1) })
	return page(c, newestFirst(answers), c.checkinAnswer)
}

func createAnswer(c *call, q *recording) reply {
	f := c.fields.object("question_answer")
	day, refusal := answerFields(f)
	if refusal.status != 0 {
		return refusal
	}
	a := c.create(q, &recording{kind: kindAnswer, body: c.s.richText(c.account, f.text("content")), groupOn: day})
	c.announce(a)
	return created(c.checkinAnswer(a)).located(c.appURL("%s", a.anchor()))
}

// updateAnswer requires both fields, even if only one changes.
func updateAnswer(c *call, a *recording) reply {
	f := c.fields.object("question_answer")
	day, refusal := answerFields(f)
	switch {
	case a.creator != c.me:
		return forbidden()
	case refusal.status != 0:
		return refusal
	}
	c.fields = f
	c.setText(a, "content")
	a.groupOn = day
	c.changed(a, "content_changed", nil)
	return noContent()
}

func answerFields(f fields) (day string, refusal reply) {
	day, valid := f.date("group_on")
	switch {
	case f.trimmed("content") == "":
		return "", invalidField("content", blank)
	case !valid || day == "":
		return "", invalidField("group_on", blank)
	}
	return day, reply{}
}

// listReminders answers with the questions that the caller has not answered since they were last
// due.
func listReminders(c *call) reply {
	type reminder struct {
		q   *recording
		day time.Time
	}
	var pending []reminder
	for _, q := range c.everywhere(kindQuestion) {
		day := q.schedule.last(c.s.now().In(c.me.location))
		answered := slices.ContainsFunc(q.within(kindAnswer), func(a *recording) bool {
			return a.creator == c.me && a.groupOn == day.Format(time.DateOnly) && a.status == active
		})
		if !q.paused && !answered && !q.parent.disabled && slices.Contains(q.subscribers, c.me) {
			pending = append(pending, reminder{q, day})
		}
	}
	return page(c, pending, func(r reminder) view {
		return view{{"reminder_id", r.q.id + 7}, {"remind_at", r.day}, {"group_on", r.day.Format(time.DateOnly)}, {"question", c.question(r.q)}}
	})
}

// last returns the latest time, up to now, at which a question was due.
func (r *recurrence) last(now time.Time) time.Time {
	for back := range 14 {
		day := now.AddDate(0, 0, -back)
		at := time.Date(day.Year(), day.Month(), day.Day(), r.Hour, r.Minute, 0, 0, now.Location())
		if !at.After(now) && slices.Contains(r.Days, int(at.Weekday())) {
			return at
		}
	}
	return now
}
