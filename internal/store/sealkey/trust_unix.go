//go:build unix

package sealkey

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noFollow makes an open fail at a symbolic link, and not wait for a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// trusted returns why the file cannot be trusted, after it was opened.
func (f file) trusted(found fs.FileInfo) error {
	owner, known := found.Sys().(*syscall.Stat_t)
	switch {
	case !found.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; remove it", f)
	case !known || int64(owner.Uid) != int64(os.Geteuid()):
		return fmt.Errorf("%s belongs to another user of this machine; remove it, and users sign in again", f)
	case found.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("other users of this machine may have read or changed %s (%s); remove it, and users sign in again, or chmod 600 it if you know that no other user did",
			f, found.Mode().Perm())
	}
	return nil
}
