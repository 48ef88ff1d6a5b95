// Package undo takes back what calls wrote, by the opposites that are kept with their records. The
// clients of providers carry them out; see [Restorer].
package undo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/writeplan"
)

// Restorer undoes the writes of one provider. It is not an interface, because a process that links
// the clients of providers for it would then have all their methods.
type Restorer struct {
	// Restore undoes steps in their order, the last write first, unless what they wrote has changed
	// since.
	Restore func(ctx context.Context, steps []writeplan.Step) []writeplan.Restored
	// Title returns the title of an item of a step, and of what the item is in; "" if it cannot be
	// read or has none.
	Title func(ctx context.Context, kind, id string) (title, within string)
}

// Each returns a Restore that undoes the steps one after the other.
func Each(one func(ctx context.Context, s writeplan.Step) (writeplan.Restored, error)) func(context.Context, []writeplan.Step) []writeplan.Restored {
	return func(ctx context.Context, steps []writeplan.Step) []writeplan.Restored {
		all := make([]writeplan.Restored, len(steps))
		for i, s := range steps {
			all[i], all[i].Err = one(ctx, s)
		}
		return all
	}
}

// Tool is the name of the tool that undoes. Its own records are undone only by their IDs.
const Tool = "undo"

// Changes lists and undoes what a person's clients wrote. The person is the caller in the context.
type Changes struct {
	*calls.Log
	Restorers map[string]Restorer // by provider
	Errors    *slog.Logger
}

// Change is a call that wrote something, with the titles that the items have now.
type Change struct {
	ID       string    `json:"id"`
	Tool     string    `json:"tool"`
	Items    []Changed `json:"items,omitempty"`
	Time     time.Time `json:"time"`
	Client   string    `json:"client,omitempty"`
	Undoable bool      `json:"undoable"`
	Reason   string    `json:"reason,omitempty"` // why it is not
	More     int       `json:"more,omitempty"`   // items beyond Items
}

// Changed is an item that a call wrote.
type Changed struct {
	Type   string `json:"type,omitempty"`
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"`
	Within string `json:"-"` // the title of what the item is in
	What   string `json:"-"` // what was done, such as "create a to-do"
}

// List returns the last changes, newest first.
func (c Changes) List(ctx context.Context, limit int) ([]Change, error) {
	records, err := c.Latest(ctx, limit)
	if err != nil {
		return nil, err
	}
	all := []Change{}
	titles := c.titles(ctx, records)
	caller, _ := identity.From(ctx)
	for _, r := range records {
		one := Change{
			ID: r.ID, Tool: r.Tool, Time: r.Time, Client: r.Client, Undoable: r.State == calls.Done && r.Cannot == "", Reason: cmp.Or(r.Cannot, whyNot(r)),
			More: r.More,
		}
		for _, item := range r.About {
			shown := *titles[item.Ref]
			shown.What = item.What
			if shown.Title != "" || !caller.Fence.Hides() { // without it, the item may be where the client must not read
				one.Items = append(one.Items, shown)
			}
		}
		if caller.Fence.Hides() && len(one.Items) == 0 {
			fence.CallFrom(ctx).LeaveOut(r.ID)
			continue
		}
		all = append(all, one)
	}
	return all, nil
}

// mostReads is how many titles are read at once.
const mostReads = 5

// titles reads the title of each item once.
func (c Changes) titles(ctx context.Context, records []calls.Record) map[calls.Ref]*Changed {
	all := map[calls.Ref]*Changed{}
	var reads errgroup.Group
	reads.SetLimit(mostReads)
	for _, r := range records {
		there, ok := within(ctx, r)
		for _, item := range r.About {
			if all[item.Ref] != nil {
				continue
			}
			t := &Changed{Type: item.Type, ID: item.ID}
			all[item.Ref] = t
			if restorer := c.Restorers[item.Provider]; restorer.Title != nil && ok {
				reads.Go(func() error {
					t.Title, t.Within = restorer.Title(there, item.Type, item.ID)
					return nil
				})
			}
		}
	}
	_ = reads.Wait() // they return no errors
	return all
}

// otherAccount says why a connection cannot undo what was written in an account that it does not
// have.
const otherAccount = "it was written in an account that this connection does not use; undo it on the account page"

