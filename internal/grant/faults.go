package grant

import (
	"time"

	"basecamp-mcp/internal/fault"
)

// fault returns a failure of this provider's grants.
func (k *Keeper) fault(code fault.Code, format string) *fault.Error {
	f := fault.New(code, format, k.provider.Name)
	f.Provider = k.provider.ID
	return f
}

// expired returns TOKEN_EXPIRED: the user must sign in again.
func (k *Keeper) expired() *fault.Error {
	return k.fault(fault.TokenExpired, "%[1]s no longer accepts this connection; connect to %[1]s again")
}

// unreachable returns the fault of a Store or Records that cannot be reached.
func (k *Keeper) unreachable(err error) *fault.Error {
	return k.fault(fault.UpstreamError, "this server could not reach its stored %[1]s connection; try again shortly").Because(err)
}

// busy returns the fault of a refresh that another call makes, or for which this call has no time.
func (k *Keeper) busy(wait time.Duration) *fault.Error {
	return retryAfter(wait, k.fault(fault.UpstreamError, "the access to %[1]s is being refreshed; try again shortly"))
}

// later returns the fault of a refresh that failed and can be retried later.
func (k *Keeper) later(wait time.Duration) *fault.Error {
	return retryAfter(wait, k.fault(fault.UpstreamError, "could not refresh the %[1]s token; try again later"))
}

// barred returns the fault of a sign-on that refuses this deployment.
func (k *Keeper) barred(wait time.Duration) *fault.Error {
	return retryAfter(wait, k.fault(fault.UpstreamError, "%[1]s's sign-on does not accept this server at present; try again later, or tell the operator of this server"))
}

// tooLarge returns the fault of tokens that exceed the size limit. A retry does not help.
func (k *Keeper) tooLarge() *fault.Error {
	f := k.fault(fault.UpstreamError, "%[1]s's sign-on returned tokens that are too large to store; tell the operator of this server")
	f.Retryable = false
	return f
}

// unusable returns the fault of a sign-on that returned invalid tokens.
func (k *Keeper) unusable() *fault.Error {
	return k.fault(fault.UpstreamError, "%[1]s's sign-on returned invalid tokens; try again shortly")
}

func retryAfter(wait time.Duration, f *fault.Error) *fault.Error {
	f.RetryAfter = max(0, wait)
	return f
}
