package memory

import (
	"bytes"
	"slices"
	"time"

	"basecamp-mcp/internal/broker"
)

// family is a broker.Family and all that hangs on it.
type family struct {
	broker.Family
	access  *shelf[broker.Hash, broker.Access]
	refresh *shelf[broker.Hash, broker.Refresh]
	ended   *shelf[broker.Hash, time.Time] // sessions, until when they are remembered
}

func newFamily(f broker.Family, a broker.Access, r broker.Refresh, now time.Time) *family {
	fam := &family{
		Family:  copyOfFamily(f),
		access:  newShelf[broker.Hash](mostOfAFamily, func(a broker.Access) time.Time { return a.ExpiresAt }),
		refresh: newShelf[broker.Hash](mostOfAFamily, func(r broker.Refresh) time.Time { return r.ExpiresAt }),
		ended:   newShelf[broker.Hash](mostOfAFamily, func(until time.Time) time.Time { return until }),
	}
	fam.access.put(a.Hash, copyOfAccess(a), now)
	fam.refresh.put(r.Hash, copyOfRefresh(r), now)
	return fam
}

// end is when the family is gone, revoked or not.
func (f *family) end() time.Time {
	if f.EndsAt.Before(f.ExpiresAt) {
		return f.EndsAt
	}
	return f.ExpiresAt
}

func copyOfFamily(f broker.Family) broker.Family {
	f.Client = copyOfClient(f.Client)
	f.Scopes = slices.Clone(f.Scopes)
	f.Key = bytes.Clone(f.Key)
	return f
}

func copyOfAccess(a broker.Access) broker.Access {
	a.Scopes = slices.Clone(a.Scopes)
	return a
}

func copyOfRefresh(r broker.Refresh) broker.Refresh {
	r.Sealed = bytes.Clone(r.Sealed)
	return r
}
