//go:build unix

package sqlite

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOpen_ADirectoryThatOthersCanWriteIsRefusedAndStaysEmpty(t *testing.T) {
	path := pathIn(t)
	must(t, os.Chmod(filepath.Dir(path), 0o777)) //nolint:gosec // the test's subject
	wantRefused(t, path, "other users of this machine can write to")
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(files) > 0 {
		t.Errorf("files %q, %v", files, err)
	}
}

// dir is a directory with a mode, an owner and a group.
type dir struct {
	fs.FileInfo
	mode     fs.FileMode
	uid, gid uint32
}

func (d dir) Mode() fs.FileMode { return d.mode }
func (d dir) Sys() any          { return &syscall.Stat_t{Uid: d.uid, Gid: d.gid} }

func TestOthersMayWrite_ExceptForThePrivateGroupOfTheOwner(t *testing.T) {
	for found, want := range map[dir]bool{
		{mode: 0o700, uid: 1000, gid: 100}:  false,
		{mode: 0o755, uid: 1000, gid: 100}:  false,
		{mode: 0o775, uid: 1000, gid: 1000}: false,
		{mode: 0o775, uid: 1000, gid: 100}:  true,
		{mode: 0o777, uid: 1000, gid: 1000}: true,
		{mode: 0o702, uid: 1000, gid: 1000}: true,
	} {
		if got := othersMayWrite(found); got != want {
			t.Errorf("%+v: %t", found, got)
		}
	}
}
