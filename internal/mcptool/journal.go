package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/toolanswer"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

// completeTime is how long the record of a call may take to be completed, after the call.
const completeTime = 2 * time.Second

// kept keeps how the writes of a call are undone.
type kept struct {
	records *undo.Log
	tool    string
	client  string // the name that the client gave
	log     *slog.Logger
}

// journaled calls the tool's own function, and notes what it writes for the audit trail. If undo is
// on, it keeps how the writes are undone: an intent is stored before the first one, and all of them
// at the end of the call. A call that is cut in between leaves the intent.
func (c *toolCall) journaled(ctx context.Context) (toolanswer.Answer, error) {
	if c.kept == nil && (c.trail == nil || c.tool.Effect == Reads) {
		return c.tool.run(ctx, c.accepted)
	}
	var record undo.Record
	within, journal := writeplan.WithJournal(ctx, func(ctx context.Context) (err error) {
		if c.kept == nil {
			return nil
		}
		record, err = c.kept.records.Begin(ctx, undo.Record{Tool: c.kept.tool, Client: c.kept.client}, nil)
		if err != nil {
			err = fault.New(fault.UpstreamError, "nothing was written, because it could not be stored how to undo it; try again").Because(err)
		}
		return err
	})
	journal.NotesOnly = c.kept == nil
	answer, err := c.tool.run(within, c.accepted)
	if !journal.Begun() {
		return answer, err
	}
	if c.wrote = writtenBy(journal.Steps()); c.kept == nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeTime)
	defer cancel()
	code, failed := c.kept.complete(ctx, record, journal.Steps())
	if failed != nil {
		c.kept.log.ErrorContext(ctx, "store how to undo a call", "tool", c.kept.tool, "err", failed, "request_id", identity.RequestID(ctx))
	}
	if err == nil && code != "" && !c.tool.ownStore {
		answer.AddUndo(code)
	}
	return answer, err
}

// complete stores the steps of a call, and returns the code that undoes them, or "" if nothing
// does.
func (k *kept) complete(ctx context.Context, r undo.Record, steps []writeplan.Step) (code string, err error) {
	r.About, r.More = about(steps)
	r.Cannot = whyNot(steps)
	encoded, err := json.Marshal(steps)
	if err != nil {
		return "", err
	}
	if r, err = k.records.Complete(ctx, r, encoded); err != nil || r.Cannot != "" && r.Cannot != undo.TooLarge {
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
