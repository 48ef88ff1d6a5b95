package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

const undoName = "undo"

// Restorer undoes the writes of one provider.
type Restorer interface {
	// Restore undoes a step, unless what it wrote has changed since.
	Restore(ctx context.Context, s writeplan.Step) (writeplan.Restored, error)
	// ItemTitle returns the title of an item of a step, or "" if it cannot be read.
	ItemTitle(ctx context.Context, kind, id string) string
}

type undoInput struct {
	IDs   []string `json:"ids,omitzero" jsonschema:"undo of an answer" limits:"maxitems=20"`
	Last  int      `json:"last,omitzero" jsonschema:"How many calls" limits:"min=1 max=20"`
	Since string   `json:"since,omitzero" jsonschema:"RFC 3339" limits:"maxlen=40"`
}

// undoOutput is what was undone, or the last changes.
type undoOutput struct {
	Undone  []undoneCall `json:"undone,omitempty"`
	Changes []change     `json:"changes,omitempty"`
	Note    string       `json:"note,omitempty"`
}

// undoneCall says what became of a call that was to be undone.
type undoneCall struct {
	ID     string       `json:"id"`
	Tool   string       `json:"tool"`
	Result string       `json:"result"` // restored, partly, refused, cannot
	Reason string       `json:"reason,omitempty"`
	Writes []undoneStep `json:"writes,omitempty"`
}

// undoneStep says what became of a write that was to be undone.
type undoneStep struct {
	What string `json:"what"`
	Type string `json:"type,omitempty"`
	ID   string `json:"id,omitempty"`
	writeplan.Restored
}

// change is a call that wrote something.
type change struct {
	ID       string        `json:"id"`
	Tool     string        `json:"tool"`
	Items    []changedItem `json:"items,omitempty"`
	Time     time.Time     `json:"time"`
	Client   string        `json:"client,omitempty"`
	Undoable bool          `json:"undoable"`
	Reason   string        `json:"reason,omitempty"` // why it is not
}

type changedItem struct {
	Type  string `json:"type,omitempty"`
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
}

const (
	mostListed = 20  // changes that a list shows
	mostSince  = 100 // changes that a time may undo
	partly     = "partly"
)

func (s *Server) undoTool() Tool {
	return Define(Spec{
		Name:  undoName,
		Title: "Undo",
		Description: "Takes back what calls wrote, from any of the user's clients, unless it was changed since. " +
			"Without arguments: the last 20 changes.",
		Effect: Updates,
	}, s.undo)
}

// undo undoes calls, or lists them.
func (s *Server) undo(ctx context.Context, in undoInput) (undoOutput, error) {
	chosen := 0
	for _, given := range []bool{in.IDs != nil, in.Last != 0, in.Since != ""} {
		if given {
			chosen++
		}
	}
	switch chosen {
	case 0:
		return s.listChanges(ctx)
	case 1:
	default:
		return undoOutput{}, fault.Invalid("ids", "give one of ids, last and since")
	}
	records, err := s.chosenRecords(ctx, in)
	if err != nil {
		return undoOutput{}, err
	}
	var out undoOutput
	for _, r := range records {
		done, err := s.undoCall(ctx, r)
		if err != nil && len(out.Undone) == 0 {
			return undoOutput{}, err
		}
		if err != nil {
			done = undoneCall{ID: undo.Code(r.ID), Tool: r.Tool, Result: writeplan.Cannot, Reason: fault.From(err).Message}
		}
		out.Undone = append(out.Undone, done)
	}
	if len(records) == 0 {
		out.Note = "There is nothing to undo."
	}
	return out, nil
}

// chosenRecords returns the records that a call undoes, newest first. All of them are looked up
// before one is undone.
func (s *Server) chosenRecords(ctx context.Context, in undoInput) (records []undo.Record, err error) {
	if in.IDs != nil {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(in.IDs))) {
			r, err := s.options.Undo.Find(ctx, id)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
		slices.SortFunc(records, func(a, b undo.Record) int { return strings.Compare(b.ID, a.ID) })
		return records, nil
	}
	var since time.Time
	if in.Since != "" {
		if since, err = time.Parse(time.RFC3339, in.Since); err != nil {
			return nil, fault.Invalid("since", "must be a time with its zone, like 2026-03-02T09:00:00Z")
		}
	}
	all, err := s.options.Undo.Latest(ctx, mostSince)
	if err != nil {
		return nil, err
	}
	records = slices.DeleteFunc(all, func(r undo.Record) bool {
		return r.State != undo.Done || r.Tool == undoName || r.At.Before(since.Truncate(time.Second))
	})
	if in.Last != 0 {
		records = records[:min(len(records), in.Last)]
	}
	return records, nil
}

