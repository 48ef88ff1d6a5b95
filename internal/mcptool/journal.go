package mcptool

import (
	"context"
	"encoding/json"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/toolanswer"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

// completeTime is how long the record of a call may take to be completed, after the call.
const completeTime = 2 * time.Second

// journaled calls the own function of a tool that writes, and notes what it writes for the audit
// trail. If undo is on, it keeps how the writes are undone: an intent is stored before the first
// one, and all of them at the end of the call. A call that is cut in between leaves the intent.
func (s *Server) journaled(ctx context.Context, c *toolCall) (toolanswer.Answer, error) {
	records := s.options.Undo
	if records == nil && s.options.Audit == nil {
		return c.tool.run(ctx, c.accepted)
	}
	var record undo.Record
	within, journal := writeplan.WithJournal(ctx, func(ctx context.Context) (err error) {
		if records == nil {
			return nil
		}
		caller, _ := identity.From(ctx)
		record, err = records.Begin(ctx, undo.Record{Tool: c.tool.Name, Client: clientName(ctx, caller)}, nil)
		if err != nil {
			err = fault.New(fault.UpstreamError, "nothing was written, because it could not be stored how to undo it; try again").Because(err)
		}
		return err
	})
	journal.NotesOnly = records == nil
	answer, err := c.tool.run(within, c.accepted)
	if !journal.Begun() {
		return answer, err
	}
	if c.wrote = writtenBy(journal.Steps()); records == nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeTime)
	defer cancel()
	code, failed := complete(ctx, records, record, journal.Steps())
	if failed != nil {
		s.options.Log.ErrorContext(ctx, "store how to undo a call", "tool", c.tool.Name, "err", failed, "request_id", identity.RequestID(ctx))
	}
	if err == nil && code != "" && !c.tool.ownStore {
		answer.AddUndo(code)
	}
	return answer, err
}

// complete stores the steps of a call, and returns the code that undoes them, or "" if nothing
// does.
func complete(ctx context.Context, records *undo.Log, r undo.Record, steps []writeplan.Step) (code string, err error) {
	r.About, r.More = about(steps)
	r.Cannot = whyNot(steps)
	encoded, err := json.Marshal(steps)
	if err != nil {
		return "", err
	}
	if r, err = records.Complete(ctx, r, encoded); err != nil || r.Cannot != "" && r.Cannot != undo.TooLarge {
		return "", err
	}
	if r.Cannot != "" {
		return r.Cannot, nil
	}
	return undo.Code(r.ID), nil
}

// mostAbout is how many items a record names.
const mostAbout = 5

// about returns what steps wrote, each item once, and how many further items they wrote.
func about(steps []writeplan.Step) (items []undo.Item, more int) {
	named := map[undo.Item]bool{}
	for _, s := range steps {
		item := undo.Item{Provider: s.Provider, Type: s.Type, ID: s.ID}
		if item.ID == "" || named[item] {
			continue
		}
		named[item] = true
		if len(items) == mostAbout {
			more++
			continue
		}
		item.What = s.What
		items = append(items, item)
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
