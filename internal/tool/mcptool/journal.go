package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/wire/writeplan"
)

// journaled calls the tool's own function, and keeps what it writes and how that is undone: a
// record is claimed before the first write, and has all of them at the end of the call. A call that
// is cut in between leaves the claim.
func (s *Server) journaled(ctx context.Context, c *toolCall) (toolanswer.Answer, error) {
	r := c.record
	if r == nil {
		return c.tool.run(ctx, c.accepted)
	}
	r.State = calls.Claimed
	within, journal := writeplan.WithJournal(ctx, func(ctx context.Context) error {
		err := s.options.Calls.Claim(ctx, r)
		if err != nil {
			err = fault.New(fault.UpstreamError, "nothing was written, because it could not be stored how to undo it; try again").Because(err)
		}
		return err
	})
	answer, err := c.tool.run(within, c.accepted)
	if r.State = ""; !journal.Begun() {
		return answer, err
	}
	steps := journal.Steps()
	if err == nil {
		compare(&answer, steps)
	}
	r.State, r.Wrote = calls.Done, writtenBy(steps)
	r.About, r.More = about(steps)
	r.Undo(toolanswer.MustEncode(steps), whyNot(steps))
	switch {
	case err != nil || c.tool.ownStore:
	case r.Cannot != "":
		answer.Add(toolanswer.NoUndoField, r.Cannot)
	default:
		answer.Add(toolanswer.UndoField, r.ID)
	}
	return answer, err
}

// compare says in an answer which fields a provider answered otherwise than asked. What is as it
// was is not changed, whatever the tool says.
func compare(answer *toolanswer.Answer, steps []writeplan.Step) {
	var differs []string
	asWas, others := map[string]bool{}, false
	for _, s := range steps {
		for _, field := range s.NotAsAsked {
			if len(steps) > 1 {
				field = s.Type + ":" + s.ID + ": " + field
			}
			differs = append(differs, field)
		}
		if asWas[s.ID] = s.AsWas; !s.AsWas {
			others = true
		}
	}
	if len(differs) == 0 {
		return
	}
	if value, err := writeplan.Decode(answer.JSON); err == nil {
		markUnchanged(value, func(id string) bool { return !others || asWas[id] })
		answer.JSON = toolanswer.MustEncode(value)
	}
	answer.Add(toolanswer.NotAsAskedField, differs)
}

// markUnchanged sets changed to false in the objects of an answer that are about what is as it was.
func markUnchanged(value any, asWas func(id string) bool) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			markUnchanged(entry, asWas)
		}
	case map[string]any:
		about := v
		if item, ok := v["item"].(map[string]any); ok {
			about = item
		}
		if asWas(writeplan.Text(about["id"])) {
			switch v["changed"].(type) {
			case bool:
				v["changed"] = false
			case json.Number:
				v["changed"] = 0
			}
		}
		for _, member := range v {
			markUnchanged(member, asWas)
		}
	}
}

// mostAbout is how many items a record names.
const mostAbout = 5

// about returns what steps wrote, each item once, and how many further items they wrote.
func about(steps []writeplan.Step) (items []calls.Item, more int) {
	named := map[calls.Ref]bool{}
	for _, s := range steps {
		ref := calls.Ref{Provider: s.Provider, Type: s.Type, ID: s.ID}
		if ref.ID == "" || named[ref] {
			continue
		}
		named[ref] = true
		if len(items) == mostAbout {
			more++
			continue
		}
		items = append(items, calls.Item{Ref: ref, What: s.What})
	}
	return items, more
}

// whyNot returns why nothing of a call can be undone, or "" if something can.
func whyNot(steps []writeplan.Step) string {
	why := "it changed nothing"
	for _, s := range steps {
		if s.Opposite != nil {
			return ""
		}
		if s.Cannot != "" {
			why = s.Cannot
		}
	}
	return why
}

// Written is what one call wrote, by the IDs of the items, and when it ran.
type Written struct {
	Items    []string
	From, To time.Time
}

// A call made the changes from a moment before it to a moment after it: clocks differ.
const beforeWrite, afterWrite = 2 * time.Second, 5 * time.Second

// Made reports whether the call made a change of something that has one of the IDs.
func (w Written) Made(at time.Time, ids ...string) bool {
	if at.Before(w.From.Add(-beforeWrite)) || at.After(w.To.Add(afterWrite)) {
		return false
	}
	return slices.ContainsFunc(w.Items, func(item string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(item, id) })
	})
}

