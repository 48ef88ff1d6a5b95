package sqlite

import "io/fs"

// othersMayWrite returns false: Windows has no such modes, and the user's own folders are private.
func othersMayWrite(fs.FileInfo) bool { return false }
