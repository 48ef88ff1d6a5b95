package sealkey

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

// fakeRing is a keyring in memory.
type fakeRing struct {
	text string
	err  error
}

func (r *fakeRing) get(context.Context) (string, error) { return r.text, r.err }

func (r *fakeRing) set(_ context.Context, text string) error {
	if r.err == nil {
		r.text = text
	}
	return r.err
}

func (r *fakeRing) ring() *ring {
	if r == nil {
		return nil
	}
	return &ring{r.get, r.set}
}

func newKeys(t *testing.T, r *fakeRing) *Keys {
	return &Keys{ring: r.ring(), file: file(filepath.Join(t.TempDir(), "sandbox.db-key"))}
}

func current(t *testing.T, k *Keys) (id string, key []byte) {
	t.Helper()
	id, key, err := k.Current(t.Context())
	if err != nil || len(key) != keySize || id == "" {
		t.Fatalf("%q, %d bytes, %v", id, len(key), err)
	}
	return id, key
}

func want(t *testing.T, k *Keys, id string, key []byte, failure error) {
	t.Helper()
	found, err := k.Key(t.Context(), id)
	if !bytes.Equal(found, key) || !errors.Is(err, failure) {
		t.Errorf("%d bytes, %v; want %d bytes, %v", len(found), err, len(key), failure)
	}
}

func TestKeys_AreInTheKeyringIfThereIsOne(t *testing.T) {
	r := &fakeRing{}
	k := newKeys(t, r)
	id, key := current(t, k)
	if again, _ := current(t, k); again != id || r.text == "" {
		t.Errorf("%q, then %q; the keyring has %d characters", id, again, len(r.text))
	}
	if _, err := os.Stat(string(k.file)); err == nil {
		t.Error("there is a key file, too")
	}
	want(t, &Keys{ring: r.ring(), file: k.file}, id, key, nil)
}

func TestKeys_AreInAPrivateFileWithoutAKeyring(t *testing.T) {
	for name, r := range map[string]*fakeRing{"by choice": nil, "none": {err: errNoRing}, "slow": {err: errSlow}} {
		k := newKeys(t, r)
		id, key := current(t, k)
		found, err := os.Stat(string(k.file))
		if err != nil || runtime.GOOS != "windows" && found.Mode().Perm() != 0o600 {
			t.Fatalf("%s: %v, %v", name, found.Mode(), err)
		}
		if again, _ := current(t, &Keys{ring: r.ring(), file: k.file}); again != id {
			t.Errorf("%s: another key after a restart", name)
		}
		want(t, &Keys{ring: r.ring(), file: k.file}, id, key, nil)
	}
}

func TestKeys_AKeyThatWasReplacedIsMissing(t *testing.T) {
	for name, r := range map[string]*fakeRing{"keyring": {}, "file": {err: errNoRing}} {
		k := newKeys(t, r)
		id, _ := current(t, k)
		r.text = ""
		if err := os.WriteFile(string(k.file), []byte("not a key\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, k, id, nil, nil)
		if fresh, _ := current(t, k); fresh == id {
			t.Errorf("%s: the lost key has come back", name)
		}
		want(t, k, id, nil, nil)
	}
}

func TestKeys_AFileThatNeverEndsIsNotRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such files")
	}
	k := newKeys(t, nil)
	if err := os.Symlink(os.DevNull, string(k.file)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.Current(t.Context()); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a device: %v", err)
	}
	k = newKeys(t, nil)
	if err := os.WriteFile(string(k.file), []byte(encoded(newKey())+strings.Repeat("\n", maxFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := k.file.key(); key != nil || err != nil {
		t.Errorf("a file that is too long: %d bytes, %v", len(key), err)
	}
}

func TestKeys_AKeyringThatDoesNotAnswerIsNotALostKey(t *testing.T) {
	r := &fakeRing{}
	k := newKeys(t, r)
	id, key := current(t, k)
	r.err = errSlow
	want(t, k, id, nil, errSlow)
	fromFile, inFile := current(t, k) // a user who signs in meanwhile
	want(t, k, fromFile, inFile, nil)
	r.err = nil
	want(t, k, id, key, nil)
}

func TestKeys_ARequestThatEndedMakesNoKeyInAFile(t *testing.T) {
	k := newKeys(t, &fakeRing{err: context.Canceled})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if id, key, err := k.Current(ctx); key != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %d bytes, %v", id, len(key), err)
	}
	if _, err := os.Stat(string(k.file)); err == nil {
		t.Error("there is a key file, although the machine may have a keyring")
	}
}

func TestSystem_FallsBackWithoutDelayAndNoise(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems always have a keyring")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	start := time.Now()
	database := filepath.Join(t.TempDir(), "live.db")
	k := InKeyring(database)
	id, key := current(t, k)
	want(t, InKeyring(database), id, key, nil)
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
	if _, err := os.Stat(string(k.file)); err != nil {
		t.Error(err)
	}
}

func TestSystem_StoresTheKeyUnderThePathOfItsDatabase(t *testing.T) {
	keyring.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	one, other := InKeyring("/data/one.db"), InKeyring("/data/other.db")
	id, key := current(t, one)
	if theirs, _ := current(t, other); theirs == id {
		t.Error("two databases share a key")
	}
	want(t, InKeyring("/data/one.db"), id, key, nil)
	if text, err := keyring.Get("basecamp-mcp", "/data/one.db"); err != nil || text != encoded(key) {
		t.Errorf("%q, %v", text, err)
	}
}