// mostWritten is how many records a call reads to find what its connection wrote.
const mostWritten = 1_000

// WrittenSince returns what the connection of ctx's call wrote in calls that began after a time,
// the last first.
func WrittenSince(ctx context.Context, since time.Time) (all []Written, err error) {
	log := runIn(ctx).calls
	caller, ok := identity.From(ctx)
	if log == nil || !ok {
		return nil, nil
	}
	records, err := log.Since(ctx, caller.Subject, since, mostWritten)
	for _, r := range records {
		if r.Connection == caller.Connection && len(r.Wrote) > 0 {
			all = append(all, Written{r.Wrote, r.Time, r.Time.Add(time.Duration(r.Milliseconds) * time.Millisecond)})
		}
	}
	return all, err
}

// writtenBy returns the IDs of what steps wrote, each once.
func writtenBy(steps []writeplan.Step) (ids []string) {
	for _, s := range steps {
		for _, id := range append([]string{s.ID}, s.Also...) {
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

type undoInput struct {
	IDs   []string `json:"ids,omitzero" jsonschema:"undo of an answer" limits:"maxitems=20"`
	Last  int      `json:"last,omitzero" jsonschema:"How many calls" limits:"min=1 max=20"`
	Since string   `json:"since,omitzero" jsonschema:"RFC 3339" limits:"maxlen=40"`
}

// undoOutput is what was undone, or the last changes.
type undoOutput struct {
	Undone  []undo.TakenBack `json:"undone,omitempty"`
	Changes []undo.Change    `json:"changes,omitempty"`
	Left    int              `json:"left,omitempty"` // calls that are not undone yet
	Note    string           `json:"note,omitempty"`
}

const mostListed = 20 // changes that a list shows

func (s *Server) undoTool() Tool {
	return Define(Spec{
		Name:        undo.Tool,
		Title:       "Undo",
		Description: "Takes back calls of any client. Without arguments: the last ones.",
		Effect:      Changes,
	}, s.undo)
}

// Changes returns what the caller's clients wrote.
func (s *Server) Changes() undo.Changes {
	return undo.Changes{Log: s.options.Calls, Restorers: s.options.Restorers, Errors: s.options.Log}
}

// undo undoes calls, or lists them.
func (s *Server) undo(ctx context.Context, in undoInput) (out undoOutput, err error) {
	chosen := 0
	for _, given := range []bool{in.IDs != nil, in.Last != 0, in.Since != ""} {
		if given {
			chosen++
		}
	}
	switch chosen {
	case 0:
		if out.Changes, err = s.Changes().List(ctx, mostListed); err == nil && len(out.Changes) == 0 {
			out.Note = "Nothing was changed in the days that are kept."
		}
		return out, err
	case 1:
	default:
		return undoOutput{}, fault.Invalid("ids", "give one of ids, last and since")
	}
	records, err := s.chosenRecords(ctx, in)
	if err != nil {
		return undoOutput{}, err
	}
	undone, left, err := s.Changes().All(ctx, records, cmp.Or(in.Last, len(records)))
	if in.IDs == nil && fault.Is(err, fault.NotFound) {
		err = nil
	}
	switch out.Undone, out.Left = undone, len(left); {
	case out.Left > 0:
		out.Note = "To go on, call undo with ids:"
		for _, r := range left[:min(len(left), mostListed)] {
			out.Note += " " + r.ID
		}
	case len(undone) == 0:
		out.Note = "There is nothing to undo."
	}
	return out, err
}

// chosenRecords returns the records of which a call undoes the first ones, newest first. All are
// looked up before one is undone.
func (s *Server) chosenRecords(ctx context.Context, in undoInput) (records []calls.Record, err error) {
	if in.IDs != nil {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(in.IDs))) {
			r, err := s.options.Calls.Find(ctx, id)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
		slices.SortFunc(records, func(a, b calls.Record) int { return strings.Compare(b.ID, a.ID) })
		return records, nil
	}
	var since time.Time
	if in.Since != "" {
		if since, err = time.Parse(time.RFC3339, in.Since); err != nil {
			return nil, fault.Invalid("since", "must be a time with its zone, like 2026-03-02T09:00:00Z")
		}
	}
	return s.Changes().Undoable(ctx, since)
}
