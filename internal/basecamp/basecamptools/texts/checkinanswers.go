package texts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// AnswerItem is an answer to a check-in question. Date is the day that it is for.
type AnswerItem struct {
	lookup.Head
	Question      lookup.Ref   `json:"question"`
	Date          string       `json:"date"`
	Content       string       `json:"content"`
	Truncated     bool         `json:"truncated,omitempty"`
	Attachments   []parts.File `json:"content_attachments,omitempty"`
	CommentsCount int          `json:"comments_count"`
	lookup.Meta
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (a *AnswerItem) Trim(characters int) { listing.Excerpt(&a.Content, characters, &a.Truncated) }

func (rs *Resolver) viewAnswer(a basecamp.CheckinAnswer) AnswerItem {
	v := AnswerItem{
		Head: lookup.Head{ID: a.ID, Type: lookup.AnswerKind.Kind}, Date: a.GroupOn, Content: rs.Markdown(a.Content, a.Attachments...), CommentsCount: a.CommentsCount,
		Attachments: parts.ViewFiles(a.Content, a.Attachments),
		Meta:        lookup.ViewMeta(a.Recording),
	}
	if a.Parent != nil {
		v.Question = lookup.Ref{ID: a.Parent.ID, Name: plaintext.Clean(a.Parent.Title)}
	}
	return v
}

// WholeAnswer is an answer to a check-in with its first comments.
type WholeAnswer struct {
	AnswerItem
	NextOffset int    `json:"next_offset,omitempty"`
	Status     string `json:"status"`
	parts.Discussion
	parts.WithBoosts
	listing.Gaps
}

// ShowAnswer reads an answer to a check-in with its first comments.
func (rs *Resolver) ShowAnswer(ctx context.Context, id int64, in parts.CommentsInput) (WholeAnswer, error) {
	rs.ExpectComments(ctx, id, in)
	a, err := basecamp.AnswerAt.Get(ctx, rs.BC, id)
	if err != nil {
		return WholeAnswer{}, err
	}
	v := WholeAnswer{Status: a.Status}
	if v.Gaps, err = listing.Extras(ctx, rs.CommentsInto(&v.Discussion, a.Recording, in), rs.BoostsInto(&v.WithBoosts, a.Recording), rs.Audience(ctx).SeenInto(&a.Recording)); err != nil {
		return WholeAnswer{}, err
	}
	v.AnswerItem = rs.viewAnswer(a)
	v.NextOffset, err = listing.Part(&v.Content, in.Offset, &v.Truncated)
	return v, err
}

type answerCheckinInput struct {
	Question toolargs.Ref `json:"question" jsonschema:"Id, URL or title"`
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
	Body     string       `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	lookup.MentionsInput
	Date string `json:"date,omitzero" jsonschema:"Needed unless today is pending"`
}

// AnsweredCheckin is a new answer. CountsFor tells the day that it is for in words.
type AnsweredCheckin struct {
	AnswerItem
	CountsFor string `json:"counts_for"`
	lookup.Reach
}

// AnswerCheckin returns the tool answer_checkin.
func AnswerCheckin(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "answer_checkin",
		Title:       "Answer a check-in",
		Description: "Answers an automatic Basecamp check-in, for today or another day. Notifies its followers.",
		Words:       "answer a check-in",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in answerCheckinInput) (AnsweredCheckin, error) {
		if err := parts.NotBlank("body", in.Body); err != nil {
			return AnsweredCheckin{}, err
		}
		asked, err := rs.askedToAnswer(ctx, in)
		if err != nil {
			return AnsweredCheckin{}, err
		}
		q, today := asked.question, asked.today
		day, err := rs.dayToAnswer(ctx, asked)
		if err != nil {
			return AnsweredCheckin{}, err
		}
		text, err := rs.Compose(ctx, lookup.Prose{Project: q.Bucket.ID, Argument: "body", Markdown: in.Body, Mentions: in.Mentions, Said: true})
		if err != nil {
			return AnsweredCheckin{}, err
		}
		beside := rs.AudienceBeside(ctx, q.Recording)
		a, err := basecamp.AnswersTo.Post(ctx, rs.BC, map[string]any{"question_answer": map[string]any{"content": text.HTML, "group_on": day}}, q.ID)
		if err != nil {
			return AnsweredCheckin{}, err
		}
		v := AnsweredCheckin{AnswerItem: rs.viewAnswer(a)}
		v.Trim(parts.MaxWritten)
		v.CountsFor = dayInWords(v.Date, today)
		v.Reach = beside.Created(a.Recording, text, asked.followers...).Without(asked.Gaps)
		v.Seen = v.ViewClients()
		return v, nil
	})
}

// askedToAnswer is what a call reads before it answers a question.
type askedToAnswer struct {
	question  basecamp.Question
	pending   map[int64]string // by question, the day for which the caller has not answered it
	today     time.Time
	named     string                   // the day that the call names, or empty
	given     []basecamp.CheckinAnswer // the caller's answers for it
	followers []basecamp.Person        // of the question
	listing.Gaps
}

// askedToAnswer reads the question and, at the same time, what does not depend on it.
func (rs *Resolver) askedToAnswer(ctx context.Context, in answerCheckinInput) (asked askedToAnswer, err error) {
	if in.Date == "" {
		listing.ReadAhead(ctx, rs.pending)
	}
	listing.ReadAhead(ctx, rs.Today)
	id, where, err := rs.questionToAnswer(ctx, in)
	if err != nil {
		return asked, err
	}
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) {
			asked.question, err = lookup.ReadIn(ctx, where, lookup.QuestionKind, id, basecamp.QuestionAt.Reader(rs.BC))
			return err
		},
		func(ctx context.Context) (err error) {
			asked.Gaps, err = listing.Extras(ctx, rs.SubscribersInto(&asked.followers, where.ID, id))
			return err
		},
		func(ctx context.Context) (err error) {
			if in.Date == "" {
				asked.pending, err = rs.pending(ctx)
				return err
			}
			if asked.named, err = rs.PastDate(ctx, "date", in.Date); err == nil {
				asked.given, err = rs.ownAnswers(ctx, id, asked.named)
			}
			return err
		},
		func(ctx context.Context) (err error) { asked.today, err = rs.Today(ctx); return err },
	)
	return asked, err
}

// questionToAnswer finds the question, first by its title among those that wait for an answer: they
// are read anyway, and Basecamp lists no others across projects.
func (rs *Resolver) questionToAnswer(ctx context.Context, in answerCheckinInput) (int64, lookup.Place, error) {
	if ref, err := lookup.QuestionKind.Bare("question", in.Question); err == nil && ref.Name != "" && in.Project.IsZero() && in.Date == "" {
		reminders, err := listing.Everything(ctx, basecamp.Reminders.Source(rs.BC))
		if err != nil {
			return 0, lookup.Place{}, err
		}
		waiting := map[int64]lookup.Place{}
		for _, r := range naming.Exactly(reminders, ref.Name, func(r basecamp.Reminder) string { return r.Question.Title }) {
			waiting[r.Question.ID] = lookup.Place{ID: r.Question.Bucket.ID}
		}
		for id, where := range waiting {
			if len(waiting) == 1 {
				return id, where, nil
			}
		}
	}
	return rs.Item(ctx, lookup.QuestionKind, in.Question, in.Project)
}

// dayToAnswer returns the day that an answer is for: the one that the call names, or today if the
// question is pending for it or was last asked today. It refuses to choose between today and an
// earlier day, and a day that the caller has answered for, because a second answer is hardly ever
// meant.
func (rs *Resolver) dayToAnswer(ctx context.Context, asked askedToAnswer) (day string, err error) {
	today, pending := asked.today, asked.pending[asked.question.ID]
	if asked.named != "" {
		if err := rs.askedThen(ctx, asked.question, asked.named); err != nil {
			return "", err
		}
		return asked.named, unanswered(asked.given, asked.named, today)
	}
	schedule := asked.question.Schedule
	which := "is pending for"
	if day = pending; day == "" {
		which, day = "was last asked for", calendar.Nearest(schedule, today, -1).Format(time.DateOnly)
		given, err := rs.ownAnswers(ctx, asked.question.ID, day)
		if err != nil {
			return "", err
		}
		if err := unanswered(given, day, today); err != nil {
			return "", err
		}
	}
	if now := today.Format(time.DateOnly); day != now {
		choice := fmt.Sprintf("the one that the answer is for: date %q or %q", day, now)
		if !calendar.Nearest(schedule, today, -1).Equal(when.DateOf(today)) {
			choice = fmt.Sprintf("date %q, if the answer is for that day: today the question is not asked", day)
		}
		return "", fault.Invalid("date", "this question %s %s, and today is %s; give %s", which, dayInWords(day, today), today.Format("Monday 2006-01-02"), choice)
	}
	return day, nil
}

// askedThen returns an error that names the nearest days if a question is not asked on a day, by
// its schedule or by the reminders from before the schedule changed.
func (rs *Resolver) askedThen(ctx context.Context, q basecamp.Question, date string) error {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return err
	}
	if created := q.CreatedAt.AddDate(0, 0, -1); day.Before(created.Truncate(24 * time.Hour)) {
		return fault.Invalid("date", "this question exists only since %s; give a day since then on which it was asked", q.CreatedAt.Format(time.DateOnly))
	}
	before, after := calendar.Nearest(q.Schedule, day, -1), calendar.Nearest(q.Schedule, day, 1)
	if before.Equal(day) {
		return nil
	}
	reminders, err := listing.Everything(ctx, basecamp.Reminders.Source(rs.BC))
	if err != nil || slices.ContainsFunc(reminders, func(r basecamp.Reminder) bool { return r.Question.ID == q.ID && r.GroupOn == date }) {
		return err
	}
	return fault.Invalid("date", "this question is asked %s, so not on %s; the nearest days on which it is asked are date %q (%s) and %q (%s)",
		calendar.Recurs(*q.Schedule), day.Format("Monday 2006-01-02"), before.Format(time.DateOnly), before.Weekday(), after.Format(time.DateOnly), after.Weekday())
}

// ownAnswers returns the caller's answers to a question for a day.
func (rs *Resolver) ownAnswers(ctx context.Context, question int64, day string) ([]basecamp.CheckinAnswer, error) {
	me, err := rs.Me(ctx)
	if err != nil {
		return nil, err
	}
	given, err := basecamp.AnswersTo.Where(basecamp.AnswersOn(day, me.ID)).Page(ctx, rs.BC, 1, question)
	return lookup.Matching(given.Items, func(a basecamp.CheckinAnswer) bool { return a.Creator.ID == me.ID && a.GroupOn == day }), err
}

// unanswered returns an error if the caller has given answers for a day.
func unanswered(given []basecamp.CheckinAnswer, day string, today time.Time) error {
	if len(given) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "date: you have answered this question for %s; to change that answer, use edit_text with item %q (%s), or give another date",
		dayInWords(day, today), fmt.Sprintf("answer:%d", given[0].ID), given[0].AppURL)
}

// dayInWords names a day (YYYY-MM-DD) and its distance from today: "Friday 2026-11-20, 2 days ago".
func dayInWords(date string, today time.Time) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	words := day.Format("Monday 2006-01-02")
	switch ago := when.DaysBetween(day, today); ago {
	case 0:
		return words + ", today"
	case 1:
		return words + ", yesterday"
	default:
		return fmt.Sprintf("%s, %d days ago", words, ago)
	}
}
