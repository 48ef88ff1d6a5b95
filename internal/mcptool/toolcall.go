package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
)

// toolCall is one call of one tool.
type toolCall struct {
	tool      Tool
	arguments json.RawMessage // as the client sent them
	accepted  accepted        // the same after validation
	channel   audit.Channel
	readOnly  bool          // the endpoint serves only reads
	round     round         // zero for the first attempt
	confirmed *confirmation // nil unless the user filled in a form
	params    mcp.MultiRoundTripParams
	end       *idempotency.End // how the call ended, if it has a key
}

// call runs a tool: time budget, scope, idempotency, the tool's own function, envelope, one log
// line without argument names, and an entry in the audit trail. Every channel uses it. It returns
// each failure, panics included, as an outcome: mcp-go would send the text of an error to the
// client.
func (s *Server) call(ctx context.Context, c toolCall) *Outcome {
	i := invocation{kind: "tool", name: c.tool.Name, provider: c.tool.provider, channel: c.channel, changes: c.tool.Effect != Reads, arguments: c.auditable}
	ctx, r := s.start(ctx, i, c.readOnly)
	defer r.cancel()
	var outcome *Outcome
	err := s.resume(ctx, &c)
	if err == nil {
		outcome, err = s.answer(ctx, &c)
	}
	r.background.end()
	if err != nil {
		outcome = s.failed(ctx, c, s.fault(ctx, i, err, c.tool.Effect.repeats()))
	}
	r.end = c.end
	s.finish(ctx, r, i, outcome)
	return outcome
}

// failed returns the outcome of a call that failed. If the user can do something about it, the
// client is asked to repeat the call after that.
func (s *Server) failed(ctx context.Context, c toolCall, f *fault.Error) *Outcome {
	if outcome, ok := c.confirm(ctx, f); ok {
		return outcome
	}
	if s.options.Reconnector == nil || errors.Is(f, errDeclined) {
		return failure(c.tool.Name, f)
	}
	if told, p, ok := s.linkFault(f, c.tool.provider); ok {
		return s.link(ctx, c, p, told)
	}
	if f.Code == fault.TokenExpired {
		return s.reconnect(ctx, c, f)
	}
	return failure(c.tool.Name, f)
}

func (s *Server) answer(ctx context.Context, c *toolCall) (*Outcome, error) {
	// The guard has checked the scope already and answers with an OAuth challenge. This is a second
	// check.
	caller, ok := identity.From(ctx)
	if !ok || !caller.Can(c.tool.Scope) {
		return nil, fault.New(fault.PermissionDenied, "this connection may not use %s: it needs the scope %q", c.tool.Name, c.tool.Scope)
	}
	if caller.SignedOut {
		return nil, s.signedOut()
	}
	accepted, err := guarded(ctx, func(context.Context) (accepted, error) { return c.tool.accept(c.arguments) })
	if err != nil {
		return nil, err
	}
	c.accepted = accepted
	outcome, err := s.runOnce(ctx, caller, c)
	if err == nil {
		outcome.tell(accepted.understood)
	}
	return outcome, err
}

// said returns the arguments in the form of the schema, or as the client sent them if they are not
// valid.
func (c *toolCall) said() json.RawMessage {
	if c.accepted.arguments != nil {
		return c.accepted.arguments
	}
	return c.arguments
}

// run calls the tool's own function and encodes its result.
func (c toolCall) run(ctx context.Context) (*Outcome, error) {
	return guarded(ctx, func(ctx context.Context) (*Outcome, error) {
		out, err := c.tool.run(context.WithValue(ctx, runKey{}, runFacts{c.tool.Effect, c.confirmed}), c.accepted)
		if err != nil {
			return nil, err
		}
		return answered(out)
	})
}

// answered returns the outcome of a tool that returned a result.
func answered(out any) (*Outcome, error) {
	list, short := out.(shortened)
	if short {
		out = list.out
	}
	filled, failed := listsFilled(out)
	var result []byte
	var err error
	if short {
		result, err = shortened{filled, list.plans}.json()
	} else {
		result, err = encode(filled)
	}
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	o := &Outcome{JSON: result, failed: failed}
	if shown, ok := filled.(illustrated); ok {
		o.images = shown.Images()
	}
	return o, nil
}

type runKey struct{}

// runFacts are what a tool may learn about its call, besides the arguments.
type runFacts struct {
	effect    Effect
	confirmed *confirmation // nil unless the user filled in a form
}

// runIn returns the facts of the call under ctx. They are zero outside a call.
func runIn(ctx context.Context) runFacts {
	facts, _ := ctx.Value(runKey{}).(runFacts)
	return facts
}

// Changes reports whether ctx belongs to a call of a tool that updates or deletes existing items.
// Such a tool must not act on a guess.
func Changes(ctx context.Context) bool {
	effect := runIn(ctx).effect
	return effect == Updates || effect == Deletes
}

// Writes reports whether ctx belongs to a call of a tool that does more than read.
func Writes(ctx context.Context) bool {
	return runIn(ctx).effect != Reads
}
