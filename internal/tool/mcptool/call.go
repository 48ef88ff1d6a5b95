package mcptool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// toolCall is one call of one tool.
type toolCall struct {
	tool      Tool
	arguments json.RawMessage   // as the client sent them
	accepted  toolargs.Accepted // the same after validation
	offered   map[string]Tool   // the tools of the endpoint, by each name; nil outside MCP
	channel   calls.Channel
	readOnly  bool          // the endpoint serves only reads
	round     round         // zero for the first attempt
	confirmed *confirmation // nil unless the user filled in a form
	params    mcp.MultiRoundTripParams
	start     func(context.Context) *calls.Call // makes record; nil if it reads, or nothing is kept
	record    *calls.Call
	notes     *notes // what it understood beyond its arguments; nil until it runs
}

// call runs a tool: time budget, scope, idempotency, the tool's own function, envelope, one log
// line without argument names, and the record of the call. Every channel uses it. It returns
// each failure, panics included, as an outcome: mcp-go would send the text of an error to the
// client.
func (s *Server) call(ctx context.Context, c toolCall) *Outcome {
	if c.tool.previews != nil {
		c.tool.provider = s.previewedProvider(*c.tool.previews, c.arguments)
	}
	i := invocation{kind: "tool", name: c.tool.Name, provider: c.tool.provider, channel: c.channel, arguments: c.auditable}
	ctx, r := s.start(ctx, i, c.readOnly)
	defer r.cancel()
	if c.tool.Effect != Reads && s.options.Calls != nil {
		r, i := r, i // a call that only reads must not pay for them
		c.start = func(ctx context.Context) *calls.Call { return calls.Start(ctx, s.line(ctx, r, i)) }
	}
	outcome, err := s.answer(ctx, &c)
	r.background.end()
	if err != nil {
		outcome = s.failedOutcome(ctx, c, s.fault(ctx, i, err, c.tool.Effect.repeats()))
	} else {
		outcome.meta = s.viewFacts(ctx, c)
	}
	s.finish(ctx, r, i, outcome, c.record)
	return outcome
}

// answer checks who calls and with which arguments, runs the tool once, and adds what it
// understood.
func (s *Server) answer(ctx context.Context, c *toolCall) (outcome *Outcome, err error) {
	defer fault.Recover(&err)
	caller, ok := identity.From(ctx)
	if c.params.RequestState != "" {
		if err := s.resume(caller, c); err != nil {
			return nil, err
		}
	}
	// The guard has checked the scope already and answers with an OAuth challenge. This is a second
	// check.
	if !ok || !caller.Can(c.tool.Scope) {
		return nil, fault.New(fault.PermissionDenied, "this connection may not use %s: it needs the scope %q", c.tool.Name, c.tool.Scope)
	}
	if caller.SignedOut {
		return nil, s.signedOut()
	}
	accepted, err := c.tool.Accept(c.arguments)
	if err != nil {
		return nil, c.tool.inOwnWords(accepted.Arguments, err)
	}
	c.accepted = accepted
	if c.start != nil {
		c.record = c.start(ctx)
	}
	if key := c.key(); key != "" {
		outcome, err = s.runOnce(ctx, caller, c, key)
	} else {
		outcome, err = s.run(ctx, c)
	}
	if err == nil {
		// A stored result has no notes: the call that repeats it may be spelled as the schema wants.
		if notes := slices.Concat(c.accepted.Understood, c.notes.all()); len(notes) > 0 {
			outcome.Add(toolanswer.UnderstoodField, notes)
		}
		// Beside words, the number would tell a client whether a text exists that it may not see.
		if n := fence.CallFrom(ctx).LeftOut(); n > 0 && c.tool.Effect == Reads && !accepted.Schema.HasWords(accepted.Arguments) {
			outcome.Add(toolanswer.FencedField, n)
		}
	}
	return outcome, err
}

// Accept checks the arguments of a call against the tool's schema or, if it has Operations, against
// that of the operation that they name.
func (t Tool) Accept(arguments json.RawMessage) (toolargs.Accepted, error) {
	schema := t.schemas().in
	if t.Operation != nil {
		name, fields, err := t.Operation(arguments)
		if err != nil {
			return toolargs.Accepted{}, err
		}
		if name != "" {
			schema = schema.For(name, fields)
		}
	}
	return t.checks.Accept(schema, arguments)
}

