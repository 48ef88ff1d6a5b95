// Package lambdahttp serves an http.Handler behind an API Gateway HTTP API: it reads payload-v2
// events and writes their answers. Only the gateway says which host was called and who called it:
// Host and X-Forwarded-* come from the caller and never reach the handler. A function can also have
// a task, which an event of another form starts.
package lambdahttp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

const (
	// warmUpLimit is how long the first request may wait for warm-ups.
	warmUpLimit = time.Second
	// requestTime is how long a request may take. The gateway times out at 30 s, with an error that
	// is not JSON-RPC.
	requestTime = 28 * time.Second
	// spare is the time that is left for the answer when a request reaches its deadline. Lambda
	// ends a function that is late.
	spare = time.Second
	// largest is the largest answer that Lambda accepts, in bytes. It restarts a function that
	// sends more.
	largest = 6 << 20
)

// loaded is when the process had loaded its packages, the earliest time that it can measure.
var loaded = time.Now()

// Task is what the event {"dry_run": false} starts; true asks what the task would do. The report
// is sent as JSON. After an error, Lambda counts the run as failed, and repeats that of a schedule.
type Task func(ctx context.Context, dryRun bool) (report any, err error)

// Start runs the warm-ups concurrently, for a second at most, and then serves h and the task, if
// there is one, for the life of the process. A warm-up only saves time and may fail: the first
// request then does its work.
func Start(h http.Handler, t Task, warm ...func(context.Context)) {
	catchStray(os.Stdout)
	warmUp(warm)
	lambda.Start(&handler{http: h, task: t, log: Logger(slog.LevelInfo), init: time.Since(loaded)})
}

func warmUp(warm []func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), warmUpLimit)
	defer cancel()

	var running sync.WaitGroup
	for _, f := range warm {
		running.Go(func() { f(ctx) })
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Handler returns a Lambda handler that answers one event with h. It answers 400 to an event that
// is not an HTTP request, and 500 after a panic: if the function failed instead, Lambda would
// restart it and the next caller would wait.
func Handler(h http.Handler) lambda.Handler {
	return &handler{http: h, log: Logger(slog.LevelInfo)}
}

type handler struct {
	http http.Handler
	task Task // nil: none
	log  *slog.Logger
	init time.Duration // how long the process took to start

	zipped zippedAnswers
}

// Invoke returns no error of a request, only of the task.
func (h *handler) Invoke(ctx context.Context, payload []byte) (answer []byte, _ error) {
	limited, cancel := limit(ctx)
	defer cancel()
	r, err := request(context.WithValue(limited, initKey{}, h.init), payload)
	if err != nil {
		if dryRun, ok := startsTask(payload); ok && h.task != nil {
			report, err := h.task(ctx, dryRun)
			if err != nil {
				return nil, err
			}
			return json.Marshal(report)
		}
		h.log.InfoContext(ctx, "request", "request_id", RequestID(ctx), "outcome", "HTTP 400", "cause", err.Error())
		return refusal(http.StatusBadRequest, "invalid_request", err.Error()), nil
	}
	defer func() {
		if p := recover(); p != nil {
			h.log.ErrorContext(r.Context(), "panic", "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()),
				"request_id", RequestID(r.Context()))
			answer = refusal(http.StatusInternalServerError, "server_error", "something went wrong on our side")
		}
	}()
	w := &response{header: http.Header{}}
	h.http.ServeHTTP(w, r)
	if answer = w.answer(r, &h.zipped); len(answer) > largest {
		h.log.ErrorContext(r.Context(), "answer too large", "bytes", len(answer), "request_id", RequestID(r.Context()))
		answer = refusal(http.StatusInternalServerError, "server_error", "the answer is too large to send; ask for less at a time")
	}
	return answer, nil
}

// limit returns the context of a request, which ends early enough for an answer. Lambda sets a
// deadline for every event.
func limit(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	if latest := time.Now().Add(requestTime); latest.Before(end) {
		end = latest
	}
	return context.WithDeadline(ctx, end.Add(-spare))
}

// startsTask reports whether an event starts the task. It has one member, and the event of a
// request has others, whatever its caller sends.
func startsTask(event []byte) (dryRun, ok bool) {
	var asked struct {
		DryRun *bool `json:"dry_run"`
	}
	d := json.NewDecoder(bytes.NewReader(event))
	d.DisallowUnknownFields()
	if d.Decode(&asked) != nil || asked.DryRun == nil {
		return false, false
	}
	return *asked.DryRun, true
}

type (
	initKey      struct{}
	requestIDKey struct{}
)

// InitTime returns how long the process took to start, from loading its packages to the end of its
// warm-ups, for the first request. It returns zero for other requests, and for a process that did
// not use Start.
func InitTime(ctx context.Context) time.Duration {
	d, _ := ctx.Value(initKey{}).(time.Duration)
	return d
}

// RequestID returns the request ID that the gateway sent to the caller (Apigw-Requestid). If it is
// missing, RequestID returns the ID of the invocation, or "" outside a request.
func RequestID(ctx context.Context) string {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		return id
	}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}
