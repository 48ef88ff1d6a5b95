package app

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"basecamp-mcp/internal/serve/lambdahttp"
	"basecamp-mcp/internal/store/dynamo"
)

// briefTime is how long the first request may wait for a warm-up that most requests do not need. A
// connection to GitHub takes less.
const briefTime = 300 * time.Millisecond

// Function is what a Lambda serves, and what it does before its first request. While it starts, a
// function has a whole processor; later it has a quarter of one or less. Errors of a warm-up are
// ignored: the first request meets them again.
type Function struct {
	http.Handler
	WarmUps []func(context.Context)
	Sweep   lambdahttp.Task // ends the grants of users who left; nil for the MCP endpoint
}

// warmUps returns functions that open the connections which every request needs. They read items
// that do not exist, in the way of a request. A table or a key ring that the function cannot use is
// logged then, before a user meets it.
func (l *logins) warmUps(log *slog.Logger) []func(context.Context) {
	return []func(context.Context){
		func(ctx context.Context) {
			if _, _, _, err := l.Auth.Access(ctx, "warm-up", "warm-up", ""); dynamo.WrongTable(err) {
				log.ErrorContext(ctx, "the table cannot be used", "err", err)
			}
		},
		func(ctx context.Context) { _, _, _ = l.credentials(ctx) },
		func(ctx context.Context) {
			if err := l.checkRing(ctx); err != nil && ctx.Err() == nil {
				log.ErrorContext(ctx, "the key ring cannot be used", "err", err)
			}
		},
	}
}

// knock returns a function that opens a connection to a host, with a request without a token.
func knock(transport http.RoundTripper, url, userAgent string) func(context.Context) {
	return func(ctx context.Context) {
		r, err := http.NewRequestWithContext(ctx, http.MethodHead, url, http.NoBody)
		if err != nil {
			return
		}
		r.Header.Set("User-Agent", userAgent)
		if response, err := transport.RoundTrip(r); err == nil {
			_ = response.Body.Close()
		}
	}
}

// briefly returns a warm-up that ends after briefTime: an instance whose first request is about
// Basecamp must not wait for a GitHub that does not answer.
func briefly(warmUp func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, briefTime)
		defer cancel()
		warmUp(ctx)
	}
}
