package items_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
)

// versions saves tokens of a user, some time apart.
type versions struct {
	*testing.T
	now   time.Time
	g     items.Grants
	saved int
}

func openVersions(t *testing.T) *versions {
	v := &versions{T: t, now: time.Now()}
	v.g = memory.New(func() time.Time { return v.now }).Grants("37signals")
	return v
}

func (v *versions) save(revision int64, after time.Duration) (name string) {
	v.Helper()
	v.now = v.now.Add(after)
	v.saved++
	name, err := v.g.Save(v.Context(), "37s:1", fmt.Sprint("w", v.saved), provider.Tokens{Revision: revision, AccessToken: fmt.Sprint("a", v.saved)})
	if err != nil {
		v.Fatal(err)
	}
	return name
}

func (v *versions) wants(name string, exists bool) {
	v.Helper()
	_, err := v.g.Load(v.Context(), "37s:1", name)
	if exists && err != nil || !exists && !errors.Is(err, grant.ErrNotFound) {
		v.Errorf("version %q: %v", name, err)
	}
}

func TestGrants_KeepEachVersionThatARecordCanName(t *testing.T) {
	v := openVersions(t)
	first := v.save(1, 0)
	second := v.save(2, 8*time.Hour)
	for range 5 {
		v.save(3, time.Minute) // each is of a call whose record was not written
	}
	third := v.save(3, time.Minute)
	v.wants(first, true) // less than an hour ago, a call may have read a record that names it
	v.save(3, time.Hour)
	v.wants(first, false)
	v.wants(second, true)
	v.wants(third, true)
	v.save(4, 8*time.Hour)
	v.wants(second, false)
	v.wants(third, true)
	v.wants("", true)
}

func TestGrants_RemoveWhatPilesUpWhileNoRecordCanBeWritten(t *testing.T) {
	v := openVersions(t)
	named := v.save(1, 0)
	pile := v.save(2, 8*time.Hour)
	for range 100 {
		v.save(2, time.Hour)
	}
	v.wants(named, true)
	v.wants(pile, false)
	v.wants("", true)
}

// A user who connects again begins with the first revision, and calls of the grant before may still
// save theirs.
func TestGrants_OfANewSignInOutliveThoseBefore(t *testing.T) {
	v := openVersions(t)
	old := v.save(57, 0)
	anew := v.save(1, 8*time.Hour)
	late := v.save(58, time.Minute)
	v.wants(old, true)
	v.wants(anew, true)
	next := v.save(2, 8*time.Hour)
	v.wants(old, false)
	v.wants(late, true) // until the next one is saved
	v.wants(anew, true)
	v.wants(next, true)
	v.wants("", true)
}

func TestGrants_ExistingAreSavedOnlyAfterASignInAndNeverDeleted(t *testing.T) {
	v := openVersions(t)
	anew := v.g
	v.g = v.g.Existing()
	if _, err := v.g.Save(t.Context(), "37s:1", "w", provider.Tokens{Revision: 1, AccessToken: "a"}); err == nil {
		t.Error("saved for a user without tokens")
	}
	v.g = anew
	v.save(1, 0)
	v.g = v.g.Existing()
	v.save(2, 0)
	if err := v.g.Delete(t.Context(), "37s:1"); err != nil {
		t.Error(err)
	}
	v.wants("", true)
}
