package items_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/memory"
)

// connected returns stores with the family f1 of a user.
func connected(t *testing.T) *items.Store {
	t.Helper()
	s := memory.New(nil).Store
	connect(t, s, "f1", "37s:1")
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEndpoint_RevokesAFamilyByAMark(t *testing.T) {
	s, at := connected(t), time.Now()
	must(t, s.Endpoint().Revoke(t.Context(), "f1", "reauth", at))
	must(t, s.Endpoint().Revoke(t.Context(), "f1", "again", at.Add(time.Hour)))
	must(t, s.Endpoint().Revoke(t.Context(), "unknown", "reauth", at))
	f, _, _, err := s.Access(t.Context(), "f1", "a", "")
	must(t, err)
	same, _, err := s.Refresh(t.Context(), "f1", "r")
	must(t, err)
	if !f.RevokedAt.Equal(at) || f.RevokedFor != "reauth" || !same.RevokedAt.Equal(at) {
		t.Errorf("%+v, %+v", f, same)
	}
	if families, err := s.FamiliesOf(t.Context(), "37s:1"); err != nil || len(families) > 0 {
		t.Errorf("%+v, %v", families, err)
	}
}

func TestAccess_SeesWhatHasChangedSinceTheLastRequest(t *testing.T) {
	s, ctx := connected(t), t.Context()
	wants := func(fenced, revoked, ended bool) {
		t.Helper()
		for range 2 {
			f, _, now, err := s.Access(ctx, "f1", "a", "session")
			must(t, err)
			if f.Fence.NoPings != fenced || f.RevokedAt.IsZero() == revoked || now != ended {
				t.Errorf("%+v, ended: %t", f, now)
			}
		}
	}
	wants(false, false, false)
	must(t, s.SetFence(ctx, "f1", fence.Fence{}, fence.Fence{NoPings: true}))
	wants(true, false, false)
	must(t, s.EndSession(ctx, "f1", "session", time.Now().Add(time.Hour)))
	wants(true, false, true)
	must(t, s.Revoke(ctx, "f1", "stolen", time.Now()))
	wants(true, true, true)
	must(t, s.RevokeAccess(ctx, "f1", "a"))
	if _, _, _, err := s.Access(ctx, "f1", "a", ""); !errors.Is(err, authserver.ErrNotFound) {
		t.Error(err)
	}
}

// The marks are read with every request.
func TestEndSession_KeepsTheSessionsThatEndLast(t *testing.T) {
	s, now := connected(t), time.Now()
	for i := range 41 {
		must(t, s.EndSession(t.Context(), "f1", authserver.HashOf(fmt.Sprint(i)), now.Add(time.Duration(i+1)*time.Hour)))
	}
	for i, want := range map[int]bool{0: false, 19: false, 20: true, 40: true} {
		if _, _, ended, err := s.Access(t.Context(), "f1", "a", authserver.HashOf(fmt.Sprint(i))); err != nil || ended != want {
			t.Errorf("session %d: %t, %v", i, ended, err)
		}
	}
}
