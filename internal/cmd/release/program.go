package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const product = "basecamp-mcp"

// program is the local server, built for one platform.
type program struct {
	system, processor string // in Go's words
	content           []byte
}

// file returns the name of the program on its system.
func (p program) file() string {
	if p.system == "windows" {
		return product + ".exe"
	}
	return product
}

// programs returns the local servers that were built.
func (r release) programs() ([]program, error) {
	paths, err := filepath.Glob(filepath.Join(r.built, "local", "*", "local*"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("no built program in " + filepath.Join(r.built, "local"))
	}
	var all []program
	for _, path := range paths {
		system, processor, ok := strings.Cut(filepath.Base(filepath.Dir(path)), "_")
		if !ok {
			return nil, fmt.Errorf("%s is not in a directory <os>_<arch>", path)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, program{system, processor, content})
	}
	return all, nil
}

// name returns the name of a file of the release for the platform of a program.
func (r release) name(p program, extension string) string {
	return product + "_" + r.version + "_" + p.system + "_" + p.processor + extension
}

// documents returns the licence and all documents, with their pictures, in their directories: they
// refer to each other.
func (r release) documents() (all []entry, err error) {
	for _, pattern := range []string{"LICENSE", "*.md", "docs/*.md", "docs/*.json", "docs/pictures/*.png", "docs/pictures/*.svg"} {
		paths, err := filepath.Glob(filepath.Join(r.source, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(r.source, path)
			if err != nil {
				return nil, err
			}
			all = append(all, entry{filepath.ToSlash(name), content, readable})
		}
	}
	return all, nil
}

// pack adds the archive and the bundle of a program to the files.
func (r release) pack(p program, files map[string][]byte) error {
	entries := []entry{{p.file(), p.content, executable}}
	documents, err := r.documents()
	if err != nil {
		return err
	}
	entries = append(entries, documents...)
	archive, extension := tarred, ".tar.gz"
	if p.system == "windows" {
		archive, extension = zipped, ".zip"
	}
	content, err := archive(entries)
	if err != nil {
		return err
	}
	files[r.name(p, extension)] = content
	files[r.name(p, bundleExtension)], err = r.bundle(p)
	return err
}
