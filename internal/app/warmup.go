package app

import (
	"context"
	"net/http"
)

// Function is what a Lambda serves, and what it does before its first request: while it starts, a function has a whole
// processor, and from then on a quarter of one or less. What goes wrong there is left to that request.
type Function struct {
	http.Handler
	WarmUps []func(context.Context)
}

// warmUps open the connections that every request needs, by reading what is not there the way a request reads.
func (l *logins) warmUps() []func(context.Context) {
	return []func(context.Context){
		func(ctx context.Context) { _, _, _, _ = l.broker.Access(ctx, "warm-up", "warm-up", "") },
		func(ctx context.Context) { _, _, _ = l.credentials(ctx) },
	}
}

// knock opens a connection to a host: it asks for nothing, and has no token.
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
