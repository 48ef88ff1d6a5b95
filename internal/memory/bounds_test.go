package memory

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/provider"
)

func TestAuthStore_UnknownClientsCannotExhaustTheMemory(t *testing.T) {
	b, expires := NewAuthStore(nil), time.Now().Add(time.Hour)
	key := strconv.Itoa
	for i := range mostOfAKind + 5 {
		must(t, b.SaveClient(t.Context(), authserver.Client{ID: key(i), ExpiresAt: expires}))
		must(t, b.AddLoginState(t.Context(), authserver.LoginState{Key: authserver.Hash(key(i)), ExpiresAt: expires}))
		if i == 100 { // a client that is saved again is the latest
			must(t, b.SaveClient(t.Context(), authserver.Client{ID: key(0), ExpiresAt: expires}))
		}
	}
	if len(b.clients.slots) != mostOfAKind || len(b.steps[""].slots) != mostOfAKind {
		t.Fatalf("%d clients and %d steps", len(b.clients.slots), len(b.steps[""].slots))
	}
	for i, want := range map[int]bool{0: true, 1: false, 5: false, 6: true, mostOfAKind + 4: true} {
		if _, err := b.Client(t.Context(), key(i)); (err == nil) != want {
			t.Errorf("client %d: %v", i, err)
		}
	}
	for i, want := range map[int]bool{0: false, 4: false, 5: true, mostOfAKind + 4: true} {
		if _, err := b.LoginState(t.Context(), authserver.Hash(key(i))); (err == nil) != want {
			t.Errorf("step %d: %v", i, err)
		}
	}
}

func TestAuthStore_OneClientCannotExhaustTheMemory(t *testing.T) {
	b, now := NewAuthStore(nil), time.Now()
	f := login(t, b, "a", now)
	for i := range 2*mostOfAFamily + 1 {
		f.Generation++
		old, next := authserver.Refresh{Hash: hash(i), RotatedAt: now, ExpiresAt: f.ExpiresAt}, authserver.Refresh{Hash: hash(i + 1), ExpiresAt: f.ExpiresAt}
		access := authserver.Access{Hash: hash(-i), ExpiresAt: f.ExpiresAt}
		must(t, b.Rotate(t.Context(), f, old, next, access))
		must(t, b.EndSession(t.Context(), f.ID, hash(i), f.ExpiresAt))
	}
	fam, _ := b.families.get(f.ID, now)
	if a, r, s := len(fam.access.slots), len(fam.refresh.slots), len(fam.ended.slots); a != mostOfAFamily || r != a || s != a {
		t.Errorf("%d access tokens, %d refresh tokens, %d sessions", a, r, s)
	}
	if _, _, err := b.Refresh(t.Context(), f.ID, hash(2*mostOfAFamily+1)); err != nil {
		t.Errorf("the newest refresh token: %v", err)
	}
	if _, _, _, err := b.Access(t.Context(), f.ID, hash(-2*mostOfAFamily), ""); err != nil {
		t.Errorf("the newest access token: %v", err)
	}
}

func TestAuthStore_RemovesExpiredValues(t *testing.T) {
	now := time.Now()
	b := NewAuthStore(func() time.Time { return now })
	for i := range 2000 {
		expires := now.Add(100 * time.Second)
		must(t, b.SaveClient(t.Context(), authserver.Client{ID: strconv.Itoa(i), ExpiresAt: expires}))
		must(t, b.AddLoginState(t.Context(), authserver.LoginState{Key: hash(i), ExpiresAt: expires}))
		login(t, b, strconv.Itoa(i), now)
		now = now.Add(time.Second)
	}
	for what, got := range map[string]int{"clients": len(b.clients.slots), "steps": len(b.steps[""].slots), "families": len(b.families.slots)} {
		if got > 200 {
			t.Errorf("%d %s, want 100 live ones and a bounded rest", got, what)
		}
	}
}

func TestGrants_RemoveTheOldestVersionsOfAUser(t *testing.T) {
	now := time.Now()
	s := NewGrants(func() time.Time { return now })
	versions := make([]string, 2*mostVersions)
	for i := range versions {
		versions[i] = keep(t, s, int64(i))
	}
	if got := len(s.people["37s:1007299144"]); got != mostVersions {
		t.Errorf("%d versions of one afternoon", got)
	}
	now = now.Add(supersededFor + time.Second)
	newest := keep(t, s, 1000)
	for version, want := range map[string]bool{versions[len(versions)-2]: false, versions[len(versions)-1]: true, newest: true} {
		if _, err := s.Load(t.Context(), "37s:1007299144", version); (err == nil) != want {
			t.Errorf("version %q: %v", version, err)
		}
	}
}

func login(t *testing.T, b *AuthStore, id string, now time.Time) authserver.Family {
	t.Helper()
	f := authserver.Family{ID: id, Subject: "37s:1007299144", Generation: 1, ExpiresAt: now.Add(100 * time.Second), EndsAt: now.Add(time.Hour)}
	must(t, b.AddCode(t.Context(), authserver.Code{Hash: authserver.Hash(id), ExpiresAt: f.ExpiresAt}))
	must(t, b.Redeem(t.Context(), authserver.Code{Hash: authserver.Hash(id)}, now, f, authserver.Access{}, authserver.Refresh{Hash: hash(0), ExpiresAt: f.ExpiresAt}))
	return f
}

func keep(t *testing.T, s *Grants, revision int64) string {
	t.Helper()
	version, err := s.Save(t.Context(), "37s:1007299144", "writer", provider.Tokens{Revision: revision})
	must(t, err)
	return version
}

func hash(i int) authserver.Hash { return authserver.Hash(fmt.Sprintf("%064x", uint32(i))) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
