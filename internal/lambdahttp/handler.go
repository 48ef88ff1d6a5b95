// Package lambdahttp serves an http.Handler behind an API Gateway HTTP API: payload-v2 events in, answers out. The gateway
// alone says which host was called and who called it; Host and X-Forwarded-* come from the caller and never reach the
// handler.
package lambdahttp

import (
	"context"
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
	// warmUpLimit is how long the first request may be kept waiting for warm-ups.
	warmUpLimit = time.Second
	// spare is what a request that used up its time has left to be answered in. Lambda ends a function that is late.
	spare = time.Second
	// largest is what Lambda takes for an answer, in bytes. A function that sends more is started anew.
	largest = 6 << 20
)

// loaded is when the process had loaded its packages, the first thing it can tell a time of.
var loaded = time.Now()

// Start runs the warm-ups side by side, for a second at most, and then serves h for the life of the process. A warm-up
// saves time and is allowed to fail: the first request then does its work.
func Start(h http.Handler, warm ...func(context.Context)) {
	catchStray(os.Stdout)
	warmUp(warm)
	lambda.Start(handler{http: h, log: Logger(slog.LevelInfo), init: time.Since(loaded)})
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

// Handler answers one event with h. An event that is no HTTP request is answered 400 and a panic 500: a function that
// failed instead would be started anew, and the next caller would wait for it.
func Handler(h http.Handler) lambda.Handler {
	return handler{http: h, log: Logger(slog.LevelInfo)}
}

type handler struct {
	http http.Handler
	log  *slog.Logger
	init time.Duration // what the process took to start
}

// Invoke never returns an error.
func (h handler) Invoke(ctx context.Context, payload []byte) (answer []byte, _ error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-spare))
		defer cancel()
	}
	r, err := request(context.WithValue(ctx, initKey{}, h.init), payload)
	if err != nil {
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
	w := newResponse(r.Method, takesGzip(r.Header))
	h.http.ServeHTTP(w, r)
	if answer = w.finish(); len(answer) > largest {
		h.log.ErrorContext(r.Context(), "answer too large", "bytes", len(answer), "request_id", RequestID(r.Context()))
		answer = refusal(http.StatusInternalServerError, "server_error", "the answer is larger than can be sent")
	}
	return answer, nil
}

type (
	initKey      struct{}
	requestIDKey struct{}
)

// InitTime is how long the process of the request took to start, warm-ups and all, from when it had loaded; zero where it was
// not by Start.
func InitTime(ctx context.Context) time.Duration {
	d, _ := ctx.Value(initKey{}).(time.Duration)
	return d
}

// RequestID is the id of the request as the gateway gave it to the caller (Apigw-Requestid), else the invocation's id,
// else "".
func RequestID(ctx context.Context) string {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		return id
	}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}
