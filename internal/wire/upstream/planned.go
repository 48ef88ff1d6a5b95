package upstream

import (
	"context"
	"errors"
	"net/http"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/wire/writeplan"
)

// planned records a write in place of sending it. What the call knows from reads stays: nothing
// changes.
func (x *exchange) planned(ctx context.Context, plan *writeplan.Plan) (Answer, error) {
	body, err := x.request.Call.Plan(ctx, plan)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Status: http.StatusOK, URL: x.request.URL, Header: http.Header{}, Body: body}
	if failed := x.judged(ctx, a); failed != nil {
		return Answer{}, failed.err
	}
	return a, nil
}

// afterPlan returns the value of a read that the writes of a plan decide, and whether they do: of
// something that the plan changes or makes, or of a part of what it makes, which has nothing yet.
func afterPlan[T any](plan *writeplan.Plan, r Request, decode func(a Answer, kept T) (T, error)) (value T, known bool, err error) {
	if body := plan.AnswerAt(r.URL.String()); body != nil {
		value, err = decode(Answer{Status: http.StatusOK, URL: r.URL, Header: http.Header{}, Body: body}, value)
		return value, true, err
	}
	return value, madeUp.MatchString(r.URL.Path), nil
}

// madeUp matches the path of something that a plan makes, or of a part of it.
var madeUp = lazyregexp.New(`/-[0-9]+([./]|$)`)

// readToPlan reads for a plan: without the cache, because the plan needs the whole answer, and so
// that nothing is remembered.
func readToPlan[T any](ctx context.Context, c *Client, r Request, plan *writeplan.Plan, decode func(a Answer, kept T) (T, error)) (T, error) {
	x := &exchange{client: c, request: r}
	var none T
	a, err := x.run(ctx)
	if err != nil {
		return none, err
	}
	value, err := decode(a, none)
	if err != nil {
		return none, x.garbled(a, err)
	}
	plan.Saw(r.URL.String(), a.Body)
	recycle(a.Body) // the plan and the value have copies
	return value, nil
}

// journaled sends a write after the journal has begun, and adds what undoes it. A write that may
// have been carried out is added as unsure.
func (x *exchange) journaled(ctx context.Context, journal *writeplan.Journal) (Answer, error) {
	after, err := x.request.Call.Opposite(ctx, journal)
	if err != nil {
		return Answer{}, err
	}
	if err := journal.Begin(ctx); err != nil {
		return Answer{}, err
	}
	a, err := x.deliver(ctx)
	if err == nil {
		for _, step := range after(a.Body) {
			journal.Add(step)
		}
	} else if f, ok := errors.AsType[*fault.Error](err); !ok || f.MayHaveHappened {
		for _, step := range after(nil) {
			step.Unsure = true
			journal.Add(step)
		}
	}
	return a, err
}
