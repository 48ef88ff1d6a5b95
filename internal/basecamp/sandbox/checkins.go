package sandbox

import (
	"slices"
	"strconv"
	"time"
)

var checkinRoutes = []route{
	// Subscribes the caller to the answers. The sandbox does not keep who is asked.
	{"PUT /questions/{id}/notification_settings", func(c *call, q *recording) reply {
		if c.fields.has("subscribed") {
			q.Subscribers = slices.DeleteFunc(q.Subscribers, func(p *Person) bool { return p == c.me })
			if c.fields.yes("subscribed") {
				q.subscribe(c.me)
			}
		}
		asked := !c.fields.has("responding") || c.fields.yes("responding")
		return ok(view{{"responding", asked}, {"subscribed", slices.Contains(q.Subscribers, c.me)}})
	}},
	{"POST /questions/{id}/pause", setPaused(true)},
	{"DELETE /questions/{id}/pause", setPaused(false)},
	// Answers with the answers to a question, the latest first, filtered by ?date and ?creator_id.
	{"GET /questions/{id}/answers", func(c *call, q *recording) reply {
		date, creator := c.query.Get("date"), fields{"id": []byte(`"` + c.query.Get("creator_id") + `"`)}.number("id")
		answers := filter(c.listed(q.within(kindAnswer)), func(a *recording) bool {
			return (date == "" || a.GroupOn == date) && (creator == 0 || a.Creator.ID == creator)
		})
		return page(c, newestFirst(answers), "full")
	}},
	{"GET /questions/{id}/answers/by", func(c *call, q *recording) reply {
		var people []*Person
		for _, a := range c.active(q.within(kindAnswer)) {
			if !slices.Contains(people, a.Creator) {
				people = append(people, a.Creator)
			}
		}
		return page(c, people, "")
	}},
	{"GET /questions/{id}/answers/by/{id}", func(c *call, q *recording) reply {
		answers := filter(c.active(q.within(kindAnswer)), func(a *recording) bool { return a.Creator.ID == c.id(1) })
		return page(c, newestFirst(answers), "full")
	}},
	// Answers with the questions that the caller has not answered since they were last due.
	{"GET /my/question_reminders", func(c *call) reply {
		var pending []view
		for _, q := range c.everywhere(kindQuestion) {
			day := q.Schedule.last(c.s.now().In(c.me.location))
			answered := slices.ContainsFunc(q.within(kindAnswer), func(a *recording) bool {
				return a.Creator == c.me && a.GroupOn == day.Format(time.DateOnly) && a.Status == active
			})
			if !q.Paused && !answered && !q.Parent.Disabled && slices.Contains(q.Subscribers, c.me) {
				pending = append(pending, view{
					{"reminder_id", q.ID + 7}, {"remind_at", day}, {"group_on", day.Format(time.DateOnly)}, {"question", c.show(q)},
				})
			}
		}
		return page(c, pending, "")
	}},
	{"GET /checkins", everyRecording(kindAnswer)},
}

var questions = writing{
	kind: kindQuestion, within: []kind{kindQuestionnaire}, list: "questions", in: "question",
	inputs: []input{
		{name: "title", required: true, set: setTitle},
		{name: "schedule", set: func(c *call, q *recording, v value) {
			when := v.fields.object(v.name)
			v.refuse(q.Schedule == nil && when.text("frequency") == "", blank)
			q.Schedule = c.asked(when)
		}},
		{name: "visible_to_clients", first: true, set: func(c *call, q *recording, v value) {
			q.Public = c.fields.yes(v.name)
		}},
	},
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

func setPaused(paused bool) func(*call, *recording) reply {
	return func(_ *call, q *recording) reply {
		q.Paused = paused
		return ok(view{{"paused", paused}})
	}
}

var answers = writing{
	kind: kindAnswer, within: []kind{kindQuestion}, list: "answers", in: "question_answer",
	mayChange: func(c *call, a *recording) { refuse(a.Creator != c.me, forbidden()) },
	inputs: []input{
		{name: "content", required: true, set: setBody},
		{name: "group_on", required: true, set: func(_ *call, a *recording, v value) {
			day, valid := v.fields.date(v.name)
			v.refuse(!valid, blank)
			a.GroupOn = day
		}},
	},
	replaces: true, silent: true,
	made: (*call).announce,
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
