package grant

import (
	"time"

	"basecamp-mcp/internal/fault"
)

// expired is for whom only a new login helps.
func expired() *fault.Error {
	return fault.New(fault.TokenExpired, "Basecamp no longer accepts this connection; connect to Basecamp again")
}

// unreachable is a Store, or Records, that gave no answer.
func unreachable(err error) *fault.Error {
	return fault.New(fault.UpstreamError, "what is kept of this connection could not be reached; try again shortly").Because(err)
}

// busy is a refresh that somebody else makes, or that this call has no time for.
func busy(wait time.Duration) *fault.Error {
	return after(wait, fault.New(fault.UpstreamError, "the access to Basecamp is just being renewed; try again shortly"))
}

// later is a refresh that brought nothing, and may be tried again in a while.
func later(wait time.Duration) *fault.Error {
	return after(wait, fault.New(fault.UpstreamError, "Basecamp's sign-on gives no new access at present; try again later"))
}

// barred is a sign-on that does not deal with this deployment.
func barred(wait time.Duration) *fault.Error {
	return after(wait, fault.New(fault.UpstreamError, "Basecamp's sign-on does not accept this server at present; try again later, or tell whoever runs it"))
}

// tooLarge are tokens that no waiting makes smaller.
func tooLarge() *fault.Error {
	f := fault.New(fault.UpstreamError, "Basecamp's sign-on gave more than this server can keep; tell whoever runs it")
	f.Retryable = false
	return f
}

// unusable is a sign-on whose tokens make no sense.
func unusable() *fault.Error {
	return fault.New(fault.UpstreamError, "Basecamp's sign-on gave no usable access; try again shortly")
}

func after(wait time.Duration, f *fault.Error) *fault.Error {
	f.RetryAfter = max(0, wait)
	return f
}
