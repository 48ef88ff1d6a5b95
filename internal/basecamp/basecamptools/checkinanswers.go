package basecamptools

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

type listCheckinAnswersInput struct {
	Question mcptool.Ref `json:"question,omitzero" jsonschema:"Id, URL, or title with project; omit for all of the project"`
	Project  mcptool.Ref `json:"project,omitzero" jsonschema:"Id, name or URL"`
	Date     string      `json:"date,omitzero" jsonschema:"Day they are for: date, yesterday or a weekday (the last)"`
	Person   mcptool.Ref `json:"person,omitzero" jsonschema:"Only by this person: id, name or me"`
	listing.ScrollInput
}

// answerItem is an answer to a check-in question. Date is the day that it is for.
type answerItem struct {
	head
	Question      ref    `json:"question"`
	Date          string `json:"date"`
	Content       string `json:"content"`
	Truncated     bool   `json:"truncated,omitempty"`
	CommentsCount int    `json:"comments_count"`
	meta
}

func (a *answerItem) Trim(characters int) { listing.Excerpt(&a.Content, characters, &a.Truncated) }

func listCheckinAnswers(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_checkin_answers",
		Title:       "List check-in answers",
		Description: "Lists the answers to a Basecamp check-in question, or to all of a project, newest first: author, day, content.",
	}, func(ctx context.Context, in listCheckinAnswersInput) (listing.Scroll[answerItem], error) {
		asked, err := rs.askedAnswers(ctx, in)
		if err != nil {
			return listing.Scroll[answerItem]{}, err
		}
		l := &listing.List[basecamp.CheckinAnswer]{
			Of:      listing.Digest("answers", asked.question, asked.in.id, asked.day, asked.person),
			ID:      func(a basecamp.CheckinAnswer) int64 { return a.ID },
			Sources: []listing.Source[basecamp.CheckinAnswer]{rs.answers(asked)},
		}
		if asked.question == 0 && (asked.day != "" || asked.person != 0) {
			l.Keep = asked.matches
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return listing.Scroll[answerItem]{}, err
		}
		if len(found.Items) > 0 && asked.question != 0 && asked.in.id != 0 && found.Items[0].Bucket.ID != asked.in.id {
			return listing.Scroll[answerItem]{}, asked.in.lacks(questionKind, asked.question)
		}
		return listing.Scrolled(listing.Answer(l, found, rs.viewAnswer)), nil
	})
}

// askedAnswers selects check-in answers.
type askedAnswers struct {
	question int64  // 0: all questions of the project
	in       place  // the project
	day      string // "": all days
	person   int64  // 0: all people
}

func (rs *resolver) askedAnswers(ctx context.Context, in listCheckinAnswersInput) (askedAnswers, error) {
	var asked askedAnswers
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) {
			asked.question, asked.in, err = rs.questionOrAll(ctx, in.Question, in.Project)
			return err
		},
		func(ctx context.Context) (err error) {
			if in.Date != "" {
				asked.day, err = rs.pastDate(ctx, "date", in.Date)
			}
			return err
		},
	)
	if err != nil || in.Person.IsZero() {
		return asked, err
	}
	if asked.in.id == 0 { // the person is looked up in the project of the question
		q, err := rs.bc.Question(ctx, asked.question)
		if err != nil {
			return asked, err
		}
		asked.in = place{q.Bucket.ID}
	}
	who, err := rs.person(ctx, "person", in.Person, asked.in.id)
	asked.person = who.ID
	return asked, err
}

// questionOrAll resolves a question. If the call names none, it returns 0 and the project, whose
// questions are all meant.
func (rs *resolver) questionOrAll(ctx context.Context, question, inProject mcptool.Ref) (int64, place, error) {
	if !question.IsZero() {
		return rs.item(ctx, questionKind, question, inProject)
	}
	if inProject.IsZero() {
		return 0, place{}, fault.Invalid("question", "question or project is required")
	}
	project, err := rs.project(ctx, "project", inProject)
	if err != nil {
		return 0, place{}, err
	}
	_, err = rs.docks(project, checkins)
	return 0, place{project.ID}, err
}

func (rs *resolver) answers(asked askedAnswers) listing.Source[basecamp.CheckinAnswer] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.CheckinAnswer], error) {
		if asked.question == 0 {
			return rs.bc.ProjectCheckinAnswers(ctx, asked.in.id, page)
		}
		return rs.bc.CheckinAnswers(ctx, asked.question, asked.day, asked.person, page)
	}
}

