package main

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/signin/provider"
)

func TestOpenFile_AsksTheKeyringOnlyForRealTokens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the test takes the place of the session bus")
	}
	var asked atomic.Int64
	bus := filepath.Join(t.TempDir(), "bus")
	listener, err := net.Listen("unix", bus)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			conn.Close()
		}
	}()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+bus)
	for _, made := range []bool{true, false} {
		asked.Store(0)
		stores, err := openFile(t.Context(), filepath.Join(t.TempDir(), "one.db"), made, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		_, err = stores.Grants("place").Save(t.Context(), "37s:1", "w", provider.Tokens{AccessToken: "a"})
		if (asked.Load() == 0) != made || err != nil {
			t.Errorf("made-up data %t: the keyring was asked %d times, %v", made, asked.Load(), err)
		}
		if err := stores.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenFile_RefusesAnUntrustedKeyFile(t *testing.T) {
	path := t.TempDir() + "/one.db"
	if err := os.Mkdir(path+"-key", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := openFile(t.Context(), path, true, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
