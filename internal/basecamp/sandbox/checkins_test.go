package sandbox

import "testing"

func TestCheckins(t *testing.T) {
	const (
		today    = "/questions/{Question: What did you work on today?}"
		asks     = "/questionnaires/{questionnaire: Cargo Bike Launch}/questions"
		forwards = "ALL /inboxes/{inbox: Cargo Bike Launch}/inbox_forwards"
		question = `{"question": {"title": "What broke?", "schedule": {"frequency": "every_week", "days": ["5"], "time_of_day": "4:30pm"}}}`
	)
	stories{
		"answers are filtered by day and person": {
			{"", "ALL " + today + "/answers", "", 200, `"#>19"`},
			{"", "ALL " + today + "/answers?date=2031-05-13", "", 200, `["...", {"group_on": "2031-05-13"}]`},
			{"", "ALL " + today + "/answers?creator_id={Person: Sam Okafor}", "", 200, `[{"creator": "Sam Okafor"}, {"creator": "Sam Okafor"}, {"creator": "Sam Okafor"}]`},
			{"", "ALL " + today + "/answers/by/{Person: Sam Okafor}", "", 200, `[{"creator": "Sam Okafor"}, {"creator": "Sam Okafor"}, {"creator": "Sam Okafor"}]`},
			{"", "ALL " + today + "/answers/by", "", 200, `["...", "Sam Okafor"]`},
		},
		"an answer needs a text and a day, and ends the reminder": {
			{"", "due = GET /my/question_reminders", "", 200, `["...", {"question": {"title": "What did you work on today?"}, "group_on": "2031-05-13"}]`},
			{"", "POST " + today + "/answers", `{"question_answer": {"content": "<div>Bells</div>"}}`, 422, ""},
			{"", "POST " + today + "/answers", `{"question_answer": {"group_on": "2031-05-13"}}`, 422, ""},
			{"", "answer = POST " + today + "/answers", `{"question_answer": {"content": "<div>Bells</div>", "group_on": "2031-05-13"}}`, 201, `{"group_on": "2031-05-13"}`},
			{"", "GET /my/question_reminders", "", 200, `"#2"`},
			{"Hanna", "PUT /question_answers/{answer.id}", `{"question_answer": {"content": "no", "group_on": "2031-05-13"}}`, 403, ""},
			{"", "PUT /question_answers/{answer.id}", `{"question_answer": {"content": "<div>Louder bells</div>", "group_on": "2031-05-13"}}`, 204, ""},
			{"", "GET /question_answers/{answer.id}", "", 200, `{"content": "<div>Louder bells</div>"}`},
		},
		"a question is made, changed and paused": {
			{"", "made = POST " + asks, question, 201, `{"schedule": {"frequency": "every_week", "days": [5], "hour": 16, "minute": 30}}`},
			{"", "PUT /questions/{made.id}", `{"question": {"title": "What broke this week?"}}`, 200, `{"title": "What broke this week?", "schedule": {"hour": 16}}`},
			{"", "POST /questions/{made.id}/pause", "", 200, `{"paused": true}`},
			{"", "DELETE /questions/{made.id}/pause", "", 200, `{"paused": false}`},
			{"", "POST " + asks, `{"question": {"title": "When?"}}`, 422, ""},
		},
		"a forward has a sender and replies": {
			{"", forwards, "", 200, `["...", {"from": "Felgenwerk Sales <sales@felgenwerk.example>", "replies_count": 2}]`},
			{"", "replies = ALL /inbox_forwards/{Inbox::Forward: Offer: rims with a wider bed}/replies", "", 200, `[{"type": "Inbox::Reply"}, {"type": "Inbox::Reply"}]`},
			{"", "GET /inbox_forwards/{Inbox::Forward: Offer: rims with a wider bed}/replies/{replies.0.id}", "", 200, ""},
		},
	}.run(t)
}
