package main

import (
	"log/slog"
	"os"
	"strings"
	"testing"
)

func TestOpenFile_RefusesAnUntrustedKeyFile(t *testing.T) {
	path := t.TempDir() + "/one.db"
	if err := os.Mkdir(path+"-key", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := openFile(t.Context(), path, true, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
