package mcptool

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/held"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/toolanswer"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

// outsidersLife is how long a client counts as having read an outsider's text.
const outsidersLife = 24 * time.Hour

// watched calls f. If the fence of the caller asks for it, it notes that f read a text by someone
// outside the account. The caller gets no text before that is stored.
func watched[T any](ctx context.Context, s *Server, f func(context.Context) (T, error)) (T, error) {
	caller, _ := identity.From(ctx)
	now := time.Now()
	if !caller.Fence.AskAfterOutsiders || now.Before(caller.OutsidersUntil) {
		return f(ctx)
	}
	var found atomic.Bool
	result, err := f(writeplan.WithWatch(ctx, func() { found.Store(true) }))
	if !found.Load() {
		return result, err
	}
	if failed := s.options.MarkOutsiders(ctx, caller.Connection, now.Add(outsidersLife)); failed != nil {
		told := fault.New(fault.UpstreamError, "this server could not store that a text by someone outside the account was read; try again")
		told.MayHaveHappened = err == nil && Writes(ctx)
		told.Retryable = !told.MayHaveHappened
		var none T
		return none, told.Because(failed)
	}
	return result, err
}

// fenced calls the tool's own function within what the caller's fence asks about writes.
func (s *Server) fenced(ctx context.Context, c *toolCall) (toolanswer.Answer, error) {
	caller, _ := identity.From(ctx)
	if c.tool.Effect == Reads {
		return c.tool.run(ctx, c.accepted)
	}
	if c.tool.ownStore {
		return s.journaled(ctx, c)
	}
	if most, connection := caller.Fence.WritesAnHour, caller.Connection; most > 0 {
		ctx = writeplan.WithGuard(ctx, func(ctx context.Context, _ writeplan.Request) (func([]byte), error) {
			return func([]byte) {}, s.countWrite(ctx, connection, most)
		})
	}
	facts := held.Facts{
		Admin: c.tool.admin || c.tool.Name == undo.Tool, Unsure: c.tool.Operation != nil || c.tool.Name == undo.Tool,
		Outsiders: time.Now().Before(caller.OutsidersUntil),
	}
	if held.Asks(caller.Fence, facts) {
		return s.hold(ctx, c, caller, facts)
	}
	return s.journaled(ctx, c)
}

func (s *Server) countWrite(ctx context.Context, connection string, most int) error {
	now := time.Now()
	full, err := s.options.CountWrite(ctx, connection, now, most)
	if err != nil {
		return fault.New(fault.UpstreamError, "this was not sent, because it could not be counted; try again").Because(err)
	}
	if full.IsZero() {
		return nil
	}
	f := fault.New(fault.RateLimited, "this was not sent: the user allows this app %d writes an hour; repeat the call when retry_after_seconds are over", most)
	f.RetryAfter = max(full.Sub(now), time.Second)
	return f
}

// hold runs a tool for a caller whose fence may hold it. The writes are planned first. What needs
// no approval is sent, exactly as planned; what does is held until it has one.
func (s *Server) hold(ctx context.Context, c *toolCall, caller identity.Caller, facts held.Facts) (toolanswer.Answer, error) {
	if s.options.Held == nil {
		return toolanswer.Answer{}, fault.New(fault.PermissionDenied, "the user wants to approve what this app writes, but this server keeps nothing that could be approved; nothing was written")
	}
	id := held.ID(caller.Connection, c.tool.Name, fmt.Sprint(caller.Account, " ", digest(c.accepted.Schema.Canonical(c.accepted.Arguments))))
	found, err := s.options.Held.Find(ctx, caller.Subject, id)
	if err != nil && !errors.Is(err, held.ErrNotFound) {
		return toolanswer.Answer{}, unkept(err)
	}
	switch found.State {
	case held.Refused:
		return toolanswer.Answer{}, fault.New(fault.PermissionDenied, "the user refused this call; nothing was written; do not repeat it unless they ask for it")
	case held.Sending:
		return toolanswer.Answer{}, claimed()
	}
	content, err := c.planned(ctx, caller, facts)
	switch same := found.Plan.Equal(content.Plan); {
	case err != nil:
		return toolanswer.Answer{}, err
	case found.State == held.Approved && same:
		return s.sendApproved(ctx, c, caller.Subject, found)
	case len(content.Why) == 0:
		return s.journaled(writeplan.WithGuard(ctx, held.NewSequence(content.Plan).Pass), c)
	case found.State == held.Waiting && same:
		return toolanswer.Answer{}, s.heldFault(ctx, found)
	}
	record := undo.Record{ID: id, Tool: c.tool.Name, Client: caller.Client} // as the account page names it
	kept, err := s.options.Held.Hold(ctx, caller.Subject, found, held.Call{Record: record, Content: content})
	if err != nil {
		return toolanswer.Answer{}, s.notHeld(ctx, err)
	}
	return toolanswer.Answer{}, s.heldFault(ctx, kept)
}

