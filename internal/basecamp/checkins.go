package basecamp

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Question is an automatic check-in: a question that Basecamp asks people regularly. Title is its
// text.
type Question struct {
	Recording
	Paused       bool        `json:"paused"`
	Schedule     *Recurrence `json:"schedule"`
	AnswersCount int         `json:"answers_count"`
}

// CheckinAnswer is one person's answer to a question. Parent is the question.
type CheckinAnswer struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
	GroupOn     string       `json:"group_on"` // the day that the answer belongs to, YYYY-MM-DD
}

// Reminder is a question that the user has not answered for a day.
type Reminder struct {
	ID       int64    `json:"reminder_id"`
	GroupOn  string   `json:"group_on"` // YYYY-MM-DD
	Question Question `json:"question"`
}

// Questions lists the active questions of a questionnaire, including paused ones.
func (c *Client) Questions(ctx context.Context, questionnaire int64, page int) (Page[Question], error) {
	return list[Question](ctx, c, requestAt("questionnaire", questionnaire, "questionnaires/%d/questions.json"), page)
}

// Question returns one question.
func (c *Client) Question(ctx context.Context, id int64) (Question, error) {
	return get[Question](ctx, c, requestAt("question", id, "questions/%d.json"))
}

// CheckinAnswers lists the answers to a question, the latest first. It returns only the answers for
// a day (YYYY-MM-DD), unless day is empty, and by a person, unless person is 0.
func (c *Client) CheckinAnswers(ctx context.Context, question int64, day string, person int64, page int) (Page[CheckinAnswer], error) {
	r := requestAt("question", question, "questions/%d/answers.json")
	r.query = url.Values{}
	if day != "" {
		r.query.Set("date", day)
	}
	if person != 0 {
		r.query.Set("creator_id", strconv.FormatInt(person, 10))
	}
	return list[CheckinAnswer](ctx, c, r, page)
}

// CheckinAnswer returns one answer in full.
func (c *Client) CheckinAnswer(ctx context.Context, id int64) (CheckinAnswer, error) {
	return get[CheckinAnswer](ctx, c, requestAt("answer", id, "question_answers/%d.json"))
}

// NewCheckinAnswer has the fields of an answer to write. Both are required.
type NewCheckinAnswer struct {
	Content string `json:"content"`  // HTML
	GroupOn string `json:"group_on"` // YYYY-MM-DD
}

// CreateCheckinAnswer answers a question as the user.
func (c *Client) CreateCheckinAnswer(ctx context.Context, question int64, answer NewCheckinAnswer) (CheckinAnswer, error) {
	return send[CheckinAnswer](ctx, c, http.MethodPost, requestAt("question", question, "questions/%d/answers.json"), fields{"question_answer": answer})
}

// UpdateCheckinAnswer replaces the text and the day of an answer.
func (c *Client) UpdateCheckinAnswer(ctx context.Context, id int64, answer NewCheckinAnswer) error {
	return c.write(ctx, http.MethodPut, requestAt("answer", id, "question_answers/%d.json"), fields{"question_answer": answer})
}

// Reminders lists the questions that the user has not answered, in all projects.
func (c *Client) Reminders(ctx context.Context, page int) (Page[Reminder], error) {
	return list[Reminder](ctx, c, request{path: "my/question_reminders.json"}, page)
}
