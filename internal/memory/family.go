package memory

import (
	"bytes"
	"slices"
	"time"

	"basecamp-mcp/internal/authserver"
)

// family is an authserver.Family with its tokens and ended sessions.
type family struct {
	authserver.Family
	access  *shelf[authserver.Hash, authserver.Access]
	refresh *shelf[authserver.Hash, authserver.Refresh]
	ended   *shelf[authserver.Hash, time.Time] // sessions, with the time until which they are stored
	hour    time.Time                          // when the hour began in which writes are counted
	writes  int
}

func newFamily(f authserver.Family, a authserver.Access, r authserver.Refresh, now time.Time) *family {
	fam := &family{
		Family:  copyOfFamily(f),
		access:  newShelf[authserver.Hash](mostOfAFamily, func(a authserver.Access) time.Time { return a.ExpiresAt }),
		refresh: newShelf[authserver.Hash](mostOfAFamily, func(r authserver.Refresh) time.Time { return r.ExpiresAt }),
		ended:   newShelf[authserver.Hash](mostOfAFamily, func(until time.Time) time.Time { return until }),
	}
	fam.access.put(a.Hash, copyOfAccess(a), now)
	fam.refresh.put(r.Hash, copyOfRefresh(r), now)
	return fam
}

// end returns the time at which the family expires, revoked or not.
func (f *family) end() time.Time {
	if f.EndsAt.Before(f.ExpiresAt) {
		return f.EndsAt
	}
	return f.ExpiresAt
}

func copyOfFamily(f authserver.Family) authserver.Family {
	f.Client = copyOfClient(f.Client)
	f.Scopes = slices.Clone(f.Scopes)
	f.Key = bytes.Clone(f.Key)
	return f
}

func copyOfAccess(a authserver.Access) authserver.Access {
	a.Scopes = slices.Clone(a.Scopes)
	return a
}

func copyOfRefresh(r authserver.Refresh) authserver.Refresh {
	r.Sealed = bytes.Clone(r.Sealed)
	return r
}
