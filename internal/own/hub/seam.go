package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/writeplan"
)

// Provider is what the steps of this package have as their provider.
const Provider = "hub"

// Toolset is the name of the toolset with the tools for links.
const Toolset = "hub"

// step is a link of A to B before and after a write. Nil means that there is none.
type step struct {
	A    Ref   `json:"a"`
	B    Ref   `json:"b"`
	Was  *Link `json:"was,omitempty"`
	Left *Link `json:"left,omitempty"`
}

// written returns the step as a plan shows it.
func (s step) written() writeplan.Write {
	w := writeplan.Write{What: "link two things, for you alone", On: &writeplan.Item{Type: "link", ID: s.A.ID}}
	if s.Left == nil {
		w.What = "take a link away"
	}
	w.Before, w.After = shown(s.B, s.Was), shown(s.B, s.Left)
	return w
}

// keep carries a write out, and keeps what undoes it if there is a journal. If it is planned, keep
// records it in the plan.
func (h *Hub) keep(ctx context.Context, s step, save func() error) error {
	if plan := writeplan.From(ctx); plan != nil {
		plan.Record(s.written())
		return nil
	}
	return writeplan.Journaled(ctx, save, func() writeplan.Step {
		w := s.written()
		opposite, _ := json.Marshal(s) // steps can be encoded
		return writeplan.Step{Provider: Provider, What: w.What, Type: w.On.Type, ID: w.On.ID, Opposite: opposite}
	})
}

func shown(to Ref, l *Link) map[string]any {
	if l == nil {
		return nil
	}
	return map[string]any{"to": to.ID, "follow": !l.Alone}
}

// errSince means that a link was changed since the write that is to be undone.
var errSince = errors.New("changed since")

// Restore undoes a step of this package, unless what it wrote was changed since. A client with
// limits must be able to read both things.
func (h *Hub) Restore(ctx context.Context, s writeplan.Step) (writeplan.Restored, error) {
	var r step
	if err := json.Unmarshal(s.Opposite, &r); err != nil {
		return writeplan.Restored{}, fmt.Errorf("restore a link: %w", err)
	}
	if caller, _ := identity.From(ctx); caller.Fence.Hides() && (h.look(ctx, r.A)[0].Title == "" || h.look(ctx, r.B)[0].Title == "") {
		return writeplan.Restored{Result: writeplan.Refused, Gone: true}, nil
	}
	_, err := h.change(ctx, r.A, r.B, r.Was, func(now *Link) error {
		if !same(now, r.Left) {
			return errSince
		}
		return nil
	})
	if errors.Is(err, errSince) {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "it was changed since"}, nil
	}
	return writeplan.Restored{Result: writeplan.Undone}, err
}
