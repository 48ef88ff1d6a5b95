package envelope_test

import (
	"fmt"
	"testing"
	"time"
)

const fortnight = 14 * 24 * time.Hour

// saveAfter saves a revision after a pause.
func (env *testEnv) saveAfter(pause time.Duration, writer string, revision int64) (version string) {
	env.Helper()
	env.now = env.now.Add(pause)
	return env.save(ines, writer, revision)
}

func TestSave_KeepsTheLatestTwoRevisions(t *testing.T) {
	env := newTestEnv(t)
	var versions []string
	for revision := range int64(6) {
		versions = append(versions, env.saveAfter(fortnight, "writer", revision+1))
		env.wantKept(ines, versions[max(0, len(versions)-2):]...)
	}
	env.wantNone(ines, versions[3])
	env.wantLoad(ines, versions[4], 5)
}

func TestSave_RemovesNothingWithinAnHour(t *testing.T) {
	env := newTestEnv(t)
	var versions []string
	for revision := range int64(6) {
		versions = append(versions, env.saveAfter(11*time.Minute, "writer", revision+1))
	}
	env.wantKept(ines, versions...)
	last := env.saveAfter(time.Hour, "writer", 7)
	env.wantKept(ines, versions[5], last)
}

// Two calls that saw revision 1 both save revision 2, and the record may name either.
func TestSave_KeepsAllVersionsOfTheLatestTwoRevisions(t *testing.T) {
	env := newTestEnv(t)
	env.save(ines, "first", 1)
	a, b := env.saveAfter(fortnight, "refresh", 2), env.save(ines, "sign-in", 2)
	c := env.saveAfter(fortnight, "refresh", 3)
	env.wantKept(ines, a, b, c)
}

// A call that was slow saves a revision that the record has passed. The record names v7.
func TestSave_OfALowerRevisionRemovesNoHigherOne(t *testing.T) {
	env := newTestEnv(t)
	v6 := env.saveAfter(fortnight, "writer", 6)
	v7 := env.saveAfter(fortnight, "writer", 7)
	late := env.saveAfter(fortnight, "late", 6)
	env.wantKept(ines, v6, v7, late)
	v8 := env.saveAfter(fortnight, "writer", 8)
	env.wantKept(ines, v7, late, v8) // only v6 has been followed by 7 and 8
}

// The user disconnected, but the tokens were not deleted; then the user connected, and revisions
// began at 1 again.
func TestSave_AfterANewConnectKeepsItsVersionsAmongHigherLeftovers(t *testing.T) {
	env := newTestEnv(t)
	v7 := env.saveAfter(fortnight, "writer", 7)
	v8 := env.saveAfter(fortnight, "writer", 8)
	v1 := env.saveAfter(fortnight, "connect", 1)
	env.wantKept(ines, v7, v8, v1)
	env.wantLoad(ines, "", 1)
	late := env.saveAfter(2*time.Hour, "a refresh of the grant before", 9)
	env.wantKept(ines, v8, v1, late) // the record names v1
	v2 := env.saveAfter(fortnight, "writer", 2)
	v3 := env.saveAfter(fortnight, "writer", 3)
	env.wantKept(ines, v8, late, v2, v3)
}

func TestSave_BoundsTheVersionsOfOneRevision(t *testing.T) {
	env := newTestEnv(t)
	named := env.save(ines, "recorded", 1)
	var versions []string
	for i := range 100 { // records cannot be written, and the user keeps signing in
		versions = append(versions, env.saveAfter(2*time.Hour, fmt.Sprint(i), 2))
	}
	env.wantKept(ines, append([]string{named}, versions[len(versions)-48:]...)...)
}

func TestExisting_AddsVersionsOnlyForAUserWhoHasSome(t *testing.T) {
	env := newTestEnv(t)
	existing := env.Existing()
	_, err := existing.Save(t.Context(), ines, "first", tokensOf(1))
	wantError(t, err, "save tokens: the user has no tokens")
	env.wantKept(ines)
	first := env.save(ines, "first", 1)
	if again, err := existing.Save(t.Context(), ines, "first", tokensOf(1)); again != first || err != nil {
		t.Errorf("saved again as %s, %v; want %s", again, err, first)
	}
	second, err := existing.Save(t.Context(), ines, "second", tokensOf(2))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := existing.Load(t.Context(), ines, ""); err != nil || got.Revision != 2 {
		t.Errorf("loaded %+v, %v", got, err)
	}
	if err := existing.Delete(t.Context(), ines); err != nil {
		t.Fatal(err)
	}
	env.wantKept(ines, first, second)
}
