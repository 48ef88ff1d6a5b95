package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

const (
	maxBudget    = 25 * time.Second // a gateway gives up on us after 30 s
	answerMargin = 2 * time.Second  // left of the function's time to write the answer
)

// toolCall is one call of one tool.
type toolCall struct {
	tool      Tool
	arguments json.RawMessage
	door      audit.Door
	readOnly  bool  // came through an endpoint that serves reads only
	round     round // zero for the first time
	params    mcp.MultiRoundTripParams
}

// call runs a tool: time budget, scope, idempotency, the tool's own function, envelope, one log line that names no argument,
// and an entry in the audit trail. Every door comes through here. Whatever goes wrong, panics included, comes back as an outcome; an error never reaches mcp-go, which would send its
// text to the client.
func (s *Server) call(ctx context.Context, c toolCall) *Outcome {
	start := time.Now()
	ctx, cancel := context.WithDeadline(context.WithValue(ctx, readOnlyKey{}, c.readOnly), deadline(ctx, start))
	defer cancel()
	upstreamCalls := func() int { return 0 }
	if s.options.Meter != nil {
		ctx, upstreamCalls = s.options.Meter(ctx)
	}

	var outcome *Outcome
	err := c.resume(ctx)
	if err == nil {
		outcome, err = s.answer(ctx, c)
	}
	var f *fault.Error
	if err != nil {
		f = s.fault(ctx, c.tool, err)
		outcome = s.failed(ctx, c, f)
	}
	took := time.Since(start)
	s.log(ctx, c.tool, f, took, upstreamCalls())
	s.record(ctx, c, start, took, outcome)
	return outcome
}

func (s *Server) failed(ctx context.Context, c toolCall, f *fault.Error) *Outcome {
	if f.Code == fault.TokenExpired && s.options.Reconnector != nil && !errors.Is(f, errDeclined) {
		return s.reconnect(ctx, c, f)
	}
	return failure(c.tool.Name, f)
}

func deadline(ctx context.Context, start time.Time) time.Time {
	end := start.Add(maxBudget)
	if outer, ok := ctx.Deadline(); ok && outer.Add(-answerMargin).Before(end) {
		end = outer.Add(-answerMargin)
	}
	return end
}

func (s *Server) answer(ctx context.Context, c toolCall) (*Outcome, error) {
	// The guard has checked the scope already, and answered in OAuth's words; this is the lock behind the door.
	caller, ok := identity.From(ctx)
	if !ok || !caller.Can(c.tool.Scope) {
		return nil, fault.New(fault.PermissionDenied, "this connection may not use %s: it needs the scope %q", c.tool.Name, c.tool.Scope)
	}
	result, err := s.once(ctx, caller, c)
	if err != nil {
		return nil, err
	}
	return &Outcome{JSON: result}, nil
}

// run is the tool's own function, and its result as JSON.
func (s *Server) run(ctx context.Context, c toolCall) (result []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	out, err := c.tool.run(ctx, c.arguments)
	if err != nil {
		return nil, err
	}
	result, err = encode(listsFilled(out))
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return result, nil
}

// listsFilled gives out with its nil slices made empty; it copies the outermost struct, which is a value.
func listsFilled(out any) any {
	v := reflect.New(reflect.TypeOf(out))
	v.Elem().Set(reflect.ValueOf(out))
	fillLists(v)
	return v.Interface()
}

// fault classifies what a tool returned. A tool that ran out of its time budget, wherever it noticed, says so. An error that
// nobody classified says nothing of what was done before it.
func (s *Server) fault(ctx context.Context, tool Tool, err error) *fault.Error {
	_, known := errors.AsType[*fault.Error](err)
	doubtful := !known && tool.Effect.repeats()
	if !known && errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		f := fault.New(fault.UpstreamError, "Basecamp did not answer in time; try again, or ask for less at once").Because(err)
		if doubtful {
			f.Message, f.Retryable, f.MayHaveHappened = "this may have been done, although the time ran out; look before trying again", false, true
		}
		return f
	}
	f := fault.From(err)
	if f.Code == fault.InternalError {
		shown := *f
		shown.Message = "something went wrong on our side; if it happens again, report request " + identity.RequestID(ctx)
		shown.MayHaveHappened = shown.MayHaveHappened || doubtful
		return &shown
	}
	return f
}

func (s *Server) log(ctx context.Context, tool Tool, f *fault.Error, took time.Duration, upstreamCalls int) {
	level, outcome := slog.LevelInfo, "ok"
	attrs := make([]slog.Attr, 0, 6)
	if f != nil {
		outcome = string(f.Code)
		if f.Code == fault.InternalError {
			level = slog.LevelError
		}
		if cause := f.Unwrap(); cause != nil && (f.Code == fault.InternalError || f.Code == fault.UpstreamError) {
			attrs = append(attrs, slog.String("cause", cause.Error()))
		}
	}
	attrs = append(attrs,
		slog.String("tool", tool.Name),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.Int("upstream_calls", upstreamCalls),
		slog.String("outcome", outcome),
		slog.String("request_id", identity.RequestID(ctx)),
	)
	s.options.Log.LogAttrs(ctx, level, "tool call", attrs...)
}

type readOnlyKey struct{}

// ReadOnly reports whether the endpoint that ctx's call came through serves reads only.
func ReadOnly(ctx context.Context) bool {
	readOnly, _ := ctx.Value(readOnlyKey{}).(bool)
	return readOnly
}
