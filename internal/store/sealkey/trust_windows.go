package sealkey

import "io/fs"

// noFollow is nothing on Windows, where making a symbolic link takes a right of its own.
const noFollow = 0

// trusted returns nil: Windows has no such modes, and the user's own folders are private.
func (file) trusted(fs.FileInfo) error { return nil }
