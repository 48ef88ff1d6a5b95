package fence

import (
	"cmp"
	"context"
	"sync"
)

// Route is what a call learns about the account in which it must act, if its connection has
// several.
type Route struct {
	// Bound says which argument names the account, such as "item"; "" if none does. Such a call acts
	// in no other account.
	Bound string
	// Beside says that the call is carried out in other accounts too, so none is looked through.
	Beside bool

	mu     sync.Mutex
	wants  Account
	looked bool
}

type routeKey struct{}

// WithRoute returns the context of a call.
func WithRoute(ctx context.Context, r *Route) context.Context {
	return context.WithValue(ctx, routeKey{}, r)
}

// RouteOf returns the route of a call, or nil.
func RouteOf(ctx context.Context) *Route {
	r, _ := ctx.Value(routeKey{}).(*Route)
	return r
}

// Wants returns the account that has what the call names, if it is another one than that in which
// the call acted.
func (r *Route) Wants() (account Account, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wants, r.wants.ID != 0 && r.Bound == ""
}

// Looked reports whether the other accounts were looked through for a name that was not found.
func (r *Route) Looked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.looked
}

// Look notes that the other accounts were looked through. A nil route notes nothing.
func (r *Route) Look() {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.looked = true
	}
}

// Pin notes that what an argument names was found, so that the call stays in its account.
func (r *Route) Pin(argument string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Bound = cmp.Or(r.Bound, argument)
}

// Want notes that another account has what an argument names. It reports whether the call may go
// there; without a route, it may not.
func (r *Route) Want(account Account) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Bound != "" {
		return false
	}
	r.wants = account
	return true
}
