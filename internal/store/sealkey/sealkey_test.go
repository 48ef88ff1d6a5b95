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
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"
)

// fakeRing is a keyring in memory.
type fakeRing struct {
	text    string
	err     error
	forgets bool
}

func (r *fakeRing) get(context.Context) (string, error) { return r.text, r.err }

func (r *fakeRing) set(_ context.Context, text string) error {
	if r.err == nil && !r.forgets {
		r.text = text
	}
	return r.err
}

func newKeys(t *testing.T, r ring) *Keys {
	return &Keys{r, file(filepath.Join(t.TempDir(), "sandbox.db-key"))}
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

// A key survives a restart in one place, and once it was replaced, it is missing.
func TestKeys_AreInTheKeyringOrElseInAPrivateFile(t *testing.T) {
	for name, r := range map[string]ring{
		"keyring": &fakeRing{}, "by choice": &system{}, "none": &fakeRing{err: errNoRing}, "slow": &fakeRing{err: errSlow}, "forgetful": &fakeRing{forgets: true},
	} {
		k := newKeys(t, r)
		id, key := current(t, k)
		again := &Keys{r, k.file}
		if same, _ := current(t, again); same != id {
			t.Errorf("%s: another key after a restart", name)
		}
		want(t, again, id, key, nil)
		found, err := os.Stat(string(k.file))
		if (err != nil) != (name == "keyring") || err == nil && runtime.GOOS != "windows" && found.Mode().Perm() != 0o600 {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		if f, ok := r.(*fakeRing); ok {
			f.text = "not a key"
		}
		tooLong := encoded(newKey()) + strings.Repeat("\n", maxFile)
		if err := os.WriteFile(string(k.file), []byte(tooLong), 0o600); err != nil {
			t.Fatal(err)
		}
		if fresh, _ := current(t, k); fresh == id {
			t.Errorf("%s: the lost key has come back", name)
		}
		if name == "slow" {
			want(t, k, id, nil, errSlow)
		} else {
			want(t, k, id, nil, nil)
		}
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

func TestSystem_StoresTheKeyUnderThePathOfItsDatabaseOrFallsBackWithoutDelay(t *testing.T) {
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
	keyring.MockInitWithError(errors.New("no such bus"))
	database := filepath.Join(t.TempDir(), "live.db")
	start := time.Now()
	id, key = current(t, InKeyring(database))
	want(t, InFile(database), id, key, nil)
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}

func TestSystem_WaitsASecondAndRepeatsNoQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, answer := system{}, 0, make(chan string)
		ask := func(ctx context.Context) (string, error) {
			return s.ask(ctx, "get", func() (string, error) { asked++; return <-answer, nil })
		}
		start := time.Now()
		if _, err := ask(t.Context()); !errors.Is(err, errSlow) || time.Since(start) != ringTime {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ask(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		time.AfterFunc(ringTime/2, func() { answer <- "key" })
		if text, err := ask(t.Context()); text != "key" || err != nil || asked != 1 {
			t.Errorf("%q, %v after %d questions", text, err, asked)
		}
	})
}

func TestInFile_AsksNoKeyring(t *testing.T) {
	keyring.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none") // so that there may be a keyring
	k := InFile(filepath.Join(t.TempDir(), "sandbox.db"))
	_, key := current(t, k)
	if stored, err := k.file.key(); err != nil || !bytes.Equal(stored, key) {
		t.Errorf("the file has %d bytes, %v", len(stored), err)
	}
}
