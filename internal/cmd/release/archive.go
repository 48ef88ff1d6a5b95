package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"time"
)

// entry is a file in an archive.
type entry struct {
	name    string
	content []byte
	mode    fs.FileMode
}

const (
	executable fs.FileMode = 0o755
	readable   fs.FileMode = 0o644
)

// epoch is the earliest time that a zip file can store.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func zipped(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: epoch}
		header.SetMode(e.mode)
		f, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := w.Close() // writes the directory
	return b.Bytes(), err
}

func tarred(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	w := tar.NewWriter(compressed)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.content)), ModTime: epoch, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := errors.Join(w.Close(), compressed.Close())
	return b.Bytes(), err
}