// Already is the reason of a change that was undone.
const Already = "undone already"

// whyNot says why a state does not let a change be undone, or returns "".
func whyNot(r calls.Record) string {
	switch {
	case r.State == calls.Undone:
		return Already
	case r.State == calls.Claimed && r.By == "":
		return "may_have_happened: the call was cut; look at the item"
	case r.State == calls.Claimed:
		return "may_have_happened: undo was cut; look at the item"
	}
	return ""
}

// within returns the context of the caller in the account in which a record's call wrote, or false
// if the caller's connection does not have that account. A person on a page has no connection.
func within(ctx context.Context, r calls.Record) (context.Context, bool) {
	caller, ok := identity.From(ctx)
	if !ok || r.Account == 0 {
		return ctx, true
	}
	if caller.Account == 0 {
		caller.Account = r.Account
	} else if caller, ok = caller.In(r.Account); !ok {
		return ctx, false
	}
	return identity.With(ctx, caller), true
}

// mostSince is how many records Undoable looks at.
const mostSince = 100

// Undoable returns the records of what was done since a time and can be undone, newest first.
func (c Changes) Undoable(ctx context.Context, since time.Time) ([]calls.Record, error) {
	all, err := c.Latest(ctx, mostSince)
	return slices.DeleteFunc(all, func(r calls.Record) bool {
		return r.State != calls.Done || r.Tool == Tool || r.Time.Before(since.Truncate(time.Second))
	}), err
}

// TakenBack says what became of a call that was to be undone.
type TakenBack struct {
	ID     string      `json:"id"`
	Tool   string      `json:"tool"`
	Result string      `json:"result"`           // undone, refused, cannot
	Except []string    `json:"except,omitempty"` // what did not come back: position, or items
	Reason string      `json:"reason,omitempty"`
	Writes []TakenStep `json:"writes,omitempty"`
}

// TakenStep says what became of a write that was to be undone.
type TakenStep struct {
	What string `json:"what"`
	Type string `json:"type,omitempty"`
	ID   string `json:"id,omitempty"`
	writeplan.Restored
	step writeplan.Step
}

const (
	mostSteps = 50              // writes after which no further call is undone at once
	leastTime = 5 * time.Second // of a call in which it begins to undo one more call
)

// All undoes calls in the order of their records, at most a number of them and as far as one call
// may go, and returns those that are left. It passes over what a client with limits cannot read. An
// error means that the first one was not undone, and that no other was tried.
func (c Changes) All(ctx context.Context, records []calls.Record, most int) (all []TakenBack, left []calls.Record, err error) {
	writes := 0
	for i, r := range records {
		if len(all) == most {
			break
		}
		if end, ok := ctx.Deadline(); i > 0 && (writes >= mostSteps || ok && time.Until(end) < leastTime) {
			return all, records[i:min(len(records), i+most-len(all))], nil
		}
		one, err := c.undo(ctx, r)
		writes += max(1, len(one.Writes))
		if fault.Is(err, fault.NotFound) && len(records) > 1 {
			continue
		}
		if err != nil && i == 0 {
			return nil, nil, err
		}
		if err != nil {
			one = TakenBack{ID: r.ID, Tool: r.Tool, Result: writeplan.Cannot, Reason: fault.From(err).Message}
		}
		all = append(all, one)
	}
	return all, nil, nil
}

// undo undoes the writes of a call, the last first. What was refused or surely failed can be undone
// again. A call of which a client with limits can read nothing is NOT_FOUND.
func (c Changes) undo(ctx context.Context, r calls.Record) (TakenBack, error) {
	done := TakenBack{ID: r.ID, Tool: r.Tool}
	caller, _ := identity.From(ctx)
	limited := caller.Fence.Hides()
	ctx, ok := within(ctx, r)
	if r.Cannot != "" || !ok {
		if limited && c.hidden(ctx, r) {
			return TakenBack{}, calls.NothingToUndo(r.ID)
		}
		done.Result, done.Reason = writeplan.Cannot, cmp.Or(r.Cannot, otherAccount)
		return done, nil
	}
	return c.take(ctx, done, limited)
}