func (asked askedAnswers) matches(a basecamp.CheckinAnswer) bool {
	return (asked.day == "" || a.GroupOn == asked.day) && (asked.person == 0 || a.Creator.ID == asked.person)
}

func (rs *resolver) viewAnswer(a basecamp.CheckinAnswer) answerItem {
	v := answerItem{
		head: head{a.ID, answerKind.kind}, Date: a.GroupOn, Content: rs.markdown(a.Content, a.Attachments...), CommentsCount: a.CommentsCount,
		meta: viewMeta(a.Recording),
	}
	if a.Parent != nil {
		v.Question = ref{a.Parent.ID, plaintext.Clean(a.Parent.Title)}
	}
	return v
}

// wholeAnswer is an answer in full.
type wholeAnswer struct {
	answerItem
	NextOffset  int    `json:"next_offset,omitempty"`
	Status      string `json:"status"`
	Attachments []file `json:"content_attachments"`
	discussion
	gaps
}

func (rs *resolver) showAnswer(ctx context.Context, id int64, in commentsInput) (wholeAnswer, error) {
	a, err := rs.bc.CheckinAnswer(ctx, id)
	if err != nil {
		return wholeAnswer{}, err
	}
	v := wholeAnswer{answerItem: rs.viewAnswer(a), Status: a.Status, Attachments: viewFiles(a.Attachments)}
	if v.gaps, err = extras(ctx, rs.commentsInto(&v.discussion, a.Recording, in)); err != nil {
		return wholeAnswer{}, err
	}
	v.NextOffset, err = part(&v.Content, in.Offset, &v.Truncated)
	return v, err
}

// givenAnswer is a new answer.
type givenAnswer struct {
	answerItem
	reach
	gaps
}

type answerCheckinInput struct {
	Question mcptool.Ref `json:"question" jsonschema:"Question: id, URL, or title with project"`
	Project  mcptool.Ref `json:"project,omitzero" jsonschema:"Its project, for a title"`
	Body     string      `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	mentionsInput
	Date string `json:"date,omitzero" jsonschema:"Day it is for (default: pending_for, or today)"`
}

func answerCheckin(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "answer_checkin",
		Title:       "Answer a check-in",
		Description: "Answers a Basecamp check-in question as the caller. Notifies the question's followers.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in answerCheckinInput) (givenAnswer, error) {
		if err := notBlank("body", in.Body); err != nil {
			return givenAnswer{}, err
		}
		var q basecamp.Question
		var due map[int64]string
		err := listing.Together(ctx,
			func(ctx context.Context) (err error) {
				q, err = readItem(ctx, rs, questionKind, in.Question, in.Project, rs.bc.Question)
				return err
			},
			func(ctx context.Context) (err error) {
				if in.Date == "" {
					due, err = rs.pending(ctx)
				}
				return err
			},
		)
		if err != nil {
			return givenAnswer{}, err
		}
		day, err := rs.dayOfAnswer(ctx, in.Date, due[q.ID])
		if err != nil {
			return givenAnswer{}, err
		}
		var text composed
		var followers []basecamp.Person
		var left gaps
		err = listing.Together(ctx,
			func(ctx context.Context) (err error) {
				text, err = rs.compose(ctx, prose{q.Bucket.ID, "body", in.Body, in.Mentions, ""})
				return err
			},
			func(ctx context.Context) (err error) {
				left, err = extras(ctx, rs.subscribersInto(&followers, q.Bucket.ID, q.ID))
				return err
			},
		)
		if err != nil {
			return givenAnswer{}, err
		}
		a, err := rs.bc.CreateCheckinAnswer(ctx, q.ID, basecamp.NewCheckinAnswer{Content: text.html, GroupOn: day})
		if err != nil {
			return givenAnswer{}, err
		}
		v := rs.viewAnswer(a)
		v.Trim(maxWritten)
		return givenAnswer{v, created(a.Recording, text, followers...), left}, nil
	})
}

// dayOfAnswer returns the day that the call names, or the pending one, or today.
func (rs *resolver) dayOfAnswer(ctx context.Context, date, due string) (string, error) {
	switch {
	case date != "":
		return rs.pastDate(ctx, "date", date)
	case due != "":
		return due, nil
	}
	today, err := rs.today(ctx)
	return today.Format(time.DateOnly), err
}
