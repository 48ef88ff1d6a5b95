package items_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/memory"
)

// saves are versions of one revision, each some time after the one before.
type saves struct {
	revision int64
	after    time.Duration
	times    int
}

func (s saves) to(t *testing.T, g items.Grants, now *time.Time) (last string) {
	t.Helper()
	for range s.times {
		*now = now.Add(s.after)
		var err error
		last, err = g.Save(t.Context(), "37s:1", fmt.Sprint(now), provider.Tokens{Revision: s.revision, AccessToken: fmt.Sprint(now)})
		must(t, err)
	}
	return last
}

func TestGrants_KeepEachVersionThatARecordCanName(t *testing.T) {
	refreshed := []saves{
		{1, 0, 1}, {2, 8 * time.Hour, 1},
		{3, time.Minute, 6}, // each is of a call whose record was not written
	}
	// A user who connects again begins with the first revision, and calls of the grant before may
	// still save theirs.
	connected := []saves{{57, 0, 1}, {1, 8 * time.Hour, 1}, {58, time.Minute, 1}}
	for name, c := range map[string]struct {
		saves []saves
		stay  string // for the last of each saves: + or -
	}{
		"a call may have read a record less than an hour ago": {refreshed, "+++"},
		"no such call is left":                                {append(refreshed[:3:3], saves{3, time.Hour, 1}), "-+++"},
		"the revision before counts":                          {append(refreshed[:3:3], saves{3, time.Hour, 1}, saves{4, 8 * time.Hour, 1}), "--+++"},
		"no record can be written":                            {[]saves{{1, 0, 1}, {2, 8 * time.Hour, 1}, {2, time.Hour, 100}}, "+-+"},
		"a new sign-in":                                       {connected, "+++"},
		"later":                                               {append(connected[:3:3], saves{2, 8 * time.Hour, 1}), "-+++"},
	} {
		now := time.Now()
		g := memory.New(func() time.Time { return now }).Grants("37signals")
		var names []string
		for _, s := range c.saves {
			names = append(names, s.to(t, g, &now))
		}
		for i, stays := range c.stay + "+" {
			version := append(names, "")[i]
			if _, err := g.Load(t.Context(), "37s:1", version); (err == nil) != (stays == '+') || err != nil && !errors.Is(err, grant.ErrNotFound) {
				t.Errorf("%s: version %q: %v", name, version, err)
			}
		}
		must(t, g.Delete(t.Context(), "37s:1"))
		for _, version := range append(names, "") {
			if _, err := g.Load(t.Context(), "37s:1", version); !errors.Is(err, grant.ErrNotFound) {
				t.Errorf("%s: version %q of a deleted grant: %v", name, version, err)
			}
		}
	}
}

func TestGrants_ExistingAreSavedOnlyAfterASignInAndNeverDeleted(t *testing.T) {
	now := time.Now()
	g := memory.New(nil).Grants("37signals")
	if _, err := g.Existing().Save(t.Context(), "37s:1", "w", provider.Tokens{Revision: 1, AccessToken: "a"}); err == nil {
		t.Error("saved for a user without tokens")
	}
	saves{1, 0, 1}.to(t, g, &now)
	name := saves{2, time.Second, 1}.to(t, g.Existing(), &now)
	must(t, g.Existing().Delete(t.Context(), "37s:1"))
	if _, err := g.Load(t.Context(), "37s:1", name); err != nil {
		t.Error(err)
	}
}