// take undoes the writes of a call.
func (c Changes) take(ctx context.Context, done TakenBack, limited bool) (TakenBack, error) {
	r, opposite, err := c.Take(ctx, done.ID)
	if err != nil {
		return TakenBack{}, err
	}
	var steps, again []writeplan.Step
	if err := json.Unmarshal(opposite, &steps); err != nil {
		return TakenBack{}, fmt.Errorf("decode what undoes a call: %w", err)
	}
	var failed error
	undone, seen := false, !limited
	for _, one := range c.restore(ctx, steps) {
		retry := one.Result == writeplan.Refused
		if one.Err != nil {
			f := fault.From(one.Err)
			retry = !f.MayHaveHappened
			one.Restored = writeplan.Restored{Result: writeplan.Cannot, Reason: f.Message, Gone: one.Gone, Err: one.Err}
		}
		switch {
		case retry:
			again = append(again, one.step)
		case one.Err != nil, one.Result == writeplan.Undone:
			undone = true
		}
		if limited && one.Gone {
			continue
		}
		if one.Err != nil {
			failed = one.Err
		}
		seen = seen || one.step.Cannot == ""
		done.add(one)
	}
	if done.Result != writeplan.Undone {
		done.Except = nil
	}
	var left []byte
	if len(again) > 0 {
		slices.Reverse(again)
		left, _ = json.Marshal(again) // they were decoded from JSON
	}
	if err := c.Settle(context.WithoutCancel(ctx), r, undone, left); err != nil {
		c.Errors.ErrorContext(ctx, "store what was undone", "err", err)
	}
	if !seen {
		return TakenBack{}, calls.NothingToUndo(r.ID)
	}
	if failed != nil && len(done.Writes) == 1 {
		return TakenBack{}, failed
	}
	return done, nil
}

// hidden reports whether nothing can be read that a record is about.
func (c Changes) hidden(ctx context.Context, r calls.Record) bool {
	titles := c.titles(ctx, []calls.Record{r})
	return !slices.ContainsFunc(r.About, func(i calls.Item) bool { return titles[i.Ref].Title != "" })
}

// add adds what became of a write. A call is undone if one of its writes was.
func (t *TakenBack) add(one TakenStep) {
	t.Writes = append(t.Writes, one)
	except := one.Except
	if one.Result != writeplan.Undone {
		except = []string{one.What}
		if one.ID != "" {
			except = []string{one.Type + ":" + one.ID}
		}
	}
	for _, what := range except {
		if !slices.Contains(t.Except, what) {
			t.Except = append(t.Except, what)
		}
	}
	results := []string{"", writeplan.Cannot, writeplan.Refused, writeplan.Undone}
	if slices.Index(results, one.Result) > slices.Index(results, t.Result) {
		t.Result = one.Result
	}
}

// restore undoes writes, the last first. It passes those of one provider on together.
func (c Changes) restore(ctx context.Context, steps []writeplan.Step) (done []TakenStep) {
	// One without an opposite changed nothing.
	steps = slices.DeleteFunc(steps, func(s writeplan.Step) bool { return s.Cannot == "" && s.Opposite == nil })
	slices.Reverse(steps)
	for together := 1; len(steps) > 0; steps, together = steps[together:], 1 {
		for together < len(steps) && steps[together].Provider == steps[0].Provider && (steps[together].Cannot == "") == (steps[0].Cannot == "") {
			together++
		}
		for i, r := range c.restorer(steps[0])(ctx, steps[:together]) {
			done = append(done, TakenStep{steps[i].What, steps[i].Type, steps[i].ID, r, steps[i]})
		}
	}
	return done
}

// restorer returns what undoes a step.
func (c Changes) restorer(first writeplan.Step) func(context.Context, []writeplan.Step) []writeplan.Restored {
	restore := c.Restorers[first.Provider].Restore
	if first.Cannot == "" && restore != nil {
		return restore
	}
	return Each(func(_ context.Context, s writeplan.Step) (writeplan.Restored, error) {
		return writeplan.Restored{Result: writeplan.Cannot, Reason: cmp.Or(s.Cannot, "this server no longer uses the service")}, nil
	})
}
