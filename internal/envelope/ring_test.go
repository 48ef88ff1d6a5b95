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
	env := newTestEnv(t)
	version, keys := env.save(ines, "first", 1), env.ring.Keys
	fingerprint := envelope.Key(keys[0]).Fingerprint()
	env.ring.Keys = []string{"another-ring-has-this-0123456789"}
	for _, version := range []string{version, ""} {
		_, err := env.Load(t.Context(), ines, version)
		wantError(t, err, "load tokens: the key ring does not have the key with fingerprint "+fingerprint+": put it back into the ring")
		if !errors.Is(err, envelope.ErrNoKey) {
			t.Errorf("%v is not ErrNoKey", err)
		}
	}
	if env.refused() > 0 {
		t.Errorf("%d rows were refused", env.refused())
	}
	env.ring.Keys = keys
	env.wantLoad(ines, version, 1)
	env.wantLoad(ines, "", 1)
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
	env.wantNone(ines, "e1.000000000000.00") // there is nothing to open
	if err := env.Delete(t.Context(), jonas); err != nil {
		t.Errorf("deleting needs no key: %v", err)
	}
	env.ring.Err = nil
	env.wantKept(ines, version)
	env.wantLoad(ines, "", 1)
}

// rotate puts a new key in front of the ring.
func (env *testEnv) rotate() {
	env.ring.Keys = append([]string{"fernhill-ring-key-two-0123456789"}, env.ring.Keys...)
}

func TestRing_WithANewKeyInFrontOpensWhatTheOldOneSealedAndSealsTheNextWithTheNewOne(t *testing.T) {
	env := newTestEnv(t)
	first := env.save(ines, "first", 1)
	env.rotate()
	env.wantLoad(ines, first, 1)
	if again := env.save(ines, "first", 1); again != first {
		t.Errorf("saved again as %s, want %s", again, first)
	}
	second := env.save(ines, "second", 2)
	env.wantLoad(ines, first, 1)
	env.ring.Keys = env.ring.Keys[:1]
	env.wantLoad(ines, second, 2)
	env.wantLoad(ines, "", 2)
}
