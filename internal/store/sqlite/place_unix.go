//go:build unix

package sqlite

import (
	"io/fs"
	"syscall"
)

// othersMayWrite reports whether other users can create and replace files in a directory. A group
// with the number of its owner is the owner's private one, for which systems with a umask of 002
// make directories writable.
func othersMayWrite(dir fs.FileInfo) bool {
	owner, known := dir.Sys().(*syscall.Stat_t)
	private := known && owner.Uid == owner.Gid
	return dir.Mode().Perm()&0o002 != 0 || dir.Mode().Perm()&0o020 != 0 && !private
}
