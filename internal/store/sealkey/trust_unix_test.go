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

// newFile returns keys with a key file.
func newFile(t *testing.T, mode os.FileMode) *Keys {
	t.Helper()
	k := newKeys(t, &system{})
	current(t, k)
	if err := os.Chmod(string(k.file), mode); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeyFile_ThatAnotherUserMayHaveReadOrWrittenIsRefused(t *testing.T) {
	link := newKeys(t, &system{})
	if err := os.Symlink(string(newFile(t, 0o600).file), string(link.file)); err != nil {
		t.Fatal(err)
	}
	for k, says := range map[*Keys]string{
		newFile(t, 0o640): "chmod 600", newFile(t, 0o604): "chmod 600", newFile(t, 0o620): "chmod 600", newFile(t, 0o602): "chmod 600",
		link: "not a regular file",
	} {
		_, _, current := k.Current(t.Context())
		_, other := k.Key(t.Context(), "id")
		for _, err := range []error{current, other, k.Check()} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v, want an error that says %q", err, says)
			}
		}
	}
	k := newFile(t, 0o600)
	if left, err := filepath.Glob(string(k.file) + "?*"); err != nil || len(left) > 0 {
		t.Errorf("files are left: %q, %v", left, err)
	}
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
