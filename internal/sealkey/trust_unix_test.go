//go:build unix

package sealkey

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// foreign is a file that belongs to another user.
type foreign struct{ fs.FileInfo }

func (foreign) Sys() any { return &syscall.Stat_t{Uid: uint32(os.Geteuid()) + 1} }

func planted(t *testing.T, k *Keys, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(string(k.file), []byte(encoded(newKey())+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(string(k.file), mode); err != nil {
		t.Fatal(err)
	}
}

func wantRefusal(t *testing.T, k *Keys, says string) {
	t.Helper()
	_, _, current := k.Current(t.Context())
	_, other := k.Key(t.Context(), "id")
	for _, err := range []error{current, other, k.Check()} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error that says %q", err, says)
		}
	}
}

func TestKeyFile_ThatOthersCanReadOrWriteIsRefused(t *testing.T) {
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o602} {
		k := newKeys(t, nil)
		planted(t, k, mode)
		wantRefusal(t, k, "chmod 600")
	}
}

func TestKeyFile_ThatIsALinkIsRefused(t *testing.T) {
	k, theirs := newKeys(t, nil), newKeys(t, nil)
	planted(t, theirs, 0o600)
	if err := os.Symlink(string(theirs.file), string(k.file)); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, k, "not a regular file")
}

func TestKeyFile_OfAnotherUserIsRefused(t *testing.T) {
	k := newKeys(t, nil)
	planted(t, k, 0o600)
	found, err := os.Stat(string(k.file))
	if err != nil {
		t.Fatal(err)
	}
	if err := k.file.trusted(foreign{found}); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("got %v", err)
	}
	if err := k.file.trusted(found); err != nil {
		t.Error(err)
	}
}

func TestKeyFile_IsNotWrittenThroughALink(t *testing.T) {
	k := newKeys(t, nil)
	theirs := filepath.Join(t.TempDir(), "theirs")
	if err := os.WriteFile(theirs, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(theirs, string(k.file)+".new"); err != nil {
		t.Fatal(err)
	}
	current(t, k)
	if text, err := os.ReadFile(theirs); err != nil || string(text) != "kept" {
		t.Errorf("the file behind the link has %q, %v", text, err)
	}
	if err := k.Check(); err != nil {
		t.Error(err)
	}
}
