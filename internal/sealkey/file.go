package sealkey

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// file is the path of a key file.
type file string

// maxFile is more than the size of a key file.
const maxFile = 1000

// fileFor returns the key file of a database, which is next to it.
func fileFor(database string) file { return file(database + "-key") }

// key returns the key in the file, or nil if there is no file or no key in it.
func (f file) key() ([]byte, error) {
	found, err := os.Stat(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !found.Mode().IsRegular() { // a pipe or a device may never end
		err = fmt.Errorf("%s is not a regular file; remove it", f)
	}
	if err == nil && found.Size() > maxFile {
		return nil, nil
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(string(f))
	}
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	return decoded(strings.TrimSpace(string(text))), nil
}

// add writes a key, with mode 0600, and returns it. The whole file appears at once.
func (f file) add(key []byte) ([]byte, error) {
	fresh := string(f) + ".new"
	err := os.WriteFile(fresh, []byte(encoded(key)+"\n"), 0o600)
	if err == nil {
		err = os.Rename(fresh, string(f))
	}
	if err != nil {
		return nil, fmt.Errorf("write the key file: %w", err)
	}
	return key, nil
}
