package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"basecamp-mcp/internal/writeplan"
)

// Provider is what the steps of this package have as their provider.
const Provider = "hub"

// step is a link of A to B before and after a write. Nil means that there is none.
type step struct {
	A    Ref   `json:"a"`
	B    Ref   `json:"b"`
	Was  *Link `json:"was,omitempty"`
	Left *Link `json:"left,omitempty"`
}

func (s step) what() string {
	if s.Left == nil {
		return "take a link away"
	}
	return "link two things, for you alone"
}

// keep carries a write out, and keeps what undoes it if there is a journal. If it is planned, keep
// records it in the plan.
func (h *Hub) keep(ctx context.Context, s step, save func() error) error {
	if plan := writeplan.From(ctx); plan != nil {
		plan.Record(writeplan.Write{What: s.what(), On: &writeplan.Item{Type: "link", ID: s.A.ID}, Before: shown(s.B, s.Was), After: shown(s.B, s.Left)})
		return nil
	}
	j := writeplan.JournalFrom(ctx)
	if j == nil {
		return save()
	}
	if err := j.Begin(ctx); err != nil {
		return err
	}
	err := save()
	if err == nil {
		kept := writeplan.Step{Provider: Provider, What: s.what(), Type: "link", ID: s.A.ID}
		kept.Opposite, _ = json.Marshal(s) // steps can be encoded
		j.Add(kept)
	}
	return err
}

func shown(to Ref, l *Link) map[string]any {
	if l == nil {
		return nil
	}
	return map[string]any{"to": to.ID, "follow": !l.Alone}
}

// errSince means that a link was changed since the write that is to be undone.
var errSince = errors.New("changed since")

// Restore undoes a step of this package, unless the link was changed since.
func (h *Hub) Restore(ctx context.Context, s writeplan.Step) (writeplan.Restored, error) {
	var r step
	if err := json.Unmarshal(s.Opposite, &r); err != nil {
		return writeplan.Restored{}, fmt.Errorf("restore a link: %w", err)
	}
	_, err := h.change(ctx, r.A, r.B, r.Was, func(now *Link) error {
		if !same(now, r.Left) {
			return errSince
		}
		return nil
	})
	if errors.Is(err, errSince) {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "the link was changed since"}, nil
	}
	return writeplan.Restored{Result: writeplan.Undone}, err
}