// key returns the idempotency key of a call, or "" if it has none or none are kept.
func (c *toolCall) key() (key string) {
	var given map[string]json.RawMessage
	if c.record != nil && c.tool.Effect.repeats() && json.Unmarshal(c.accepted.Arguments, &given) == nil {
		_ = json.Unmarshal(given[toolargs.KeyArgument], &key) // the schema wants a string
	}
	return key
}

// runOnce runs the tool, or returns the stored answer of the first call with the same key. The call
// also depends on the caller's account: one user may have connections to several accounts.
func (s *Server) runOnce(ctx context.Context, caller identity.Caller, c *toolCall, key string) (*Outcome, error) {
	asks := calls.Key{
		Tool: c.tool.Name, Key: key, Limits: limits(caller.Fence),
		Asked: fmt.Sprintf("%d %s", caller.Account, digest(c.accepted.Schema.Canonical(c.accepted.Arguments))),
	}
	var before resumption
	for {
		outcome, ran, err := s.runUnderKey(context.WithValue(ctx, resumptionKey{}, before), asks, c)
		if err != nil || ran {
			return outcome, err
		}
		if !c.tool.Resumes || !unfinished(outcome.JSON) {
			if undone := s.undone(ctx, outcome.JSON); undone != "" {
				outcome.Add(toolanswer.RepeatedField, "the answer of the first call with this idempotency_key; nothing was done now; "+undone)
			}
			return outcome, nil
		}
		before.answer, before.parts = outcome.JSON, before.parts+1
		asks.Tool = fmt.Sprintf("%s#%d", c.tool.Name, before.parts+1) // each part runs once, as the first did
	}
}

// undone returns a sentence if the call that gave an answer was undone since, or "".
func (s *Server) undone(ctx context.Context, answer json.RawMessage) string {
	var first map[string]any
	_ = json.Unmarshal(answer, &first) // an answer is a JSON object
	code, _ := first[toolanswer.UndoField].(string)
	if code == "" {
		return ""
	}
	_, err := s.options.Calls.Find(ctx, code)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.InvalidInput {
		return f.Validation[0].Message
	}
	return ""
}

// limits returns a digest of what a fence closes to its client, or "": a client neither gets the
// answer of one with other limits, nor learns that there is one.
func limits(f fence.Fence) string {
	if f.Accounts = nil; f.Read == nil && f.Write == nil && !f.NoPings && !f.Lockdown {
		return ""
	}
	return digest(toolanswer.MustEncode(f))
}

// runUnderKey runs the tool, or returns the stored answer. It reports whether it ran.
func (s *Server) runUnderKey(ctx context.Context, asks calls.Key, c *toolCall) (outcome *Outcome, ran bool, err error) {
	outcome = &Outcome{} // of a repeated call, for which only the JSON is stored
	answer, err := s.options.Calls.Once(ctx, c.record, asks, c.tool.ownStore, func(ctx context.Context) ([]byte, error) {
		ran = true
		made, err := s.run(ctx, c)
		if err != nil {
			return nil, err
		}
		outcome = made
		return made.JSON, nil
	})
	if err != nil {
		return nil, ran, err
	}
	outcome.JSON = answer
	return outcome, ran, nil
}

