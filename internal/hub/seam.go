package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"basecamp-mcp/internal/writeplan"
)

// Provider is what the steps of this package have as their provider.
const Provider = "hub"

// step is a link of A to B before and after a write, or who is who. Nil means that there is none.
type step struct {
	A     Ref        `json:"a,omitzero"`
	B     Ref        `json:"b,omitzero"`
	Was   *Link      `json:"was,omitempty"`
	Left  *Link      `json:"left,omitempty"`
	Human *humanStep `json:"human,omitempty"`
}

// humanStep is what the caller knows about a person before and after a write.
type humanStep struct {
	Account int64  `json:"account"`
	Was     *Human `json:"was,omitempty"`
	Left    *Human `json:"left,omitempty"`
}

// who returns whom the step is about.
func (s humanStep) who() Human {
	p := *cmp.Or(s.Left, s.Was)
	p.Account = s.Account
	return p
}

// written returns the step as a plan shows it.
func (s step) written() writeplan.Write {
	w := writeplan.Write{What: "link two things, for you alone"}
	if s.Human != nil {
		if w.What = "note who is who, for you alone"; s.Human.Left == nil {
			w.What = "forget who is who"
		}
		w.On = &writeplan.Item{Type: "person", ID: strconv.FormatInt(s.Human.who().Person, 10)}
		w.Before, w.After = s.Human.Was.shown(), s.Human.Left.shown()
		return w
	}
	if s.Left == nil {
		w.What = "take a link away"
	}
	w.On = &writeplan.Item{Type: "link", ID: s.A.ID}
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

func (p *Human) shown() map[string]any {
	if p == nil {
		return nil
	}
	return map[string]any{"github": "@" + p.Login}
}

// errSince means that a link, or who is who, was changed since the write that is to be undone.
var errSince = errors.New("changed since")

// Restore undoes a step of this package, unless what it wrote was changed since.
func (h *Hub) Restore(ctx context.Context, s writeplan.Step) (writeplan.Restored, error) {
	var r step
	if err := json.Unmarshal(s.Opposite, &r); err != nil {
		return writeplan.Restored{}, fmt.Errorf("restore a link: %w", err)
	}
	var err error
	if r.Human != nil {
		_, err = h.changeHuman(ctx, r.Human.who(), r.Human.Was, func(now *Human) error {
			if (now == nil) != (r.Human.Left == nil) {
				return errSince
			}
			return nil
		})
	} else {
		_, err = h.change(ctx, r.A, r.B, r.Was, func(now *Link) error {
			if !same(now, r.Left) {
				return errSince
			}
			return nil
		})
	}
	if errors.Is(err, errSince) {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "it was changed since"}, nil
	}
	return writeplan.Restored{Result: writeplan.Undone}, err
}
