package mcptool

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/undo"
)

type undoInput struct {
	IDs   []string `json:"ids,omitzero" jsonschema:"undo of an answer" limits:"maxitems=20"`
	Last  int      `json:"last,omitzero" jsonschema:"How many calls" limits:"min=1 max=20"`
	Since string   `json:"since,omitzero" jsonschema:"RFC 3339" limits:"maxlen=40"`
}

// undoOutput is what was undone, or the last changes.
type undoOutput struct {
	Undone  []undo.TakenBack `json:"undone,omitempty"`
	Changes []undo.Change    `json:"changes,omitempty"`
	Note    string           `json:"note,omitempty"`
}

const mostListed = 20 // changes that a list shows

func (s *Server) undoTool() Tool {
	return Define(Spec{
		Name:  undo.Tool,
		Title: "Undo",
		Description: "Takes back what calls wrote, from any of the user's clients, unless it was changed since. " +
			"Without arguments: the last 20 changes.",
		Effect: Updates,
	}, s.undo)
}

// Changes returns what the caller's clients wrote. Its Log is nil if that is not kept.
func (s *Server) Changes() undo.Changes {
	return undo.Changes{Log: s.options.Undo, Restorers: s.options.Restorers, Errors: s.options.Log}
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
	if len(records) == 0 {
		out.Note = "There is nothing to undo."
	}
	out.Undone, err = s.Changes().All(ctx, records)
	return out, err
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
	records, err = s.Changes().Since(ctx, since)
	if in.Last != 0 && err == nil {
		records = records[:min(len(records), in.Last)]
	}
	return records, err
}
