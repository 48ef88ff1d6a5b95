package sealkey

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// file is the path of a key file, which is next to its database.
type file string

// maxFile is more than the size of a key file.
const maxFile = 1000

// key returns the key in the file, or nil if there is no file or no key in it. It refuses a file
// that another user may have put there or read.
func (f file) key() ([]byte, error) {
	text, err := f.text()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	return decoded(strings.TrimSpace(text)), nil
}

// text returns the text of the file, or an empty one if the file is too long.
func (f file) text() (string, error) {
	if found, err := os.Lstat(string(f)); err == nil && !found.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file; remove it", f)
	}
	opened, err := os.OpenFile(string(f), os.O_RDONLY|noFollow, 0)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	found, err := opened.Stat()
	if err == nil {
		err = f.trusted(found)
	}
	if err != nil || found.Size() > maxFile {
		return "", err
	}
	text, err := io.ReadAll(opened)
	return string(text), err
}

// add writes a key, with mode 0600, and returns it. The whole file appears at once. It is always a
// new one: what another user has put in its place is neither followed nor kept.
func (f file) add(key []byte) ([]byte, error) {
	fresh, err := os.CreateTemp(filepath.Dir(string(f)), filepath.Base(string(f))+".new")
	if err == nil {
		defer func() { _ = os.Remove(fresh.Name()) }() // unless it was renamed
		_, err = fresh.WriteString(encoded(key) + "\n")
		err = errors.Join(err, fresh.Close())
	}
	if err == nil {
		err = os.Rename(fresh.Name(), string(f))
	}
	if err != nil {
		return nil, fmt.Errorf("write the key file: %w", err)
	}
	return key, nil
}
