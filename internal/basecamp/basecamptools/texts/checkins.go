package texts

import (
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// The limits of answers that are shown with their question.
const (
	latestAnswers = 3   // answers shown with their question
	MaxBrief      = 300 // length of each, in characters
)

// listCheckinsInput has a low limit, because each question needs a request for its latest answers.
type listCheckinsInput struct {
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Id, name or URL"`
	Question toolargs.Ref `json:"question,omitzero" jsonschema:"Id, URL or title"`
	Date     string       `json:"date,omitzero" jsonschema:"Answers for this day"`
	Limit    int          `json:"limit,omitzero" jsonschema:"How many" limits:"min=1 max=20 default=10"`
	Cursor   string       `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

// Question is an automatic check-in question. PendingFor is the latest day that Basecamp has asked
// the caller about and that the caller has not answered for. AnswerWith is the call that answers
// for it. LastAnswers is nil in the list of what the caller has yet to answer.
type Question struct {
	lookup.Head
	Title        string          `json:"title"`
	Truncated    bool            `json:"truncated,omitempty"`
	Schedule     string          `json:"schedule"`
	Paused       bool            `json:"paused"`
	PendingFor   *string         `json:"pending_for"`
	AnswersCount int             `json:"answers_count"`
	AnswerWith   string          `json:"answer_with,omitempty"`
	LastAnswers  []answerInBrief `json:"last_answers,omitzero"`
	MoreAnswers  bool            `json:"more_answers,omitempty"` // list_checkin_answers has them
	lookup.Meta
	listing.Gaps
}

// answerInBrief is an answer in the view of its question.
type answerInBrief struct {
	ID        int64      `json:"id"`
	Date      string     `json:"date"`
	Author    lookup.Ref `json:"author"`
	Content   string     `json:"content"`
	Truncated bool       `json:"truncated,omitempty"`
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (q *Question) Trim(characters int) { listing.Excerpt(&q.Title, characters, &q.Truncated) }

func (a *answerInBrief) Trim(characters int) { listing.Excerpt(&a.Content, characters, &a.Truncated) }

// Questions is a list with the day of its answers, if the call named one.
type Questions struct {
	listing.Scroll[Question]
	Date string `json:"date,omitempty"`
	listing.Gaps
}

// ListCheckins returns the tool list_checkins.
func ListCheckins(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_checkins",
		Title: "Check-in questions",
		Description: "Lists a project's automatic Basecamp check-in questions with the latest replies, and pending_for, the day the caller " +
			"owes; with question or date, what people answered. Without any: those owed.",
	}, func(ctx context.Context, in listCheckinsInput) (Questions, error) {
		if in.Project.IsZero() && in.Question.IsZero() && in.Date == "" {
			return rs.owedAnswers(ctx, in)
		}
		l, day, err := rs.askedQuestions(ctx, in)
		if err != nil {
			return Questions{}, err
		}
		whole := !in.Question.IsZero() || day != ""
		var pending map[int64]string
		shown := lookup.Hint{Of: "questions", Item: l.in, Name: fmt.Sprint(in.Limit)}
		if in.Cursor == "" && !whole {
			lookup.ExpectHinted(ctx, rs.Resolver, shown, rs.firstAnswers)
		}
		found, left, err := listing.Beside(ctx, func(ctx context.Context) (listing.Collected[basecamp.Question], error) {
			return l.Collect(ctx, listing.PageInput{Limit: in.Limit, Cursor: in.Cursor, DetailInput: in.DetailInput})
		}, listing.Into("pending_for", &pending, rs.pending))
		if err != nil {
			return Questions{}, err
		}
		answers := map[int64]answered{}
		said, err := listing.InParallel(ctx, found.Items, func(ctx context.Context, q basecamp.Question) (answered, error) {
			if whole {
				return rs.wholeAnswers(ctx, q, day, listing.MaxAnswer/(len(found.Items)+1))
			}
			return rs.lastAnswers(ctx, q)
		})
		if err != nil {
			return Questions{}, err
		}
		var withAnswers []int64
		for i, q := range found.Items {
			answers[q.ID] = said[i]
			if q.AnswersCount > 0 {
				withAnswers = append(withAnswers, q.ID)
			}
		}
		if in.Cursor == "" && !whole {
			rs.Learn(ctx, shown, withAnswers...)
		}
		return Questions{listing.Scrolled(listing.Answer(l.List, found, func(q basecamp.Question) Question {
			return rs.viewQuestion(q, answers[q.ID], pending[q.ID])
		})), day, left}, nil
	})
}

// questionList has the questions that a call asks about.
type questionList struct {
	*listing.List[basecamp.Question]
	in int64 // the project; 0 for one question
}

// askedQuestions returns the one question that the call names, or those of the project, and the
// day.
func (rs *Resolver) askedQuestions(ctx context.Context, in listCheckinsInput) (asked questionList, day string, err error) {
	if in.Date != "" {
		if day, err = rs.PastDate(ctx, "date", in.Date); err != nil {
			return asked, "", err
		}
	}
	asked.List = &listing.List[basecamp.Question]{ID: func(q basecamp.Question) int64 { return q.ID }}
	if !in.Question.IsZero() {
		id, where, err := rs.Item(ctx, lookup.QuestionKind, in.Question, in.Project)
		asked.Of = listing.Digest("checkin", id, day)
		asked.Sources = []listing.Source[basecamp.Question]{listing.Whole(func(ctx context.Context) ([]basecamp.Question, error) {
			q, err := lookup.ReadIn(ctx, where, lookup.QuestionKind, id, basecamp.QuestionAt.Reader(rs.BC))
			return []basecamp.Question{q}, err
		})}
		return asked, day, err
	}
	if in.Project.IsZero() {
		return asked, "", fault.Invalid("project", "is required with date; or give a question")
	}
	project, err := rs.Project(ctx, "project", in.Project)
	if err != nil {
		return asked, "", err
	}
	sets, err := rs.Docks(project, lookup.Checkins)
	asked.in, asked.Of = project.ID, listing.Digest("checkins", project.ID, day)
	for _, set := range sets {
		asked.Add(set.ID, -1, basecamp.QuestionsIn.Source(rs.BC, set.ID))
	}
	return asked, day, err
}

// owedAnswers lists the questions that the caller has yet to answer, in all projects, once for each
// day.
func (rs *Resolver) owedAnswers(ctx context.Context, in listCheckinsInput) (Questions, error) {
	l := &listing.List[basecamp.Reminder]{
		Of:      listing.Digest("owed"),
		ID:      func(r basecamp.Reminder) int64 { return r.ID },
		Sources: []listing.Source[basecamp.Reminder]{basecamp.Reminders.Source(rs.BC)},
	}
	found, err := l.Collect(ctx, listing.PageInput{Limit: in.Limit, Cursor: in.Cursor, DetailInput: in.DetailInput})
	return Questions{Scroll: listing.Scrolled(listing.Answer(l, found, func(r basecamp.Reminder) Question {
		v := rs.viewQuestion(r.Question, answered{}, r.GroupOn)
		v.LastAnswers = nil
		return v
	}))}, err
}

// pending returns the questions that the caller has yet to answer, each with the latest day.
func (rs *Resolver) pending(ctx context.Context) (map[int64]string, error) {
	reminders, err := listing.Everything(ctx, basecamp.Reminders.Source(rs.BC))
	days := map[int64]string{}
	for _, r := range reminders {
		days[r.Question.ID] = max(days[r.Question.ID], r.GroupOn)
	}
	return days, err
}

// answered holds the latest answers to a question, as far as they could be read.
type answered struct {
	said []answerInBrief
	more bool
	listing.Gaps
}

func (rs *Resolver) firstAnswers(ctx context.Context, question int64) (basecamp.Page[basecamp.CheckinAnswer], error) {
	return basecamp.AnswersTo.Page(ctx, rs.BC, 1, question)
}

func (rs *Resolver) lastAnswers(ctx context.Context, q basecamp.Question) (a answered, err error) {
	if q.AnswersCount == 0 {
		return a, nil
	}
	a.Gaps, err = listing.Extras(ctx, listing.Extra{Name: "last_answers", Read: func(ctx context.Context) error {
		answers, err := rs.firstAnswers(ctx, q.ID)
		a.said = lookup.Mapped(answers.Items[:min(latestAnswers, len(answers.Items))], rs.viewAnswerInBrief)
		for i := range a.said {
			a.said[i].Trim(MaxBrief)
		}
		return err
	}})
	return a, err
}

// wholeAnswers returns all answers for a day, or without one the latest, as far as they fit into
// size bytes.
func (rs *Resolver) wholeAnswers(ctx context.Context, q basecamp.Question, day string, size int) (a answered, err error) {
	source := basecamp.AnswersTo.Where(basecamp.AnswersOn(day, 0)).Source(rs.BC, q.ID)
	first, err := source(ctx, 1)
	said := first.Items
	if err == nil && day != "" && first.Next > 0 {
		said, err = listing.Everything(ctx, source)
	}
	a.said = lookup.Mapped(said, rs.viewAnswerInBrief)
	n := listing.Fit(a.said, size)
	a.said, a.more = a.said[:n], n < len(said) || day == "" && first.Next > 0
	return a, err
}

func (rs *Resolver) viewAnswerInBrief(a basecamp.CheckinAnswer) answerInBrief {
	return answerInBrief{ID: a.ID, Date: a.GroupOn, Author: lookup.ViewName(a.Creator), Content: rs.Markdown(a.Content, a.Attachments...)}
}

func (rs *Resolver) viewQuestion(q basecamp.Question, last answered, pendingFor string) Question {
	v := Question{
		Head: lookup.Head{ID: q.ID, Type: lookup.QuestionKind.Kind}, Title: plaintext.Clean(q.Title), Paused: q.Paused, PendingFor: lookup.DateOrNil(pendingFor),
		AnswersCount: q.AnswersCount, LastAnswers: slices.Concat([]answerInBrief{}, last.said), MoreAnswers: last.more, Meta: lookup.ViewMeta(q.Recording), Gaps: last.Gaps,
	}
	if pendingFor != "" {
		v.AnswerWith = fmt.Sprintf(`answer_checkin {"question":"%d","date":"%s"}`, q.ID, pendingFor)
	}
	if s := q.Schedule; s != nil {
		v.Schedule = fmt.Sprintf("%s at %02d:%02d", calendar.Recurs(*s), s.Hour, s.Minute)
	}
	return v
}

// ShowQuestion reads the question of a check-in.
func (rs *Resolver) ShowQuestion(ctx context.Context, id int64) (Question, error) {
	listing.Expect(ctx, id, rs.firstAnswers)
	listing.ReadAhead(ctx, rs.pending)
	q, err := basecamp.QuestionAt.Get(ctx, rs.BC, id)
	if err != nil {
		return Question{}, err
	}
	var pending map[int64]string
	last, left, err := listing.Beside(ctx,
		func(ctx context.Context) (answered, error) { return rs.lastAnswers(ctx, q) },
		listing.Into("pending_for", &pending, rs.pending))
	v := rs.viewQuestion(q, last, pending[q.ID])
	v.LeftOut = append(v.LeftOut, left.LeftOut...)
	return v, err
}