// undoCall undoes the writes of a call, the last first. It can be undone again if no write was.
func (s *Server) undoCall(ctx context.Context, r undo.Record) (undoneCall, error) {
	done := undoneCall{ID: undo.Code(r.ID), Tool: r.Tool}
	if r.Cannot != "" {
		done.Result, done.Reason = writeplan.Cannot, r.Cannot
		return done, nil
	}
	r, opposite, err := s.options.Undo.Claim(ctx, done.ID)
	if err != nil {
		return undoneCall{}, err
	}
	var steps []writeplan.Step
	if err := json.Unmarshal(opposite, &steps); err != nil {
		return undoneCall{}, fmt.Errorf("decode an undo record: %w", err)
	}
	var failed error
	counts := map[string]int{}
	for _, step := range slices.Backward(steps) {
		if step.Opposite == nil && step.Cannot == "" {
			continue // it changed nothing
		}
		restored, err := s.restore(ctx, step)
		if err != nil {
			f := fault.From(err)
			restored = writeplan.Restored{Result: writeplan.Cannot, Reason: f.Message}
			failed = err
			if f.MayHaveHappened {
				counts[partly]++
			}
		}
		counts[restored.Result]++
		done.Writes = append(done.Writes, undoneStep{step.What, step.Type, step.ID, restored})
	}
	done.Result = result(counts)
	undone := counts[writeplan.Undone] > 0 || counts[partly] > 0
	if err := s.options.Undo.Settle(context.WithoutCancel(ctx), r, undone); err != nil {
		s.options.Log.ErrorContext(ctx, "settle an undo record", "err", err)
	}
	if failed != nil && len(done.Writes) == 1 {
		return undoneCall{}, failed
	}
	return done, nil
}

// result returns the result of a call by how many of its writes have which.
func result(counts map[string]int) string {
	switch {
	case counts[writeplan.Undone] > 0 && counts[writeplan.Refused]+counts[writeplan.Cannot] > 0:
		return partly
	case counts[writeplan.Undone] > 0:
		return writeplan.Undone
	case counts[writeplan.Refused] > 0:
		return writeplan.Refused
	}
	return writeplan.Cannot
}

// restore undoes one write.
func (s *Server) restore(ctx context.Context, step writeplan.Step) (writeplan.Restored, error) {
	restorer := s.options.Restorers[step.Provider]
	switch {
	case step.Cannot != "":
		return writeplan.Restored{Result: writeplan.Cannot, Reason: step.Cannot}, nil
	case restorer == nil:
		return writeplan.Restored{Result: writeplan.Cannot, Reason: "this server no longer uses the service"}, nil
	}
	return restorer.Restore(ctx, step)
}

// listChanges returns the last changes, with the titles that the items have now.
func (s *Server) listChanges(ctx context.Context) (undoOutput, error) {
	records, err := s.options.Undo.Latest(ctx, mostListed)
	if err != nil {
		return undoOutput{}, err
	}
	out := undoOutput{Changes: []change{}}
	titles := map[undo.Item]string{}
	caller, _ := identity.From(ctx)
	for _, r := range records {
		c := change{ID: undo.Code(r.ID), Tool: r.Tool, Time: r.At, Client: r.Client, Undoable: r.State == undo.Done && r.Cannot == "", Reason: r.Cannot}
		if c.Reason == "" && r.State != undo.Done {
			c.Reason = stateWords[r.State]
		}
		for _, item := range r.About {
			title, known := titles[item]
			if restorer := s.options.Restorers[item.Provider]; !known && restorer != nil {
				title = restorer.ItemTitle(ctx, item.Type, item.ID)
				titles[item] = title
			}
			if title != "" || !caller.Fence.Hides() { // without it, the item may be where the client must not read
				c.Items = append(c.Items, changedItem{item.Type, item.ID, title})
			}
		}
		if len(r.About) > 0 && len(c.Items) == 0 {
			fence.CallFrom(ctx).LeaveOut(r.ID)
			continue
		}
		out.Changes = append(out.Changes, c)
	}
	if len(records) == 0 {
		out.Note = "Nothing was changed in the days that are kept."
	}
	return out, nil
}

// stateWords say why a change cannot be undone.
var stateWords = map[undo.State]string{
	undo.Intended: "may_have_happened: the call was cut; look at the item",
	undo.Undoing:  "may_have_happened: undo was cut; look at the item",
	undo.Undone:   "undone already",
}
