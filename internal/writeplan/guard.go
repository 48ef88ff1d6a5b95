package writeplan

import "context"

// Guard decides whether a request that writes to a provider is sent. It returns a function that is
// called with the answer of a request that was carried out.
type Guard func(ctx context.Context, r Request) (sent func(answer []byte), err error)

type guardKey struct{}

// WithGuard returns a context whose writes to providers pass a guard, after those that ctx has.
func WithGuard(ctx context.Context, next Guard) context.Context {
	first := GuardFrom(ctx)
	if first == nil {
		return context.WithValue(ctx, guardKey{}, next)
	}
	return context.WithValue(ctx, guardKey{}, Guard(func(ctx context.Context, r Request) (func([]byte), error) {
		told, err := first(ctx, r)
		if err != nil {
			return nil, err
		}
		sent, err := next(ctx, r)
		return func(answer []byte) { told(answer); sent(answer) }, err
	}))
}

// GuardFrom returns the guard of ctx, or nil if writes are sent as they are.
func GuardFrom(ctx context.Context) Guard {
	g, _ := ctx.Value(guardKey{}).(Guard)
	return g
}

type watchKey struct{}

// WithWatch returns a context in which found is called when the call reads a text by someone
// outside the account. Calls may be concurrent.
func WithWatch(ctx context.Context, found func()) context.Context {
	return context.WithValue(ctx, watchKey{}, found)
}

// WatchFrom returns the function of [WithWatch], or nil.
func WatchFrom(ctx context.Context) (found func()) {
	found, _ = ctx.Value(watchKey{}).(func())
	return found
}