// run calls the tool's own function.
func (s *Server) run(ctx context.Context, c *toolCall) (outcome *Outcome, err error) {
	defer fault.Recover(&err)
	facts := &runFacts{effect: c.tool.Effect, confirmed: c.confirmed, calls: s.options.Calls}
	facts.notes = &facts.own
	c.notes = facts.notes
	if c.tool.previews != nil {
		facts.toolsets, facts.previews = *c.tool.previews, true
	}
	ctx = context.WithValue(ctx, runKey{}, facts)
	answer, err := s.journaled(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Outcome{Answer: answer}, nil
}

// failedOutcome returns the outcome of a call that failed. If the user can do something about it,
// the client is asked to repeat the call after that.
func (s *Server) failedOutcome(ctx context.Context, c toolCall, f *fault.Error) *Outcome {
	if q, ok := errors.AsType[*question](f); ok {
		if outcome, ok := c.ask(ctx, f, confirmRequest(q.argument, q.lost)); ok {
			return outcome
		}
	}
	if errors.Is(f, errDeclined) {
		return failure(c.tool.Name, f)
	}
	told, q := s.remedy(ctx, f, c.tool.provider, ofTool)
	outcome := failure(c.tool.Name, told)
	if q == nil {
		return outcome
	}
	if outcome, ok := c.ask(ctx, told, *q); ok {
		return outcome
	}
	caller, _ := identity.From(ctx)
	switch {
	case q.Provider == "" && s.endConnection(ctx):
		outcome.meta = loginAgain(ctx, s.provider(""))
	case q.Provider != "" && caller.OpensLinks && !modern(ctx): // declared at the beginning of its session
		q.shown.ElicitationID = q.id + "_" + rand.Text()
		outcome.requires = &elicitationRequired{told, q.shown}
	}
	return outcome
}

// failure returns the outcome of a call that failed.
func failure(tool string, f *fault.Error) *Outcome {
	return &Outcome{Answer: toolanswer.Answer{JSON: toolanswer.CallFailure(tool, f)}, IsError: true, Message: f.Message, Fault: f}
}

// auditable returns what the audit trail keeps of the arguments: in the form of the schema, or as
// the client sent them if they are not valid.
func (c *toolCall) auditable() []calls.Argument {
	if c.accepted.Schema == nil {
		return c.tool.schemas().in.Auditable(c.arguments)
	}
	return c.accepted.Schema.Auditable(c.accepted.Arguments)
}

// notes are what a call understood beyond its arguments. Its parts add to them at the same time.
type notes struct {
	mu   sync.Mutex
	said []string
}

// Understood adds a note to the field understood of the answer, once: the value that an argument
// was cut to, or what was taken instead of what cannot be read. It does nothing outside the call of
// a tool.
func Understood(ctx context.Context, note string) {
	n := runIn(ctx).notes
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.said, note) {
		n.said = append(n.said, note)
	}
}

func (n *notes) all() []string {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.said)
}

type runKey struct{}

// runFacts are what a tool may learn about its call, besides the arguments.
type runFacts struct {
	effect    Effect
	confirmed *confirmation // nil unless the user filled in a form
	toolsets  []string      // the selection, for a preview
	notes     *notes
	own       notes      // what notes is, but in a preview, which adds to the notes of its call
	calls     *calls.Log // may be nil
	previews  bool
}

// runIn returns the facts of the call under ctx. They are zero outside a call.
func runIn(ctx context.Context) *runFacts {
	if facts, ok := ctx.Value(runKey{}).(*runFacts); ok {
		return facts
	}
	return &runFacts{}
}

// Modifies reports whether ctx belongs to a call of a tool that updates or deletes existing items.
// Such a tool must not act on a guess.
func Modifies(ctx context.Context) bool {
	effect := runIn(ctx).effect
	return effect == Updates || effect == Deletes || effect == Changes
}

// Writes reports whether ctx belongs to a call of a tool that does more than read.
func Writes(ctx context.Context) bool {
	return runIn(ctx).effect != Reads
}

type resumptionKey struct{}

// resumption is what the earlier calls with the same key have left.
type resumption struct {
	answer json.RawMessage // of the latest one; nil for the first call
	parts  int             // how many there were
}

// Earlier decodes the answer of the call before this one with the same key into answer, if that has
// left something over. Keyed reports whether the call has a key, so that another one can go on.
func Earlier(ctx context.Context, answer any) (resumed, keyed bool, err error) {
	before, keyed := ctx.Value(resumptionKey{}).(resumption)
	if before.answer == nil {
		return false, keyed, nil
	}
	return true, keyed, json.Unmarshal(before.answer, answer)
}

// unfinished reports whether the answer of a call has left something over.
func unfinished(answer json.RawMessage) bool {
	var left struct {
		NotAttempted []json.RawMessage `json:"not_attempted"`
	}
	return json.Unmarshal(answer, &left) == nil && len(left.NotAttempted) > 0
}