// planned plans the writes of a call.
func (c *toolCall) planned(ctx context.Context, caller identity.Caller, facts held.Facts) (held.Content, error) {
	ctx, plan := writeplan.With(ctx)
	plan.AsksPublic = true
	answer, err := c.tool.run(ctx, c.accepted)
	if err != nil {
		return held.Content{}, unwritten(err)
	}
	writes := plan.Writes()
	r := reachOf(writes, answer.JSON)
	p := held.Plan{Reach: r.all}
	for i, w := range writes {
		if w.Sent.Method == "" && w.Part == "" {
			continue // to this server's own stores
		}
		p.Writes = append(p.Writes, held.Write{Write: w, Reach: r.writes[i], Request: held.RequestOf(w.Sent), Made: w.Made, Part: w.Part})
	}
	facts.Unsure = facts.Unsure || r.unsure
	return held.Content{Connection: caller.Connection, Why: held.Why(caller.Fence, p, facts), Plan: p}, nil
}

// sendApproved claims an approved call and sends its writes. A call that sent none can be repeated,
// unless they would be others now.
func (s *Server) sendApproved(ctx context.Context, c *toolCall, subject string, approved held.Call) (toolanswer.Answer, error) {
	record, err := s.options.Held.Claim(ctx, subject, approved.Record)
	if errors.Is(err, held.ErrChanged) {
		return toolanswer.Answer{}, claimed()
	}
	if err != nil {
		return toolanswer.Answer{}, unkept(err)
	}
	sequence := held.NewSequence(approved.Plan)
	answer, err := s.journaled(writeplan.WithGuard(ctx, sequence.Pass), c)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeTime)
	defer cancel()
	settle := s.options.Held.End
	if sequence.Untouched() {
		settle = s.options.Held.Release
	}
	if failed := settle(ctx, subject, record); failed != nil {
		s.options.Log.ErrorContext(ctx, "settle a held call", "tool", c.tool.Name, "err", failed, "request_id", identity.RequestID(ctx))
	}
	return answer, err
}

// heldFault returns the fault of a call that waits for the user.
func (s *Server) heldFault(ctx context.Context, c held.Call) *fault.Error {
	if s.options.ServePages != nil {
		if err := s.options.ServePages(ctx); err != nil {
			s.options.Log.ErrorContext(ctx, "serve the page of a held call", "err", err, "request_id", identity.RequestID(ctx))
		}
	}
	page := identity.Origin(ctx) + "/account?held=" + c.ID
	f := fault.New(fault.Held, "nothing was written: the user wants to approve this first. Ask them to open %s, and repeat the same call when they have approved it", page)
	f.Retryable, f.Held = true, &fault.HeldCall{ID: c.ID, URL: page, ExpiresAt: c.ExpiresAt}
	return f
}

// claimed returns the fault of a call whose approval is used up.
func claimed() *fault.Error {
	f := fault.New(fault.Conflict, "the approved call is being carried out by another call, or that call was cut, and it may have happened; look at the items before you write again")
	f.MayHaveHappened = true
	return f
}

// notHeld returns the fault of a call that could not be held.
func (s *Server) notHeld(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, held.ErrFull):
		return fault.New(fault.LimitReached, "nothing was written: %d calls wait for the user's approval already. Ask them to open %s/account", held.Most, identity.Origin(ctx))
	case errors.Is(err, held.ErrTooLarge):
		return fault.New(fault.LimitReached, "nothing was written: the user wants to approve this first, and it is too much for a page; write less in one call")
	case errors.Is(err, held.ErrChanged):
		f := fault.New(fault.Conflict, "nothing was written: the same call was held a moment ago; repeat it")
		f.Retryable = true
		return f
	}
	return unkept(err)
}

func unkept(err error) error {
	return fault.New(fault.UpstreamError, "nothing was written: this server could not reach what it keeps for the user's approval; try again").Because(err)
}

// heldRequest returns the request to approve a call on a page.
func heldRequest(url string) request {
	return request{
		round: round{Approves: true}, id: "approve",
		shown: mcp.ElicitationParams{
			Mode: mcp.ElicitationModeURL, URL: url, Message: "You asked to see this before it is done. Approve or refuse it on the page, then continue.",
		},
		declined: fault.New(fault.PermissionDenied, "the user chose not to approve this now; nothing was written"),
	}
}
