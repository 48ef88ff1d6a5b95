package envelope_test

import (
	"errors"
	"testing"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
)

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want || errors.Is(err, grant.ErrNotFound) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The operator can put a key back. Until then, no user is asked to sign in.
func TestLoad_WithoutTheKeyIsAnErrorUntilItIsBack(t *testing.T) {
	for what, change := range map[string]func(env *testEnv){
		"missing": func(env *testEnv) {
			env.ring.Now, env.ring.Held = "k2", map[string]string{"k2": "fernhill-ring-key-two-0123456789"}
		},
		"another": func(env *testEnv) { env.ring.Held = map[string]string{"k1": "another-ring-has-a-k1-0123456789"} },
		"no ring": func(env *testEnv) { env.ring.Held = map[string]string{} },
	} {
		t.Run(what, func(t *testing.T) {
			env := newTestEnv(t)
			version, held := env.save(ines, "first", 1), env.ring.Held
			change(env)
			_, fingerprint, _ := envelope.KeyOf(version)
			for _, version := range []string{version, ""} {
				_, err := env.Load(t.Context(), ines, version)
				wantError(t, err, "load tokens: the key ring does not have the key k1 with fingerprint "+fingerprint+": put it back into the ring")
				if !errors.Is(err, envelope.ErrNoKey) {
					t.Errorf("%v is not ErrNoKey", err)
				}
			}
			if env.refused > 0 {
				t.Errorf("%d rows were refused", env.refused)
			}
			env.ring.Held = held
			env.wantLoad(ines, version, 1)
			env.wantLoad(ines, "", 1)
		})
	}
}

func TestRing_ThatCannotBeReadIsAnErrorAndChangesNothing(t *testing.T) {
	env := newTestEnv(t)
	version := env.save(ines, "first", 1)
	env.ring.Err = errors.New("read the key ring: no answer")
	for _, version := range []string{version, ""} {
		_, err := env.Load(t.Context(), ines, version)
		wantError(t, err, "load tokens: read the key ring: no answer")
	}
	_, err := env.Save(t.Context(), ines, "second", tokensOf(2))
	wantError(t, err, "save tokens: read the key ring: no answer")
	_, err = env.Current(t.Context(), version)
	wantError(t, err, "find the current key: read the key ring: no answer")
	env.wantNone(ines, "e1.k1.000000000000.00") // there is nothing to open
	if err := env.Delete(t.Context(), jonas); err != nil {
		t.Errorf("deleting needs no key: %v", err)
	}
	env.ring.Err = nil
	env.wantKept(ines, version)
	env.wantLoad(ines, "", 1)
}

func TestSave_WithoutAUsableKeyIsAnError(t *testing.T) {
	for _, x := range []struct{ id, secret, want string }{
		{"k1.x", "secret", "the ID of the current key must consist of 1 to 32 letters, digits, hyphens and underscores"},
		{"", "secret", "the ID of the current key must consist of 1 to 32 letters, digits, hyphens and underscores"},
		{"k1", "", "key k1 is empty"},
	} {
		env := newTestEnv(t)
		env.ring.Now, env.ring.Held = x.id, map[string]string{x.id: x.secret}
		_, err := env.Save(t.Context(), ines, "first", tokensOf(1))
		wantError(t, err, "save tokens: "+x.want)
	}
}

func TestRotation_KeepsOldVersionsAndSealsNewOnesWithTheCurrentKey(t *testing.T) {
	env := newTestEnv(t)
	first := env.save(ines, "first", 1)
	env.ring.Held["k2"] = "fernhill-ring-key-two-0123456789"
	env.wantCurrent(first, true) // k2 is published, and not used yet
	env.ring.Now = "k2"
	env.wantCurrent(first, false)
	if again := env.save(ines, "first", 1); again != first {
		t.Errorf("saved again as %s, want %s", again, first)
	}
	second := env.save(ines, "second", 2)
	env.wantCurrent(second, true)
	if id, _, ok := envelope.KeyOf(second); id != "k2" || !ok {
		t.Errorf("%s names key %q", second, id)
	}
	env.wantLoad(ines, first, 1)
	env.wantLoad(ines, second, 2)
	env.wantKept(ines, first, second)
	env.ring.Held["k2"] = "another-ring-has-a-k2-0123456789"
	env.wantCurrent(second, false)
	env.wantCurrent("ec4dbbb5-607b-5002-8b9b-9afd75f5578b", true) // of a Store that does not seal
}

func (env *testEnv) wantCurrent(version string, want bool) {
	env.Helper()
	if got, err := env.Current(env.Context(), version); got != want || err != nil {
		env.Errorf("%s is sealed with the current key: %v, %v; want %v", version, got, err, want)
	}
}
